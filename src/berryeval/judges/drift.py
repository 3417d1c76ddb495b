"""Whether a judge still grades as it did: pairs that are judged again in every batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from berryeval.judges.collecting import Task
from berryeval.judges.model_grades import Identity, ModelGrade
from berryeval.judges.protocol import Pair
from berryeval.judges.sampling import draw_stratified

__all__ = ["Drift", "drift_of", "tasks_to_repeat"]

_LEVEL = 0.01
"""Probability of a warning about a judge that has not changed, at each look."""
_MIN_RATE = 0.05
"""Changes that every judge is allowed; at temperature 0 a check may have seen none."""


@dataclass(frozen=True)
class Drift:
    """Grades that changed when pairs were judged again."""

    n_repeated: int
    n_changed: int
    expected_rate: float
    """The share of changes during the check, at least 5 %."""
    probability: float
    """Probability that a judge with that rate changes at least as many grades."""

    @property
    def is_suspicious(self) -> bool:
        """Whether the judge changes more grades than it did when it was checked."""
        return self.probability <= _LEVEL


def tasks_to_repeat(
    pairs: Iterable[Pair], stored: Iterable[ModelGrade], identity: Identity, n: int
) -> list[Task]:
    """Return pairs to judge again: drawn at random among those with a grade of this judge.

    Parameters
    ----------
    pairs : iterable of Pair
        All pairs whose texts are known.
    stored : iterable of ModelGrade
        All stored grades.
    identity : Identity
        The judge.
    n : int
        Pairs to draw.
    """
    by_place = {one.place: one for one in stored}
    known = [
        pair
        for pair in pairs
        if getattr(by_place.get((*pair.key, identity.content(pair, 0))), "grade", None) is not None
    ]
    drawn = draw_stratified([0] * len(known), n, seed=f"{identity.digest} {len(by_place)}")
    tasks = []
    for position, _ in drawn:
        pair, number = known[position], 1
        while (*pair.key, identity.content(pair, number)) in by_place:
            number += 1
        tasks.append(Task(pair, number, "repeat"))
    return tasks


def drift_of(
    stored: Iterable[ModelGrade],
    identity: str,
    *,
    since: str,
    n_changed: int = 0,
    n_repeated: int = 0,
) -> Drift:
    """Compare the grades of repeated pairs with the first ones.

    A pair that the judge could judge only once has changed.

    Parameters
    ----------
    stored : iterable of ModelGrade
        All stored grades.
    identity : str
        `Identity.digest` of the judge.
    since : str
        Time of the check; earlier repetitions do not count.
    n_changed, n_repeated : int
        Repetitions during the check.
    """
    own = [one for one in stored if one.identity == identity]
    first = {one.key: one.grade for one in own if one.number == 0}
    again = [
        (first[one.key], one.grade)
        for one in own
        if one.purpose == "repeat" and one.judged_at >= since and one.key in first
    ]
    n_now = sum(before != after for before, after in again)
    rate = max(_MIN_RATE, n_changed / n_repeated if n_repeated else 0.0)
    return Drift(len(again), n_now, rate, _at_least(n_now, len(again), rate))


def _at_least(n_changed: int, n: int, rate: float) -> float:
    """Return the probability of at least this many changes, by the binomial distribution."""
    if n_changed == 0:
        return 1.0
    from scipy.special import betainc  # a quarter of a second

    return float(betainc(n_changed, n - n_changed + 1, rate))
