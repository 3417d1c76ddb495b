"""Condensed lists: unjudged documents are removed before scoring."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import _native, _python
from berryeval.evaluation.holes import find_holes
from berryeval.evaluation.notes import holes_notes
from berryeval.measures import all_measures, define_measure, depth_of, parse_measure
from depth import examples

JUDGMENTS = {"q1": {"a": 2, "b": 0, "c": 1, "n": -1}, "q2": {"a": 1}}
RUN = {"q1": ["x", "a", "n", "b", "c"], "q2": ["x", "y"]}
CONDENSED = {"q1": ["a", "b", "c"], "q2": []}

documents = st.sampled_from("abcdefghij")
judgments_of = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(documents, st.integers(-1, 3), min_size=1),
    min_size=1,
)
runs = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(documents, st.floats(-1, 1), min_size=1)
)


def test_a_measure_removes_unjudged_documents_before_it_cuts():
    """The first two judged documents of q1 are a and b; those of q2 are none."""
    measure = be.P(judged_only=True) @ 2
    assert str(measure) == "P(judged_only=True)@2"
    assert repr(measure) == "Precision(k=2, rel=1.0, judged_only=True)"
    assert measure == parse_measure(str(measure)) != be.P @ 2
    found = be.evaluate(JUDGMENTS, RUN, [measure, "P@2"])
    assert found[str(measure)].by_query == {"q1": 0.5, "q2": 0.0}
    assert found["P@2"].by_query == {"q1": 0.5, "q2": 0.0}
    deeper = be.evaluate(JUDGMENTS, RUN, [be.P(judged_only=True) @ 3])
    assert deeper["P(judged_only=True)@3"].by_query["q1"] == pytest.approx(2 / 3)


def test_it_is_given_by_name():
    """Positional arguments are only those of the measure's own parameters."""
    assert be.nDCG(10, "exp2").judged_only is False
    with pytest.raises(TypeError, match="takes 3 arguments, not 4"):
        be.nDCG(10, "exp2", 0.0, bool(1))


@examples(60)
@given(judgments=judgments_of, run=runs)
def test_both_engines_score_condensed_lists_alike(judgments, run):
    """For every measure, with and without it in one call, all bits are the same."""
    measures = [
        kind(judged_only=judged_only)
        for kind in all_measures()
        if not kind.uses_timings
        for judged_only in (True, False)
    ]
    found = {doc_id for documents in run.values() for doc_id in documents}
    lengths = {doc_id: 10.0 * len(doc_id) for doc_id in (*found, "other")}
    loaded = Judgments.from_dict(judgments).with_lengths(lengths)
    ranked = Run.from_dict(run)
    if not _native.can_score(measures):
        pytest.skip("no native extension")
    native, python = (one.score(loaded, ranked, measures) for one in (_native, _python))
    assert [*map(list, native.values)] == [*map(list, python.values)]
    assert native.query_ids == python.query_ids


def test_the_option_applies_to_every_measure():
    """evaluate, compare and explain take it; names say so."""
    found = be.evaluate(JUDGMENTS, RUN, ["P@2", "nDCG@3"], judged_only=True)
    assert [*found] == ["P(judged_only=True)@2", "nDCG(judged_only=True)@3"]
    expected = be.evaluate(JUDGMENTS, CONDENSED, ["P@2", "nDCG@3"])
    assert [*found.to_dict().values()] == [*expected.to_dict().values()]
    other = {"q1": ["b", "x", "a"], "q2": ["a"]}
    comparison = be.compare(JUDGMENTS, {"one": RUN, "two": other}, "RR", judged_only=True)
    assert [str(measure) for measure in comparison.measures] == ["RR(judged_only=True)"]
    assert comparison.evaluations["one"]["RR(judged_only=True)"].by_query == {"q1": 1.0, "q2": 0.0}
    default = be.compare(JUDGMENTS, {"one": RUN, "two": other}, judged_only=True)
    assert all(measure.judged_only for measure in default.shown)


def test_nothing_is_left_to_judge():
    """Holes are counted among the documents that a measure sees, and there is no note on them."""
    found = be.evaluate(JUDGMENTS, RUN, ["P@2"], judged_only=True)
    assert found["P(judged_only=True)@2"].holes == 0
    assert holes_notes({"run": found}) == ()
    both = be.evaluate(JUDGMENTS, RUN, ["P@2", "P(judged_only=True)@2"])
    assert holes_notes({"run": both}) == ("Unjudged documents in the first 2: run 3.",)


def test_bounds_are_left_out_of_a_comparison():
    """A measure without holes has none."""
    runs_of = {"one": RUN, "two": {"q1": ["b", "a"], "q2": ["a"]}}
    comparison = be.compare(JUDGMENTS, runs_of, "P@2", judged_only=True, bounds=True)
    assert comparison.differences[0].bounds is None


def test_whole_rankings_are_needed():
    """The k-th judged document may be at any rank."""
    assert depth_of([parse_measure("P(judged_only=True)@2"), parse_measure("P@9")]) is None
    loaded, run = Judgments.from_dict(JUDGMENTS), Run.from_lists(RUN)
    found = find_holes(loaded, {"run": run}, [parse_measure("P(judged_only=True)@1")])
    assert {(hole.query_id, hole.doc_id) for hole in found} == {
        ("q1", "x"), ("q1", "n"), ("q2", "x"), ("q2", "y"),
    }  # fmt: skip


def test_explained_moves_add_up():
    """Only judged documents count, wherever unjudged ones are."""
    after = {"q1": ["x", "y", "b", "z", "a"]}
    found = be.explain(JUDGMENTS, RUN, after, "q1", "P@1", judged_only=True)
    assert (found.before, found.after) == (1.0, 0.0)
    assert sum(move.contribution for move in found.moves) == pytest.approx(-1.0)
    assert {move.doc_id for move in found.effective} <= {"a", "b", "c"}


def test_custom_measures_take_it():
    """Their function sees the condensed ranking, cut at k."""
    kind = define_measure("GradesSeen", lambda grades, _judged: float(len(grades)), bounds=(0, 99))
    assert kind(judged_only=True).score([1.0, -1.0, 0.0], [1.0]) == 2.0
    assert kind(1, judged_only=True).score([-1.0, 1.0, 0.0], [1.0]) == 1.0
