"""Grades by subtopic, as the states of judgments have them.

A state has the grades that were given. A plain grade, such as one from a judging page, keeps the
subtopics of the state that it replaces. A subtopic counts at most as much as its document: if a
judge lowers the grade of a document, its subtopics count less, and count again as before when the
grade is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from berryeval.archive.checks import check_id
from berryeval.core.grade import check_grade
from berryeval.core.id_column import encode_id
from berryeval.core.query import check_weight
from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "NO_SUBTOPICS",
    "Subtopics",
    "capped_grades",
    "check_highest",
    "check_subtopics",
    "grades_by_label",
    "subtopics_by_document",
    "subtopics_of",
]


class Subtopics(NamedTuple):
    """The subtopics of an entry or a state; None for what it does not say."""

    grades: Mapping[str, float] | None = None
    weights: Mapping[str, float] | None = None

    def after(self, before: Subtopics) -> Subtopics:
        """Return them with what they leave open as it was before, and None for what is empty."""
        grades = before.grades if self.grades is None else self.grades
        weights = before.weights if self.weights is None else self.weights
        kept = {name: weight for name, weight in (weights or {}).items() if name in (grades or {})}
        return Subtopics(grades or None, kept or None)


NO_SUBTOPICS = Subtopics()


class _State(Protocol):
    @property
    def doc_id(self) -> str: ...

    @property
    def grade(self) -> float | None: ...

    @property
    def revision(self) -> int: ...

    @property
    def subtopics(self) -> Mapping[str, float] | None: ...

    @property
    def subtopic_weights(self) -> Mapping[str, float] | None: ...


def subtopics_of(state: Any) -> Subtopics:  # noqa: ANN401 - a state, or a row of one
    """Return the subtopics of a state."""
    return Subtopics(state.subtopics, state.subtopic_weights)


def check_subtopics(grades: object, weights: object, where: str = "") -> Subtopics:
    """Return the subtopics of an entry or a state, or raise if they are invalid."""
    found = Subtopics(
        _numbers(grades, f"{where}subtopics", check_grade),
        _numbers(weights, f"{where}subtopic_weights", check_weight),
    )
    unknown = next((name for name in found.weights or {} if name not in (found.grades or {})), None)
    if unknown is not None:
        expected = "weights of the subtopics beside it"
        raise ArgumentError(f"{where}subtopic_weights", expected, repr(unknown))
    return found


def check_highest(grade: float, subtopics: Mapping[str, float] | None, where: str) -> None:
    """Raise if the grade of a document is below one that is given with it for a subtopic."""
    highest = max((subtopics or {}).values(), default=grade)
    if grade < highest:
        expected = f"at least {highest:g}, the highest grade of its subtopics"
        raise ArgumentError(f"{where}grade", expected, f"{grade:g}")


def _numbers(
    given: object, where: str, check: Callable[[object, str], float]
) -> dict[str, float] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InputTypeError(where, "a mapping", type(given).__name__)
    # Adding 0 turns -0, which SQLite cannot store, into 0.
    return {
        check_id(name, f"{where}: a subtopic"): check(number, f"{where}[{name!r}]") + 0.0
        for name, number in given.items()
    }


def capped_grades(grade: float, subtopics: Mapping[str, float]) -> dict[str, float]:
    """Return what subtopics count for a document of this grade."""
    return {name: min(its_grade, grade) for name, its_grade in subtopics.items()}


def subtopics_by_document(
    states: Iterable[_State],
) -> tuple[dict[bytes, dict[bytes, float]], dict[bytes, float]]:
    """Return what the subtopics of a query's judgments count by document, and their weights.

    If a subtopic has several weights, the newest counts.
    """
    grades: dict[bytes, dict[bytes, float]] = {}
    weights: dict[bytes, float] = {}
    for state in sorted(states, key=lambda one: one.revision):
        if state.grade is not None and state.subtopics:
            own = capped_grades(state.grade, state.subtopics)
            grades[encode_id(state.doc_id)] = {encode_id(name): own[name] for name in own}
            for name, weight in (state.subtopic_weights or {}).items():
                weights[encode_id(name)] = weight
    return grades, weights


def grades_by_label(grade: float, subtopics: Mapping[str, float] | None) -> dict[str | None, float]:
    """Return the grade of each subtopic, and at None that of the document if it is higher.

    Files have one row for each of them.
    """
    found: dict[str | None, float] = {}
    found.update(capped_grades(grade, subtopics or {}))
    if grade not in found.values():
        found[None] = grade
    return found
