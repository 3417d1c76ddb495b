"""What supervised methods learn about each run from judgments.

Training queries are the judged ones that at least one run has. A run that lacks one of them found
nothing relevant for it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.fusion.methods import METHODS, find_method
from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.relevance import NOT_IN_POOL

__all__ = ["NO_ODDS", "Training", "TrainingSet", "segment_ends", "train"]

_SMALLEST_SHARE = 0.001
NO_ODDS = math.log(_SMALLEST_SHARE / (1 - _SMALLEST_SHARE))
"""BayesFuse's log odds of a document that a run lacks."""

_CUTOFFS = (0, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""trec_eval's cutoffs, between which BayesFuse computes precision."""


@dataclass(frozen=True)
class Training:
    """What a supervised method learned.

    ``Training("mapfuse", ((0.31,), (0.27,)))`` weights two runs by hand.
    """

    method: str
    tables: tuple[tuple[float, ...], ...]
    """One per run: its mean average precision (mapfuse); the share of relevant documents by rank
    (posfuse, slidefuse) or by segment (probfuse, segfuse); log odds by rank (bayesfuse)."""


def train(
    method: str, runs: Sequence[Run], judgments: Judgments, parameters: Mapping[str, float] = {}
) -> Training:
    """Learn from judgments how much each rank of each run is worth.

    Parameters
    ----------
    method : {"mapfuse", "posfuse", "slidefuse", "probfuse", "segfuse", "bayesfuse"}
        The method to train.
    runs : sequence of Run
        The runs to be fused.
    judgments : Judgments
        Those of the training queries only: no other query may influence what is learned.
    parameters : mapping of str to float
        ``rel``, the lowest grade that is relevant (1), and ``n_segments`` of probfuse (25).

    Raises
    ------
    ArgumentError
        If the method does not learn.
    MismatchError
        If no run has a judged query.

    Examples
    --------
    >>> run = Run.from_lists({"q1": ["d1", "d2"], "q2": ["d3", "d4"]})
    >>> judgments = Judgments.from_dict({"q1": {"d1": 1}, "q2": {"d4": 1, "d3": 1}})
    >>> train("posfuse", [run], judgments)
    Training(method='posfuse', tables=((1.0, 0.5),))
    """
    known = find_method(method)
    chosen = {name: one.default for name, one in known.parameters.items()} | dict(parameters)
    return TrainingSet(runs, judgments, chosen.get("rel", 1.0)).train(method, chosen)


class TrainingSet:
    """Judged rankings that methods can learn from, several times and from parts of the queries."""

    def __init__(self, runs: Sequence[Run], judgments: Judgments, level: float = 1.0) -> None:
        in_any = {query_id for run in runs for query_id in run.query_ids.iter_bytes()}
        self.query_ids = sorted(in_any.intersection(judgments.query_ids.iter_bytes()))
        """Judged queries that a run has, in the order of their ids."""
        self._rankings = [
            {one: _Ranked(run, judgments, one, level) for one in self.query_ids} for run in runs
        ]

    def train(
        self, method: str, parameters: Mapping[str, float], wanted: Collection[bytes] | None = None
    ) -> Training:
        """Learn from all queries, or from selected ones."""
        if not find_method(method).is_trained:
            able = ", ".join(name for name, one in METHODS.items() if one.is_trained)
            raise ArgumentError("method", f"one that learns from judgments ({able})", repr(method))
        query_ids = [one for one in self.query_ids if wanted is None or one in wanted]
        if not query_ids:
            raise MismatchError("judgments and runs have no query in common to train on")
        learned = (
            _learn(method, [rankings[one] for one in query_ids], parameters)
            for rankings in self._rankings
        )
        return Training(method, tuple(learned))


def _learn(
    method: str, rankings: Sequence[_Ranked], parameters: Mapping[str, float]
) -> tuple[float, ...]:
    hits = [one.hits for one in rankings]
    if method == "mapfuse":
        return (_mean([one.average_precision for one in rankings]),)
    if method in ("posfuse", "slidefuse"):
        return _by_rank(hits)
    if method == "probfuse":
        return _by_share(hits, int(parameters["n_segments"]))
    return _by_growing_segment(hits) if method == "segfuse" else _log_odds(hits)


def segment_ends(n_segments: int) -> list[int]:
    """Return the last rank of each of SegFuse's segments, of 5, 15, 35, 75, … documents."""
    ends, end = [], 0
    for place in range(n_segments):
        end += 10 * 2**place - 5
        ends.append(end)
    return ends


class _Ranked:
    """One training query of a run: which ranks have a relevant document."""

    def __init__(self, run: Run, judgments: Judgments, query_id: bytes, level: float) -> None:
        grade_of = judgments.grades_of(query_id)
        grades = [grade_of.get(doc_id, NOT_IN_POOL) for doc_id in run.ranked_ids(query_id)]
        self.hits = [grade >= level for grade in grades]
        self.average_precision = average_precision(grades, [*grade_of.values()], None, level)


def _mean(numbers: Sequence[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total / len(numbers)


def _by_rank(hits: Sequence[Sequence[bool]]) -> tuple[float, ...]:
    """Return the share of relevant documents at each rank, of the rankings that reach it."""
    depth = max(map(len, hits))
    found, seen = [0] * depth, [0] * depth
    for one in hits:
        for place, is_hit in enumerate(one):
            seen[place] += 1
            found[place] += is_hit
    return tuple(n / of for n, of in zip(found, seen, strict=True))


def _by_share(hits: Sequence[Sequence[bool]], n_segments: int) -> tuple[float, ...]:
    """Return the mean share of relevant documents in segments of equal size; 0 if one is empty."""
    totals = [0.0] * n_segments
    for one in hits:
        size = math.ceil(len(one) / n_segments) or 1
        for place in range(n_segments):
            segment = one[place * size : (place + 1) * size]
            totals[place] += segment.count(True) / len(segment) if segment else 0.0
    return tuple(total / len(hits) for total in totals)


def _by_growing_segment(hits: Sequence[Sequence[bool]]) -> tuple[float, ...]:
    """Return the mean share of relevant documents in SegFuse's segments, full or not."""
    depth, n_segments = max(map(len, hits)), 1
    while segment_ends(n_segments)[-1] < depth:
        n_segments += 1
    ends = segment_ends(n_segments)
    shares = []
    for first, end in pairwise([0, *ends]):
        shares.append(_mean([one[first:end].count(True) / (end - first) for one in hits]))
    return tuple(shares)


def _log_odds(hits: Sequence[Sequence[bool]]) -> tuple[float, ...]:
    """Return BayesFuse's log odds by rank, up to the last cutoff."""
    found: list[float] = []
    for first, end in pairwise(_CUTOFFS):
        precision = _mean([one[first:end].count(True) / (end - first) for one in hits])
        share = min(max(precision, _SMALLEST_SHARE), 1 - _SMALLEST_SHARE)
        found += [math.log(share / (1 - share))] * (end - first)
    return tuple(found)
