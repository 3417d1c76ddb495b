"""How often a set was used before, and how much of alpha that leaves for a decision.

A comparison of one candidate with one baseline is a *try*. The same comparison over other queries,
since the set grew, is a further *look* of that try. Over the same queries it is neither: nothing
new was drawn, even if judgments were corrected in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from berryeval.core.content_hash import hash_of_ids
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from berryeval.core.run import Run
    from berryeval.evaluation.gate_rules import GateRules

__all__ = ["Decision", "Levels", "Memory", "hash_of_rankings", "levels_of", "recall"]


@dataclass(frozen=True)
class Decision:
    """The subject of a decision, as stored in archives and history files."""

    candidate: str
    """A hash of the candidate's rankings of the queries, down to the depth of the guards."""
    baseline: str | None
    """The same of the baseline; None if nothing was compared."""
    queries: str
    """A hash of the ids of the queries."""
    n_queries: int
    tries: int
    """The number of the try, from 1."""
    query_ids: tuple[str, ...] | None = None
    """The ids of the queries, if no earlier decision has them."""
    seal: str | None = None
    """How queries were reserved; None if none were."""
    opened: str | None = None
    """A hash of what was compared on the reserve, if it was opened."""
    opening: int | None = None
    """Which opening that was, from 1."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `from_dict` reads, as JSON holds it."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Decision:
        """Read what `to_dict` returned.

        Raises
        ------
        ArgumentError
            If a field is missing, or of another type.
        """
        texts: dict[str, Any] = {key: fields.get(key) for key in _TEXTS}
        counts: dict[str, Any] = {key: fields.get(key) for key in _COUNTS}
        ids = fields.get("query_ids")
        for key, text in texts.items():
            if not isinstance(text, str) and (_TEXTS[key] or text is not None):
                raise ArgumentError(f"decision.{key}", "a hash", repr(text)[:40])
        for key, count in counts.items():
            if count is None and not _COUNTS[key]:
                continue
            if type(count) is not int or count < 1:
                raise ArgumentError(f"decision.{key}", "a number from 1", repr(count)[:40])
        if ids is not None:
            if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
                raise ArgumentError("decision.query_ids", "a list of ids", repr(ids)[:40])
            ids = tuple(ids)
        return cls(**texts, **counts, query_ids=ids)


_TEXTS = {"candidate": True, "baseline": False, "queries": True, "seal": False, "opened": False}
_COUNTS = {"n_queries": True, "tries": True, "opening": False}
"""The fields of a decision, and whether each is required."""


@dataclass(frozen=True)
class Memory:
    """Which look, and which try, a decision is."""

    sizes: tuple[int, ...]
    """The number of queries at each look of this try, the current one last."""
    tries: int
    """Number of comparisons that were decided on this set, including this one."""
    decision: Decision | None = None
    """The decision to store; None if it does not count later."""

    @property
    def looks(self) -> int:
        """How many looks there were, the present one included."""
        return len(self.sizes)

    @property
    def has_grown(self) -> bool:
        """Whether the set has more queries than at each look before."""
        return all(size < self.sizes[-1] for size in self.sizes[:-1])

    def level(self, alpha: float, n_max: int | None = None) -> float:
        """Return the level of this look: all looks of the try reject falsely alpha of the time.

        Parameters
        ----------
        alpha : float
            The level of the whole try.
        n_max : int, optional
            The number of queries at which the set stops growing. Beyond it, and for a set that
            has not grown since an earlier look, the level is 0.

        Examples
        --------
        >>> Memory(sizes=(100, 150, 200), tries=1).level(0.05)
        0.00625
        >>> round(Memory(sizes=(100, 150, 200), tries=1).level(0.05, n_max=200), 4)
        0.0427
        """
        from berryeval.stats import level_at_look  # slow to import, and not needed for a history

        if n_max is None:
            return level_at_look(self.looks, alpha)
        *_, now = self.sizes
        if now > n_max or not self.has_grown:
            return 0.0
        ascending: list[int] = []
        for size in self.sizes:
            if not ascending or size > ascending[-1]:
                ascending.append(size)
        return _spent_at(tuple(ascending), n_max, alpha)


@cache
def _spent_at(sizes: tuple[int, ...], n_max: int, alpha: float) -> float:
    from berryeval.stats import look_levels

    return look_levels([size / n_max for size in sizes], alpha)[-1]


@dataclass(frozen=True)
class Levels:
    """The levels that p-values of a decision are compared with."""

    verdict: float
    """Level for passing and failing; intervals are at this level."""
    better: float
    """Level for the claim that the candidate is better than the baseline."""
    ahead: float
    """Level of the next look, used to compute the number of queries needed."""


def levels_of(rules: GateRules, memory: Memory | None, n_claims: int = 1) -> Levels:
    """Return the levels of a decision; all are alpha if nothing is counted.

    `n_claims` is the number of measures in which the candidate may be called better.
    """
    alpha = rules.alpha
    if memory is None:
        return Levels(alpha, alpha, alpha)
    from berryeval.stats import level_at_look, level_at_try

    better = memory.level(level_at_try(memory.tries, alpha) / max(1, n_claims), rules.n_max)
    ahead = level_at_look(memory.looks + 1, alpha) if rules.n_max is None else alpha
    return Levels(memory.level(alpha, rules.n_max), better, ahead)


def recall(
    past: Iterable[Decision],
    candidate: Run,
    baseline: Run | None,
    query_ids: Sequence[str],
    depth: int | None,
    *,
    seal: str | None = None,
) -> Memory:
    """Count the looks and tries of a decision among those of the past, oldest first.

    Runs are the same if their rankings of the earlier queries are. A run that was made again after
    the set grew holds more queries, and is the same if it ranks the earlier ones as before.

    Parameters
    ----------
    past : iterable of Decision
    candidate, baseline : Run
        The runs that are compared now; None if there is no baseline.
    query_ids : sequence of str
        The queries that are scored now.
    depth : int or None
        How many ranks guards look at; None means all.
    seal : str, optional
        How queries are reserved, to be kept with the decision.
    """
    rankings = _Rankings(candidate, depth), None if baseline is None else _Rankings(baseline, depth)
    queries = hash_of_ids(map(encode_id, sorted(query_ids)))
    known: dict[str, tuple[str, str | None]] = {queries: _hashes(rankings, query_ids)}
    is_known_set = False
    sizes: dict[str, int] = {}
    number, last = None, 0
    for one in past:
        if one.query_ids is not None:
            is_known_set |= one.queries == queries
            if one.queries not in known:
                known[one.queries] = _hashes(rankings, one.query_ids)
        last = max(last, one.tries)
        if known.get(one.queries) == (one.candidate, one.baseline):
            number = one.tries if number is None else number
            if queries not in sizes:
                sizes[one.queries] = one.n_queries
    sizes[queries] = len(query_ids)
    tries = last + 1 if number is None else number
    decision = Decision(
        *known[queries],
        queries,
        len(query_ids),
        tries,
        None if is_known_set else tuple(sorted(query_ids)),
        seal,
    )
    return Memory(tuple(sizes.values()), tries, decision)


def hash_of_rankings(runs: Iterable[Run], query_ids: Sequence[str], depth: int | None) -> str:
    """Return a hash of how runs rank queries, down to a depth; None means all ranks."""
    hashes = [_hash(_Rankings(run, depth), query_ids) for run in runs]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


class _Rankings:
    """A hash of each ranking of a run, computed on first use."""

    def __init__(self, run: Run, depth: int | None) -> None:
        self._run = run
        self._depth = depth
        self._hashes: dict[str, bytes] = {}

    def of(self, query_id: str) -> bytes:
        found = self._hashes.get(query_id)
        if found is None:
            key = encode_id(query_id)
            ids = self._run.ranked_ids(key, self._depth)
            found = self._hashes[query_id] = hash_of_ids([key, *ids]).encode()
        return found


def _hashes(
    rankings: tuple[_Rankings, _Rankings | None], query_ids: Iterable[str]
) -> tuple[str, str | None]:
    ids = sorted(query_ids)
    candidate, baseline = rankings
    return _hash(candidate, ids), None if baseline is None else _hash(baseline, ids)


def _hash(rankings: _Rankings, query_ids: Iterable[str]) -> str:
    return hashlib.sha256(b"".join(map(rankings.of, query_ids))).hexdigest()
