"""One place for judgments, runs and what was made of them."""

from __future__ import annotations

import os
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from berryeval.archive import tables
from berryeval.archive.baselines import ArchivedBaselines
from berryeval.archive.database import Database
from berryeval.archive.documents import ArchivedDocuments
from berryeval.archive.evaluations import ArchivedEvaluations
from berryeval.archive.exporting import export_archive
from berryeval.archive.gates import ArchivedGates
from berryeval.archive.importing import import_archive
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.archive.judgments.index import JudgmentIndex
from berryeval.archive.judgments.judging import ArchivedJudging
from berryeval.archive.judgments.rows import IS_CURRENT, IS_OPINION
from berryeval.archive.location import Location, create_private_file
from berryeval.archive.queries import ArchivedQueries
from berryeval.archive.records import ArchiveFacts, TrendPoint
from berryeval.archive.runs import ArchivedRuns
from berryeval.archive.schema import migrate, version_of
from berryeval.archive.stores import ArchivedStores
from berryeval.archive.tokens import ArchivedTokens
from berryeval.archive.trend import trend
from berryeval.archive.verdicts import ArchivedVerdicts
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import MeasureLike

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Archive"]


class Archive:
    """What is remembered: judgments, queries, runs, evaluations, baselines, gates, verdicts.

    Threads may share an archive, and several processes may open the same one. What a method has
    written is on the disk when it returns.

    Examples
    --------
    >>> import tempfile, os
    >>> from berryeval.archive import Archive, JudgmentEntry
    >>> path = os.path.join(tempfile.mkdtemp(), "berryeval.db")
    >>> with Archive.open(path) as archive:
    ...     n_new = archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
    ...     archive.judgments.current()
    <Judgments: 1 query, 1 document>
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.judgments = ArchivedJudgments(database)
        self.judging = ArchivedJudging(database)
        self.judgment_index = JudgmentIndex(database)
        self.queries = ArchivedQueries(database)
        self.documents = ArchivedDocuments(database)
        self.runs = ArchivedRuns(database)
        self.evaluations = ArchivedEvaluations(database, self.judgments, self.queries, self.runs)
        self.baselines = ArchivedBaselines(database)
        self.gates = ArchivedGates(database)
        self.verdicts = ArchivedVerdicts(database)
        self.stores = ArchivedStores(database)
        self.tokens = ArchivedTokens(database)

    @classmethod
    def open(
        cls, location: str | os.PathLike[str], *, timeout: float = 10.0, create: bool = True
    ) -> Self:
        """Open an archive; make it if there is none, and bring an older one up to date.

        Parameters
        ----------
        location : path or str
            A file, which SQLite keeps, or ``postgresql://user@host/database``. Passwords may
            stay in ``PGPASSWORD`` or ``~/.pgpass``. In PostgreSQL the tables are in a schema
            ``berryeval``, so that the database may hold other things.
        timeout : float
            Seconds to wait for others that write, and for a server to answer.
        create : bool
            Whether to make one; otherwise it has to be there.

        Raises
        ------
        ArchiveError
            If it cannot be reached or written, is of a newer version, or is no archive.
        """
        if not timeout > 0:
            raise ArgumentError("timeout", "more than 0 seconds", repr(timeout))
        place = Location.of(location)
        if not create:
            place.check_exists()
        elif place.path is not None:
            create_private_file(place.path)
        database = Database(place, timeout)
        try:
            migrate(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def name(self) -> str:
        """Where it is: a path, or an address without its password."""
        return self._database.location.name

    def check(self, *, deep: bool = False) -> ArchiveFacts:
        """Tell how the archive is; deep, whether every page of its file is sound, and counts.

        Raises
        ------
        ArchiveError
            If it cannot be read.
        """
        with self._database.reading() as connection:
            return ArchiveFacts(
                version=version_of(connection) or "none",
                backend="sqlite" if self._database.is_sqlite else "postgresql",
                size_bytes=self._database.size_bytes(connection),
                counts=_counts(connection) if deep else {},
                problem=self._database.problem(connection) if deep else None,
            )

    def trend(
        self, measure: MeasureLike, *, name: str | None = None, at: str | datetime | None = None
    ) -> tuple[TrendPoint, ...]:
        """Follow a measure through the runs, all scored at the same judgments.

        Parameters
        ----------
        measure : Measure or str
            One measure.
        name : str, optional
            Only runs of this name.
        at : str or datetime, optional
            At which judgments: a hash, or a moment. Without it, those of now.

        Returns
        -------
        tuple of TrendPoint
            In the order in which the runs were stored. A run that has no query in common with
            the judgments has no mean, and the reason. Evaluations of a store are scored over the
            queries that were asked.
        """
        return trend(self.runs, self.evaluations, self.judgments, measure, name=name, at=at)

    def export(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Write everything as plain files into a new folder, whole or not at all.

        Runs, judgments, queries and documents are in formats that other commands read. Tokens
        are there as hashes.

        Returns
        -------
        dict of str to int
            How many lines each file has.

        Raises
        ------
        ArgumentError
            If the folder is there and not empty.
        FormatError
            If it cannot be written.
        """
        return export_archive(self._database, folder)

    def import_(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Read what `export` wrote into this archive, which has to be empty; all or nothing.

        Raises
        ------
        ArgumentError
            If the archive is not empty.
        FormatError, MismatchError
            If a file is missing, cut off, or not what was exported, with its line.
        """
        return import_archive(self._database, folder)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Archive {self.name}>"


def _counts(connection: Connection) -> dict[str, int]:
    """Count the rows of each table: judgments, second opinions and earlier states apart."""
    counts = {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in tables.metadata.sorted_tables
    }
    n_states = counts["judgments"]
    for name, condition in {"judgments": IS_CURRENT, "opinions": IS_OPINION}.items():
        n_rows = select(func.count()).select_from(tables.judgments).where(condition)
        counts[name] = connection.scalar(n_rows) or 0
    counts["judgment_history"] = n_states - counts["judgments"] - counts["opinions"]
    return counts
