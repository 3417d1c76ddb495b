"""Scores that are based on people's grades for some queries, and on a model's for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.evaluation.sampling import PLAIN, Sampling
from berryeval.stats import PoweredMean, powered_mean
from berryeval.stats.moments import sums_of

__all__ = ["Floats", "Labelled", "RestsOn", "of_model"]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class RestsOn:
    """The judgments that a figure is based on."""

    n_people: int
    """Judgments by people, of the labelled queries."""
    n_model: int
    """Judgments by the model, of all queries."""
    n_labelled: int
    """Queries that people labelled."""
    n_queries: int
    weight: float
    """How much the model counts: from 0, not at all, to 1, as much as people."""
    reason: str | None = None
    """Why the model does not count; None if it does."""

    @property
    def sentence(self) -> str:
        """What the figure is based on, as a sentence."""
        people = f"{self.n_people:,} human"
        if self.weight > 0:
            return f"Rests on {people} and {self.n_model:,} model judgments."
        why = self.reason or "they would not make it more precise"
        return f"Rests on {people} judgments; {self.n_model:,} model judgments do not count: {why}."


def of_model(rested: Sequence[RestsOn]) -> str:
    """Return the sentence of the part that relies on the model least; empty without a model."""
    if not rested:
        return ""
    return f" {min(rested, key=lambda one: one.weight).sentence}"


@dataclass(frozen=True, eq=False)
class Labelled:
    """One number per query by the grades of people, where they labelled it, and of a model."""

    people: Floats
    """NaN where people did not label the query."""
    model: Floats
    strata: tuple[str, ...]
    """The stratum in which each query was drawn for labelling."""
    n_judgments: Floats
    """One row per query: how many judgments of people, and of the model, it has."""
    weight: float | None = None
    """How much the model counts. None means as much as makes the mean most precise."""
    inference: Literal["population", "set"] = "population"

    def __neg__(self) -> Labelled:
        return replace(self, people=-self.people, model=-self.model)

    def minus(self, other: Labelled) -> Labelled:
        """Return the differences; those due to rounding are 0."""
        return replace(
            self,
            people=_rounded(self.people - other.people),
            model=_rounded(self.model - other.model),
        )

    def plus(self, other: Labelled, factor: float) -> Labelled:
        """Return the sum with a multiple of other numbers."""
        return replace(
            self,
            people=self.people + factor * other.people,
            model=self.model + factor * other.model,
        )

    def above(self, level: float) -> Labelled:
        """Return how far each number is above a level."""
        return replace(self, people=self.people - level, model=self.model - level)

    def take(self, rows: Sequence[int]) -> Labelled:
        """Return the same for some of the queries."""
        return replace(
            self,
            people=self.people[rows],
            model=self.model[rows],
            strata=tuple(self.strata[row] for row in rows),
            n_judgments=self.n_judgments[rows],
        )

    @cached_property
    def is_labelled(self) -> NDArray[np.bool_]:
        """Which queries people labelled."""
        found: NDArray[np.bool_] = ~np.isnan(self.people)
        return found

    def powered(self, sampling: Sampling = PLAIN) -> PoweredMean | None:
        """Return the mean over all queries; None if fewer than two units are labelled.

        A group of queries is labelled as a whole, or not at all. Strata that queries themselves
        were drawn from are ignored, which is cautious.

        Raises
        ------
        ArgumentError
            If only a part of a group is labelled, or fewer than ten queries of a stratum.
        """
        found = self._powered(self.people, self.model, self.strata)
        if found is None or (sampling.weights is None and sampling.groups is None):
            return found
        # What each unit adds, relative to a first estimate: a ratio, linearised.
        people, model, strata = self._by_unit(sampling, found.sample.mean)
        centre = self._powered(people, model, strata)
        if centre is None:
            return None
        people, model, strata = self._by_unit(sampling, centre.sample.mean)
        return self._powered(people, model, strata)

    def rests_on(self, found: PoweredMean | None) -> RestsOn:
        """Return what the mean is based on."""
        n_people, n_model = (int(n) for n in sums_of(self.n_judgments))
        weight, reason = 0.0, "too few queries are labelled"
        if found is not None:
            weight, reason = found.weight, found.reason or ""
        n_labelled = int(np.count_nonzero(self.is_labelled))
        return RestsOn(n_people, n_model, n_labelled, len(self.model), weight, reason or None)

    def _powered(self, people: Floats, model: Floats, strata: Sequence[str]) -> PoweredMean | None:
        return powered_mean(
            people, model, strata=strata, weight=self.weight, inference=self.inference
        )

    def _by_unit(self, sampling: Sampling, centre: float) -> tuple[Floats, Floats, list[str]]:
        n = len(self.model)
        weights = np.ones(n) if sampling.weights is None else np.array(sampling.weights)
        shares = weights * n / sums_of(weights)
        groups = sampling.groups or (None,) * n
        units: dict[object, list[int]] = {}
        for row, group in enumerate(groups):
            units.setdefault(row if group is None else group, []).append(row)
        columns = []
        for values in (self.people, self.model):
            added = [
                float(sums_of(shares[rows] * (values[rows] - centre))) for rows in units.values()
            ]
            columns.append(centre + np.array(added) * len(units) / n)
        for unit, rows in units.items():
            is_labelled = self.is_labelled[rows]
            strata = {self.strata[row] for row in rows}
            if is_labelled.any() != is_labelled.all() or len(strata) > 1:
                expected = "groups that are labelled as a whole, in one stratum"
                raise ArgumentError("labelled", expected, f"a part of group {unit!r}")
        return columns[0], columns[1], [self.strata[rows[0]] for rows in units.values()]


def _rounded(values: Floats) -> Floats:
    from berryeval.evaluation.findings import ROUNDING

    found = values.copy()
    found[np.abs(found) < ROUNDING] = 0.0
    return found
