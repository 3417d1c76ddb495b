"""Queues of documents to judge: built in the background, and reserved for judges.

Judges who work at the same time get different documents. A document is reserved for some
minutes; if two judges grade the same one after all, the second sees a conflict.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from berryeval.archive import Archive
from berryeval.archive.checks import check_id
from berryeval.archive.judgments.opinions import counted_state
from berryeval.archive.records import StoredJudgment
from berryeval.errors import BerryEvalError
from berryeval.service.lru_cache import LruCache
from berryeval.service.shared_work import SharedWork
from berryeval.service.workbench.state.judging_modes import (
    JudgingTask,
    Listed,
    Pair,
    PairToJudge,
    list_pairs,
    needs_judgment,
    stamp_of,
)
from berryeval.service.workbench.state.project_queues import MAX_TAKEN, ProjectQueues, to_judge
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["Given", "Queues", "Turn"]

_WAIT_SECONDS = 0.1
"""Seconds that a page waits for a list."""
_TAKEN_SECONDS = 300.0
_OLD_SECONDS = {
    "holes": 600.0,
    "compare": 600.0,
    "draw": 600.0,
    "second": 600.0,
    "stale": 10.0,
    "conflicts": 3.0,
}
_REST = 100.0
"""How long a slow list is kept, as a multiple of the time to build it: documents judged since are
not offered again, and the holes of a run that was just uploaded can wait for a minute."""
_MAX_LISTS = 50
_MAX_CHECKED = 400
_MAX_SKIPPED = 10_000


@dataclass(frozen=True, slots=True)
class Turn:
    """A pair for a judge, with its history."""

    asked: PairToJudge
    states: list[StoredJudgment]

    @property
    def revision(self) -> int:
        """Revision of the judgment that counts; 0 if there is none."""
        counted = counted_state(self.states)
        return 0 if counted is None else counted.revision


@dataclass(frozen=True, slots=True)
class Given:
    """The next pairs to judge."""

    turns: list[Turn]
    n_left: int
    """Number of pairs in total."""
    is_ready: bool = True
    """Whether the list has been built."""


@dataclass(eq=False)
class _List:
    """A list of pairs to judge, and the stamp it was built at."""

    listed: Listed
    stamp: object
    seconds: float
    """Seconds that building it took."""
    made: float = field(default_factory=time.monotonic)
    gone: set[Pair] = field(default_factory=set)
    pairs: frozenset[Pair] = field(init=False)

    def __post_init__(self) -> None:
        self.pairs = frozenset(one.pair for one in self.listed.asked)

    @property
    def age(self) -> float:
        """Seconds since it was built."""
        return time.monotonic() - self.made

    @property
    def may_be_outdated(self) -> bool:
        """Whether it is too early to rebuild a slow list, for example while runs are uploaded."""
        return self.seconds > _WAIT_SECONDS and self.age < _REST * self.seconds


class _Reservation(NamedTuple):
    session: str
    caller: str
    until: float


class Queues:
    """The queues of all judges."""

    def __init__(self, archive: Archive, scoring: Scoring) -> None:
        self._archive = archive
        self._scoring = scoring
        self._lists: LruCache[tuple[JudgingTask, str], _List] = LruCache(_MAX_LISTS)
        self._taken: dict[Pair, _Reservation] = {}
        self._skipped: dict[str, LruCache[Pair, None]] = {}
        self._lock = threading.Lock()
        self._work: SharedWork[tuple[JudgingTask, str], _List] = SharedWork("berryeval-queue")
        self.projects = ProjectQueues(archive)

    def first(self, wanted: JudgingTask, caller: str) -> Given:
        """Return the first document of a page; one reserved for the caller if no other is left."""
        # Two pages of one judge are two sessions.
        found = self.next(wanted, caller, session=secrets.token_urlsafe(8), n=1)
        if found.turns or not found.n_left:
            return found
        with self._lock:
            own = next((one for one in self._taken.values() if one.caller == caller), None)
        return found if own is None else self.next(wanted, caller, session=own.session, n=1)

    def next(
        self, wanted: JudgingTask, caller: str, *, session: str, n: int, have: Collection[Pair] = ()
    ) -> Given:
        """Return the next documents for a judge, and reserve them.

        Parameters
        ----------
        caller : str
            The judge.
        session : str
            The page: a judge may have several open.
        n : int
            Number of documents.
        have : collection of pairs
            Pairs that this page already has.

        Raises
        ------
        NotFoundError
            If a run of the comparison does not exist.
        """
        if wanted.project is not None:
            return self._of_project(wanted.project, caller, n, have)
        queue = self._listed(wanted, caller)
        if queue is None:
            return Given([], 0, is_ready=False)
        listed = queue.listed
        turns: list[Turn] = []
        with self._lock:
            self._forget()
            for pair in have:
                if pair in queue.pairs:  # no need to remember others
                    self._take(pair, session, caller)
            skipped = self._skipped.get(caller, ())
            shown = set(have)
            free = self._free(listed.asked, queue.gone, session)
            wanted_now = (one for one in free if one.pair not in skipped and one.pair not in shown)
            candidates = [*islice(wanted_now, _MAX_CHECKED)]
        for one in candidates:
            if len(turns) == n:
                break
            states = self._archive.judgments.history(*one.pair)
            if not needs_judgment(wanted.mode, states, caller):
                queue.gone.add(one.pair)
                continue
            with self._lock:
                if not self._take(one.pair, session, caller):
                    continue
            turns.append(Turn(one, states))
        n_skipped = sum(one.pair in skipped for one in listed.asked) if skipped else 0
        n_left = max(len(listed.asked) - len(queue.gone) - n_skipped, len(turns)) + listed.n_more
        return Given(_by_query(turns), n_left)

    def _of_project(self, name: str, caller: str, n: int, have: Collection[Pair]) -> Given:
        found = self.projects.next(name, caller, n=n, have=have)
        turns = [
            Turn(
                to_judge(found.board, one, caller), self._archive.judgments.history(*one.asked.pair)
            )
            for one in found.chosen
        ]
        return Given(turns, found.n_left)

    def skip(self, caller: str, pair: Pair) -> None:
        """Do not offer this pair to the judge again until the service restarts."""
        for name, value in zip(("query_id", "doc_id"), pair, strict=True):
            check_id(value, name)
        with self._lock:
            self._skipped.setdefault(caller, LruCache(_MAX_SKIPPED)).put(pair, None)
            self._taken.pop(pair, None)

    def unskip(self, caller: str, pair: Pair) -> None:
        """Undo a skip."""
        with self._lock:
            if caller in self._skipped:
                self._skipped[caller].forget(pair)

    def done(self, pair: Pair) -> None:
        """Remove a judged pair."""
        with self._lock:
            self._taken.pop(pair, None)

    def restore(self, wanted: JudgingTask, caller: str, pair: Pair) -> None:
        """Add a pair again whose judgment was undone."""
        with self._lock:
            queue = self._lists.get((wanted, self._owner(wanted, caller)))
            if queue is not None:
                queue.gone.discard(pair)

    def close(self) -> None:
        """Stop building lists."""
        self._work.close()

    def _owner(self, wanted: JudgingTask, caller: str) -> str:
        return caller if wanted.mode == "second" else ""

    def _listed(self, wanted: JudgingTask, caller: str) -> _List | None:
        """Return the list, or an outdated one if it takes a while; None if there is none yet."""
        key = (wanted, self._owner(wanted, caller))
        stamp = stamp_of(self._archive, wanted)
        known = self._lists.get(key)
        if known is not None and (
            (known.stamp == stamp and known.age <= _OLD_SECONDS[wanted.mode])
            or known.may_be_outdated
        ):
            return known

        def make() -> _List:
            start = time.monotonic()
            listed = list_pairs(self._archive, self._scoring, wanted, caller)
            made = _List(listed, stamp, time.monotonic() - start)
            self._lists.put(key, made)
            return made

        try:
            return self._work.get(key, make, seconds=_WAIT_SECONDS, known=known)[0]
        except BerryEvalError:
            if known is None:
                raise
            return known

    def _free(
        self, asked: Collection[PairToJudge], gone: set[Pair], session: str
    ) -> Iterator[PairToJudge]:
        for one in asked:
            if one.pair in gone:
                continue
            holder = self._taken.get(one.pair)
            if holder is None or holder.session == session:
                yield one

    def _take(self, pair: Pair, session: str, caller: str) -> bool:
        holder = self._taken.get(pair)
        if holder is not None and holder.session != session:
            return False
        if (
            holder is None
            and sum(one.caller == caller for one in self._taken.values()) >= MAX_TAKEN
        ):
            return True  # offered, but not kept from others
        self._taken[pair] = _Reservation(session, caller, time.monotonic() + _TAKEN_SECONDS)
        return True

    def _forget(self) -> None:
        now = time.monotonic()
        self._taken = {pair: one for pair, one in self._taken.items() if one.until > now}


def _by_query(turns: list[Turn]) -> list[Turn]:
    """Group documents by query, so that a judge reads each query once."""
    places: dict[str, int] = {}
    for turn in turns:
        places.setdefault(turn.asked.query_id, len(places))
    return sorted(turns, key=lambda turn: places[turn.asked.query_id])
