"""be.evaluate: means from any input."""

import math
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError, MismatchError, UnknownMeasureError
from berryeval.measures import NDCG

JUDGMENTS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}, "q2": {"d8": 1.0, "d3": 0.5}}


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    """Write the same data as TREC files."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 1\n")
    run.write_text(
        "q1 Q0 d1 1 3 a\nq1 Q0 d9 2 2 a\nq1 Q0 d2 3 1 a\nq2 Q0 d8 1 1 a\nq2 Q0 d3 2 0.5 a\n"
    )
    return qrels, run


def test_files_dicts_lists_and_objects_agree(files):
    """The source of judgments and run does not matter."""
    lists = {query_id: list(scores) for query_id, scores in RUN.items()}
    sources = [
        files,
        tuple(map(str, files)),
        (JUDGMENTS, RUN),
        (JUDGMENTS, lists),
        (Judgments.from_dict(JUDGMENTS), Run.from_dict(RUN)),
    ]
    for judgments, run in sources:
        means = be.evaluate(judgments, run, ["RR", "AP", "P@2"]).to_dict()
        assert means == pytest.approx({"RR": 0.75, "AP": 2 / 3, "P@2": 0.5})


def test_default_measures_are_reported():
    """E4: reciprocal rank, and recall, precision, nDCG and success at 1, 3, 5, 10."""
    expected = ["RR"] + [
        f"{name}@{k}" for k in (1, 3, 5, 10) for name in ("R", "P", "nDCG", "Success")
    ]
    assert list(be.evaluate(JUDGMENTS, RUN)) == expected


def test_a_measure_can_be_looked_up_by_any_of_its_names():
    """The result resolves aliases."""
    result = be.evaluate(JUDGMENTS, RUN, "ndcg_cut.5,10")
    assert list(result) == ["nDCG@5", "nDCG@10"]
    assert result["ndcg_cut_10"] is result["nDCG@10"]
    assert result["nDCG@10"].measure == NDCG(10)


def test_each_query_has_its_value():
    """Values are in the order of the bytes of ids."""
    result = be.evaluate(JUDGMENTS, RUN, "RR")["RR"]
    assert list(result.by_query.items()) == [("q1", 1.0), ("q2", 0.5)]
    assert repr(result) == "<RR: 0.7500 [0.0000, 1.0000] over 2 queries>"


def test_counts_add_up_and_geometric_means_multiply():
    """num_rel_ret is a sum over queries, gm_map the mean of logarithms."""
    result = be.evaluate(JUDGMENTS, RUN, ["num_rel_ret", "gm_map", "map"])
    assert result["num_rel_ret"].mean == 3
    values = result["map"].by_query.values()
    assert result["gm_map"].mean == pytest.approx(math.prod(values) ** 0.5)


ids = st.sampled_from(["a", "b", "c", "d", "e"])
graded = st.dictionaries(ids, st.integers(0, 3), min_size=1)
ranked = st.dictionaries(ids, st.sampled_from([1.0, 2.0, 3.0]), min_size=1)
queries = st.sampled_from(["1", "2", "10"])


@given(st.dictionaries(queries, graded, min_size=1), st.dictionaries(queries, ranked, min_size=1))
def test_official_means_match_trec_eval(judgments, run):
    """They are over the queries that both files have."""
    theirs = pytrec_eval.RelevanceEvaluator(judgments, pytrec_eval.supported_measures).evaluate(run)
    if not theirs:
        with pytest.raises(MismatchError):
            be.evaluate(judgments, run, "all_trec", missing="skip")
        return
    ours = be.evaluate(judgments, run, ["map", "Rprec", "bpref", "recip_rank", "P"], missing="skip")
    for name, result in ours.items():
        key = {"AP": "map", "Bpref": "bpref", "RR": "recip_rank"}.get(name, name.replace("@", "_"))
        expected = sum(values[key] for values in theirs.values()) / len(theirs)
        assert result.mean == pytest.approx(expected, abs=1e-12), name


def test_no_common_query_is_an_error_that_shows_both_sides():
    """The usual cause is then visible."""
    with pytest.raises(MismatchError) as caught:
        be.evaluate({"1": {"d": 1}}, {"q1": {"d": 1.0}})
    assert str(caught.value) == (
        "judgments and run have no query in common: judged queries are '1'; "
        "queries in the run are 'q1'"
    )


@pytest.mark.parametrize("judgments", [{}, Judgments.from_dict({})])
@pytest.mark.parametrize("run", [RUN, {}, {"q1": ["d1"]}])
def test_judgments_without_a_query_are_an_error(judgments, run):
    """Means over nothing would look like a bad run."""
    with pytest.raises(MismatchError) as caught:
        be.evaluate(judgments, run)
    assert str(caught.value) == "judgments: expected at least one judged query, found none"


def test_a_file_without_judgments_is_an_error_that_names_it(tmp_path):
    """Empty objects are rejected."""
    for name, content in (("b.json", "{}"), ("c.json", "{}\n")):
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(MismatchError) as caught:
            be.evaluate(path, RUN)
        assert str(caught.value) == f"{path}: expected at least one judged query, found none"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"missing": "drop"}, ArgumentError, "missing: expected 'zero' or 'skip' or 'error', got"),
        ({"no_relevant": 0}, ArgumentError, "no_relevant: expected 'zero' or 'skip', got 0"),
        ({"duplicates": None}, ArgumentError, "duplicates: expected 'error' or 'keep-best', got"),
        ({"measures": []}, ArgumentError, "measures: expected at least one, got none"),
        ({"measures": [3]}, InputTypeError, "measures: expected names or measures, got int"),
        ({"measures": "ndgc@10"}, UnknownMeasureError, "unknown measure"),
    ],
)
def test_invalid_options_are_rejected(options, error, message):
    """The message names the option."""
    with pytest.raises(error, match=message):
        be.evaluate(JUDGMENTS, RUN, **options)


def test_a_result_prints_as_a_table():
    """This is useful in a REPL."""
    assert repr(be.evaluate(JUDGMENTS, RUN, ["RR", "nDCG@10"])) == (
        "<Evaluation over 2 queries\n"
        "RR       0.7500 [0.0000, 1.0000]\n"
        "nDCG@10  0.7906 [0.0000, 1.0000]>"
    )
