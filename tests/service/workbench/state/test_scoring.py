"""Scores of runs with the current judgments."""

import threading

import pytest

from berryeval import Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.judgments import states
from berryeval.errors import NotFoundError
from berryeval.service import shared_work
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state.scoring import Scoring


@pytest.fixture
def scoring(archive):
    """Scores over an archive with one run and one judgment."""
    archive.queries.put([Query("q1", "how?", "procedural")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    run = Run.from_dict({"q1": {"d1": 0.5, "d2": 1.0}})
    found = Scoring(archive, RunCache(archive), ("RR", "P@5"))
    found.run_id = archive.runs.put(run, RunFacts("bm25")).run_id
    return found


def test_scores_follow_the_judgments(scoring, archive):
    """No outdated score is shown, and unchanged runs are not scored again."""
    first = scoring.evaluation(scoring.run_id)
    assert first["RR"].mean == 0.5
    assert [*first.by("category")] == ["procedural"]
    assert scoring.evaluation(scoring.run_id) is first
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 1.0


def test_stored_evaluations_are_used_and_nothing_is_written(scoring, archive):
    """Viewing a page does not change the archive."""
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 0.5
    assert archive.evaluations.page().items == ()
    archive.evaluations.score(scoring.run_id, ["RR", "P@5"])
    again = Scoring(archive, RunCache(archive), ("RR", "P@5"))
    loaded = archive.evaluations.find(
        scoring.run_id, ["RR", "P@5"], judgments_hash=scoring.state().hash
    )
    assert again.evaluation(scoring.run_id).to_dict() == loaded.to_dict()


def test_stored_evaluations_are_shown_before_judgments_are_read(scoring, archive):
    """Reading a million judgments takes seconds, and a page need not wait."""
    archive.evaluations.score(scoring.run_id, ["RR", "P@5"])
    with Archive.open(archive.name) as opened:
        again = Scoring(opened, RunCache(opened), ("RR", "P@5"))
        assert again.evaluation(scoring.run_id)["RR"].mean == 0.5
        assert opened.judgments._known._newest is None


def test_scores_of_different_judgments_are_not_mixed(scoring, archive, monkeypatch):
    """A judgment made during a request and then removed does not mix states."""
    state = scoring.state

    def judge_first():
        archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
        return state()

    monkeypatch.setattr(scoring, "state", judge_first)
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 1.0
    monkeypatch.undo()
    archive.judgments.remove("q1", "d2", author="ada")
    assert scoring.evaluation(scoring.run_id)["RR"].mean == 0.5


def test_a_missing_run_is_not_found(scoring):
    """The error is `NotFoundError`, as everywhere."""
    with pytest.raises(NotFoundError):
        scoring.evaluation("0" * 64)


def test_pages_show_the_last_judgments_while_newer_ones_are_read(scoring, archive, monkeypatch):
    """The page has the time when they were the newest; the next page has the new ones."""
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 10.0)
    first = scoring.recent()
    assert first.judgments.n_rows == 1
    assert scoring.recent() is first
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    may_read = threading.Event()
    as_of = archive.judgments.as_of
    monkeypatch.setattr(
        archive.judgments, "as_of", lambda *given, **how: may_read.wait(10) and as_of(*given, **how)
    )
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 0.01)
    assert scoring.recent() is first
    assert not scoring.is_current(first)
    may_read.set()
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 10.0)
    newest = scoring.recent()
    assert newest.judgments.n_rows == 2
    assert scoring.is_current(newest)
    assert newest.as_of > first.as_of


def test_a_state_keeps_its_judgments(scoring, archive):
    """However many judgments follow, they are not read again from the database."""
    assert scoring.state().judgments.n_rows == 1
    states = []
    for number in range(2, 8):
        archive.judgments.put([JudgmentEntry("q1", f"d{number}", 1)], author="ada")
        states.append(scoring.state())
    archive.close()
    assert [state.judgments.n_rows for state in states] == [2, 3, 4, 5, 6, 7]


def test_a_state_is_read_after_its_hash_is_forgotten(scoring, archive, monkeypatch):
    """A page can show it until newer judgments are counted, however many there are."""
    monkeypatch.setattr(states, "_N_HASHES", 1)
    scoring.evaluation(scoring.run_id)
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    shown = scoring.state()
    for grade in (2, 3, 4):
        archive.judgments.put([JudgmentEntry("q1", "d1", grade)], author="ada")
        scoring.state()
    archive.judgments.forget_earlier()
    with pytest.raises(NotFoundError):
        archive.judgments.at(shown.hash)
    other = archive.runs.put(Run.from_lists({"q1": ["d3", "d2"]}), RunFacts("dense")).run_id
    assert scoring.evaluation(other, shown)["RR"].mean == 0.5
    assert shown.judgments.to_dict() == {"q1": {"d1": 1, "d2": 1}}


def test_scored_runs_are_not_kept_in_memory(scoring):
    """Scores are small, rankings are not; only pages that show rankings keep them."""
    scoring.evaluation(scoring.run_id)
    assert scoring._runs._runs.get(scoring.run_id) is None
    shown = scoring.run(scoring.run_id)
    assert scoring.read_run(scoring.run_id) is shown


def test_a_caution_about_zeros_ends_with_them(scoring, archive):
    """Only what changed is scored again, and the caution follows the new scores."""
    archive.judgments.put([JudgmentEntry("q2", "d1", 1)], author="ada")
    other = Run.from_dict({"q1": {"x1": 0.5}, "q2": {"x2": 1.0}})
    run_id = archive.runs.put(other, RunFacts("other")).run_id
    (caution,) = scoring.evaluation(run_id).cautions
    assert caution.startswith("every score is 0; check that the run has the document ids")
    assert "such as 'd1'" in caution
    archive.judgments.put([JudgmentEntry("q1", "x1", 1)], author="ada")
    assert scoring.evaluation(run_id).cautions == ()
    archive.judgments.put([JudgmentEntry("q1", "x1", 0)], author="ada")
    assert scoring.evaluation(run_id).cautions == (caution.replace("'d1'", "'d1', 'x1'"),)
