from datetime import datetime, timezone

import pytest

from berryeval import Query, Run, evaluate
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.errors import ArgumentError, MismatchError, NotFoundError

RUN = Run.from_lists({"q1": ["d1", "d2", "d3"], "q2": ["d4"], "q9": ["d1"]})


@pytest.fixture
def judged(archive):
    """Three judged queries, one of which is missing from the run."""
    pairs = [("q1", "d1", 0), ("q1", "d2", 2), ("q2", "d4", 1), ("q3", "d1", 1)]
    archive.judgments.put([JudgmentEntry(*pair) for pair in pairs], author="ada")
    return archive


def test_an_archived_run_is_scored_like_evaluate(judged):
    """Means and query scores equal those of `evaluate`."""
    run_id = judged.runs.put(RUN, RunFacts("x")).run_id
    stored = judged.evaluations.score(run_id, ["nDCG@10", "RR"])
    expected = evaluate(judged.judgments.current(), RUN, ["nDCG@10", "RR"])
    assert stored.means == expected.to_dict()
    assert stored.holes == {"nDCG@10": 1, "RR": 1}
    assert (stored.run_id, stored.judgments_hash) == (run_id, judged.judgments.hash())
    assert (stored.counts, stored.n_queries) == (expected.counts, 3)
    loaded = judged.evaluations.load(stored.evaluation_id)
    assert loaded.to_dict() == expected.to_dict()
    assert loaded["RR"].by_query == expected["RR"].by_query
    assert loaded["RR"].holes == 1
    assert loaded.scores.is_missing == list(expected.scores.is_missing)
    assert loaded.scores.lacks_relevant == list(expected.scores.lacks_relevant)
    assert loaded.scores.ignored_ids == ("q9",)
    assert loaded["RR"].interval == expected["RR"].interval


def test_an_evaluation_has_its_slices(judged):
    """The archive has the labels of the queries."""
    judged.queries.put([Query("q1", "one", category="a"), Query("q2", "two", category="b")])
    run_id = judged.runs.put(RUN, RunFacts("x")).run_id
    stored = judged.evaluations.score(run_id, "RR")
    slices = judged.evaluations.load(stored.evaluation_id).by("category")
    assert {name: part["RR"].mean for name, part in slices.items()} == {"a": 0.5, "b": 1.0}


def test_scoring_again_with_the_same_judgments_returns_the_stored_evaluation(judged, monkeypatch):
    """Nothing is recomputed until judgments change."""
    run_id = judged.runs.put(RUN, RunFacts("x")).run_id
    first = judged.evaluations.score(run_id, "RR")
    with monkeypatch.context() as patch:
        patch.setattr(judged.runs, "load", None)
        assert judged.evaluations.score(run_id, "RR") == first
    judged.judgments.put([JudgmentEntry("q1", "d1", 1)], author="bob")
    second = judged.evaluations.score(run_id, "RR")
    assert (first.means["RR"], second.means["RR"]) == (0.5, pytest.approx(2 / 3))
    assert second.judgments_hash != first.judgments_hash
    assert judged.evaluations.score(run_id, "RR", at=first.judgments_hash) == first
    assert judged.evaluations.score(run_id, "RR", missing="skip").means == {"RR": 1.0}


def test_evaluations_are_listed_newest_first(judged):
    """The list can be limited to one run or to one state of judgments."""
    one, two = (judged.runs.put(RUN, RunFacts(name)).run_id for name in "xy")
    stored = [judged.evaluations.score(run_id, "RR") for run_id in (one, two)]
    judged.judgments.put([JudgmentEntry("q1", "d1", 1)], author="bob")
    stored.append(judged.evaluations.score(one, "RR"))
    assert list(judged.evaluations.page().items) == stored[::-1]
    assert list(judged.evaluations.page(run_id=one).items) == [stored[2], stored[0]]
    hashed = stored[0].judgments_hash
    assert list(judged.evaluations.page(judgments_hash=hashed).items) == [stored[1], stored[0]]
    first = judged.evaluations.page(limit=2)
    assert judged.evaluations.page(limit=2, after=first.next).items == (stored[0],)


def test_evaluations_are_removed_with_their_run(judged):
    """They could not be explained without rankings."""
    run_id = judged.runs.put(RUN, RunFacts("x")).run_id
    stored = judged.evaluations.score(run_id, "RR")
    judged.runs.remove(run_id)
    assert judged.evaluations.get(stored.evaluation_id) is None
    for attempt in (
        lambda: judged.evaluations.load(stored.evaluation_id),
        lambda: judged.evaluations.score(run_id, "RR"),
        lambda: judged.evaluations.put(run_id, evaluate({"q1": {"d1": 1}}, RUN, "RR"),
                                       judgments_hash="beef"),
    ):  # fmt: skip
        with pytest.raises(NotFoundError):
            attempt()


def test_a_trend_uses_one_state_of_judgments(judged):
    """E6: when judgments change, every run is rescored, which keeps points comparable."""
    worse = Run.from_lists({"q1": ["d1", "d3", "d2"], "q2": ["d4"], "q3": ["d1"]})
    first = judged.runs.put(RUN, RunFacts("main", commit="a"))
    second = judged.runs.put(worse, RunFacts("main", commit="b"))
    judged.runs.put(RUN, RunFacts("other"))
    then, moment = judged.judgments.hash(), datetime.now(timezone.utc)
    before = judged.trend("RR", name="main")
    assert [point.run for point in before] == [first, second]
    assert [point.mean for point in before] == [0.5, pytest.approx((1 / 3 + 2) / 3)]
    judged.judgments.put([JudgmentEntry("q1", "d1", 3)], author="bob")
    assert [point.mean for point in judged.trend("RR", name="main")] == [pytest.approx(2 / 3), 1]
    assert judged.trend("RR", name="main", at=then) == before
    assert judged.trend("RR", name="main", at=moment) == before
    assert len(judged.trend("RR")) == 3
    assert judged.trend("RR", name="nobody") == ()
    with pytest.raises(ArgumentError, match="one measure"):
        judged.trend("official")


def test_a_run_that_cannot_be_scored_has_a_reason(judged):
    """A run with other queries gets no score."""
    judged.runs.put(Run.from_lists({"z": ["d1"]}), RunFacts("main"))
    (point,) = judged.trend("RR")
    assert (point.mean, point.evaluation_id) == (None, None)
    assert "no query in common" in point.reason


def test_without_judgments_no_run_is_scored(archive):
    """The reason states that there are none."""
    run_id = archive.runs.put(RUN, RunFacts("x")).run_id
    with pytest.raises(MismatchError, match="at least one judged query"):
        archive.evaluations.score(run_id, "RR")


def test_a_trend_has_runs_in_the_order_they_were_stored(judged):
    """One point per run."""
    for commit in "abcde":
        judged.runs.put(RUN, RunFacts("main", commit=commit))
    assert "".join(point.run.facts.commit for point in judged.trend("RR")) == "abcde"
