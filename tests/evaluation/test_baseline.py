"""Baselines: one small file, and the checks before a comparison."""

import json
import os

import pytest

from berryeval import FormatError, Judgments, MismatchError, Query, Run
from berryeval.evaluation import baseline as module
from berryeval.evaluation.baseline import Baseline, hash_queries, is_baseline
from berryeval.measures import parse_measure

JUDGMENTS = Judgments.from_dict({"q1": {"d1": 1}, "q2": {"d2": 1}})
RUN = Run.from_lists({"q1": ["d1", "d9", "d8"], "q9": ["d1"]})
NDCG = parse_measure("nDCG@2")
QUERIES = {q: Query(q, f"text of {q}") for q in ("q1", "q2")}


def made(measures=(NDCG,), **settings):
    return Baseline.make("main", JUDGMENTS, RUN, measures, **settings)


def saved(tmp_path, **changes):
    """Write a baseline with some keys changed or removed."""
    content = json.loads(made().to_json())
    content.update({key: value for key, value in changes.items() if value is not ...})
    for key in [key for key, value in changes.items() if value is ...]:
        del content[key]
    path = tmp_path / "main.json"
    path.write_text(json.dumps(content))
    return path


def test_a_baseline_keeps_the_ranks_of_its_measures():
    """It has the ids down to the cutoff, for all judged queries and no others."""
    found = made()
    assert found.rankings == {"q1": ["d1", "d9"], "q2": []}
    assert (found.depth, found.means) == (2, {"nDCG@2": 0.5})
    assert made([parse_measure("RR")]).depth is None
    assert made([parse_measure("RR")]).rankings["q1"] == ["d1", "d9", "d8"]


@pytest.mark.parametrize("name", ["main.json", "main.json.gz"])
def test_a_saved_baseline_can_be_read_again(tmp_path, name):
    """Everything survives, compressed or not, including ids that are not UTF-8."""
    strange = "d\udcff\n\u2028<ü>"
    run = Run.from_lists({"q1": ["d1", strange]})
    one = Baseline.make("main", JUDGMENTS, run, [NDCG], queries=QUERIES, corpus="docs v2",
                        settings={"k1": "0.9"})  # fmt: skip
    one.save(tmp_path / name)
    two = Baseline.read(tmp_path / name)
    assert vars(one) == vars(two)
    assert is_baseline(tmp_path / name)
    assert two.to_run().ranking("q1") == ["d1", strange]


def test_the_file_has_one_line_per_query():
    """git then shows which rankings changed."""
    lines = made().to_json().splitlines()
    assert '  "q1": ["d1", "d9"],' in lines
    assert '  "q2": []' in lines
    json.loads(made().to_json())


def test_a_baseline_is_distinguished_from_a_run(tmp_path):
    """The formatting of the file does not matter."""
    path = tmp_path / "x.json"
    path.write_text('{"version":1,"kind" :\n"baseline"}')
    assert is_baseline(path)
    path.write_text('{"q1": {"d1": 1.0}}')
    assert not is_baseline(path)
    path.write_bytes(b"")
    assert not is_baseline(path)


def test_a_file_is_written_atomically(tmp_path, monkeypatch):
    """If writing fails, the old file stays and nothing is left behind."""
    path = tmp_path / "main.json"
    made().save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FormatError, match="cannot be written: No space left on device"):
        made([parse_measure("RR")]).save(path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_comparable_baseline_is_accepted():
    """Queries, texts and corpus are the same, and rankings are deep enough."""
    found = made(queries=QUERIES, corpus="v2")
    found.check(JUDGMENTS, [NDCG], queries=QUERIES, corpus="v2")
    found.check(JUDGMENTS, [parse_measure("P@1")])
    made().check(JUDGMENTS, [NDCG], queries=QUERIES, corpus="v3")
    made([parse_measure("RR")]).check(JUDGMENTS, [parse_measure("AP")])


@pytest.mark.parametrize(
    ("judged", "shown"),
    [
        (["q1", "q2", "q3"], r"1 query new \('q3'\)"),
        (["q1"], r"1 query gone \('q2'\)"),
        (["q1", "q4"], r"1 query new \('q4'\) and 1 query gone \('q2'\)"),
        (["a", "b", "c", "d", "q1", "q2"], r"4 queries new \('a', 'b', 'c', …\)"),
    ],
)
def test_other_queries_are_rejected(judged, shown):
    """The message lists their ids and says what to do."""
    judgments = Judgments.from_dict({q: {"d1": 1} for q in judged})
    message = (
        f"baseline 'main' has different queries from the judgments: {shown}; "
        "save its run again with `berryeval baseline update`"
    )
    with pytest.raises(MismatchError, match=message):
        made().check(judgments, [NDCG])


def test_other_texts_are_rejected():
    """The same ids can stand for other questions."""
    changed = {**QUERIES, "q2": Query("q2", "another text")}
    with pytest.raises(MismatchError, match="has queries with different texts"):
        made(queries=QUERIES).check(JUDGMENTS, [NDCG], queries=changed)


def test_another_corpus_is_rejected():
    """Its documents could not have been found."""
    with pytest.raises(MismatchError, match="is from another corpus, 'v2' instead of 'v3'"):
        made(corpus="v2").check(JUDGMENTS, [NDCG], corpus="v3")


@pytest.mark.parametrize(("measure", "wanted"), [("P@5", "5"), ("AP", "whole rankings")])
def test_rankings_that_are_too_short_are_rejected(measure, wanted):
    """The message explains how to keep more ranks."""
    message = (
        f"keeps 2 documents per query, but {measure} needs {wanted}; "
        f"save its run again with `berryeval baseline update -m '{measure}'`"
    )
    with pytest.raises(MismatchError, match=message):
        made().check(JUDGMENTS, [NDCG, parse_measure(measure)])


def test_other_semantics_are_rejected(tmp_path):
    """The remedy does not require reading the file."""
    message = (
        "expected scores with semantics 1, found 2; save its run again with `berryeval baseline"
    )
    with pytest.raises(MismatchError, match=message + " save --force`"):
        Baseline.read(saved(tmp_path, semantics=2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind": "baseline", "ver', "expected a baseline in JSON: "),
        ("[1]", "expected a baseline, found other JSON"),
        ("[" * 100_000, "expected a baseline in JSON: "),
        ('{"kind": "run"}', "expected a baseline of version 1, found kind 'run', version None"),
    ],
)
def test_damaged_files_are_errors(tmp_path, text, message):
    """The message names the file."""
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        Baseline.read(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "expected a baseline of version 1, found kind 'baseline', version 2"),
        ({"name": 3}, "name: expected text, got 3"),
        ({"created": ...}, "created: expected text, got None"),
        ({"depth": "2"}, "depth: expected a whole number above 0, or null, got '2'"),
        ({"depth": True}, "depth: expected a whole number above 0, or null, got True"),
        ({"depth": 0}, "depth: expected a whole number above 0, or null, got 0"),
        ({"means": []}, "means: expected an object, got "),
        ({"means": {"AP": "x"}}, "means..AP..: expected a finite number, got 'x'"),
        ({"means": {"AP": float("nan")}}, "means..AP..: expected a finite number, got nan"),
        ({"means": {"AP": True}}, "means..AP..: expected a finite number, got True"),
        ({"queries": 1}, "queries: expected text, got 1"),
        ({"corpus": 1}, "corpus: expected text, got 1"),
        ({"settings": {"k": 1}}, "settings..k..: expected text, got 1"),
        ({"settings": ...}, "settings: expected an object, got None"),
        ({"rankings": {"q1": "d1"}}, "rankings..q1..: expected a list of ids, got 'd1'"),
        ({"rankings": {"q1": [1]}}, "rankings..q1..: expected a list of ids, got "),
        ({"rankings": {"q1": ["d", "d"]}}, "rankings..q1..: expected each document once"),
    ],
)
def test_values_of_other_types_are_errors(tmp_path, changes, message):
    """A file may have been edited by hand."""
    with pytest.raises(FormatError, match=f"main.json: {message}"):
        Baseline.read(saved(tmp_path, **changes))


def test_a_missing_file_is_an_error(tmp_path):
    """The message contains the system's reason."""
    with pytest.raises(FormatError, match=r"nope.json: cannot be read: No such file"):
        Baseline.read(tmp_path / "nope.json")


def test_texts_are_hashed_only_if_all_are_known():
    """The order of ids does not matter, and any text can be hashed."""
    assert hash_queries(["q1", "q3"], QUERIES) is None
    assert hash_queries(["q1", "q2"], QUERIES) == hash_queries(["q2", "q1"], QUERIES)
    assert len(hash_queries(["q"], {"q": Query("q", "half a pair: \ud800")})) == 16


def test_the_semantics_of_scores_has_a_version():
    """It is raised only if a score changes, together with this test."""
    assert module.SCORE_SEMANTICS == 1
