"""Recipes: a method with its parameters, reduced to steps that both twins can take.

The value that a run gives to a document is its normalised score, or a number from a table by rank,
or both. The values of all runs are then combined. Tables, and the factors by which sums are
multiplied, are made once, here: logarithms and powers are not the same to the bit everywhere.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from berryeval.errors import ArgumentError
from berryeval.fusion.combining import reciprocal_rank
from berryeval.fusion.methods import METHODS, Method
from berryeval.fusion.training import NO_ODDS, Training, segment_ends

__all__ = ["Combination", "Recipe", "Values", "check_weights", "make_recipe"]

Values: TypeAlias = Literal["scores", "table", "boosted", "segments", "windows", "borda"]
"""How a run values a document: by its score; by a table of ranks; by that table times score plus 1;
by a table of segments; by the mean of a window of a table; by Borda points."""

Combination: TypeAlias = Literal[
    "sum", "mean", "factor", "weights", "max", "min", "median", "condorcet"
]
"""How values become one: the sum; divided by n; times a factor of n; times the sum of weights; the
highest, lowest or middle value; or by pairwise majority."""


@dataclass(frozen=True)
class Recipe:
    """The steps to apply to each query."""

    norm: str | None
    values: Values
    combination: Combination
    weights: tuple[float, ...]
    """One per run, by which its values are multiplied; for majorities, its votes."""
    tables: tuple[array[float], ...]
    """One per run, at least as long as its longest ranking; or as many as there are segments.
    Empty for values that need none."""
    factors: array[float]
    """Factors by n - 1, for n from 1 to the number of runs; empty if the combination needs none."""
    window: int = 0
    absent: float = 0.0
    """What a run with documents for the query adds for one that it lacks; not for Borda points,
    which have their own rule."""

    @property
    def uses_scores(self) -> bool:
        """Whether normalised scores matter, not ranks alone."""
        return self.values in ("scores", "boosted")

    @property
    def counts_absent(self) -> bool:
        """Whether normalised scores include those of documents that a run lacks."""
        return self.norm == "borda" and self.values == "scores"


def check_weights(weights: Sequence[float] | None, n_runs: int, method: Method) -> list[float]:
    """Return one weight per run, all 1 if none are given, or raise."""
    if weights is None:
        return [1.0] * n_runs
    if not method.is_weighted:
        able = ", ".join(name for name, one in METHODS.items() if one.is_weighted)
        raise ArgumentError("weights", f"none for method {method.name!r} ({able} take them)",
                            repr(weights))  # fmt: skip
    expected = f"{n_runs} numbers of at least 0, not all 0"
    try:
        found = [float(weight) for weight in weights]
    except (TypeError, ValueError):
        raise ArgumentError("weights", expected, repr(weights)) from None
    is_wrong = len(found) != n_runs or any(not 0 <= weight < math.inf for weight in found)
    if is_wrong or max(found) <= 0:
        raise ArgumentError("weights", expected, repr(weights))
    return found


def make_recipe(
    method: Method,
    norm: str | None,
    weights: Sequence[float],
    parameters: Mapping[str, float],
    depths: Sequence[int],
    training: Training | None = None,
) -> Recipe:
    """Return the recipe of a method.

    `depths` are the lengths of the longest ranking of each run; `parameters` has all that the
    method takes.
    """
    return _RECIPES[method.name](_Given(norm, tuple(weights), parameters, depths, training))


@dataclass(frozen=True)
class _Given:
    """The arguments that recipes are built from."""

    norm: str | None
    weights: tuple[float, ...]
    parameters: Mapping[str, float]
    depths: Sequence[int]
    training: Training | None

    def by_score(
        self, combination: Combination, factor: Callable[[int], float] | None = None
    ) -> Recipe:
        return Recipe(self.norm, "scores", combination, self.weights, (), self._factors(factor))

    def by_rank(
        self,
        value: Callable[[float, int], float],
        factor: Callable[[int], float] | None = None,
    ) -> Recipe:
        """Build tables from a function of weight and rank."""
        tables = tuple(
            array("d", (value(weight, rank) for rank in range(1, depth + 1)))
            for weight, depth in zip(self.weights, self.depths, strict=True)
        )
        combination: Combination = "sum" if factor is None else "factor"
        return Recipe(self.norm, "table", combination, self._ones, tables, self._factors(factor))

    def by_training(
        self,
        table: Callable[[Sequence[float], int], Sequence[float]],
        values: Values = "table",
        absent: float = 0.0,
    ) -> Recipe:
        """Build tables from what was learned and the depth of a run."""
        assert self.training is not None
        tables = tuple(
            array("d", table(learned, depth))
            for learned, depth in zip(self.training.tables, self.depths, strict=True)
        )
        window = int(self.parameters.get("window", 0))
        return Recipe(self.norm, values, "sum", self._ones, tables, array("d"), window, absent)

    def by_points(self) -> Recipe:
        return Recipe(self.norm, "borda", "sum", self.weights, (), array("d"))

    @property
    def _ones(self) -> tuple[float, ...]:
        return (1.0,) * len(self.depths)

    def _factors(self, factor: Callable[[int], float] | None) -> array[float]:
        numbers = range(1, len(self.depths) + 1) if factor is not None else ()
        return array("d", (factor(n) for n in numbers if factor is not None))


def _rrf(given: _Given) -> Recipe:
    k = given.parameters["k"]
    return given.by_rank(lambda weight, rank: reciprocal_rank(rank, k, weight))


def _rbc(given: _Given) -> Recipe:
    phi = given.parameters["phi"]
    return given.by_rank(lambda weight, rank: weight * ((1 - phi) * phi ** (rank - 1)))


def _inverse_square(_weight: float, rank: int) -> float:
    return 1 / rank**2


_RECIPES: Mapping[str, Callable[[_Given], Recipe]] = {
    "min": lambda given: given.by_score("min"),
    "max": lambda given: given.by_score("max"),
    "med": lambda given: given.by_score("median"),
    "sum": lambda given: given.by_score("sum"),
    "wsum": lambda given: given.by_score("sum"),
    "anz": lambda given: given.by_score("mean"),
    "mnz": lambda given: given.by_score("factor", float),
    "gmnz": lambda given: given.by_score("factor", lambda n: n ** given.parameters["gamma"]),
    "mixed": lambda given: given.by_score("factor", math.sqrt),
    "wmnz": lambda given: given.by_score("weights"),
    "isr": lambda given: given.by_rank(_inverse_square, float),
    "log_isr": lambda given: given.by_rank(_inverse_square, math.log),
    "logn_isr": lambda given: given.by_rank(
        _inverse_square, lambda n: math.log(n + given.parameters["sigma"])
    ),
    "rrf": _rrf,
    "rbc": _rbc,
    "bordafuse": _Given.by_points,
    "w_bordafuse": _Given.by_points,
    "condorcet": lambda given: given.by_score("condorcet"),
    "w_condorcet": lambda given: given.by_score("condorcet"),
    "mapfuse": lambda given: given.by_training(
        lambda mean, depth: [mean[0] / rank for rank in range(1, depth + 1)]
    ),
    "posfuse": lambda given: given.by_training(_extended),
    "slidefuse": lambda given: given.by_training(_extended, "windows"),
    "probfuse": lambda given: given.by_training(
        lambda shares, _: [share / place for place, share in enumerate(shares, 1)], "segments"
    ),
    "segfuse": lambda given: given.by_training(_by_segment, "boosted"),
    "bayesfuse": lambda given: given.by_training(
        lambda odds, depth: _extended(odds, depth, NO_ODDS), absent=NO_ODDS
    ),
}


def _extended(learned: Sequence[float], depth: int, beyond: float = 0.0) -> list[float]:
    """Extend a table to the depth of a run; training has no data for deeper ranks."""
    return [*learned[:depth], *[beyond] * (depth - len(learned))]


def _by_segment(learned: Sequence[float], depth: int) -> list[float]:
    """Spread the shares of SegFuse's segments over ranks."""
    found: list[float] = []
    for share, end in zip(learned, segment_ends(len(learned)), strict=True):
        found += [share] * (min(end, depth) - len(found))
    return _extended(found, depth)
