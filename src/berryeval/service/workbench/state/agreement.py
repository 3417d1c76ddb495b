"""How well judges agree, in pairs and all together, over the table of all judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add
from typing import Annotated, NamedTuple, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache
from berryeval.service.shared_work import Latest
from berryeval.stats import (
    Coefficient,
    Interval,
    alpha_interval,
    alphas_without,
    kappa_interval,
    krippendorff_alpha,
    weighted_kappa,
)
from berryeval.stats.agreement_intervals import FEWEST_JUDGES

__all__ = [
    "Agreed",
    "AgreedDep",
    "Agreement",
    "Judge",
    "Kappa",
    "TableDep",
    "agreement_of",
    "in_words",
    "latest_agreement",
]

MOST_JUDGES = 12

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
class Agreement:
    """How well the judges of an archive agree."""

    judges: Sequence[Judge]
    """Most opinions first."""
    n_more: int
    """Number of judges that are not listed."""
    kappas: Mapping[tuple[str, str], Kappa]
    """By the names of two listed judges."""
    alpha: Coefficient
    """Krippendorff's alpha of all judges, for ordinal grades."""
    interval: Interval | None
    """95% interval of alpha; None if undefined."""
    n_equal: int
    """Pairs of query and document with the same grade from all their judges."""
    grades: Sequence[float]
    """All grades in use."""

    @property
    def share_equal(self) -> float:
        """Share of the pairs with several judges that have the same grade from all."""
        return self.n_equal / self.alpha.n

    @property
    def is_for_other_judges(self) -> bool:
        """Whether the interval of alpha generalises to other judges."""
        n_sharing = sum(judge.n_shared > 0 for judge in self.judges)
        return n_sharing >= FEWEST_JUDGES

    def kappa(self, one: str, other: str) -> Kappa | None:
        """Return the kappa of two judges; None for a judge with themselves."""
        return self.kappas.get((one, other)) or self.kappas.get((other, one))


def agreement_of(table: JudgmentTable) -> Agreement:
    """Return how well the judges of a table agree; intervals are resampled by query."""
    rows = table.rows_of(table.opinions)
    query_of = dict(zip(table.revisions[rows].tolist(), table.queries[rows].tolist(), strict=True))
    shared = [
        (query_of.get(revision), opinions)
        for revision, opinions in table.opinions.items()
        if len(opinions) > 1
    ]
    units = [[*opinions.values()] for _, opinions in shared]
    names = [[*opinions] for _, opinions in shared]
    queries = [query for query, _ in shared]
    n_shared = Counter(name for opinions in names for name in opinions)
    without = alphas_without(units, names)
    judges = [
        Judge(name, sum(of_grade.values()), n_shared[name], dict(sorted(of_grade.items())),
              without.get(name))
        for name, of_grade in table.counts_by_author().items()
    ]  # fmt: skip
    judges.sort(key=lambda judge: (-judge.n_shared, -judge.n_opinions, judge.name))
    return Agreement(
        judges=judges[:MOST_JUDGES],
        n_more=max(0, len(judges) - MOST_JUDGES),
        kappas=_kappas(shared, {judge.name for judge in judges[:MOST_JUDGES]}),
        alpha=krippendorff_alpha(units, "ordinal"),
        interval=alpha_interval(units, "ordinal", groups=queries, judges=names),
        n_equal=sum(len({*grades}) == 1 for grades in units),
        grades=sorted({grade for judge in judges for grade in judge.grades}),
    )


def _kappas(
    shared: Sequence[tuple[int | None, Mapping[str, float]]], names: AbstractSet[str]
) -> dict[tuple[str, str], Kappa]:
    """Return the kappa of every pair of judges."""
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    queries: dict[tuple[str, str], list[int | None]] = {}
    for query, opinions in shared:
        for one, other in combinations(sorted(names & opinions.keys()), 2):
            pairs.setdefault((one, other), []).append((opinions[one], opinions[other]))
            queries.setdefault((one, other), []).append(query)
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


class Agreed(NamedTuple):
    """How well judges agree, and the judgments behind it."""

    table: JudgmentTable
    agreement: Agreement


def latest_agreement(archive: Archive, skip_wait: Callable[[], bool]) -> Latest[Agreed]:
    """Return a value that is recomputed after each change."""
    counted: LruCache[JudgmentTable, Agreed] = LruCache(1)

    def count() -> Agreed:
        table = archive.judgment_index.table()
        return counted.get_or_compute(table, lambda: Agreed(table, agreement_of(table)))

    return Latest(count, skip_wait)


AgreedDep: TypeAlias = Annotated[Latest[Agreed], from_state("agreement")]
TableDep: TypeAlias = Annotated[Latest[JudgmentTable], from_state("judgment_table")]
