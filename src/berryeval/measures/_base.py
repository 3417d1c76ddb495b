"""What every measure declares, and the registry of them."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from berryeval.core.cutoff import check_k
from berryeval.errors import UnknownMeasureError

__all__ = ["Measure", "all_measures", "find_measure", "register"]


@dataclass(frozen=True)
class Measure(ABC):
    """A metric with a name and parameters, as people report it: ``nDCG@10``.

    A measure is a value: two with the same parameters are equal. It declares; the arithmetic
    is in `berryeval.kernels`.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    """

    k: int | None = None

    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    definition: ClassVar[str]
    use_when: ClassVar[str]
    avoid_when: ClassVar[str]
    edge_cases: ClassVar[tuple[str, ...]]
    functions: ClassVar[tuple[str, ...]]
    """Where the metric can be called directly, for one list and for arrays."""

    def __post_init__(self) -> None:
        if self.k is not None:
            check_k(self.k)

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @abstractmethod
    def score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        """Score one query. What the arguments hold, `berryeval.kernels` says."""


_REGISTRY: list[type[Measure]] = []

MeasureType = TypeVar("MeasureType", bound=type[Measure])


def register(measure: MeasureType) -> MeasureType:
    """Add a measure to those that the command line and the reference show."""
    _REGISTRY.append(measure)
    return measure


def all_measures() -> tuple[type[Measure], ...]:
    """Return every measure, in alphabetical order of their titles."""
    return tuple(sorted(_REGISTRY, key=lambda measure: measure.title.lower()))


def find_measure(name: str) -> type[Measure]:
    """Return the measure that goes by this name, title or alias, in any case of letters.

    Raises
    ------
    UnknownMeasureError
        With the nearest name there is.
    """
    known = {
        word.lower(): measure
        for measure in all_measures()
        for word in (measure.name, measure.title, *measure.aliases)
    }
    wanted = name.lower()
    if wanted in known:
        return known[wanted]
    near = difflib.get_close_matches(wanted, known, n=1)
    suggestion = known[near[0]].name if near else None
    raise UnknownMeasureError(name, suggestion, tuple(sorted({m.name for m in known.values()})))
