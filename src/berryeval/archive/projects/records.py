"""Records of judging projects: the plan, its pairs, answers and progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

from berryeval.archive.checks import check_count, check_id
from berryeval.errors import ArgumentError
from berryeval.judges.protocol import guideline_text

__all__ = [
    "MAX_PAIRS",
    "PROJECT_STATES",
    "SELECTIONS",
    "AskedPair",
    "JudgeProgress",
    "PairSelection",
    "ProjectAnswer",
    "ProjectBoard",
    "ProjectPair",
    "ProjectPlan",
    "ProjectState",
    "SelectionKind",
    "StoredProject",
    "plan_of",
]

SelectionKind: TypeAlias = Literal["holes", "deciding", "depth", "sample"]
SELECTIONS: tuple[SelectionKind, ...] = get_args(SelectionKind)

ProjectState: TypeAlias = Literal["running", "paused", "finished"]
PROJECT_STATES: tuple[ProjectState, ...] = get_args(ProjectState)

MAX_PAIRS = 10_000
_MAX_RUNS = 50
_MAX_OPINIONS = 20
_DEEPEST = 1000
_IDLE = timedelta(seconds=90)
"""Longer pauses between answers do not count as judging time."""
_ENOUGH = 3
"""Answers from which a pace is computed."""


@dataclass(frozen=True, slots=True)
class PairSelection:
    """Which pairs of query and document a project has."""

    kind: SelectionKind = "holes"
    """Unjudged documents of runs (holes), those that could change the difference to a baseline
    (deciding), all documents of runs (depth), or a random sample of these (sample)."""
    runs: tuple[str, ...] = ()
    """Ids of runs. A sample without runs is drawn from the judged pairs."""
    baseline: str | None = None
    """The id of the baseline, for deciding documents."""
    depth: int = 10
    """Ranks of each run to consider."""
    measure: str = "nDCG@10"
    """The measure whose possible change orders the queries."""
    limit: int | None = None
    """The largest number of pairs; the size of a sample."""
    seed: int = 0
    """Random seed for the sample."""

    def __post_init__(self) -> None:
        if self.kind not in SELECTIONS:
            raise ArgumentError("kind", " or ".join(map(repr, SELECTIONS)), repr(self.kind)[:40])
        if len(self.runs) > _MAX_RUNS:
            raise ArgumentError("runs", f"at most {_MAX_RUNS}", f"{len(self.runs)}")
        if not self.runs and self.kind != "sample":
            raise ArgumentError("runs", "at least one run", "none")
        if (self.baseline is None) == (self.kind == "deciding"):
            expected = "a run" if self.kind == "deciding" else f"none for {self.kind!r}"
            raise ArgumentError("baseline", expected, repr(self.baseline))
        if self.baseline is not None and {*self.runs} <= {self.baseline}:
            raise ArgumentError("runs", "a run besides the baseline", "the baseline")
        _check_range(self.depth, "depth", _DEEPEST)
        check_count(self.seed, "seed")
        if self.limit is not None:
            _check_range(self.limit, "limit", MAX_PAIRS)
        elif self.kind == "sample":
            raise ArgumentError("limit", "the size of the sample", "none")


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """How the pairs of a project are judged."""

    pairs: PairSelection
    n_opinions: int = 1
    """Number of judges for each pair."""
    judges: tuple[str, ...] | None = None
    """Names of the judges; None for anyone who may judge."""
    shows_grades: bool = False
    """Whether judges see the grades of others; their opinions are then not independent."""
    shows_systems: bool = False
    """Whether judges see the names of runs and the ranks of the document."""
    guideline: str | None = None
    """Guideline of the project; None if that of the archive applies."""

    def __post_init__(self) -> None:
        _check_range(self.n_opinions, "n_opinions", _MAX_OPINIONS)
        if self.judges is not None:
            if not self.judges or len({*self.judges}) != len(self.judges):
                raise ArgumentError("judges", "names, each once", repr(self.judges)[:80])
            for name in self.judges:
                check_id(name, "judges")
            if self.n_opinions > len(self.judges):
                expected = f"at most {len(self.judges)}, the number of judges"
                raise ArgumentError("n_opinions", expected, str(self.n_opinions))
        if self.guideline is not None:
            object.__setattr__(self, "guideline", guideline_text(self.guideline))
            if not self.guideline:
                raise ArgumentError("guideline", "a text, or none", "an empty one")

    def includes(self, judge: str) -> bool:
        """Whether a judge takes part."""
        return self.judges is None or judge in self.judges


@dataclass(frozen=True, slots=True)
class StoredProject:
    """A project."""

    name: str
    plan: ProjectPlan
    state: ProjectState
    created_by: str
    created_at: datetime
    updated_at: datetime
    """Time of the last change of its state."""
    n_pairs: int

    @property
    def source(self) -> str:
        """The source of its grades."""
        return f"project {self.name}"


@dataclass(frozen=True, slots=True)
class ProjectPair:
    """A pair of a project."""

    query_id: str
    doc_id: str
    effect: float | None = None
    """How much judging it could change the measure, or its difference; None if unknown."""
    ranks: Mapping[str, int] = field(default_factory=dict)
    """Its rank in each run, by the name of the run."""

    @property
    def pair(self) -> tuple[str, str]:
        """Query and document."""
        return self.query_id, self.doc_id


@dataclass(frozen=True, slots=True)
class ProjectAnswer:
    """What a judge answered."""

    judge: str
    grade: float | None
    """None if the judge cannot judge it."""
    note: str | None
    given_at: datetime


@dataclass(frozen=True, slots=True)
class AskedPair:
    """A pair of a project, with the answers so far."""

    asked: ProjectPair
    answers: Mapping[str, ProjectAnswer]
    """Answers by judge, oldest first."""
    is_conflict: bool
    """Whether judges disagree, unsettled."""
    settled_by: str | None = None
    """The judge who settled a conflict."""
    grade: float | None = None
    """The grade that counts; None if there is none."""
    revision: int = 0
    """The revision of the judgment that counts; 0 if there is none."""

    @property
    def grades(self) -> dict[str, float]:
        """The grades by judge."""
        return {one.judge: one.grade for one in self.answers.values() if one.grade is not None}


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The progress of a judge."""

    judge: str
    n_graded: int
    n_refused: int
    """Pairs that the judge cannot judge."""
    n_left: int
    """Pairs that are still open for this judge."""
    per_minute: float | None
    """Answers per minute of judging; None if there are too few."""
    last_at: datetime | None
    """Time of the judge's last answer."""

    @property
    def minutes_left(self) -> float | None:
        """How long the open pairs take at this pace; None if it is unknown."""
        return None if self.per_minute is None else self.n_left / self.per_minute


@dataclass(frozen=True)
class ProjectBoard:
    """A project with all its pairs and answers."""

    project: StoredProject
    pairs: Sequence[AskedPair]

    @cached_property
    def places(self) -> Mapping[tuple[str, str], int]:
        """The position of each pair."""
        return {one.asked.pair: position for position, one in enumerate(self.pairs)}

    def find(self, pair: tuple[str, str]) -> AskedPair | None:
        """Return a pair of the project; None if it has no such pair."""
        position = self.places.get(pair)
        return None if position is None else self.pairs[position]

    def replaced(
        self, project: StoredProject, changed: Mapping[tuple[str, str], AskedPair]
    ) -> ProjectBoard:
        """Return a later board of the same pairs, some of which have other answers."""
        pairs = [*self.pairs]
        for pair, one in changed.items():
            pairs[self.places[pair]] = one
        later = ProjectBoard(project, pairs)
        vars(later)["places"] = self.places  # a `cached_property`; pairs never move
        return later

    @property
    def n_wanted(self) -> int:
        """Number of answers that the project needs."""
        return len(self.pairs) * self.project.plan.n_opinions

    @property
    def n_given(self) -> int:
        """How many of these were given."""
        most = self.project.plan.n_opinions
        return sum(min(len(one.answers), most) for one in self.pairs)

    @property
    def n_done(self) -> int:
        """Pairs with all their answers."""
        return sum(self.is_done(one) for one in self.pairs)

    @property
    def conflicts(self) -> list[AskedPair]:
        """Pairs on which judges disagree."""
        return [one for one in self.pairs if one.is_conflict]

    @property
    def refused(self) -> list[AskedPair]:
        """Pairs that a judge cannot judge."""
        return [one for one in self.pairs if len(one.grades) < len(one.answers)]

    def is_done(self, one: AskedPair) -> bool:
        """Whether a pair has all its answers."""
        return len(one.answers) >= self.project.plan.n_opinions

    def is_open_for(self, judge: str, one: AskedPair) -> bool:
        """Whether a judge can still answer a pair."""
        is_asked = self.project.plan.includes(judge) and judge not in one.answers
        return is_asked and not self.is_done(one)

    def open_for(self, judge: str) -> list[AskedPair]:
        """Return the pairs that a judge can still answer, in the order of the queue."""
        if not self.project.plan.includes(judge):
            return []
        most = self.project.plan.n_opinions
        return [one for one in self.pairs if len(one.answers) < most and judge not in one.answers]

    def judges(self) -> list[JudgeProgress]:
        """Return the progress of each judge: those of the plan, then others who answered."""
        names = dict.fromkeys(self.project.plan.judges or ())
        names |= dict.fromkeys(sorted({name for one in self.pairs for name in one.answers}))
        return [self.progress_of(name) for name in names]

    def progress_of(self, judge: str) -> JudgeProgress:
        """Return the progress of a judge."""
        own = [one.answers[judge] for one in self.pairs if judge in one.answers]
        n_graded = sum(one.grade is not None for one in own)
        times = sorted(one.given_at for one in own)
        since = [at for at in times if at >= self.project.created_at]
        gaps = [min(after - before, _IDLE) for before, after in pairwise(since)]
        minutes = sum(gaps, timedelta()) / timedelta(minutes=1)
        pace = len(gaps) / minutes if len(since) >= _ENOUGH and minutes > 0 else None
        left = len(self.open_for(judge))
        last = times[-1] if times else None
        return JudgeProgress(judge, n_graded, len(own) - n_graded, left, pace, last)


def plan_of(settings: Mapping[str, Any]) -> ProjectPlan:
    """Return a plan from JSON.

    Raises
    ------
    ArgumentError, TypeError, LookupError
        If it is invalid.
    """
    fields = dict(settings)
    pairs = dict(fields.pop("pairs"))
    judges = fields.pop("judges", None)
    return ProjectPlan(
        PairSelection(**{**pairs, "runs": tuple(pairs.get("runs", ()))}),
        judges=None if judges is None else tuple(judges),
        **fields,
    )


def _check_range(value: object, argument: str, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ArgumentError(argument, f"a number from 1 to {most:,}", repr(value)[:40])
