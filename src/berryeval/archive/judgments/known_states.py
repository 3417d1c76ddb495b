"""Recently used states of the judgments, cached in memory."""

from __future__ import annotations

import threading
from collections import deque
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from berryeval.archive.database import Database
from berryeval.archive.judgments import states
from berryeval.archive.judgments.changes import RunningHash, apply_changes
from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.judgments import Judgments

__all__ = ["KnownStates"]

_N_BEFORE = 2


class _State(NamedTuple):
    revision: int
    hash: str
    judgments: Judgments
    running: RunningHash | None = None
    """None until it is needed, if the archive has recorded the hash."""


class KnownStates:
    """The current judgments, those shortly before, and one earlier state.

    After a change only the difference is read, so that one judgment among a million takes
    milliseconds rather than seconds.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loading = threading.Lock()
        self._newest: _State | None = None
        # A caller that got a hash may request its judgments after another change.
        self._before: deque[_State] = deque(maxlen=_N_BEFORE)
        self._earlier: _State | None = None

    def as_of(self, when: str | datetime | None) -> tuple[Judgments, str]:
        """Return the current (None) or earlier judgments, and their hash."""
        with self._loading:
            newest = self._newest
            if isinstance(when, str):
                for state in (newest, *self._before, self._earlier):
                    if state is not None and state.hash == when:
                        return state.judgments, when
            with self._database.reading() as connection:
                revision = states.find(connection, when)
                if newest is not None and newest.revision == revision:
                    return newest.judgments, newest.hash
                is_newest = when is None or revision == states.find(connection, None)
                if is_newest:
                    state = _newer(connection, newest, revision)
                else:
                    found = states.read(connection, revision)
                    hashed = when if isinstance(when, str) else hash_of_judgments(found)
                    state = _State(revision, hashed, found)
            if not isinstance(when, str):
                states.note(self._database, state.hash, revision)
            if is_newest:
                self._advance(state)
            else:
                self._earlier = state
            return state.judgments, state.hash

    def _advance(self, state: _State) -> None:
        if self._newest is not None:
            self._newest.judgments.is_kept_ready = False
            self._before.append(self._newest._replace(running=None))
        state.judgments.is_kept_ready = True  # most pages and trends score runs with them
        self._newest = state

    def hash(self) -> str:
        """Return the hash of the current judgments, without reading them if possible."""
        with self._database.reading() as connection:
            noted = states.hash_at(connection, states.find(connection, None))
        return noted or self.as_of(None)[1]

    def prepare(self) -> None:
        """Read the judgments, and what makes their hash quick to compute after a change."""
        self.as_of(None)
        state = self._newest
        if state is not None and state.running is None:
            prepared = state._replace(running=RunningHash.of(state.judgments))
            with self._loading:
                if self._newest is state:
                    self._newest = prepared


def _newer(connection: Connection, before: _State | None, revision: int) -> _State:
    """Return the state of a revision, derived from an earlier one if that is faster."""
    if before is not None and 0 < revision - before.revision <= before.judgments.n_rows // 2:
        changes = states.read_changes(connection, before.revision, revision)
        found = apply_changes(before.judgments, changes)
        if before.running is not None:
            running = before.running.changed(found, changes)
            return _State(revision, running.digits, found, running)
    else:
        found = states.read(connection, revision)
        noted = states.hash_at(connection, revision)
        if noted is not None:
            return _State(revision, noted, found)
    running = RunningHash.of(found)
    return _State(revision, running.digits, found, running)
