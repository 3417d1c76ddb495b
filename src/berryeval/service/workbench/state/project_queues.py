"""Queues of judging projects: a judge stays with a query until it is done.

A pair that needs more opinions may be open for several judges at once. One that needs a single
opinion is reserved for a judge for some minutes, so that the next judge starts with another query.
Nothing is lost if two judges answer it after all: both opinions are stored.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass

from berryeval.archive import Archive
from berryeval.archive.projects.records import AskedPair, ProjectBoard, ProjectPair, ProjectPlan
from berryeval.service.lru_cache import LruCache
from berryeval.service.workbench.state.judging_modes import Pair, PairToJudge, effect_words

__all__ = ["NextPairs", "ProjectQueues", "to_judge"]

_TAKEN_SECONDS = 300.0
_MOST_SKIPPED = 10_000


@dataclass(frozen=True, slots=True)
class NextPairs:
    """The next pairs of a project for a judge."""

    board: ProjectBoard
    chosen: list[AskedPair]
    n_left: int
    """How many there are in total."""


class ProjectQueues:
    """The queues of all projects."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._taken: dict[tuple[str, Pair], dict[str, float]] = {}
        self._skipped: dict[tuple[str, str], LruCache[Pair, None]] = {}
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
            for pair in have:
                self._take(name, pair, caller)
            skipped = self._skipped.get((name, caller), ())
            free, crowded = self._free(board, caller)
            here = _query_of(board, caller, have)
            free = [one for one in free if one.asked.pair not in skipped]
            # Sorting is stable: within each group the order of the project is kept.
            free.sort(key=lambda one: (one.asked.query_id != here, one.asked.query_id in crowded))
            shown = {*have}
            chosen = [one for one in free if one.asked.pair not in shown][:n]
            for one in chosen:
                self._take(name, one.asked.pair, caller)
        return NextPairs(board, chosen, len(free))

    def skip(self, name: str, caller: str, pair: Pair) -> None:
        """Do not offer this pair to the judge again until the service restarts."""
        with self._lock:
            self._skipped.setdefault((name, caller), LruCache(_MOST_SKIPPED)).put(pair, None)
            self._taken.get((name, pair), {}).pop(caller, None)

    def unskip(self, name: str, caller: str, pair: Pair) -> None:
        """Undo a skip."""
        with self._lock:
            if (name, caller) in self._skipped:
                self._skipped[name, caller].forget(pair)

    def _take(self, name: str, pair: Pair, caller: str) -> None:
        self._taken.setdefault((name, pair), {})[caller] = time.monotonic() + _TAKEN_SECONDS

    def _forget(self) -> None:
        now = time.monotonic()
        for key, taken in [*self._taken.items()]:
            self._taken[key] = {by: until for by, until in taken.items() if until > now}
            if not self._taken[key]:
                del self._taken[key]

    def _free(self, board: ProjectBoard, caller: str) -> tuple[list[AskedPair], set[str]]:
        """Return the pairs that a judge can answer now, and the queries of others' pairs."""
        name = board.project.name
        free, crowded = [], set()
        for one in board.open_for(caller):
            others = self._taken.get((name, one.asked.pair), {}).keys() - {caller}
            if len(one.answers.keys() | others) < board.project.plan.n_opinions:
                free.append(one)
            else:
                crowded.add(one.asked.query_id)
        return free, crowded


def _query_of(board: ProjectBoard, caller: str, have: Collection[Pair]) -> str | None:
    """Return the query that a judge is at: of the page's last document, or of the last answer."""
    known = {one.asked.pair: one for one in board.pairs}
    waiting = [one for pair in have if (one := known.get(pair)) and caller not in one.answers]
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
