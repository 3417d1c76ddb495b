"""Generated demo data can be given timestamps from another time."""

from datetime import datetime, timedelta, timezone

import pytest

from berryeval import Document, Query
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.clock import backdated, now
from berryeval.core.run import Run
from berryeval.errors import ArgumentError

LONG_AGO = datetime(2020, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))


def test_writes_use_the_simulated_time(archive):
    """Judgments and runs are stored in UTC, and found by that time."""
    with backdated(LONG_AGO):
        archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
        stored = archive.runs.put(Run.from_lists({"q1": ["d1"]}), RunFacts("bm25"))
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    assert archive.judgments.get("q1", "d1").judged_at == LONG_AGO
    assert archive.runs.get(stored.run_id).stored_at == LONG_AGO
    assert archive.judgments.at(LONG_AGO).to_dict() == {"q1": {"d1": 2}}


def test_a_clock_that_is_set_back_does_not_reorder_runs(archive, monkeypatch):
    """The run that was stored last stays the newest, and so does the last release."""
    first = archive.runs.put(Run.from_lists({"q1": ["d1"]}), RunFacts("bm25"))
    archive.baselines.put("one", first.run_id, is_release=True)
    monkeypatch.setattr("berryeval.archive.clock.now", lambda: LONG_AGO.astimezone(timezone.utc))
    second = archive.runs.put(Run.from_lists({"q1": ["d2"]}), RunFacts("bm25"))
    archive.baselines.put("two", second.run_id, is_release=True)
    found = [run.run_id for run in archive.runs.page(newest_first=True).items]
    assert found == [second.run_id, first.run_id]
    assert archive.baselines.last_release().name == "two"


def test_a_clock_that_is_set_back_hides_no_change(archive, monkeypatch):
    """Caches still notice changed documents and queries."""
    archive.documents.put([Document("d1", "old")])
    archive.queries.put([Query("q1", "old")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
    assert not archive.judgment_index.table().stale.any()
    assert archive.queries.all()["q1"].text == "old"
    monkeypatch.setattr("berryeval.archive.clock.now", lambda: LONG_AGO.astimezone(timezone.utc))
    archive.documents.put([Document("d1", "new")])
    archive.queries.put([Query("q1", "new")])
    assert archive.judgment_index.table().stale.all()
    assert archive.queries.all()["q1"].text == "new"


def test_the_real_time_is_restored_afterwards():
    """This holds after an error, too."""
    with pytest.raises(RuntimeError), backdated(LONG_AGO):
        raise RuntimeError
    assert datetime.now(timezone.utc) - now() < timedelta(minutes=1)


def test_a_simulated_time_requires_a_time_zone():
    """A time without a zone is rejected as ambiguous."""
    with pytest.raises(ArgumentError, match="with its time zone"), backdated(datetime(2020, 1, 2)):  # noqa: DTZ001
        pass
