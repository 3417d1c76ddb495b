"""How well judges agree: each with each, and all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add

from berryeval.archive.judgment_table import JudgmentTable
from berryeval.stats.agreement import Coefficient, krippendorff_alpha, weighted_kappa

__all__ = ["Agreement", "Judge", "agreement_of", "in_words"]

MOST_JUDGES = 12

_WORDS = ((0.8, "very good"), (0.67, "good"), (0.4, "fair"), (0.0, "poor"))


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge, and the grades that they give."""

    name: str
    n_opinions: int
    n_shared: int
    """Opinions of pairs that another judge graded as well."""
    grades: Mapping[float, int]

    @property
    def mean(self) -> float:
        """The mean grade; a judge who is stricter than the others has a lower one."""
        total = reduce(add, (grade * n for grade, n in self.grades.items()), 0.0)
        return total / self.n_opinions


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well the judges of an archive agree."""

    judges: Sequence[Judge]
    """Those with most opinions first."""
    n_more: int
    """Judges that are left out."""
    kappas: Mapping[tuple[str, str], Coefficient]
    """Linearly weighted, by the names of two judges."""
    alpha: Coefficient
    """Krippendorff's, for ordered grades, over all."""
    n_equal: int
    """Pairs of query and document that all their judges gave the same grade."""
    grades: Sequence[float]
    """All grades that were given."""

    @property
    def share_equal(self) -> float:
        """The share of the pairs with several judges that all gave the same grade."""
        return self.n_equal / self.alpha.n

    def kappa(self, one: str, other: str) -> Coefficient | None:
        """Return the kappa of two judges; None for a judge with themselves."""
        return self.kappas.get((one, other)) or self.kappas.get((other, one))


def agreement_of(table: JudgmentTable) -> Agreement:
    """Return how well the judges of a table agree."""
    counts = table.counts_by_author()
    shared: Counter[str] = Counter()
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    units = []
    n_equal = 0
    for opinions in table.opinions.values():
        if len(opinions) < 2:  # noqa: PLR2004
            continue
        grades = [*opinions.values()]
        units.append(grades)
        n_equal += len(set(grades)) == 1
        shared.update(opinions.keys())
        for one, other in combinations(sorted(opinions), 2):
            pairs.setdefault((one, other), []).append((opinions[one], opinions[other]))
    judges = [
        Judge(name, sum(of_grade.values()), shared[name], dict(sorted(of_grade.items())))
        for name, of_grade in counts.items()
    ]
    judges.sort(key=lambda judge: (-judge.n_shared, -judge.n_opinions, judge.name))
    return Agreement(
        judges=judges[:MOST_JUDGES],
        n_more=max(0, len(judges) - MOST_JUDGES),
        kappas={names: weighted_kappa(grades) for names, grades in pairs.items()},
        alpha=krippendorff_alpha(units, "ordinal"),
        n_equal=n_equal,
        grades=sorted({grade for judge in judges for grade in judge.grades}),
    )


def in_words(value: float | None) -> str:
    """Say what a coefficient of agreement means.

    Krippendorff takes 0.8 as reliable, and 0.667 as the lowest for tentative conclusions.

    Examples
    --------
    >>> in_words(0.85), in_words(0.7), in_words(0.5), in_words(-0.1)
    ('very good', 'good', 'fair', 'poor')
    """
    if value is None:
        return "not known"
    return next((word for least, word in _WORDS if value >= least), "poor")
