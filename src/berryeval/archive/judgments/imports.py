"""Imports of judgments from files: each is one step, which can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from berryeval.archive.checks import check_count, check_text
from berryeval.archive.clock import now
from berryeval.archive.database import batches_of
from berryeval.archive.judgments.batches import check_batches, write_batches
from berryeval.archive.judgments.disagreements import UNFINISHED_PAIRS
from berryeval.archive.judgments.judging import read_policy
from berryeval.archive.judgments.opinion_rows import apply_rule, restore_judgment
from berryeval.archive.judgments.rows import NewJudgment, Pair, StateWriter, read_histories
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import JudgmentBatch, Page, StoredImport, StoredJudgment
from berryeval.archive.tables import imports, judgments
from berryeval.core.judgments import Judgments
from berryeval.errors import ConflictError, DisagreementError, NotFoundError, ScaleError

__all__ = ["ArchivedImports"]

_NEWEST = select(func.coalesce(func.max(judgments.c.revision), 0))


class _TakenBackError(Exception):
    """Ends a transaction whose changes are not wanted."""


class ArchivedImports(ArchivePart):
    """Files of judgments that were imported, by number, from 1."""

    def put(
        self,
        batches: Iterable[JudgmentBatch],
        *,
        file_name: str,
        author: str,
        declared: Judgments | None = None,
    ) -> StoredImport:
        """Write the judgments of a file, all or none; they are on disk when this returns.

        Parameters
        ----------
        batches : iterable of JudgmentBatch
            The judgments, by judge and source; see `ArchivedJudgments.put_batches`.
        file_name : str
            The name of the file.
        author : str
            Who imports it; judges are named by the batches.
        declared : Judgments, optional
            As for `ArchivedJudgments.put_batches`.
        """
        checked = check_batches(batches)
        check_text(file_name, "file_name")
        check_text(author, "author")
        with self._database.writing(alone="judgments") as connection:
            before = connection.scalar(_NEWEST) or 0
            try:
                n_changed = write_batches(self._database, connection, checked, declared)
            except ScaleError as error:
                facts = (error.query_id, error.doc_id, error.grade, error.highest)
                raise ScaleError(*facts, file_name) from None
            number = (connection.scalar(select(func.max(imports.c.import_id))) or 0) + 1
            row = {
                "import_id": number,
                "file_name": file_name,
                "author": author,
                "created_at": now(),
                "first_revision": before + 1,
                "last_revision": connection.scalar(_NEWEST) or 0,
                "n_changed": n_changed,
            }
            connection.execute(insert(imports).values(**row))
            return _required(connection, number)

    def refused(self, batches: Iterable[JudgmentBatch]) -> list[DisagreementError]:
        """Return the disagreements for which `put` would refuse the judgments of a file.

        Those on pairs of unfinished projects are written as `put` does, and taken back, since what
        a file says first decides about what it says next.
        """
        with self._database.reading() as connection:
            rows = connection.execute(UNFINISHED_PAIRS)
            asked = {(row.query_id, row.doc_id) for row in rows}
        if not asked:
            return []
        own = [
            batch._replace(
                entries=[one for one in batch.entries if (one.query_id, one.doc_id) in asked]
            )
            for batch in batches
        ]
        checked = check_batches(batch for batch in own if batch.entries)
        found: list[DisagreementError] = []
        with (
            suppress(_TakenBackError),
            self._database.writing(alone="judgments") as connection,
        ):
            write_batches(self._database, connection, checked, None, found)
            raise _TakenBackError
        return found

    def get(self, import_id: int) -> StoredImport | None:
        """Return an import; None if it does not exist."""
        number = check_count(import_id, "import_id")
        return self._one(select(imports).where(imports.c.import_id == number), _import)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredImport]:
        """Return imports, newest first."""
        keys = (imports.c.import_id,)
        return self._page(select(imports), keys, _import, after=after, limit=limit, descending=True)

    def changed_since(self, import_id: int) -> int:
        """Return the number of pairs that `undo` would keep, since judges have graded them since.

        Raises
        ------
        NotFoundError
            If there is no such import.
        """
        with self._database.reading(repeatable=True) as connection:
            found = _required(connection, check_count(import_id, "import_id"))
            return sum(
                _is_changed(states, found)
                for histories in _histories(connection, found)
                for states in histories
            )

    def undo(self, import_id: int, *, author: str) -> StoredImport:
        """Undo an import: the previous judgments count again, and histories show both steps.

        Pairs that judges have graded since are kept, and counted in `n_kept`. A scale or a rule
        that was adopted from the file is kept as well.

        Raises
        ------
        NotFoundError
            If there is no such import.
        ConflictError
            If it was already undone.
        """
        number = check_count(import_id, "import_id")
        check_text(author, "author")
        with self._database.writing(alone="judgments") as connection:
            found = _required(connection, number)
            if found.undone_at is not None:
                undone = f"undone by {found.undone_by}"
                raise ConflictError(f"import {number}", "not undone yet", undone)
            rule = read_policy(connection).rule
            n_kept = 0
            for histories in [*_histories(connection, found)]:
                writer = StateWriter(connection)
                touched: list[Pair] = []
                for states in histories:
                    if _is_changed(states, found):
                        n_kept += 1
                    else:
                        _undo(writer, states, found, author)
                        touched.append((states[0].query_id, states[0].doc_id))
                writer.flush()
                apply_rule(connection, read_histories(connection, touched).values(), rule)
            changes = {"undone_at": now(), "undone_by": author, "n_kept": n_kept}
            connection.execute(
                update(imports).where(imports.c.import_id == number).values(**changes)
            )
            return _required(connection, number)


def _histories(connection: Connection, found: StoredImport) -> Iterable[list[list[StoredJudgment]]]:
    """Iterate over the histories of the pairs that an import wrote, some at a time."""
    c = judgments.c
    is_written = c.revision.between(found.first_revision, found.last_revision)
    pairs = select(c.query_id, c.doc_id).where(is_written, c.kind != "rule").distinct()
    for some in batches_of((row.query_id, row.doc_id) for row in connection.execute(pairs).all()):
        yield [*read_histories(connection, some).values()]


def _is_changed(states: Sequence[StoredJudgment], found: StoredImport) -> bool:
    return any(one.revision > found.last_revision and one.kind != "rule" for one in states)


def _undo(
    writer: StateWriter, states: Sequence[StoredJudgment], found: StoredImport, author: str
) -> None:
    """Withdraw what an import wrote about a pair, and restore what was before."""
    pair = states[0].query_id, states[0].doc_id
    source = f"undo of import {found.import_id}"
    mine = [one for one in states if one.revision >= found.first_revision and one.kind != "rule"]
    last: dict[str, int] = {}
    for one in mine:
        if one.kind == "opinion":
            gone = NewJudgment(*pair, None, None)
            replaced = last.get(one.author, one.revision)
            last[one.author] = writer.add(
                gone, one.author, source, replaced=replaced, kind="opinion"
            )
    if any(one.kind == "judgment" for one in mine):
        counted = next(one for one in reversed(states) if one.kind != "opinion")
        gone = NewJudgment(*pair, None, None, stratum=counted.stratum)
        replaced = writer.add(gone, author, source, replaced=counted.revision)
        earlier = [one for one in states if one.revision < found.first_revision]
        restore_judgment(writer, earlier, pair, replaced)


def _required(connection: Connection, number: int) -> StoredImport:
    row = connection.execute(select(imports).where(imports.c.import_id == number)).one_or_none()
    if row is None:
        raise NotFoundError("import", str(number))
    return _import(row)


def _import(row: Row[Any]) -> StoredImport:
    return StoredImport(**row._mapping)  # noqa: SLF001 - public, but for its name
