"""How well judges agree: in pairs, all together, and by category of query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add
from typing import NamedTuple

from berryeval.stats import (
    Coefficient,
    Interval,
    alpha_interval,
    alphas_without,
    kappa_interval,
    krippendorff_alpha,
    weighted_kappa,
)
from berryeval.stats.agreement_intervals import MIN_JUDGES

__all__ = [
    "Agreement",
    "CategoryAgreement",
    "GradedPair",
    "Judge",
    "Kappa",
    "agreement_of_pairs",
    "counts_of_pairs",
    "in_words",
]

MAX_JUDGES = 12

_WORDS = ((0.8, "very good"), (0.67, "good"), (0.4, "fair"), (0.0, "poor"))


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge and the grades they give."""

    name: str
    n_opinions: int
    n_shared: int
    """Opinions on pairs that another judge also graded."""
    grades: Mapping[float, int]
    alpha_without: float | None = None
    """Krippendorff's alpha without this judge; None if undefined."""

    @property
    def mean(self) -> float:
        """The mean grade; stricter judges have a lower one."""
        total = reduce(add, (grade * n for grade, n in self.grades.items()), 0.0)
        return total / self.n_opinions

    def shares(self, width: float) -> Iterator[tuple[float, str, str]]:
        """Iterate over the grades, each with its start and its width in a bar of this width."""
        start = 0.0
        for grade, n in self.grades.items():
            part = width * n / self.n_opinions
            yield grade, f"{start:.2f}", f"{part:.2f}"
            start += part


@dataclass(frozen=True, slots=True)
class Kappa:
    """How well two judges agree."""

    coefficient: Coefficient
    """Linearly weighted."""
    interval: Interval | None
    """95% interval for other queries and the same two judges; None if undefined."""


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """How well judges agree on the queries of a category."""

    name: str
    alpha: Coefficient
    n_equal: int

    @property
    def share_equal(self) -> float:
        """Share of its pairs with several judges that have the same grade from all."""
        return self.n_equal / self.alpha.n


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well judges agree."""

    judges: Sequence[Judge]
    """Most opinions first."""
    n_more: int
    """Number of judges that are not listed."""
    kappas: Mapping[tuple[str, str], Kappa]
    """Kappas by the names of two listed judges."""
    alpha: Coefficient
    """Krippendorff's alpha of all judges, for ordinal grades."""
    interval: Interval | None
    """95% interval of alpha; None if undefined."""
    n_equal: int
    """Pairs of query and document with the same grade from all their judges."""
    grades: Sequence[float]
    """All grades in use."""
    categories: Sequence[CategoryAgreement] = ()
    """Agreement by category of query, the lowest share of equal grades first."""

    @property
    def share_equal(self) -> float:
        """Share of the pairs with several judges that have the same grade from all."""
        return self.n_equal / self.alpha.n

    @property
    def is_for_other_judges(self) -> bool:
        """Whether the interval of alpha generalises to other judges."""
        n_sharing = sum(judge.n_shared > 0 for judge in self.judges)
        return n_sharing >= MIN_JUDGES

    def kappa(self, one: str, other: str) -> Kappa | None:
        """Return the kappa of two judges; None for a judge with themselves."""
        return self.kappas.get((one, other)) or self.kappas.get((other, one))


class GradedPair(NamedTuple):
    """A pair of query and document with the grades of its judges."""

    query: object
    """Identifies the query."""
    grades: Mapping[str, float]
    """Grades by judge."""
    category: str | None = None
    """The category of the query."""


def agreement_of_pairs(
    shared: Sequence[GradedPair], counts: Mapping[str, Mapping[float, int]]
) -> Agreement:
    """Return how well judges agree; intervals are resampled by query.

    Parameters
    ----------
    shared : sequence of GradedPair
        The pairs with two or more judges.
    counts : mapping
        By judge, the number of all their opinions per grade.
    """
    units = [[*one.grades.values()] for one in shared]
    names = [[*one.grades] for one in shared]
    n_shared = Counter(name for grades in names for name in grades)
    without = alphas_without(units, names)
    judges = [
        Judge(name, sum(of_grade.values()), n_shared[name], dict(sorted(of_grade.items())),
              without.get(name))
        for name, of_grade in counts.items()
    ]  # fmt: skip
    judges.sort(key=lambda judge: (-judge.n_shared, -judge.n_opinions, judge.name))
    return Agreement(
        judges=judges[:MAX_JUDGES],
        n_more=max(0, len(judges) - MAX_JUDGES),
        kappas=_kappas(shared, {judge.name for judge in judges[:MAX_JUDGES]}),
        alpha=krippendorff_alpha(units, "ordinal"),
        interval=alpha_interval(
            units, "ordinal", groups=[one.query for one in shared], judges=names
        ),
        n_equal=_n_equal(shared),
        grades=sorted({grade for judge in judges for grade in judge.grades}),
        categories=_by_category(shared),
    )


def counts_of_pairs(pairs: Sequence[GradedPair]) -> dict[str, dict[float, int]]:
    """Return by judge the number of opinions per grade."""
    found: dict[str, Counter[float]] = {}
    for one in pairs:
        for name, grade in one.grades.items():
            found.setdefault(name, Counter())[grade] += 1
    return {name: dict(counts) for name, counts in found.items()}


def _n_equal(shared: Sequence[GradedPair]) -> int:
    return sum(len({*one.grades.values()}) == 1 for one in shared)


def _by_category(shared: Sequence[GradedPair]) -> list[CategoryAgreement]:
    """Return how well judges agree on the queries of each category, the worst first."""
    groups: dict[str, list[GradedPair]] = {}
    for one in shared:
        if one.category is not None:
            groups.setdefault(one.category, []).append(one)
    found = [
        CategoryAgreement(
            name,
            krippendorff_alpha([[*one.grades.values()] for one in group], "ordinal"),
            _n_equal(group),
        )
        for name, group in sorted(groups.items())
    ]
    return sorted(found, key=lambda one: one.n_equal / one.alpha.n)


def _kappas(shared: Sequence[GradedPair], names: AbstractSet[str]) -> dict[tuple[str, str], Kappa]:
    """Return the kappa of every pair of judges."""
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    queries: dict[tuple[str, str], list[object]] = {}
    for pair in shared:
        for one, other in combinations(sorted(names & pair.grades.keys()), 2):
            pairs.setdefault((one, other), []).append((pair.grades[one], pair.grades[other]))
            queries.setdefault((one, other), []).append(pair.query)
    return {
        two: Kappa(weighted_kappa(grades), kappa_interval(grades, groups=queries[two]))
        for two, grades in pairs.items()
    }


def in_words(value: float | None) -> str:
    """Return a coefficient of agreement in words.

    Krippendorff considers 0.8 reliable, and 0.667 the minimum for tentative conclusions.

    Examples
    --------
    >>> in_words(0.85), in_words(0.7), in_words(0.5), in_words(-0.1)
    ('very good', 'good', 'fair', 'poor')
    """
    if value is None:
        return "unknown"
    return next((word for least, word in _WORDS if value >= least), "poor")
