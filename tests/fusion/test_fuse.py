"""Fusing runs from anywhere: inputs, different queries, errors."""

import pyarrow as pa
import pytest

import berryeval as be

WORDS = {"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 1.0}}
VECTORS = {"q2": {"b": 0.5}, "q1": {"b": 0.5, "c": 0.4}}


def test_files_frames_and_runs_are_fused_alike(tmp_path):
    """Every run that `evaluate` accepts can be fused."""
    file = tmp_path / "words.run"
    be.write_run(be.Run.from_dict(WORDS), file)
    frame = pa.table(
        {
            "query_id": ["q2", "q1", "q1"],
            "doc_id": ["b", "b", "c"],
            "score": [0.5, 0.5, 0.4],
        }
    )
    expected = be.fuse([WORDS, VECTORS])
    assert be.fuse([file, frame]) == expected
    assert be.fuse({"x": be.read_run(file), "y": be.Run.from_dict(VECTORS)}) == expected


def test_queries_are_matched_by_id():
    """The order of queries is that of the first run."""
    fused = be.fuse([WORDS, VECTORS])
    assert [*fused.query_ids] == ["q1", "q2"]
    assert fused.ranking("q2") == ["b", "a"]
    assert fused.cautions == ()


def test_a_query_of_one_run_is_fused_from_it_and_reported():
    """The run that lacks it does not contribute, not even Borda points."""
    more = {**VECTORS, "q3": {"z": 1.0}}
    fused = be.fuse({"words": WORDS, "vectors": more}, "bordafuse")
    assert fused.to_dict()["q3"] == {"z": 1.0}
    [caution] = fused.cautions
    assert caution == "words lacks 1 of 3 queries ('q3'), which are fused from the other runs"


def test_reports_about_the_fused_run_mention_missing_queries():
    """An evaluation has the caution of its run."""
    fused = be.fuse({"words": WORDS, "vectors": {"q1": {"a": 1.0}}})
    result = be.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, fused, "RR")
    assert any("vectors lacks 1 of 2 queries" in str(note) for note in result.cautions)


def test_only_common_queries_on_request():
    """The others are left out, and still reported."""
    more = {**VECTORS, "q3": {"z": 1.0}}
    fused = be.fuse([WORDS, more], queries="common")
    assert [*fused.query_ids] == ["q1", "q2"]
    assert fused.cautions == ("run_1 lacks 1 of 3 queries ('q3'), which are left out",)


def test_different_queries_are_an_error_on_request():
    """The message states how to continue."""
    with pytest.raises(be.MismatchError, match=r"run_1 lacks 1 of 3 .*; queries='all', or"):
        be.fuse([WORDS, {**VECTORS, "q3": {"z": 1.0}}], queries="error")


def test_runs_without_a_common_query_do_not_belong_together():
    """Nothing would be fused."""
    with pytest.raises(be.MismatchError, match="no query is in more than one run: one, two"):
        be.fuse({"one": WORDS, "two": {"z": {"a": 1.0}}})


def test_runs_that_share_queries_in_pairs_are_fused():
    """No query is in all three, and each is in two."""
    of_queries = [("q1", "q2"), ("q2", "q3"), ("q3", "q1")]
    runs = [{query: {"a": 1.0} for query in queries} for queries in of_queries]
    fused = be.fuse(runs, "sum", norm=None)
    assert fused.to_dict() == {query: {"a": 2.0} for query in ("q1", "q2", "q3")}
    assert len(fused.cautions) == 3
    with pytest.raises(be.MismatchError, match="no query is in all runs: run_1, run_2, run_3"):
        be.fuse(runs, queries="common")


def test_a_query_without_documents_stays_a_query():
    """The fused run contains it, without documents."""
    empty = {"q1": {}, "q2": {"a": 1.0}}
    assert be.fuse([empty, empty], norm="borda", method="sum").to_dict() == {
        "q1": {},
        "q2": {"a": 2.0},
    }


def test_depth_keeps_the_best():
    """Two of three documents remain."""
    assert be.fuse([WORDS, VECTORS], depth=2).ranking("q1") == ["b", "a"]


def test_weights_have_names():
    """A mapping is matched by the names of the runs."""
    runs = {"words": WORDS, "vectors": VECTORS}
    by_name = be.fuse(runs, "wsum", weights={"vectors": 0.1, "words": 0.9})
    assert by_name == be.fuse(runs, "wsum", weights=[0.9, 0.1])
    assert be.fuse(runs, "wsum") == be.fuse(runs, "sum")


def test_the_method_becomes_the_tag():
    """A TREC file of the fused run is labelled with it."""
    assert be.fuse([WORDS, VECTORS], "mnz").tag == "mnz"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([WORDS], "rrf"), "runs: expected at least two, got 1"),
        (([WORDS, VECTORS], "rff"), "method: expected one of min, max, .* got 'rff'"),
    ],
)
def test_wrong_arguments_are_reported(arguments, message):
    """The message lists the valid choices."""
    with pytest.raises(be.ArgumentError, match=message):
        be.fuse(*arguments)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"norm": "minmax"}, "norm: expected one of none, min-max, .* got 'minmax'"),
        ({"queries": "any"}, "queries: expected 'all', 'common' or 'error', got 'any'"),
        ({"depth": 0}, "depth: expected an integer, at least 1, got 0"),
        ({"weights": [1]}, r"weights: expected 2 numbers of at least 0, not all 0, got \[1\]"),
        ({"weights": [0, 0]}, "weights: expected 2 numbers of at least 0, not all 0"),
        ({"weights": [1, -1]}, "weights: expected 2 numbers of at least 0, not all 0"),
        ({"weights": ["x", 1]}, "weights: expected 2 numbers of at least 0, not all 0"),
        ({"weights": {"run_1": 1}}, "weights: expected one for each of run_1, run_2, got run_1"),
        ({"method": "isr", "weights": [1, 1]}, "weights: expected none for method 'isr' .rrf, rbc"),
        ({"phi": 0.5}, r"phi: expected a parameter of rrf \(k\), got 0.5"),
        ({"k": -1}, "k: expected a number from 0, got -1"),
        ({"method": "rbc", "phi": 2}, "phi: expected a number from 0 to 1, got 2"),
        ({"method": "mapfuse"}, "judgments: expected those of training queries, .* got none"),
        ({"method": "isr", "k": 1}, "k: expected a parameter of isr .no parameters., got 1"),
    ],
)
def test_wrong_settings_are_reported(given, message):
    """Each message is one line, with what was expected."""
    with pytest.raises(be.ArgumentError, match=message):
        be.fuse([WORDS, VECTORS], **given)


def test_a_parameter_is_a_number():
    """Text is of the wrong type, and half a segment does not exist."""
    with pytest.raises(be.InputTypeError, match="k: expected a number from 0, got str 'x'"):
        be.fuse([WORDS, VECTORS], k="x")
    with pytest.raises(be.InputTypeError, match=r"depth: expected .* got float 1\.5"):
        be.fuse([WORDS, VECTORS], depth=1.5)
    with pytest.raises(be.ArgumentError, match="window: expected a whole number from 0 to 1e"):
        be.fuse([WORDS, VECTORS], "slidefuse", judgments={"q1": {"a": 1}}, window=0.5)


def test_a_depth_below_every_ranking_keeps_all():
    """However large the number is."""
    assert be.fuse([WORDS, VECTORS], depth=10**30) == be.fuse([WORDS, VECTORS])


def test_one_path_is_not_several_runs():
    """A string would otherwise be read letter by letter."""
    with pytest.raises(be.InputTypeError, match="runs: expected several runs, got one str"):
        be.fuse("words.run")


def test_scores_that_have_no_scale_are_an_error():
    """The message names run and query, and the way out."""
    negative = {"q1": {"a": -3.0}, "q2": {"a": 1.0}}
    message = "run_2: query 'q1': expected scores above 0 to normalise by 'max'; choose norm 'rank'"
    with pytest.raises(be.InputError, match=message):
        be.fuse([WORDS, negative], "sum", norm="max")
    infinite = {"q1": {"a": float("inf")}, "q2": {"a": 1.0}}
    with pytest.raises(be.InputError, match="expected finite scores to sum up"):
        be.fuse([WORDS, infinite], "sum", norm=None)
    assert be.fuse([WORDS, infinite]).ranking("q1") == ["a", "b"]


def test_fused_scores_that_exceed_a_float_are_an_error():
    """Infinity times 0 is no score."""
    huge = {"q1": {"a": 1.7e308}}
    with pytest.raises(be.InputError, match="query 'q1': the fused scores exceed a float"):
        be.fuse([huge, huge, {"q1": {"b": 1.0}}], "wmnz", norm=None, weights=[0, 0, 1])
