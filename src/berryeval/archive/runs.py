"""The runs of an archive."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    delete,
    exists,
    func,
    insert,
    null,
    select,
    update,
)

from berryeval.archive.checks import check_id, check_ids, check_settings, check_text
from berryeval.archive.clock import moment_after
from berryeval.archive.columns import decode, encode, hash_of_columns
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page, RunFacts, StoredRun
from berryeval.archive.tables import baselines, run_contents, run_pieces, runs
from berryeval.core.grade import check_grade
from berryeval.core.id_column import IdColumn
from berryeval.core.run import Run
from berryeval.core.timings import check_timings
from berryeval.engine import MissingQueries
from berryeval.errors import ArchiveError, ArgumentError, ConflictError, NotFoundError

__all__ = [
    "ArchivedRuns",
    "PackedRun",
    "durations_of",
    "facts_of",
    "fields_of",
    "hash_of_run",
    "pack_run",
    "pieces_of",
    "read_content",
    "write_content",
]

_PIECE = 1 << 22
"""Bytes per piece, so that rows stay small in both databases."""


def hash_of_run(run: Run) -> str:
    """Return the SHA-256 of a run's queries, documents and scores, as hexadecimal digits."""
    return hash_of_columns(_columns(run))


@dataclass(frozen=True)
class PackedRun:
    """A run as an archive stores it; another process can prepare it."""

    content_hash: str
    n_queries: int
    n_rows: int
    cautions: tuple[str, ...] | None
    """Cautions about its scores that its rows do not show."""
    pieces: tuple[bytes, ...] = ()
    """Its compressed columns; empty if they are not needed."""


def pack_run(run: Run) -> PackedRun:
    """Return a run as an archive stores it.

    Raises
    ------
    ArgumentError
        If an id is too long.
    """
    return replace(_summary(run), pieces=tuple(pieces_of(run)))


def _summary(run: Run) -> PackedRun:
    check_ids(run.query_ids, "query_id")
    check_ids(run.doc_ids, "doc_id")
    is_known = run.cautions is not None and run.cautions != run.cautions_by_rows()
    cautions = run.cautions if is_known else None
    return PackedRun(hash_of_run(run), run.n_queries, run.n_rows, cautions)


class ArchivedRuns(ArchivePart):
    """Runs with their facts.

    Rankings are stored once per hash, as compressed columns. A run is rankings together with
    facts, so two commits with the same rankings are two runs.
    """

    def put(self, run: Run | PackedRun, facts: RunFacts) -> StoredRun:
        """Write a run; it is on disk when this returns. Writing it again changes nothing.

        Raises
        ------
        ArgumentError
            If an id is too long.
        """
        packed = run if isinstance(run, PackedRun) else _summary(run)
        if packed.cautions is not None:
            facts = replace(facts, cautions=packed.cautions)
        fields = fields_of(facts)
        durations = durations_of(facts)
        content = packed.content_hash
        run_id = hashlib.sha256(json.dumps([content, fields], sort_keys=True).encode()).hexdigest()
        found = self.get(run_id)
        if found is not None:
            return found
        if isinstance(run, Run) and not self._has_content(content):
            packed = replace(packed, pieces=tuple(pieces_of(run)))
        row: dict[str, Any] = {
            "run_id": run_id,
            "content_hash": content,
            "name": facts.name,
            "facts": fields,
            "durations": durations,
        }
        with self._database.writing(alone="runs") as connection:
            self._put_content(connection, run, packed)
            row["stored_at"] = moment_after(connection, runs.c.stored_at)
            self._database.insert_new(connection, runs, row)
        stored = self.get(run_id)
        if stored is None:  # pragma: no cover - removed in the meantime
            raise NotFoundError("run", run_id)
        return stored

    def put_timings(self, run_id: str, timings: Mapping[str, float]) -> bool:
        """Store how long the queries of a run took, and return whether that is new.

        The times of a run never change, since evaluations and verdicts may be based on them.

        Parameters
        ----------
        timings : mapping of str to float
            Milliseconds by query id, from 0 to 1e12.

        Raises
        ------
        NotFoundError
            If there is no such run.
        ConflictError
            If it has other times.
        """
        wanted = {
            check_id(query_id, "timings"): taken
            for query_id, taken in check_timings(timings).items()
        }
        c = runs.c
        with self._database.writing(alone="runs") as connection:
            rows = select(c.run_id, c.durations).where(c.run_id == check_id(run_id, "run_id"))
            row = connection.execute(rows).one_or_none()
            if row is None:
                raise NotFoundError("run", run_id)
            if row.durations is not None and row.durations != wanted:
                raise ConflictError(f"run {run_id}", "a run without times", "other times")
            if row.durations is None:
                connection.execute(update(runs).where(c.run_id == run_id).values(durations=wanted))
        return row.durations is None

    def get(self, run_id: str, *, with_durations: bool = True) -> StoredRun | None:
        """Return a run without its rankings; None if it does not exist.

        It is several times faster without durations, which are most of its facts.
        """
        check_id(run_id, "run_id")
        rows = _rows() if with_durations else _rows_without_durations()
        return self._one(rows.where(runs.c.run_id == run_id), _stored)

    def exists(self, run_id: str) -> bool:
        """Return whether there is such a run; faster than `get`, which also reads durations."""
        row = select(runs.c.run_id).where(runs.c.run_id == check_id(run_id, "run_id"))
        with self._database.reading() as connection:
            return connection.scalar(row) is not None

    def missing_of(self, run_id: str) -> MissingQueries:
        """Return how to score judged queries that are missing from a run; see `RunFacts`."""
        row = select(runs.c.facts).where(runs.c.run_id == check_id(run_id, "run_id"))
        return self._one(row, lambda one: facts_of(one.facts, None).missing) or "zero"

    def load(self, run_id: str) -> Run:
        """Return the rankings of a run, exactly as stored, with the times of its queries if known.

        Raises
        ------
        NotFoundError
            If there is no such run.
        ArchiveError
            If its content is damaged.
        """
        check_id(run_id, "run_id")
        c = runs.c
        wanted = select(c.content_hash, c.facts, c.durations).where(c.run_id == run_id)
        with self._database.reading() as connection:
            row = connection.execute(wanted).one_or_none()
            if row is None:
                raise NotFoundError("run", run_id)
            try:
                run = read_content(connection, row.content_hash)
            except ValueError:
                message = f"the content of run {run_id} is damaged; restore it from a backup"
                raise ArchiveError(self._database.location.name, message) from None
        if "cautions" in row.facts:
            run.cautions = tuple(row.facts["cautions"])
        run.milliseconds = row.durations
        return run

    def page(
        self,
        *,
        name: str | None = None,
        after: str | None = None,
        limit: int = 100,
        newest_first: bool = False,
    ) -> Page[StoredRun]:
        """Return runs in the order in which they were stored: all, or those of a name.

        They have no durations, of which a run has one per query; `get` returns them.
        """
        rows = _listed(name)
        keys = (runs.c.stored_at, runs.c.run_id)
        return self._page(rows, keys, _stored, after=after, limit=limit, descending=newest_first)

    def directory(self, *, name: str | None = None) -> tuple[StoredRun, ...]:
        """Return every run, or those of a name, in the order in which they were stored."""
        rows = _listed(name)
        with self._database.reading() as connection:
            found = connection.execute(rows.order_by(runs.c.stored_at, runs.c.run_id))
            return tuple(map(_stored, found))

    def mark(self) -> tuple[int, datetime | None]:
        """Return a stamp that changes whenever a run is stored or removed: number and newest."""
        rows = select(func.count(), func.max(runs.c.stored_at)).select_from(runs)
        with self._database.reading() as connection:
            n_runs, newest = connection.execute(rows).one()
        return n_runs, newest

    def remove(self, run_id: str) -> bool:
        """Remove a run with its evaluations, and return whether it existed. Verdicts are kept.

        Raises
        ------
        ConflictError
            If it is a baseline.
        """
        check_id(run_id, "run_id")
        with self._database.writing(alone="runs") as connection:
            names = connection.scalars(select(baselines.c.name).where(baselines.c.run_id == run_id))
            name = names.first()
            if name is not None:
                expected = "a run that is not a baseline"
                raise ConflictError(f"run {run_id}", expected, f"baseline {name!r}")
            content = connection.scalar(select(runs.c.content_hash).where(runs.c.run_id == run_id))
            if content is None:
                return False
            connection.execute(delete(runs).where(runs.c.run_id == run_id))
            is_used = exists().where(runs.c.content_hash == content)
            connection.execute(
                delete(run_contents).where(run_contents.c.content_hash == content, ~is_used)
            )
        return True

    def _has_content(self, content: str) -> bool:
        row = select(run_contents.c.content_hash).where(run_contents.c.content_hash == content)
        with self._database.reading() as connection:
            return connection.scalar(row) is not None

    def _put_content(self, connection: Connection, run: Run | PackedRun, packed: PackedRun) -> None:
        row = {
            "content_hash": packed.content_hash,
            "n_queries": packed.n_queries,
            "n_rows": packed.n_rows,
        }
        if not self._database.insert_new(connection, run_contents, row):
            return
        pieces: Iterable[bytes] = packed.pieces
        if isinstance(run, Run) and not pieces:  # its content was removed in the meantime
            pieces = pieces_of(run)
        write_content(connection, packed.content_hash, pieces)


def write_content(connection: Connection, content: str, pieces: Iterable[bytes]) -> None:
    """Write the compressed columns of a run under their hash."""
    for position, data in enumerate(pieces):
        row = {"content_hash": content, "position": position, "data": data}
        connection.execute(insert(run_pieces).values(row))


def read_content(connection: Connection, content: str) -> Run:
    """Return the rankings of a hash; raise ValueError if they are damaged."""
    pieces = select(run_pieces.c.data).where(run_pieces.c.content_hash == content)
    columns = decode(connection.scalars(pieces.order_by(run_pieces.c.position)))
    run = Run(
        cast("IdColumn", columns["query_ids"]),
        cast("array[int]", columns["starts"]),
        cast("IdColumn", columns["doc_ids"]),
        cast("array[float]", columns["scores"]),
    )
    if hash_of_run(run) != content:
        raise ValueError("it has another hash")
    return run


def _columns(run: Run) -> dict[str, IdColumn | array[float] | array[int]]:
    return {
        "query_ids": run.query_ids,
        "starts": run.starts,
        "doc_ids": run.doc_ids,
        "scores": run.values,
    }


def pieces_of(run: Run) -> Iterator[bytes]:
    """Iterate over the compressed columns of a run, one piece per row."""
    waiting = bytearray()
    for part in encode(_columns(run)):
        waiting += part
        while len(waiting) >= _PIECE:
            yield bytes(waiting[:_PIECE])
            del waiting[:_PIECE]
    yield bytes(waiting)


def fields_of(facts: RunFacts) -> dict[str, Any]:
    """Return facts as JSON, without durations, or raise if they are not valid JSON."""
    check_id(facts.name, "name")
    if isinstance(facts.tags, str):
        raise ArgumentError("tags", "several", f"the text {facts.tags!r}")
    fields = {
        "name": facts.name,
        "settings": check_settings(facts.settings, "settings"),
        "corpus_hash": check_text(facts.corpus_hash, "corpus_hash", optional=True),
        "tags": [check_text(tag, "tags") for tag in facts.tags],
        "commit": check_text(facts.commit, "commit", optional=True),
    }
    # Only if there are any, so that the ids of other runs do not change.
    if facts.asked_at is not None:
        fields["asked_at"] = check_text(facts.asked_at, "asked_at")
    if facts.failed:
        fields["failed"] = [check_id(query_id, "failed") for query_id in facts.failed]
    if facts.cautions is not None:
        fields["cautions"] = [check_text(caution, "cautions") for caution in facts.cautions]
    return fields


def durations_of(facts: RunFacts) -> dict[str, float] | None:
    """Return the milliseconds of each query, or raise if one is not finite."""
    if facts.durations is None:
        return None
    return {
        check_id(query_id, "durations"): check_grade(milliseconds, f"durations[{query_id!r}]")
        for query_id, milliseconds in facts.durations.items()
    }


def _rows(durations: ColumnElement[Any] = runs.c.durations) -> Select[Any]:
    c = runs.c
    return select(
        c.run_id, c.content_hash, c.name, c.facts, c.stored_at, durations,
        run_contents.c.n_queries, run_contents.c.n_rows,
    ).join(run_contents, run_contents.c.content_hash == c.content_hash)  # fmt: skip


def _rows_without_durations() -> Select[Any]:
    return _rows(null().label("durations"))


def _listed(name: str | None) -> Select[Any]:
    """Return the rows of a list of runs."""
    rows = _rows_without_durations()
    return rows if name is None else rows.where(runs.c.name == check_id(name, "name"))


def facts_of(fields: Mapping[str, Any], durations: Mapping[str, float] | None) -> RunFacts:
    """Return the facts from the output of `fields_of` and `durations_of`."""
    several = {name: tuple(fields.get(name, ())) for name in ("tags", "failed")}
    if "cautions" in fields:
        several["cautions"] = tuple(fields["cautions"])
    return RunFacts(**dict(fields) | several, durations=durations)


def _stored(row: Row[Any]) -> StoredRun:
    facts = facts_of(row.facts, row.durations)
    return StoredRun(row.run_id, row.content_hash, facts, row.stored_at, row.n_queries, row.n_rows)
