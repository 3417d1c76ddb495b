"""Pairs of query and document that people and a judge both graded, and how they were drawn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats.moments import sums_of
from berryeval.stats.sample_mean import SampleMean, mean_of

__all__ = ["CheckedPairs"]

_Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, eq=False)
class CheckedPairs:
    """Pairs that a judge graded without seeing the grades of people; one entry each per pair.

    Parameters
    ----------
    people : sequence of float
        The grades of people.
    judge : sequence of float
        The grades of the judge; NaN where it could not judge.
    query_ids : sequence, optional
        The query of each pair. Pairs of one query are not independent, so queries are the units
        that intervals are computed from. If omitted, the pairs are.
    systems : mapping of str to sequence of bool, optional
        By system, whether it retrieved the document.
    lengths : sequence of float, optional
        The length of each document; NaN if unknown.
    ranks : sequence of float, optional
        The best rank at which any system has the document; NaN if unknown.
    overlaps : sequence of float, optional
        The share of the query's words that the document contains; NaN if unknown.
    strata : sequence, optional
        The stratum that each pair was drawn from.
    probabilities : sequence of float, optional
        The probability with which each pair was drawn, above 0 and at most 1. Every figure is
        reweighted by it. If omitted, all pairs count equally.
    repeats : sequence of sequences of float, optional
        For each pair, the grades that the judge gave when it was asked again; any number, including
        none.
    orders : sequence of sequences of float, optional
        The same where the judge saw the documents in another order, or among others.

    Raises
    ------
    ArgumentError
        If the number of entries differs from that of pairs, a grade of people is not finite,
        or a probability is out of range.

    Examples
    --------
    >>> pairs = CheckedPairs(people=[0, 1, 2], judge=[0, 2, float("nan")])
    >>> pairs.n_pairs, pairs.answered.n_pairs
    (3, 2)
    """

    people: ArrayLike
    judge: ArrayLike
    query_ids: Sequence[Hashable] | None = None
    systems: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    lengths: ArrayLike | None = None
    ranks: ArrayLike | None = None
    overlaps: ArrayLike | None = None
    strata: Sequence[Hashable] | None = None
    probabilities: ArrayLike | None = None
    repeats: Sequence[Sequence[float]] | None = None
    orders: Sequence[Sequence[float]] | None = None

    def __post_init__(self) -> None:
        """Check every entry; numbers become arrays."""
        for name in ("people", "judge", "lengths", "ranks", "overlaps", "probabilities"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _numbers(name, given))
        for one in fields(self):
            given = getattr(self, one.name)
            several = given.items() if isinstance(given, Mapping) else [(None, given)]
            for label, column in several:
                if column is not None and len(column) != self.n_pairs:
                    name = one.name if label is None else f"{one.name}[{label!r}]"
                    expected = f"one entry per pair, {self.n_pairs}"
                    raise ArgumentError(name, expected, str(len(column)))
        if not np.isfinite(self.of_people).all():
            raise ArgumentError("people", "finite grades", "NaN or infinity")
        if np.isinf(self.of_judge).any():
            raise ArgumentError("judge", "finite grades, or NaN for none", "infinity")
        chances = 1.0 if self.probabilities is None else np.asarray(self.probabilities)
        if not np.all((chances > 0) & (chances <= 1)):
            raise ArgumentError("probabilities", "numbers above 0, at most 1", "another number")

    @property
    def of_people(self) -> _Floats:
        """The grades of people, as an array."""
        assert isinstance(self.people, np.ndarray)
        return self.people

    @property
    def of_judge(self) -> _Floats:
        """The grades of the judge, as an array; NaN where it could not judge."""
        assert isinstance(self.judge, np.ndarray)
        return self.judge

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.of_people)

    @property
    def errors(self) -> _Floats:
        """The judge's grade minus that of people; NaN where it could not judge."""
        return self.of_judge - self.of_people

    @property
    def counts(self) -> _Floats:
        """How many pairs each stands for: 1 / its probability."""
        if self.probabilities is None:
            return np.ones(self.n_pairs)
        return 1 / np.asarray(self.probabilities)

    @property
    def n_queries(self) -> int | None:
        """The number of queries; None if they are not known."""
        return None if self.query_ids is None else len(set(self.query_ids))

    @property
    def answered(self) -> CheckedPairs:
        """The pairs that the judge graded."""
        return self.take(np.flatnonzero(~np.isnan(self.of_judge)).tolist())

    @property
    def variance_strata(self) -> Sequence[Hashable] | None:
        """The strata within which spread counts; None where queries, which cross them, are units.

        Leaving strata out of the variance is cautious: what lies between them counts as chance.
        """
        return self.strata if self.query_ids is None else None

    def take(self, rows: Sequence[int]) -> CheckedPairs:
        """Return some of the pairs."""
        changed: dict[str, object] = {}
        for one in fields(self):
            given = getattr(self, one.name)
            if isinstance(given, Mapping):
                changed[one.name] = {
                    name: [column[row] for row in rows] for name, column in given.items()
                }
            elif isinstance(given, np.ndarray):
                changed[one.name] = given[rows]
            elif given is not None:
                changed[one.name] = [given[row] for row in rows]
        return replace(self, **changed)  # type: ignore[arg-type]

    def mean_over(self, values: _Floats) -> float:
        """Return the reweighted mean of one number per pair."""
        return float(sums_of(self.counts * values) / sums_of(self.counts))

    def mean_of(self, values: _Floats) -> SampleMean | None:
        """Return the reweighted mean of one number per pair, with its error."""
        weights = None if self.probabilities is None else self.counts
        return mean_of(values, weights=weights, groups=self.query_ids, strata=self.variance_strata)


def _numbers(name: str, values: ArrayLike) -> _Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(name, "numbers", type(values).__name__) from None
    if found.ndim != 1:
        raise ArgumentError(name, "one number per pair", f"{found.ndim} dimensions")
    return found
