"""Queues of judging projects: a judge stays with a query until it is done.

A pair that needs more opinions may be open for several judges at once. One that needs a single
opinion is reserved for a judge for some minutes, so that the next judge starts with another query.
Nothing is lost if two judges answer it after all: both opinions are stored.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from berryeval.archive import Archive
from berryeval.archive.projects.records import AskedPair, ProjectBoard, ProjectPair, ProjectPlan
from berryeval.errors import NotFoundError
from berryeval.service.lru_cache import LruCache
from berryeval.service.workbench.state.judging_modes import Pair, PairToJudge, effect_words

__all__ = ["MAX_TAKEN", "NextPairs", "ProjectQueues", "to_judge"]

_TAKEN_SECONDS = 300.0
MAX_TAKEN = 500
"""Maximum number of pairs that are reserved for one judge."""
_MAX_SKIPPED = 100_000
"""Maximum number of skipped pairs of all judges; a judge's are forgotten together."""


@dataclass(frozen=True, slots=True)
class NextPairs:
    """The next pairs of a project for a judge."""

    board: ProjectBoard
    chosen: list[AskedPair]
    n_left: int
    """Number of pairs in total."""


class ProjectQueues:
    """The queues of all projects."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._taken: dict[str, dict[Pair, dict[str, float]]] = {}
        """By project and pair, the time until which it is reserved for each judge."""
        self._skipped: LruCache[tuple[str, str], set[Pair]] = LruCache(_MAX_SKIPPED, len)
        self._lock = threading.Lock()

    def next(self, name: str, caller: str, *, n: int, have: Collection[Pair] = ()) -> NextPairs:
        """Return the next pairs of a project for a judge, and reserve them.

        Parameters
        ----------
        have : collection of pairs
            Pairs that the page already has.

        Raises
        ------
        NotFoundError
            If there is no such project.
        """
        board = self._archive.projects.board(name)
        if board.project.state != "running":
            return NextPairs(board, [], 0)
        with self._lock:
            self._forget()
            self._take(board, have, caller)
            full = self._full(board, caller)
            unavailable = full | (self._skipped.get((name, caller)) or set())
            free = board.open_for(caller)
            if unavailable:
                free = [one for one in free if one.asked.pair not in unavailable]
            crowded = {query_id for query_id, _ in full}
            ordered = _in_turn(free, _query_of(board, caller, have), crowded)
            shown = {*have}
            chosen = [*islice((one for one in ordered if one.asked.pair not in shown), n)]
            self._take(board, [one.asked.pair for one in chosen], caller)
        return NextPairs(board, chosen, len(free))

    def skip(self, name: str, caller: str, pair: Pair) -> None:
        """Do not offer this pair to the judge again until the service restarts.

        Raises
        ------
        NotFoundError
            If there is no such project, or it does not have the pair.
        """
        one = self._archive.projects.board(name).find(pair)
        if one is None:
            raise NotFoundError("pair", f"{pair[1]} for {pair[0]} in project {name}")
        with self._lock:
            skipped = self._skipped.get((name, caller)) or set()
            self._skipped.put((name, caller), skipped | {one.asked.pair})
            self._taken.get(name, {}).get(pair, {}).pop(caller, None)

    def unskip(self, name: str, caller: str, pair: Pair) -> None:
        """Undo a skip."""
        with self._lock:
            skipped = self._skipped.get((name, caller)) or set()
            self._skipped.put((name, caller), skipped - {pair})

    def _take(self, board: ProjectBoard, pairs: Collection[Pair], caller: str) -> None:
        """Reserve pairs that a judge can answer, up to a limit."""
        taken = self._taken.setdefault(board.project.name, {})
        until = time.monotonic() + _TAKEN_SECONDS
        n_own = sum(caller in by for by in taken.values())
        for pair in pairs:
            one = board.find(pair)
            if one is None or not board.is_open_for(caller, one):
                continue
            by = taken.get(pair, {})
            n_own += caller not in by
            if n_own > MAX_TAKEN:
                break
            taken[one.asked.pair] = {**by, caller: until}

    def _forget(self) -> None:
        now = time.monotonic()
        for name, taken in [*self._taken.items()]:
            kept = {
                pair: valid
                for pair, by in taken.items()
                if (valid := {judge: until for judge, until in by.items() if until > now})
            }
            self._taken[name] = kept
            if not kept:
                del self._taken[name]

    def _full(self, board: ProjectBoard, caller: str) -> set[Pair]:
        """Return the open pairs that others are about to answer."""
        most = board.project.plan.n_opinions
        found = set()
        for pair, by in self._taken.get(board.project.name, {}).items():
            one = board.find(pair)
            if one is not None and board.is_open_for(caller, one):
                others = by.keys() - {caller}
                if len(one.answers.keys() | others) >= most:
                    found.add(pair)
        return found


def _in_turn(
    free: Collection[AskedPair], here: str | None, crowded: Collection[str]
) -> Iterator[AskedPair]:
    """Iterate over pairs: first the judge's query, then queries without another judge."""
    yield from (one for one in free if one.asked.query_id == here)
    rest = (one for one in free if one.asked.query_id != here)
    if not crowded:
        yield from rest
        return
    waiting = []
    for one in rest:
        if one.asked.query_id in crowded:
            waiting.append(one)
        else:
            yield one
    yield from waiting


def _query_of(board: ProjectBoard, caller: str, have: Collection[Pair]) -> str | None:
    """Return the query that a judge is at: of the page's last document, or of the last answer."""
    waiting = [one for pair in have if (one := board.find(pair)) and caller not in one.answers]
    if waiting:
        return waiting[-1].asked.query_id
    answered = [one for one in board.pairs if caller in one.answers]
    last = max(answered, key=lambda one: one.answers[caller].given_at, default=None)
    return None if last is None else last.asked.query_id


def to_judge(board: ProjectBoard, one: AskedPair, caller: str) -> PairToJudge:
    """Return a pair of a project as a judge may see it."""
    plan = board.project.plan
    others = {name: grade for name, grade in one.grades.items() if name != caller}
    return PairToJudge(
        *one.asked.pair, _why(plan, one.asked), tuple(others.items()) if plan.shows_grades else ()
    )


def _why(plan: ProjectPlan, asked: ProjectPair) -> str:
    """Return why a pair is judged, with the systems if judges may see them."""
    words = []
    if plan.shows_systems and asked.ranks:
        ranks = (f"{name} at rank {rank}" for name, rank in asked.ranks.items())
        words.append(f"Found by {', '.join(ranks)}.")
    if asked.effect is not None:
        what = "the difference in " if plan.pairs.kind == "deciding" else ""
        moved = effect_words(asked.effect)
        words.append(f"Judging it could move {what}{plan.pairs.measure} {moved}.")
    return " ".join(words)
