"""Data that a service reads ahead, to speed up the first requests."""

import logging
import threading

import pytest

from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArchiveError
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state.run_directory import RunDirectory
from berryeval.service.workbench.state.scoring import Scoring
from berryeval.service.workbench.state.warming import WarmUp


@pytest.fixture
def filled(archive):
    """An archive with a query, a judgment and two runs."""
    archive.queries.put([Query("q1", "what?")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    for name in ("older", "newer"):
        archive.runs.put(Run.from_lists({"q1": ["d1"]}), RunFacts(name))
    return archive


def test_the_newest_run_and_the_judgments_are_read_ahead(filled, monkeypatch):
    """They are not read again later."""
    runs = RunCache(filled)
    scoring = Scoring(filled, runs, ["RR"])
    warm_up = WarmUp(filled, scoring, RunDirectory(filled))
    warm_up.start()
    assert warm_up.wait(60)
    newest = filled.runs.page(limit=1, newest_first=True).items[0]
    monkeypatch.setattr(filled.runs, "load", None)
    monkeypatch.setattr("berryeval.archive.judgments.states.read", None)
    assert scoring.run(newest.run_id).ranking("q1") == ["d1"]
    assert scoring.evaluation(newest.run_id)["RR"].mean == 1
    assert scoring.state().judgments.n_rows == 1
    warm_up.stop()


def test_lists_are_ready_when_the_service_starts(filled, monkeypatch):
    """They do not wait for judgments."""
    may_go_on = threading.Event()
    monkeypatch.setattr(filled.judgments, "prepare", lambda: may_go_on.wait(60))
    scoring, directory = Scoring(filled, RunCache(filled), ["RR"]), RunDirectory(filled)
    monkeypatch.setattr("berryeval.service.workbench.state.warming._SECONDS_BEFORE_START", 60.0)
    warm_up = WarmUp(filled, scoring, directory)
    warm_up.start()
    monkeypatch.setattr(filled.runs, "directory", None)
    assert [run.facts.name for run in directory.current().runs] == ["older", "newer"]
    assert not warm_up.wait(0)
    may_go_on.set()
    warm_up.stop()


def test_an_unreadable_archive_does_not_stop_the_service(filled, monkeypatch, caplog):
    """The request reports the error; the log has it at debug level."""

    def fail():
        raise ArchiveError("a.db", "is gone")

    monkeypatch.setattr(filled.queries, "all", fail)
    caplog.set_level(logging.DEBUG, "berryeval.service")
    warm_up = WarmUp(filled, Scoring(filled, RunCache(filled), ["RR"]), RunDirectory(filled))
    warm_up.start()
    assert warm_up.wait(60)
    assert caplog.records[0].message == "prefetch failed reason='a.db: is gone'"
    assert filled.judgments._known._newest is not None


def test_a_stopping_service_stops_reading(filled):
    """Stopping the service does not wait for reading."""
    scoring = Scoring(filled, RunCache(filled), ["RR"])
    warm_up = WarmUp(filled, scoring, RunDirectory(filled))
    may_go_on = threading.Event()
    scoring.queries = may_go_on.wait
    scoring.run = None
    warm_up.start()
    threading.Timer(0.1, may_go_on.set).start()
    warm_up.stop()
    assert warm_up.wait(0)
    assert filled.judgments._known._newest is None
