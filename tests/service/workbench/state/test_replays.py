"""Replays: verdicts on earlier runs, computed in the background and cached."""

import threading
import time
from types import SimpleNamespace

from berryeval.errors import MismatchError
from berryeval.service.workbench.state.replays import Outcome, Question, Replays, tally
from waiting import wait_until

RUNS = [SimpleNamespace(run_id=f"r{number}") for number in range(3)]


def question(settings="a", state="1", baseline=None):
    """Three runs to be gated with some settings."""
    return Question({"guards": [settings]}, RUNS, baseline, state)


def finished(replays, asked):
    """Request until every run has its outcome."""
    wait_until(lambda: None not in replays.ask(asked))
    return replays.ask(asked)


def test_every_run_gets_its_verdict_newest_first():
    """Known verdicts are returned at once, and none is computed twice."""
    decided = []

    def decide(settings, run, _):
        decided.append((settings["guards"][0], run.run_id))
        return Outcome("pass", run.run_id)

    replays = Replays(decide)
    assert replays.ask(question()) == [None, None, None]
    assert [one.sentence for one in finished(replays, question())] == ["r0", "r1", "r2"]
    assert replays.ask(question())[0].verdict == "pass"
    assert decided == [("a", "r0"), ("a", "r1"), ("a", "r2")]
    finished(replays, question(state="2"))
    finished(replays, question(baseline=RUNS[0]))
    assert len(decided) == 9
    replays.close()


def test_a_run_without_a_verdict_has_a_reason():
    """Another corpus or a bug does not affect the other runs."""

    def decide(_settings, run, _baseline):
        if run.run_id == "r0":
            raise MismatchError("another corpus")
        if run.run_id == "r1":
            raise RuntimeError("a bug")
        return Outcome("fail", "")

    replays = Replays(decide)
    first, second, third = finished(replays, question())
    assert (first.verdict, first.sentence) == ("undecided", "another corpus")
    assert second.verdict == "undecided"
    assert "a bug" not in second.sentence
    assert third.verdict == "fail"


def test_the_latest_request_is_processed_first():
    """The latest edit does not wait for earlier ones."""
    order, started, may_go = [], threading.Event(), threading.Event()

    def decide(settings, *_):
        started.set()
        may_go.wait(5)
        order.append(settings["guards"][0])
        return Outcome("pass", "")

    replays = Replays(decide)
    replays.ask(question("old"))
    started.wait(5)
    replays.ask(question("new"))
    may_go.set()
    finished(replays, question("new"))
    assert order[:4] == ["old", "new", "new", "new"]
    replays.close()


def test_abandoned_replays_are_dropped(monkeypatch):
    """For a closed page, only the current verdict is completed."""
    monkeypatch.setattr("berryeval.service.workbench.state.replays._REQUESTED_SECONDS", 0.0)
    decided = []
    replays = Replays(lambda *given: decided.append(given) or Outcome("pass", ""))
    replays.ask(question())
    replays.close()
    assert decided == []
    assert replays.ask(question()) == [None, None, None]


def rests_of(monkeypatch, *states):
    """Return how long the thread rests after each verdict, as a multiple of its duration."""
    took, rests, may_go = [], [], threading.Event()

    def decide(*_):
        may_go.wait(5)
        start = time.monotonic()
        time.sleep(0.02)
        took.append(time.monotonic() - start)
        return Outcome("pass", "")

    replays = Replays(decide)
    monkeypatch.setattr(replays._stopping, "wait", rests.append)
    for state in states:
        replays.ask(question(state=state))
    may_go.set()
    finished(replays, question(state=states[-1]))
    replays.close()
    return sorted(rest / spent for rest, spent in zip(rests, took, strict=True))


def test_verdicts_that_are_soon_outdated_leave_the_processor_to_pages(monkeypatch):
    """While people judge, each judgment outdates all verdicts, so the thread rests longer."""
    assert rests_of(monkeypatch, "1")[1] < 4
    assert rests_of(monkeypatch, "1", "2")[1] > 8


def test_few_outcomes_are_cached(monkeypatch):
    """The oldest are evicted first."""
    monkeypatch.setattr("berryeval.service.workbench.state.replays._MAX_OUTCOMES", 3)
    replays = Replays(lambda *_: Outcome("pass", ""))
    finished(replays, question("a"))
    finished(replays, question("b"))
    assert replays.ask(question("a")) == [None, None, None]
    replays.close()


def test_a_tally_is_a_sentence():
    """Verbs agree in number, and empty categories are omitted."""
    assert tally([]) == "no runs yet"
    assert tally([Outcome("pass", "")]) == "1 passes"
    found = [Outcome("inconclusive", ""), Outcome("undecided", ""), Outcome("fail", ""), None]
    message = "1 fails, 1 is inconclusive, 1 cannot be decided, 1 is pending"
    assert tally(found) == message
