"""The states of a pair of query and document, and which grade counts.

A *judgment* changes what counts: the first one, a correction of it, or one that settles a
conflict. A second *opinion* is stored separately. It shows how well judges agree, and counts by the
rule of the archive: not at all (``first``), or as the latest, highest, mean or most frequent grade
of the judgment and the opinions that came after it. A new judgment starts afresh. If there are
subtopics, the rule applies to each of them, and the document has the highest grade, as in files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, Protocol, TypeVar

from berryeval.archive.judgments.subtopics import (
    NO_SUBTOPICS,
    Subtopics,
    grades_by_label,
    subtopics_of,
)
from berryeval.archive.records import JudgmentKind
from berryeval.core.judging import Judges, reduce_grades

__all__ = [
    "SETTLED",
    "Counted",
    "PairHistory",
    "PlainState",
    "State",
    "counted_state",
    "history_of",
    "is_opinion_of",
    "undoable_state",
]

SETTLED = "settled"
"""The source of a judgment that settles a conflict, which is not an independent opinion."""


class State(Protocol):
    """A state of a pair, by a judge or the rule; a `StoredJudgment` is one."""

    @property
    def author(self) -> str:
        """The judge, or the rule."""

    @property
    def grade(self) -> float | None:
        """The grade; None for a withdrawal."""

    @property
    def source(self) -> str | None:
        """Where it comes from."""

    @property
    def kind(self) -> JudgmentKind:
        """Its kind."""

    @property
    def revision(self) -> int:
        """Its place among all states."""

    @property
    def restores(self) -> int | None:
        """The revision of the judgment that an undo restored."""

    @property
    def subtopics(self) -> Mapping[str, float] | None:
        """Grades by subtopic, as they were given."""

    @property
    def subtopic_weights(self) -> Mapping[str, float] | None:
        """Weights of subtopics."""


AnyState = TypeVar("AnyState", bound=State)


class PlainState(NamedTuple):
    """A lightweight state, for a million of them."""

    author: str
    grade: float | None
    source: str | None = None
    kind: JudgmentKind = "judgment"
    revision: int = 0
    restores: int | None = None
    subtopics: Mapping[str, float] | None = None
    subtopic_weights: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Counted(Generic[AnyState]):
    """A grade that counts, and its author."""

    grade: float
    author: str
    state: AnyState | None
    """The state with this grade; None if it was computed from several."""
    subtopics: Subtopics = NO_SUBTOPICS


@dataclass(frozen=True)
class PairHistory(Generic[AnyState]):
    """The history of a pair: the judgment, the opinions since, and all independent grades."""

    judgment: AnyState | None
    """The last one that was neither undone nor withdrawn."""
    pending: tuple[AnyState, ...]
    """Opinions since then, one per judge, oldest first."""
    independent: dict[str, float]
    """The grade of each judge who did not see another's, for agreement."""
    settled: tuple[AnyState, ...] = ()
    """If the judgment settled a conflict, the states of the judges who had disagreed."""

    @property
    def is_conflict(self) -> bool:
        """Whether judges disagree, and no judgment has settled it."""
        if not self._has_subtopics:
            return len({grade for _, grade in self._given}) > 1
        sets = [frozenset(state.subtopics or ()) for state, _ in self._given]
        if len(set(sets)) == 1:
            return len({_labels_of(one) for one in self._given}) > 1
        # Judges of different subtopics disagree only on those that they share.
        seen: dict[str | None, set[float]] = {}
        for one in self._given:
            for label, grade in _labels_of(one):
                seen.setdefault(label, set()).add(grade)
        return any(len(grades) > 1 for grades in seen.values())

    def counted(self, rule: Judges) -> Counted[AnyState] | None:
        """Return the grade that counts by a rule; None if there is no judgment."""
        if not self._given:
            return None
        by_judge = {state.author: grade for state, grade in self._given}
        if rule in ("first", "latest") or len(by_judge) == 1:
            # If all are by one judge who reconsidered, the last one is that judge's grade.
            state, grade = self._given[0 if rule == "first" else -1]
            whole = Counted(grade, state.author, state, subtopics_of(state))
            if not self._has_subtopics or len(by_judge) == 1:
                return whole
            found = self._counted_by_subtopic(rule, f"{rule} of {len(by_judge)} judges")
            is_whole = (found.grade, found.subtopics) == (grade, whole.subtopics)
            return whole if is_whole else found
        author = f"{rule} of {len(by_judge)} judges"
        if self._has_subtopics:
            return self._counted_by_subtopic(rule, author)
        return Counted(reduce_grades([*by_judge.values()], rule), author, None)

    def _counted_by_subtopic(self, rule: Judges, author: str) -> Counted[AnyState]:
        """Apply a rule to each subtopic."""
        given = self._given
        if rule not in ("first", "latest"):
            given = [*{state.author: (state, grade) for state, grade in given}.values()]
        grades: dict[str | None, list[float]] = {}
        weights: dict[str, float] = {}
        for state, grade in given:
            weights |= state.subtopic_weights or {}
            for label, its_grade in grades_by_label(grade, state.subtopics).items():
                grades.setdefault(label, []).append(its_grade)
        reduced = {label: reduce_grades(several, rule) for label, several in grades.items()}
        named = {label: grade for label, grade in reduced.items() if label is not None}
        return Counted(max(reduced.values()), author, None, Subtopics(named, weights or None))

    @property
    def _has_subtopics(self) -> bool:
        return any(state.subtopics for state, _ in self._given)

    @cached_property  # used by every rule
    def _given(self) -> list[tuple[AnyState, float]]:
        """The judgment and the opinions since, with their grades; negative ones are omitted.

        A negative grade means unjudged, as in files (`reduce_grades`).
        """
        if self.judgment is None or self.judgment.grade is None:
            return []
        given = [(self.judgment, self.judgment.grade)]
        given += [(one, one.grade) for one in self.pending if one.grade is not None]
        return [one for one in given if one[1] >= 0] or given


def _labels_of(given: tuple[State, float]) -> frozenset[tuple[str | None, float]]:
    state, grade = given
    return frozenset(grades_by_label(grade, state.subtopics).items())


def counted_state(states: Sequence[AnyState]) -> AnyState | None:
    """Return the state that counts, of all states of a pair, oldest first; None if none does."""
    last = next((one for one in reversed(states) if one.kind != "opinion"), None)
    return None if last is None or last.grade is None else last


def undoable_state(states: Sequence[AnyState], author: str) -> AnyState | None:
    """Return the last state by a judge if it can be undone, of all states of a pair, in order."""
    judgments = [one for one in states if one.kind == "judgment"][-1:]
    mine = [one for one in judgments if one.author == author and one.restores is None]
    opinions = [one for one in states if is_opinion_of(one, author)][-1:]
    mine += [one for one in opinions if one.grade is not None]
    return max(mine, key=lambda one: one.revision, default=None)


def history_of(states: Iterable[AnyState]) -> PairHistory[AnyState]:
    """Return the history of a pair from all its states, oldest first.

    Examples
    --------
    >>> found = history_of([PlainState("ada", 2), PlainState("bob", 0, kind="opinion")])
    >>> found.independent, found.is_conflict, found.counted("first").grade
    ({'ada': 2, 'bob': 0}, True, 2)
    """
    judgment: AnyState | None = None
    pending: dict[str, AnyState] = {}
    independent: dict[str, float] = {}
    settled: tuple[AnyState, ...] = ()
    for state in _effective(states):
        if state.kind == "opinion":
            independent = _independent(judgment) | independent | _independent(state)
            pending.pop(state.author, None)
            pending[state.author] = state
        else:
            before = {one.author: one for one in (judgment, *pending.values()) if one is not None}
            if state.source != SETTLED or state.grade is None:
                settled = ()
            elif judgment is not None and judgment.source != SETTLED:
                settled = (*before.values(),)
            judgment, pending = state, {}
            if state.grade is None:  # withdrawn, together with all earlier opinions
                independent = {}
    if judgment is not None and judgment.grade is None:
        judgment, pending = None, {}
    known = independent or _independent(judgment)
    return PairHistory(judgment, tuple(pending.values()), known, settled)


def _independent(state: State | None) -> dict[str, float]:
    """Return the grade of a state if it is independent of other judges; None otherwise."""
    if state is None or state.source == SETTLED or state.grade is None or state.grade < 0:
        return {}
    return {state.author: state.grade}


def _effective(states: Iterable[AnyState]) -> Sequence[AnyState]:
    """Return the judgments and opinions that were not undone, oldest first."""
    kept: list[AnyState] = []
    for state in states:
        if state.kind == "rule":
            continue
        if state.restores is not None and any(one.revision == state.restores for one in kept):
            kept = [one for one in kept if _is_before(one, state.restores)]
        elif state.kind == "opinion" and state.grade is None:
            own = [i for i, one in enumerate(kept) if is_opinion_of(one, state.author)]
            if own:
                del kept[own[-1]]
        else:
            kept.append(state)
    return kept


def _is_before(state: State, revision: int) -> bool:
    return state.kind == "opinion" or state.revision <= revision


def is_opinion_of(state: State, author: str) -> bool:
    """Return whether a state is a second opinion of a judge."""
    return state.kind == "opinion" and state.author == author
