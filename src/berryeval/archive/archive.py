"""The archive of judgments, runs and their evaluations."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from berryeval.archive import tables
from berryeval.archive.admissions import ArchivedAdmissions
from berryeval.archive.baselines import ArchivedBaselines
from berryeval.archive.collections import ArchivedCollections
from berryeval.archive.database import Database
from berryeval.archive.documents import ArchivedDocuments
from berryeval.archive.evaluations import ArchivedEvaluations
from berryeval.archive.exporting import export_archive
from berryeval.archive.gates import ArchivedGates, ArchivedVerdicts
from berryeval.archive.importing import import_archive
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.archive.judgments.imports import ArchivedImports
from berryeval.archive.judgments.index import JudgmentIndex
from berryeval.archive.judgments.judging import ArchivedJudging
from berryeval.archive.judgments.rows import IS_CURRENT, IS_OPINION
from berryeval.archive.label_draws import ArchivedLabelDraws
from berryeval.archive.location import Location, create_private_file
from berryeval.archive.model_grades import ArchivedModelGrades
from berryeval.archive.projects import ArchivedProjects
from berryeval.archive.proposals import ArchivedProposals
from berryeval.archive.queries import ArchivedQueries
from berryeval.archive.records import ArchiveFacts, StoredCollection, TrendPoint
from berryeval.archive.runs import ArchivedRuns
from berryeval.archive.schema import migrate, version_of
from berryeval.archive.sessions import ArchivedSessions
from berryeval.archive.stores import ArchivedStores
from berryeval.archive.systems import ArchivedSystems
from berryeval.archive.tokens import ArchivedTokens
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import MeasureLike

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Archive"]


class Archive:
    """An archive of judgments, queries, runs, evaluations, baselines, gates and verdicts.

    Threads may share an archive, and several processes may open the same one. Writes are on disk
    when a method returns.

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
        self.imports = ArchivedImports(database)
        self.queries = ArchivedQueries(database)
        self.documents = ArchivedDocuments(database)
        self.runs = ArchivedRuns(database)
        self.evaluations = ArchivedEvaluations(
            database, self.judgments, self.queries, self.documents, self.runs
        )
        self.projects = ArchivedProjects(database, self.judgments, self.queries, self.runs)
        self.baselines = ArchivedBaselines(database)
        self.gates = ArchivedGates(database)
        self.verdicts = ArchivedVerdicts(database)
        self.stores = ArchivedStores(database)
        self.systems = ArchivedSystems(database)
        self.collections = ArchivedCollections(database)
        self.tokens = ArchivedTokens(database)
        self.sessions = ArchivedSessions(database)
        self.model_grades = ArchivedModelGrades(database)
        self.admissions = ArchivedAdmissions(database)
        self.label_draws = ArchivedLabelDraws(database)
        self.proposals = ArchivedProposals(database, self.queries)

    @classmethod
    def open(
        cls, location: str | os.PathLike[str], *, timeout: float = 10.0, create: bool = True
    ) -> Self:
        """Open an archive; create it if there is none, and upgrade an older one.

        Parameters
        ----------
        location : path or str
            A file for SQLite, or ``postgresql://user@host/database``. Passwords can be in
            ``PGPASSWORD`` or ``~/.pgpass``. In PostgreSQL the tables are in a schema
            ``berryeval``, so that the database can be shared.
        timeout : float
            Seconds to wait for other writers, and for a server to respond.
        create : bool
            Whether to create a missing archive.

        Raises
        ------
        ArchiveError
            If it cannot be reached or written, has a newer version, or is not an archive.
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

    def open_collection(self, collection: StoredCollection) -> Archive:
        """Open a further collection, which is an archive of its own; the caller closes it.

        Raises
        ------
        ArchiveError
            If it cannot be opened, for example because it was removed.
        """
        return Archive(self.collections.open(collection))

    @property
    def name(self) -> str:
        """Its location: a path, or an address without its password."""
        return self._database.location.name

    def check(self, *, deep: bool = False) -> ArchiveFacts:
        """Return facts about the archive; if deep, also an integrity check and counts.

        Raises
        ------
        ArchiveError
            If it cannot be read.
        """
        with self._database.reading() as connection:
            return ArchiveFacts(
                version=version_of(connection) or "none",
                database="sqlite" if self._database.is_sqlite else "postgresql",
                size_bytes=self._database.size_bytes(connection),
                counts=_counts(connection) if deep else {},
                problem=self._database.problem(connection) if deep else None,
            )

    def trend(
        self,
        measure: MeasureLike,
        *,
        name: str | None = None,
        at: str | datetime | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[TrendPoint, ...]:
        """Return a measure for all runs, scored with the same judgments.

        Parameters
        ----------
        measure : Measure or str
            One measure.
        name : str, optional
            Only runs of this name.
        at : str or datetime, optional
            Judgments to use: a hash, or a time. Default: the current ones.
        check : callable, optional
            Called before each run; if it raises, the remaining runs are not scored.

        Returns
        -------
        tuple of TrendPoint
            In the order in which the runs were stored. A run that has no query in common with
            the judgments has a reason instead of a mean. Evaluations of a store are scored over
            the queries that were sent.
        """
        return self.evaluations.trend(measure, name=name, at=at, check=check)

    def export(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Write everything as plain files into a new folder, completely or not at all.

        Runs, judgments, queries and documents are in formats that other commands read. Tokens
        are exported as hashes. Each further collection is in a folder of its own, as of the
        moment when its turn came. Registered systems, which have credentials, are left out.

        Returns
        -------
        dict of str to int
            The number of lines of each file; those of further collections are in
            ``collections/NAME/``.

        Raises
        ------
        ArgumentError
            If the folder exists and is not empty.
        FormatError
            If it cannot be written.
        ArchiveError
            If the archive is damaged: an integrity check of the file comes first.
        """
        return export_archive(self._database, folder)

    def import_(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Import an export into this archive, which must be empty, completely or not at all.

        Raises
        ------
        ArgumentError
            If the archive is not empty.
        FormatError, MismatchError
            If a file is missing, cut off or modified, with the line.
        """
        return import_archive(self._database, folder)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Archive {self.name}>"


def _counts(connection: Connection) -> dict[str, int]:
    """Count the rows of each table; judgments, second opinions and earlier states separately."""
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
