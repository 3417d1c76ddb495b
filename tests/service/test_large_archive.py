"""The archive used for benchmarks, in a small version."""

import pytest
from benchmarks import large_archive as large

from archive.databases import new_database
from berryeval.archive import Archive


@pytest.fixture(params=["sqlite", "postgresql"])
def archive(request, tmp_path):
    """An empty archive in either database."""
    if request.param == "sqlite":
        with Archive.open(tmp_path / "large.db") as opened:
            yield opened
        return
    with new_database(request.getfixturevalue("postgres_dsn")) as dsn, Archive.open(dsn) as opened:
        yield opened


def test_the_archive_has_the_requested_contents(archive):
    """Counts are as requested; some pairs are judged twice, in conflict, or stale."""
    size = large.Size(runs=9, queries=60, judgments=3010, documents=1013, verdicts=5)
    large.fill(archive, size)
    counts = archive.check(deep=True).counts
    assert counts["runs"] == counts["evaluations"] == 9
    assert counts["queries"] == 60
    assert counts["documents"] == 1013
    assert counts["verdicts"] == 5
    assert counts["judgments"] == 3010
    assert counts["opinions"] + counts["judgment_history"] > 190
    assert archive.judgments.current().n_rows == 3010
    assert archive.judgments.page(is_stale=True).items
    settled = [one for one in archive.judgments.page(limit=5000).items if one.source == "settled"]
    twice = [one for one in archive.judgments.page(limit=5000).items if one.source == "second pass"]
    assert settled
    first, second = archive.judgments.history(twice[0].query_id, twice[0].doc_id)
    assert first.author != second.author
    newest = archive.runs.page(limit=1, newest_first=True).items[0]
    assert newest.n_rows == 600
    found = archive.evaluations.find(
        newest.run_id, large.MEASURES, judgments_hash=archive.judgments.hash()
    )
    assert 0.1 < found["nDCG@10"].mean < 0.95
    assert found["nDCG@10"].holes > 0
    assert len(archive.projects.board("two-judges").pairs) == 1000
