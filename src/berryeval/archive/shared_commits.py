"""Many small transactions in one commit, since a disk takes milliseconds for each commit."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection

from berryeval.archive.database import Alone, Database
from berryeval.errors import ArchiveError, BerryEvalError

__all__ = ["SharedCommits"]

Answer = TypeVar("Answer")


class _Job(Generic[Answer]):
    """The work of a thread, and its outcome."""

    def __init__(self, work: Callable[[Connection], Answer]) -> None:
        self.work = work
        self.is_done = False
        self.answer: Answer | None = None
        self.error: BaseException | None = None

    def outcome(self) -> Answer:
        """Return what the work returned, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return cast("Answer", self.answer)


class SharedCommits:
    """Lets threads that write at the same time share a commit.

    One thread writes for all that wait. Each returns when its own work is on disk. Work that
    raises is rolled back alone; if the database fails, everything is rolled back, and all raise.
    """

    def __init__(self, database: Database, alone: Alone) -> None:
        self._database = database
        self._alone = alone
        self._waiting: list[_Job[Any]] = []
        self._is_writing = False
        self._changed = threading.Condition()

    def run(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do some work in a transaction that is on disk when this returns."""
        job = _Job(work)
        with self._changed:
            self._waiting.append(job)
            self._changed.wait_for(
                lambda: job.is_done or not self._is_writing, self._database.timeout
            )
            if not job.is_done and self._is_writing:
                self._give_up(job)
            if job.is_done:
                return job.outcome()
            jobs, self._waiting = self._waiting, []
            self._is_writing = True
        try:
            self._write(jobs)
        finally:
            with self._changed:
                self._is_writing = False
                for one in jobs:
                    one.is_done = True
                self._changed.notify_all()
        return job.outcome()

    def _give_up(self, job: _Job[Any]) -> None:
        """Raise, unless another thread is writing it, which will set the outcome."""
        if job not in self._waiting:
            self._changed.wait_for(lambda: job.is_done)
            return
        self._waiting.remove(job)
        message = (
            f"other clients have been writing for {self._database.timeout:g} seconds; try again"
        )
        raise ArchiveError(self._database.location.name, message, transient=True)

    def _write(self, jobs: list[_Job[Any]]) -> None:
        try:
            with self._database.writing(alone=self._alone) as connection:
                for job in jobs:
                    _do(job, connection)
        except BaseException as error:
            for job in jobs:
                # One copy per thread, as each would add to the traceback.
                job.error = copy.copy(error) if isinstance(error, ArchiveError) else error
            if not isinstance(error, BerryEvalError):
                raise


def _do(job: _Job[Any], connection: Connection) -> None:
    part = connection.begin_nested()
    try:
        job.answer = job.work(connection)
    except BerryEvalError as error:
        part.rollback()
        job.error = error
    else:
        part.commit()
    # Anything else ends the whole transaction. A full database has already ended it, so
    # there is no part left to roll back.
