"""What an archive takes and gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from berryeval.core.judging import COUNTED, Judges, check_judges
from berryeval.core.scale import check_labels
from berryeval.core.scores import QueryCounts
from berryeval.engine import MissingQueries

__all__ = [
    "JUDGMENT_KINDS",
    "ROLES",
    "ArchiveFacts",
    "Check",
    "JudgingPolicy",
    "JudgmentBatch",
    "JudgmentEntry",
    "JudgmentKind",
    "Page",
    "Role",
    "RunFacts",
    "StoredBaseline",
    "StoredDocument",
    "StoredEvaluation",
    "StoredGate",
    "StoredJudgment",
    "StoredRun",
    "StoredStore",
    "StoredVerdict",
    "Token",
    "TrendPoint",
    "VerdictSummary",
]

Item = TypeVar("Item")

Role: TypeAlias = Literal["read", "judge", "admin"]
"""What somebody may do: look, judge as well, or everything."""

Check: TypeAlias = Callable[["Item | None"], None]
"""Looks at what is there before it is replaced or removed, and raises if it may not be."""

ROLES: tuple[Role, ...] = ("read", "judge", "admin")

JudgmentKind: TypeAlias = Literal["judgment", "opinion", "rule"]
"""A decision, a second opinion, or the grade that the rule made of both."""

JUDGMENT_KINDS: tuple[JudgmentKind, ...] = ("judgment", "opinion", "rule")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some of many things, and where the next ones begin."""

    items: tuple[Item, ...]
    next: str | None
    """What to give as `after` for the next page; None on the last."""


@dataclass(frozen=True, slots=True)
class JudgmentEntry:
    """A judgment on its way into the archive.

    Parameters
    ----------
    query_id, doc_id : str
        What was judged; each at most 1,024 bytes.
    grade : float
        The higher the better.
    document_hash : str, optional
        A hash of the document as it was judged. Without it, that of the document as the archive
        knows it, if it does.
    """

    query_id: str
    doc_id: str
    grade: float
    document_hash: str | None = None


class JudgmentBatch(NamedTuple):
    """Judgments of one author and source."""

    author: str
    source: str | None
    entries: Sequence[JudgmentEntry]
    as_opinion: bool = False
    """Whether these are second opinions."""


@dataclass(frozen=True, slots=True)
class StoredJudgment:
    """A judgment, or an earlier state of one."""

    query_id: str
    doc_id: str
    grade: float | None
    """None where the judgment was taken back."""
    author: str
    source: str | None
    """Where it comes from, such as ``"workbench"`` or a file."""
    judged_at: datetime
    document_hash: str | None
    """Of the document as it was judged; None if it was not known."""
    revision: int
    """Raised by every change of any judgment: no two states have the same."""
    is_stale: bool
    """Whether the document has changed since."""
    kind: JudgmentKind = "judgment"
    """What it is: a decision, a second opinion, or the grade that the rule made of both."""
    restores: int | None = None
    """The revision of the judgment that counts again, where another was undone."""


@dataclass(frozen=True, slots=True)
class JudgingPolicy:
    """How an archive is judged.

    Parameters
    ----------
    rule : {"first", "latest", "max", "mean", "majority"}
        Which grade counts where there are second opinions: that of the judgment (first), or one
        of the judgment and the opinions since.
    labels : sequence of str, optional
        What the grades mean, from 0 on: their number is the scale's. None where none is declared.
    """

    rule: Judges = "first"
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_judges(self.rule, "rule")
        if self.labels is not None:
            object.__setattr__(self, "labels", check_labels(self.labels))

    @property
    def sentence(self) -> str:
        """Which grade counts, in words."""
        return f"If judges disagree, {COUNTED[self.rule]} counts."

    @property
    def highest(self) -> int | None:
        """The highest grade of the scale; None where none is declared."""
        return None if self.labels is None else len(self.labels) - 1


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the archive knows it."""

    doc_id: str
    hash: str
    title: str | None
    """None if only its hash was given; so is the text."""
    text: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known about a run besides its rankings.

    Parameters
    ----------
    name : str
        Of the system: runs of the same name are one series.
    settings : mapping
        Of the system: whatever JSON holds.
    corpus_hash : str, optional
        Which documents were searched.
    tags : sequence of str
        Any labels.
    commit : str, optional
        Of git.
    durations : mapping of str to float, optional
        How many milliseconds each query took. They do not make another run.
    asked_at : str, optional
        When a store was evaluated, as ISO 8601. The same rankings at another time are then another
        run, and the run is scored over the queries that it has, which are those that were asked.
    failed : sequence of str
        Ids of the queries that were asked and not answered.
    cautions : sequence of str, optional
        What the ranks of its file say against its scores, see `Run.find_cautions`: ranks are not
        stored. `put` finds them.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    corpus_hash: str | None = None
    tags: Sequence[str] = ()
    commit: str | None = None
    durations: Mapping[str, float] | None = None
    asked_at: str | None = None
    failed: Sequence[str] = ()
    cautions: Sequence[str] | None = None

    @property
    def missing(self) -> MissingQueries:
        """How to score judged queries that the run does not have, unless the caller says so."""
        return "zero" if self.asked_at is None else "skip"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run, without its rankings; in lists also without durations."""

    run_id: str
    """A hash of its rankings and of what is known about it, but for durations."""
    content_hash: str
    """A hash of its rankings alone."""
    facts: RunFacts
    stored_at: datetime
    n_queries: int
    n_rows: int


@dataclass(frozen=True, slots=True)
class StoredEvaluation:
    """The means of a run at some judgments."""

    evaluation_id: str
    run_id: str
    judgments_hash: str
    means: Mapping[str, float]
    """By measure, in the order in which they were asked for."""
    holes: Mapping[str, int]
    """For each measure, the unjudged documents that it looked at."""
    n_queries: int
    counts: QueryCounts
    missing: str
    """What judged queries that the run does not have were worth, as `evaluate` takes it."""
    no_relevant: str
    created_at: datetime
    cautions: tuple[str, ...] = ()
    """What is suspicious about the scores of the run."""
    effective_queries: float | None = None
    """How many queries of equal weight are worth as much (Kish); None without weights."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run in a series, scored at the judgments of the whole series."""

    run: StoredRun
    mean: float | None
    """None where it cannot be scored."""
    evaluation_id: str | None
    reason: str | None = None
    """Why there is no mean."""
    n_queries: int = 0
    """Over how many queries the mean is."""


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """A name for the run that candidates are held against."""

    name: str
    run_id: str
    updated_at: datetime
    released_at: datetime | None = None
    """When it was marked as a release; None if it is none."""


@dataclass(frozen=True, slots=True)
class StoredGate:
    """The settings of a gate, as JSON holds them."""

    name: str
    settings: Mapping[str, Any]
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """What a gate said of a run."""

    verdict_id: int
    gate: str
    run_id: str
    baseline_id: str | None
    """The run that it was held against."""
    judgments_hash: str
    verdict: str
    """``"pass"``, ``"fail"`` or ``"inconclusive"``."""
    report: Mapping[str, Any]
    """Everything else, as JSON holds it."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """A verdict without its report, which may be long."""

    verdict_id: int
    gate: str
    run_id: str
    baseline_id: str | None
    judgments_hash: str
    verdict: str
    sentence: str
    """The verdict in one sentence; empty if its report has none."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredStore:
    """A search index of the service."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    n_documents: int
    summary: Mapping[str, Any] | None
    """Of its latest evaluation; None if there is none."""
    evaluated_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """Who may do what. The token itself is shown once, and kept only as a hash."""

    name: str
    role: Role
    created_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """How an archive is."""

    version: str
    """Of its schema."""
    backend: str
    """``"sqlite"`` or ``"postgresql"``."""
    size_bytes: int
    counts: Mapping[str, int]
    """How many judgments, queries, runs and so on it has; empty unless asked for."""
    problem: str | None = None
    """What a check of the whole database found; None if it is sound or was not asked for."""
