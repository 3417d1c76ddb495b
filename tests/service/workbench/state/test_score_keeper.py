"""Means of many runs with the same judgments, computed in the background."""

import threading
import time
from types import SimpleNamespace

import pytest

from berryeval import Judgments, Run, evaluate
from berryeval.errors import ArchiveError, MismatchError, NotFoundError
from berryeval.service.workbench.state import score_keeper
from berryeval.service.workbench.state.run_summaries import JudgmentsAt, summary_of
from berryeval.service.workbench.state.score_keeper import ScoreKeeper
from waiting import wait_until

RUNS = {
    "good": {"q1": ["a"], "q2": ["a"]},
    "fair": {"q1": ["x", "a"], "q2": ["a"]},
    "poor": {"q1": ["x"], "q2": ["x", "a"]},
}


class World:
    """Judgments that change, and runs that are scored normally, slowly or not at all."""

    def __init__(self):
        self.revision = 1
        self.relevant = "a"
        self.scored = []
        self.leading = []
        self.errors = {}
        self.may_score = threading.Event()
        self.may_score.set()
        self.has_settled = threading.Event()

    def state(self):
        if "state" in self.errors:
            raise self.errors.pop("state")
        grades = {query_id: {self.relevant: 1} for query_id in ("q1", "q2")}
        judged = SimpleNamespace(
            judgments=Judgments.from_dict(grades), hash=self.relevant, sampling=""
        )
        return JudgmentsAt(self.revision, judged)

    def score(self, state, run_id, is_leading):
        assert self.may_score.wait(10)
        self.scored.append((run_id, state.revision))
        self.leading += [run_id] if is_leading else []
        if run_id in self.errors:
            raise self.errors[run_id]
        return evaluate(state.judgments, Run.from_lists(RUNS[run_id]), ["RR"])

    def judge(self, relevant):
        self.relevant = relevant
        self.revision += 1


@pytest.fixture
def world():
    return World()


@pytest.fixture
def keeper(world):
    """A score keeper that starts as soon as judging pauses for a moment."""
    made = ScoreKeeper(
        lambda: world.revision,
        world.state,
        world.score,
        on_settled=world.has_settled.set,
        quiet_seconds=0.02,
        patience=0.0,
    )
    made.start()
    yield made
    world.may_score.set()
    made.close()


def means(kept):
    return {run_id: summary.means["RR"].value for run_id, summary in kept.summaries.items()}


def when(keeper, run_ids, holds):
    """Poll like a page until a condition holds."""

    def kept():
        found = keeper.summaries(run_ids)
        return found if holds(found) else None

    return wait_until(kept)


def current(keeper, run_ids=tuple(RUNS)):
    return when(keeper, run_ids, lambda kept: kept.is_current)


def test_requested_means_are_available_shortly_after(world, keeper):
    """The first response is empty, and has the number of pending runs."""
    world.may_score.clear()
    first = keeper.summaries(RUNS)
    assert (first.n_waiting, first.is_current) == (3, False)
    world.may_score.set()
    assert means(current(keeper)) == {"good": 1.0, "fair": 0.75, "poor": 0.25}


def test_memory_is_released_once_everything_is_scored(world, keeper):
    """It is released every time, but not while runs are scored."""
    for relevant in ("a", "x"):
        world.has_settled.clear()
        world.may_score.clear()
        world.judge(relevant)
        keeper.summaries(RUNS)
        assert not world.has_settled.wait(0.05)
        world.may_score.set()
        assert world.has_settled.wait(10)


def test_a_page_waits_briefly_for_runs_that_were_never_scored(world, keeper, monkeypatch):
    """It waits neither long, nor for newer judgments."""
    monkeypatch.setattr(keeper, "_patience", 5.0)
    assert means(keeper.summaries(RUNS)) == {"good": 1.0, "fair": 0.75, "poor": 0.25}
    world.may_score.clear()
    world.judge("x")
    assert keeper.summaries(RUNS).n_newer == 1
    monkeypatch.setattr(keeper, "_patience", 0.01)
    keeper.forget("good")
    assert keeper.summaries(RUNS).n_waiting == 1


def test_a_page_does_not_wait_for_the_first_read_of_many_judgments(world, keeper, monkeypatch):
    """This takes longer than a page may wait."""
    monkeypatch.setattr(score_keeper, "LARGE", 0)
    monkeypatch.setattr(keeper, "_patience", 60.0)
    world.may_score.clear()
    start = time.monotonic()
    assert keeper.summaries(RUNS).n_waiting == 3
    assert time.monotonic() - start < 30
    world.may_score.set()
    assert means(current(keeper)) == {"good": 1.0, "fair": 0.75, "poor": 0.25}


def test_the_first_run_of_a_page_is_scored_first(world, keeper):
    """It is the newest one, which users look at."""
    world.may_score.clear()
    keeper.summaries(["good", "fair", "poor"])
    world.may_score.set()
    current(keeper)
    assert [run_id for run_id, _ in world.scored] == ["good", "fair", "poor"]


def test_the_first_runs_of_a_request_are_leading(world, keeper, monkeypatch):
    """Pages show more than the mean for them."""
    monkeypatch.setattr(score_keeper, "_LEADING", 2)
    current(keeper)
    assert world.leading == ["good", "fair"]


def test_pages_show_one_state_of_judgments_until_the_next_is_complete(world, keeper):
    """Means with different judgments are never shown together."""
    before = current(keeper)
    world.may_score.clear()
    world.judge("x")
    meanwhile = when(keeper, RUNS, lambda kept: kept.n_newer == 1)
    assert means(meanwhile) == means(before)
    assert meanwhile.as_of == before.as_of
    world.may_score.set()
    after = current(keeper)
    assert means(after) == {"good": 0.0, "fair": 0.5, "poor": 1.0}
    assert after.as_of > before.as_of
    assert {revision for _, revision in world.scored} == {1, 2}


def test_a_new_run_joins_the_displayed_ones_while_judgments_are_counted(world, keeper):
    """It is scored with their judgments, before the new count is complete."""
    current(keeper, ["good", "fair"])
    world.may_score.clear()
    world.judge("x")
    when(keeper, ["good", "fair"], lambda kept: kept.n_newer == 1)
    keeper.summaries(["poor", "good", "fair"])
    world.may_score.set()
    current(keeper)
    asked = [revision for run_id, revision in world.scored if run_id == "poor"]
    assert asked in ([1, 2], [2])


def test_undone_judgments_need_no_rescoring(world, keeper):
    """The judgments equal those that were counted."""
    current(keeper)
    world.judge("a")
    assert means(current(keeper)) == {"good": 1.0, "fair": 0.75, "poor": 0.25}
    assert len(world.scored) == len(RUNS)


def test_counting_waits_for_a_pause_in_judging(world, keeper, monkeypatch):
    """The wait has a limit."""
    current(keeper, ["good"])
    monkeypatch.setattr(keeper._pace, "quiet_seconds", 60.0)
    monkeypatch.setattr(score_keeper, "_LONGEST_WAIT_SECONDS", 60.0)
    world.judge("x")
    keeper.summaries(["good"])
    time.sleep(0.1)
    assert keeper.summaries(["good"]).n_newer == 1
    monkeypatch.setattr(score_keeper, "_LONGEST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(keeper._pace, "quiet_seconds", 0.1)
    assert means(current(keeper, ["good"])) == {"good": 0.0}


def test_a_run_that_cannot_be_scored_has_a_reason(world, keeper):
    """The others are scored; a removed run is dropped."""
    world.errors = {
        "fair": MismatchError("nothing in common"),
        "poor": RuntimeError("a bug"),
        "gone": NotFoundError("run", "gone"),
    }
    kept = current(keeper)
    assert kept.summaries["good"].means["RR"].value == 1.0
    assert kept.summaries["fair"].reason == "nothing in common"
    assert "could not be scored" in kept.summaries["poor"].reason
    keeper.summaries(["gone"])
    wait_until(lambda: ("gone", 1) in world.scored and "gone" not in keeper._wanted)


def test_an_unavailable_archive_is_retried(world, keeper, monkeypatch):
    """The thread continues, and the next page finds its means."""
    monkeypatch.setattr(score_keeper, "_SECONDS_AFTER_ERROR", 0.01)
    world.errors = {"state": ArchiveError("archive", "is locked")}
    assert means(current(keeper, ["good"])) == {"good": 1.0}


def test_runs_that_are_no_longer_requested_are_dropped(keeper, monkeypatch):
    """A removed run is dropped, too."""
    monkeypatch.setattr(score_keeper, "MAX_RUNS", 2)
    current(keeper, ["good", "fair"])
    current(keeper, ["poor"])
    assert set(keeper._wanted) == {"good", "poor"}
    assert set(keeper._shown.summaries) == {"good", "poor"}
    keeper.forget("good")
    assert set(keeper._wanted) == {"poor"}


def test_runs_that_no_page_requests_are_not_recounted(world, keeper, monkeypatch):
    """A later request scores them, with the displayed judgments."""
    current(keeper)
    monkeypatch.setattr(score_keeper, "_REQUESTED_SECONDS", 0.05)
    time.sleep(0.06)
    world.judge("x")
    current(keeper, ["good"])
    assert [run_id for run_id, revision in world.scored if revision == 2] == ["good"]
    assert means(current(keeper)) == {"good": 0.0, "fair": 0.5, "poor": 1.0}


def test_a_keeper_can_be_stopped_and_restarted(world, keeper):
    """It stops within the run that it is scoring."""
    current(keeper)
    thread = keeper._thread
    keeper.close()
    assert not thread.is_alive()
    world.judge("x")
    keeper.start()
    assert means(current(keeper))["poor"] == 1.0


def test_a_summary_has_means_with_intervals():
    """One query has a mean, but no interval."""
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q1": ["a"], "q2": ["x", "a"], "q3": ["a"]}
    mean = summary_of(evaluate(judgments, run, ["RR"])).means["RR"]
    assert mean.value == pytest.approx(2.5 / 3)
    assert mean.interval.method == "t and hall"
    assert mean.interval.low < mean.value < mean.interval.high
    lone = summary_of(evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["RR"])).means["RR"]
    assert lone.interval is None
