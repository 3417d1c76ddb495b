"""The base class of all measures, and their registry."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from berryeval.core.cutoff import check_k
from berryeval.errors import ArgumentError, UnknownMeasureError
from berryeval.kernels.relevance import without_unjudged
from berryeval.measures._meanings import meant_by
from berryeval.measures._parameters import CHECKS, JUDGED_ONLY, parameter_fields, written

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
else:  # typing has it from Python 3.11 on, and type checkers alone look at it

    def dataclass_transform(**_rules: object) -> Callable[[Any], Any]:
        """Return a decorator that changes nothing."""
        return lambda declared: declared


__all__ = [
    "GEOMETRIC_FLOOR",
    "Kernel",
    "Measure",
    "all_measures",
    "declare",
    "depth_of",
    "find_measure",
    "register",
    "register_defined",
]

GEOMETRIC_FLOOR = 1e-5
"""Geometric means replace lower values by this one, as trec_eval does; one 0 would make them 0."""

Kernel: TypeAlias = Callable[..., float]
"""A function of `berryeval.kernels`: it takes grades, judged, and parameters by name."""

_NATIVE_MAX_K = 2**53
"""Whole numbers are exact up to here in the native twin, which counts in float64."""

_KERNEL_NAMES = {"rel": "level", "T": "goal", "L": "patience"}
"""The names that kernels use for parameters, where those of measures differ."""


MeasureType = TypeVar("MeasureType", bound="type[Measure]")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def declare(measure: MeasureType) -> MeasureType:
    """Make a measure a dataclass; methods that are usually generated per class are in `Measure`.

    Generating them would take most of the import time.
    """
    dataclass(init=False, eq=False, repr=False)(measure)  # changes the class itself
    return measure


class _Measures(type):
    """The metaclass of measures: classes take a cutoff with ``@``, like their instances."""

    def __matmul__(cls, cutoff: float) -> Measure:
        measure: Measure = cls()
        return measure.__matmul__(cutoff)


@declare
class Measure(metaclass=_Measures):
    """A metric with a name and parameters, as people report it: ``nDCG@10``.

    A measure is a value: two with the same parameters are equal. It declares; the arithmetic
    is in `berryeval.kernels`. ``@`` sets what is written after the @ in its name: the cutoff k,
    or the recall of interpolated precision.

    Every measure takes its parameters by position or by name. Most have these two: ``k``, the
    number of ranks to consider, at least 1, where None means the whole ranking; and ``rel``, the
    lowest grade that counts as relevant, by default 1. Measures that always look at the whole
    ranking take no k. All of them take ``judged_only``, by name only: whether unjudged documents
    are removed from the ranking before it is scored, so that k counts judged documents.

    Examples
    --------
    >>> from berryeval.measures import NDCG, Precision
    >>> NDCG @ 10 == NDCG(k=10)
    True
    >>> str(Precision(rel=2) @ 5)
    'P(rel=2)@5'
    """

    k: int | None = None
    judged_only: bool = field(default=False, kw_only=True)

    kernel: ClassVar[Kernel]
    """The function that computes the measure. Its parameters have the same names, except that rel
    is called level, T goal and L patience; it does not take judged_only."""
    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True
    aggregate: ClassVar[Literal["mean", "sum", "geometric", "percentile"]] = "mean"
    """How the values of many queries become one; ``geometric`` with `GEOMETRIC_FLOOR`."""
    at: ClassVar[str | None] = "k"
    """The parameter that is written after the @; None if there is none."""
    at_prefix: ClassVar[str] = ""
    """The text between the @ and that parameter."""
    at_example: ClassVar[str] = "10"
    """An example of the text after the @."""
    across_queries: ClassVar[bool] = False
    """Whether a document that is judged for any query counts as in the pool of every query."""
    uncut_name: ClassVar[str | None] = None
    """The name of the measure without k, if it differs."""
    uses_intents: ClassVar[bool] = False
    """Whether it looks at the grades of documents by subtopic."""
    uses_strata: ClassVar[bool] = False
    """Whether it looks at the strata that documents were sampled from."""
    uses_lengths: ClassVar[bool] = False
    """Whether it looks at the lengths of documents."""
    uses_timings: ClassVar[bool] = False
    """Whether it looks at the times of queries, and not at rankings."""
    definition: ClassVar[str]
    use_when: ClassVar[str]
    avoid_when: ClassVar[str]
    edge_cases: ClassVar[tuple[str, ...]]
    functions: ClassVar[tuple[str, ...]] = ()
    """Where the metric can be called directly, for one list and for arrays."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as its fields are
        known = {one.name: one.default for one in fields(self)}
        by_position = [one.name for one in fields(self) if not one.kw_only]
        if len(arguments) > len(by_position):
            name = type(self).__name__
            message = f"{name}() takes {len(by_position)} arguments, not {len(arguments)}"
            raise TypeError(message)
        given = dict(zip(by_position, arguments, strict=False))
        for name in named:
            if name in given or name not in known:
                reason = "multiple values for" if name in given else "an unexpected keyword"
                raise TypeError(f"{type(self).__name__}() got {reason} argument {name!r}")
        vars(self).update(known | given | named)
        self._check()

    def __setattr__(self, name: str, _value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _check(self) -> None:
        """Check the parameters, and keep them in their usual types."""
        if self.k is not None:
            k = check_k(self.k)
            if self.at != "k":
                raise ArgumentError("k", f"none, since {self.name} takes no cutoff", str(k))
            vars(self)["k"] = k
        for one in fields(self):
            if one.name != "k":
                kind = "optional " * (one.default is None) + one.name
                vars(self)[one.name] = CHECKS[kind](getattr(self, one.name))

    def __matmul__(self, cutoff: float) -> Self:
        if self.at is None:
            expected = f"none, since {self.name} covers the whole ranking"
            raise ArgumentError("cutoff", expected, str(cutoff))
        given: dict[str, Any] = {self.at: cutoff}
        return replace(self, **given)

    def __str__(self) -> str:
        changed = [
            f"{one.name}={written(value)}"
            for one in parameter_fields(type(self))
            if one.name != self.at and (value := getattr(self, one.name)) != one.default
        ]
        cutoff = None if self.at is None else getattr(self, self.at)
        name = self.uncut_name if cutoff is None and self.uncut_name else self.name
        parameters = f"({','.join(changed)})" if changed else ""
        at = f"@{self.at_prefix}{written(cutoff)}" if cutoff is not None else ""
        return f"{name}{parameters}{at}"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._parameters() == other._parameters()

    def __hash__(self) -> int:
        return hash((type(self), self._parameters()))

    def __repr__(self) -> str:
        names = [one.name for one in fields(self) if not one.kw_only]
        names += [JUDGED_ONLY] * self.judged_only
        parameters = (f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({', '.join(parameters)})"

    def _parameters(self) -> tuple[object, ...]:
        return tuple(getattr(self, one.name) for one in fields(self))

    @property
    def depth(self) -> int | None:
        """The number of ranks that it looks at; None if unlimited, as with judged_only."""
        return None if self.judged_only else self.k

    def condensed(self) -> Self:
        """Return this measure with judged_only; measures of query times are returned unchanged."""
        return self if self.uses_timings else replace(self, judged_only=True)

    @cached_property
    def _arguments(self) -> dict[str, Any]:
        """The arguments of the kernel in addition to grades and judged."""
        return {
            _KERNEL_NAMES.get(one.name, one.name): getattr(self, one.name)
            for one in parameter_fields(type(self))
            if one.name != JUDGED_ONLY
        }

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the default of each parameter, by name; k only if it takes a cutoff."""
        default = cls()
        return {one.name: getattr(default, one.name) for one in parameter_fields(cls)}

    def score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        """Score one query; `berryeval.kernels` describes the arguments."""
        return self._score(without_unjudged(grades) if self.judged_only else grades, judged)

    def _score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        """Score a ranking, after removing unjudged documents if requested."""
        return self.kernel(grades, judged, **self._arguments)

    def native_call(self) -> tuple[str, dict[str, Any]] | None:
        """Return the name and arguments of the kernel, as ``berryeval._native.Plan`` takes them.

        None if there is no native twin, because the function is custom or k is too large to count.
        """
        own = type(self)
        is_ours = (
            own.score is Measure.score
            and own._score is Measure._score  # noqa: SLF001 - of this class
            and self.kernel.__module__.startswith("berryeval.kernels.")
        )
        if not is_ours or (self.k or 0) > _NATIVE_MAX_K:
            return None
        only = {JUDGED_ONLY: 1.0} if self.judged_only else {}
        return self.kernel.__name__, self._arguments | only


def depth_of(measures: Iterable[Measure]) -> int | None:
    """Return the greatest depth any of the measures looks at; None if one looks at all ranks."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)


_MISSPELT = 0.82
"""The similarity, as difflib's ratio, of names that differ from each other by a letter or two."""

_REGISTRY: list[type[Measure]] = []
_DEFINED: list[type[Measure]] = []
_LOCK = threading.Lock()


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def register(measure: MeasureType) -> MeasureType:
    """Declare a measure that the command line and the reference show."""
    _REGISTRY.append(declare(measure))
    return measure


def register_defined(measure: MeasureType) -> MeasureType:
    """Declare a custom measure: it is found by its names, but not listed.

    Raises `ArgumentError` if one of its names belongs to another measure.
    """
    with _LOCK:
        taken = _by_name()
        for word in _names(measure):
            if word in taken:
                got = f"{word!r}, which is {taken[word].name}"
                raise ArgumentError("name", "a name that is not in use", got)
        _DEFINED.append(declare(measure))
    return measure


def _names(measure: type[Measure]) -> set[str]:
    words = (measure.name, measure.title, measure.uncut_name or "", *measure.aliases)
    return {word.lower() for word in words if word}


def _by_name() -> dict[str, type[Measure]]:
    return {word: measure for measure in (*_REGISTRY, *_DEFINED) for word in _names(measure)}


def all_measures() -> tuple[type[Measure], ...]:
    """Return every measure that is built in, in alphabetical order of their titles."""
    return tuple(sorted(_REGISTRY, key=lambda measure: measure.title.lower()))


def find_measure(name: str) -> type[Measure]:
    """Return the measure with this name, title or alias, ignoring case.

    This includes measures created with `define_measure`.

    Raises
    ------
    UnknownMeasureError
        If there is none. Its message suggests a name that differs by a letter or two, the
        measure that the words describe, or else the nearest name.
    """
    known = _by_name()
    wanted = name.lower()
    if wanted in known:
        return known[wanted]
    import difflib  # slow to import, and most names are known

    near = difflib.get_close_matches(wanted, known, n=1)
    is_misspelt = bool(difflib.get_close_matches(wanted, near, cutoff=_MISSPELT))
    suggestion = None if is_misspelt else meant_by(name)
    if suggestion is None and near:
        suggestion = known[near[0]].name
    raise UnknownMeasureError(name, suggestion, tuple(sorted({m.name for m in known.values()})))
