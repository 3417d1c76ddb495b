"""Keeps the boards of projects in memory, and up to date.

Reading ten thousand pairs with their answers takes a good part of a second, so it happens once;
afterwards only the pairs are read that were answered since, through whichever process.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import Connection, func, select

from berryeval.archive.database import Database, batches_of
from berryeval.archive.judgments.rows import Pair, read_histories
from berryeval.archive.projects.board import (
    asked_pair,
    read_board,
    read_refusals,
    required_project,
)
from berryeval.archive.projects.records import (
    MAX_PAIRS,
    ProjectAnswer,
    ProjectBoard,
    StoredProject,
)
from berryeval.archive.tables import judgments, project_refusals

__all__ = ["Boards"]

_MAX_CHANGES = 2000
"""With more changes than these, everything is read again."""
_MAX_PAIRS = 3 * MAX_PAIRS
"""Pairs of all boards in memory; the board that was used last is kept in any case."""

_Refused: TypeAlias = Mapping[Pair, Mapping[str, ProjectAnswer]]


@dataclass(frozen=True)
class _Known:
    """A board, and what it was read from."""

    board: ProjectBoard
    newest: int
    """The last revision of a judgment."""
    stamp: tuple[int, datetime | None]
    """Changes whenever a judge cannot judge a pair, or takes that back."""
    refused: _Refused


@dataclass(eq=False)
class _Entry:
    """The board of a project, which one thread at a time brings up to date."""

    known: _Known | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Boards:
    """The boards of an archive's projects; those least recently used are dropped."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str) -> ProjectBoard:
        """Return the board of a project as it is now.

        Raises
        ------
        NotFoundError
            If there is no such project.
        """
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            self._entries.move_to_end(name)
        try:
            with entry.lock, self._database.reading(repeatable=True) as connection:
                project = required_project(connection, name)
                entry.known = known = _read(connection, entry.known, project)
        except BaseException:
            with self._lock:
                self._entries.pop(name, None)
            raise
        self._drop_surplus()
        return known.board

    def _drop_surplus(self) -> None:
        with self._lock:
            sizes = Counter({name: _size(one) for name, one in self._entries.items()})
            for name in [*sizes][:-1]:
                if sizes.total() <= _MAX_PAIRS:
                    break
                del sizes[name], self._entries[name]


def _size(entry: _Entry) -> int:
    """Return the number of pairs in memory; 0 for a board that is being read."""
    return 0 if entry.known is None else len(entry.known.board.pairs)


def _read(connection: Connection, known: _Known | None, project: StoredProject) -> _Known:
    """Return the board of a project from one that may be outdated, or from scratch."""
    newest = int(connection.scalar(select(func.max(judgments.c.revision))) or 0)
    c = project_refusals.c
    count = select(func.count(), func.max(c.given_at)).where(c.project == project.name)
    n_refused, last = connection.execute(count).one()
    stamp = (int(n_refused), last)
    # A project that was removed and created again has other pairs.
    if known is not None and known.board.project.created_at == project.created_at:
        refused = known.refused
        if stamp != known.stamp:
            refused = read_refusals(connection, project.name)
        changed = _changed(connection, known, refused)
        if changed is not None:
            board = _updated(connection, known.board, project, changed, refused)
            return _Known(board, newest, stamp, refused)
    refused = read_refusals(connection, project.name)
    return _Known(read_board(connection, project, refused), newest, stamp, refused)


def _changed(connection: Connection, known: _Known, refused: _Refused) -> set[Pair] | None:
    """Return the pairs that were judged, or refused, since a board was read; None if too many."""
    c = judgments.c
    rows = select(c.query_id, c.doc_id).where(c.revision > known.newest)
    judged = connection.execute(rows.order_by(c.revision).limit(_MAX_CHANGES + 1)).all()
    if len(judged) > _MAX_CHANGES:
        return None
    changed = {(row.query_id, row.doc_id) for row in judged}
    if refused is not known.refused:
        pairs = refused.keys() | known.refused.keys()
        changed |= {one for one in pairs if refused.get(one) != known.refused.get(one)}
    return changed & known.board.places.keys()


def _updated(
    connection: Connection,
    board: ProjectBoard,
    project: StoredProject,
    changed: set[Pair],
    refused: _Refused,
) -> ProjectBoard:
    """Return a board with the answers of some pairs read again."""
    if not changed and project == board.project:
        return board
    later = {}
    for pairs in batches_of(sorted(changed)):
        for pair, states in read_histories(connection, pairs).items():
            asked = board.pairs[board.places[pair]].asked
            later[pair] = asked_pair(project.plan, asked, states, refused.get(pair, {}))
    return board.replaced(project, later)
