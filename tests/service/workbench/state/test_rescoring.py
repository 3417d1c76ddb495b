"""Scores after a few judgments have changed."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.judgments.changes import apply_changes
from berryeval.core.judgments import Judgments
from berryeval.evaluation.evaluate import COMPARED_MEASURES, DEFAULT_MEASURES, evaluate
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.measures import parse_measure
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state import rescoring
from berryeval.service.workbench.state.rescoring import rescore
from berryeval.service.workbench.state.scoring import Scoring

MEASURES = tuple(dict.fromkeys((*DEFAULT_MEASURES, *COMPARED_MEASURES)))
COUNTED = tuple(dict.fromkeys((*MEASURES, *map(holes_measure, MEASURES))))
QUERIES = [b"q%d" % number for number in range(8)]
DOCS = [b"d%d" % number for number in range(6)]

grades = st.sampled_from([None, -1.0, 0.0, 1.0, 2.0, 0.5])
"""None withdraws a judgment; a grade below 0 means in the pool, but not judged."""
changes = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), grades, min_size=1), max_size=3
)
rankings = st.dictionaries(
    st.sampled_from([*QUERIES[:6], b"unjudged"]).map(bytes.decode),
    st.dictionaries(
        st.sampled_from(DOCS).map(bytes.decode), st.sampled_from([0.1, 0.5, 0.9]), min_size=1
    ),
    min_size=1,
)


def bits_of(scores):
    """Return everything that scores contain, numbers as bytes."""
    numbers = {name: values.tobytes() for name, values in scores.values.items()}
    flags = [*scores.is_missing], [*scores.lacks_relevant], scores.ignored_ids
    return [*scores.query_ids], numbers, flags, scores.counts


@given(st.lists(changes, min_size=1, max_size=6), rankings)
def test_any_sequence_of_judgments_gives_the_bits_of_a_full_evaluation(sequence, ranking):
    """This covers scores, flags, counts and means of every default measure."""
    judgments = Judgments.from_dict({query.decode(): {"d0": 1, "d1": 0} for query in QUERIES})
    run = Run.from_dict({**ranking, "q0": {"d1": 0.5}})
    known = evaluate(judgments, run, MEASURES).scores
    for changed in sequence:
        judgments = apply_changes(judgments, changed)
        assume("q0" in judgments)  # the run also has this query
        full = evaluate(judgments, run, MEASURES)
        scores = rescore(known, judgments, run, COUNTED, changed)
        if scores is None:
            known = full.scores
            continue
        assert bits_of(scores) == bits_of(full.scores)
        assert Evaluation(scores, MEASURES).to_dict() == full.to_dict()
        known = scores


def test_subtopics_are_scored_again_with_their_weights(archive):
    """This holds even if the changed query has none, and is its own intent."""
    measures = ["alpha_nDCG@5", "nERR_IA@5"]
    entries = [
        JudgmentEntry(
            f"q{i}", f"d{j}", 1, subtopics={"s": 1, "t": j % 2}, subtopic_weights={"s": 1 + i}
        )
        for i in range(8)
        for j in range(5)
    ]
    plain = [JudgmentEntry("p", f"d{j}", j % 2) for j in range(5)]
    archive.judgments.put([*entries, *plain], author="ada")
    names = ["p", *(f"q{i}" for i in range(8))]
    run = Run.from_lists({name: ["d4", "d0", "x", "d1"] for name in names})
    run_id = archive.runs.put(run, RunFacts("bm25")).run_id
    scoring = Scoring(archive, RunCache(archive), measures)
    scoring.evaluation(run_id)
    for query in ("q3", "p"):
        archive.judgments.put([JudgmentEntry(query, "d0", 0)], author="bob")
        found = scoring.evaluation(run_id)
        full = evaluate(archive.judgments.current(), run, measures)
        assert bits_of(found.scores) == bits_of(full.scores)


def test_only_the_queries_of_new_judgments_are_scored(archive, monkeypatch):
    """The others keep their scores, no matter who judged in between."""
    archive.judgments.put(
        [JudgmentEntry(f"q{i}", f"d{j}", j % 3) for i in range(20) for j in range(5)], author="ada"
    )
    run = Run.from_lists({f"q{i}": [f"d{(i + j) % 7}" for j in range(7)] for i in range(20)})
    run_id = archive.runs.put(run, RunFacts("bm25")).run_id
    scoring = Scoring(archive, RunCache(archive), COMPARED_MEASURES)
    scored = []
    score = rescoring.score

    def noted(judgments, *others):
        scored.append([*judgments.query_ids])
        return score(judgments, *others)

    monkeypatch.setattr(rescoring, "score", noted)
    scoring.evaluation(run_id)
    archive.judgments.put([JudgmentEntry("q03", "d9", 1)], author="ada")
    new_query = scoring.evaluation(run_id)
    assert scored == [], "another query is judged, so all are scored"
    archive.judgments.put([JudgmentEntry("q3", "d5", 3)], author="ada")
    before = scoring.state()
    archive.judgments.put([JudgmentEntry("q7", "d6", 2)], author="bob")
    archive.judgments.remove("q3", "d1", author="bob")
    found = scoring.evaluation(run_id)
    assert scored == [["q3", "q7"]]
    assert found.n_queries == new_query.n_queries == 21
    full = evaluate(archive.judgments.current(), run, COMPARED_MEASURES)
    assert bits_of(found.scores) == bits_of(full.scores)
    earlier = evaluate(before.judgments, run, COMPARED_MEASURES)
    assert bits_of(scoring.evaluation(run_id, before).scores) == bits_of(earlier.scores)


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_skipped_queries_are_counted_as_in_a_full_evaluation(missing):
    """A run that lacks a judged query is scored as a whole if that query is skipped."""
    judgments = Judgments.from_dict({f"q{i}": {"d0": 1} for i in range(6)})
    run = Run.from_lists({f"q{i}": ["d1", "d0"] for i in range(5)})
    before = evaluate(judgments, run, MEASURES, missing=missing).scores
    changed = {b"q0": {b"d1": 2.0}, b"q5": {b"d0": 0.0}}
    after = apply_changes(judgments, changed)
    scores = rescore(before, after, run, COUNTED, changed)
    full = evaluate(after, run, MEASURES, missing=missing).scores
    assert (scores is None) == (missing == "skip")
    assert bits_of(scores or full) == bits_of(full)


def test_many_changed_queries_are_scored_as_a_whole():
    """Scoring each alone would take longer."""
    judgments = Judgments.from_dict({f"q{i}": {"d0": 1} for i in range(4)})
    run = Run.from_lists({"q0": ["d0"]})
    before = evaluate(judgments, run, MEASURES).scores
    assert rescore(before, judgments, run, COUNTED, [b"q0", b"q1", b"q2"]) is None
    assert rescore(before, judgments, run, COUNTED, []) is before


def test_measures_that_look_across_queries_are_scored_anew():
    """Judging d9 for q1 changes Hole of q2, which was not judged itself."""
    run = Run.from_lists({"q1": ["d1"], "q2": ["d9"], "q3": ["d1"]})
    before = Judgments.from_dict({f"q{i}": {"d1": 1} for i in range(1, 4)})
    after = Judgments.from_dict({"q1": {"d1": 1, "d9": 0}, "q2": {"d1": 1}, "q3": {"d1": 1}})
    hole = parse_measure("Hole@1")
    measures = [hole, holes_measure(hole)]
    known = evaluate(before, run, [hole]).scores
    assert rescore(known, after, run, measures, [b"q1"]) is None
    assert evaluate(after, run, [hole]).to_dict()["Hole@1"] == 0.0 != known.values["Hole@1"][1]
