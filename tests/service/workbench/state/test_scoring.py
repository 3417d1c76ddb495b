"""Scores of runs at the judgments of now."""

import pytest

from berryeval import Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.errors import NotFoundError
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state.scoring import Scoring


@pytest.fixture
def scoring(archive):
    """Scores of an archive with one run and one judgment."""
    archive.queries.put([Query("q1", "how?", "procedural")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    run = Run.from_dict({"q1": {"d1": 0.5, "d2": 1.0}})
    found = Scoring(archive, RunCache(archive), ("RR", "P@5"))
    found.run_id = archive.runs.put(run, RunFacts("bm25")).run_id
    return found


def test_scores_follow_the_judgments(scoring, archive):
    """Nothing is shown of yesterday, and what did not change is not scored again."""
    first = scoring.evaluation(scoring.run_id)
    assert first["RR"].mean == 0.5
    assert [*first.by("category")] == ["procedural"]
    assert scoring.evaluation(scoring.run_id) is first
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 1.0


def test_what_is_stored_is_used_and_nothing_is_written(scoring, archive):
    """A page that is looked at changes no archive."""
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 0.5
    assert archive.evaluations.page().items == ()
    archive.evaluations.score(scoring.run_id, ["RR", "P@5"])
    again = Scoring(archive, RunCache(archive), ("RR", "P@5"))
    loaded = archive.evaluations.find(
        scoring.run_id, ["RR", "P@5"], judgments_hash=scoring.state().hash
    )
    assert again.evaluation(scoring.run_id).to_dict() == loaded.to_dict()


def test_what_is_stored_is_shown_before_the_judgments_are_read(scoring, archive):
    """Reading a million of them takes seconds, and a page need not wait."""
    archive.evaluations.score(scoring.run_id, ["RR", "P@5"])
    with Archive.open(archive.name) as opened:
        again = Scoring(opened, RunCache(opened), ("RR", "P@5"))
        assert again.evaluation(scoring.run_id)["RR"].mean == 0.5
        assert opened.judgments._known._newest is None


def test_scores_of_a_moment_are_not_taken_for_those_of_another(scoring, archive, monkeypatch):
    """A judgment during a request, withdrawn afterwards, does not mix states."""
    state = scoring.state

    def judge_first():
        archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
        return state()

    monkeypatch.setattr(scoring, "state", judge_first)
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 1.0
    monkeypatch.undo()
    archive.judgments.remove("q1", "d2", author="ada")
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 0.5


def test_a_run_that_is_not_there_is_not_found(scoring):
    """As everywhere."""
    with pytest.raises(NotFoundError):
        scoring.evaluation("0" * 64)
