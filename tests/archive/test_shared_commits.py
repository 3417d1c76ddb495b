import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.shared_commits import SharedCommits
from berryeval.errors import ArchiveError, ConflictError


class Slow:
    """Work that blocks until it is released."""

    def __init__(self):
        self.has_begun = threading.Event()
        self.may_end = threading.Event()

    def __call__(self, _connection):
        self.has_begun.set()
        assert self.may_end.wait(30)
        return "slow"


@pytest.fixture
def commits(archive):
    """The shared commits through which judgments are written."""
    return archive.judgments._commits


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def run_behind_slow_write(commits, works):
    """Queue work behind a slow write, and return the result of each."""
    slow = Slow()
    with ThreadPoolExecutor(max_workers=len(works) + 1) as pool:
        first = pool.submit(commits.run, slow)
        assert slow.has_begun.wait(30)
        others = []
        for work in works:  # one after the other, to fix their order
            others.append(pool.submit(work))
            wait_for(lambda: len(commits._waiting) == len(others))
        slow.may_end.set()
        assert first.result() == "slow"
        return [other.exception() or other.result() for other in others]


def test_waiting_writes_share_a_commit(archive, commits):
    """Four judges who wait for a fifth cost one disk sync, not four."""
    n_commits = []
    event.listen(archive._database._engine, "commit", n_commits.append)

    def judge(number):
        return archive.judgments.put([JudgmentEntry("q", f"d{number}", 1)], author="x")

    works = [lambda number=number: judge(number) for number in range(4)]
    assert run_behind_slow_write(commits, works) == [1, 1, 1, 1]
    assert len(n_commits) == 2
    assert archive.judgments.current().n_rows == 4
    assert archive.judgments.revision() == 4


def test_rejected_work_is_rolled_back_alone(archive, commits):
    """The conflicting write raises, and the others are stored."""

    def half(connection):
        connection.exec_driver_sql("DELETE FROM judgments")
        raise ConflictError("x", "one", "another")

    archive.judgments.put([JudgmentEntry("q", "d0", 1)], author="x")
    one, two, three = run_behind_slow_write(
        commits,
        [
            lambda: archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x"),
            lambda: commits.run(half),
            lambda: archive.judgments.put([JudgmentEntry("q", "d2", 1)], author="x"),
        ],
    )
    assert (one, three) == (1, 1)
    assert isinstance(two, ConflictError)
    assert set(archive.judgments.current().to_dict()["q"]) == {"d0", "d1", "d2"}


def test_if_the_database_fails_nothing_is_stored_and_all_callers_raise(archive, commits):
    """Every caller gets the error."""
    outcomes = run_behind_slow_write(
        commits,
        [
            lambda: archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x"),
            lambda: commits.run(lambda connection: connection.exec_driver_sql("no SQL")),
            lambda: archive.judgments.put([JudgmentEntry("q", "d2", 1)], author="x"),
        ],
    )
    assert [type(outcome) for outcome in outcomes] == [ArchiveError] * 3
    assert len({id(outcome) for outcome in outcomes}) == 3
    assert archive.judgments.page().items == ()
    assert archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x") == 1


def test_an_unexpected_error_ends_every_wait(archive, commits):
    """It reaches every caller, and the next write succeeds."""
    outcomes = run_behind_slow_write(
        commits,
        [
            lambda: commits.run(lambda _connection: 1 / 0),
            lambda: archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x"),
        ],
    )
    assert [type(outcome) for outcome in outcomes] == [ZeroDivisionError] * 2
    assert archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x") == 1


def test_a_write_that_timed_out_is_not_written_later(tmp_path):
    """The caller gets an error."""
    with Archive.open(tmp_path / "a.db", timeout=0.2) as archive:
        slow = Slow()
        writer = threading.Thread(target=archive.judgments._commits.run, args=(slow,))
        writer.start()
        assert slow.has_begun.wait(30)
        with pytest.raises(ArchiveError, match=r"for 0\.2 seconds; try again") as caught:
            archive.judgments.put([JudgmentEntry("q", "d1", 1)], author="x")
        assert caught.value.transient
        slow.may_end.set()
        writer.join()
        archive.judgments.put([JudgmentEntry("q", "d2", 1)], author="x")
        assert archive.judgments.current().to_dict() == {"q": {"d2": 1}}


def test_a_write_in_progress_is_not_timed_out(tmp_path):
    """Its caller waits for it, however long it takes."""
    with Archive.open(tmp_path / "a.db", timeout=0.3) as archive:
        commits = SharedCommits(archive._database, "judgments")

        def later(_connection):
            time.sleep(0.6)
            return "later"

        assert run_behind_slow_write(
            commits, [lambda: commits.run(later), lambda: commits.run(lambda _connection: "done")]
        ) == ["later", "done"]
