"""The records of an archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from berryeval.core.grade import check_labels
from berryeval.core.judging import COUNTED, Judges, check_judges
from berryeval.core.scores import QueryCounts
from berryeval.engine import MissingQueries
from berryeval.judges.protocol import guideline_text

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
    "RegisteredSystem",
    "Role",
    "RunFacts",
    "StoredBaseline",
    "StoredDocument",
    "StoredEvaluation",
    "StoredGate",
    "StoredImport",
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
"""Roles: read only, also judge, or everything."""

Check: TypeAlias = Callable[["Item | None"], None]
"""Called with the current state before it is replaced or removed; may raise to prevent that."""

ROLES: tuple[Role, ...] = ("read", "judge", "admin")


JudgmentKind: TypeAlias = Literal["judgment", "opinion", "rule"]
"""A judgment, a second opinion, or the grade that the rule computed."""

JUDGMENT_KINDS: tuple[JudgmentKind, ...] = ("judgment", "opinion", "rule")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of items, and the start of the next one."""

    items: tuple[Item, ...]
    next: str | None
    """The value of `after` for the next page; None on the last."""


@dataclass(frozen=True, slots=True)
class JudgmentEntry:
    """A judgment to store."""

    query_id: str
    doc_id: str
    """Ids have at most 1,024 bytes."""
    grade: float
    """Higher is better."""
    document_hash: str | None = None
    """Hash of the judged document. Default: the hash of the document in the archive, if any."""
    subtopics: Mapping[str, float] | None = None
    """Grades by subtopic, of which `grade` is at least the highest; empty for none. If omitted,
    those of the current judgment are kept."""
    subtopic_weights: Mapping[str, float] | None = None
    """Weights of these subtopics. If omitted, those of the current judgment are kept."""
    stratum: str | None = None
    """The stratum of the pool that the document was drawn from; empty for none. If omitted, that
    of the current judgment is kept. A second opinion has none: it is a fact about the pool."""
    note: str | None = None
    """The judge's note, at most 10,000 characters."""
    given_at: datetime | None = None
    """When the judge gave it, if that was before it is stored, as in a file."""


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
    """None if the judgment was withdrawn."""
    author: str
    source: str | None
    """Its source, such as ``"workbench"`` or a file."""
    judged_at: datetime
    document_hash: str | None
    """Hash of the judged document; None if unknown."""
    revision: int
    """Incremented by every change of any judgment; unique per state."""
    is_stale: bool
    """Whether the document has changed since then."""
    kind: JudgmentKind = "judgment"
    """Its kind: a judgment, a second opinion, or the grade that the rule computed."""
    restores: int | None = None
    """The revision of the judgment that an undo restored."""
    subtopics: Mapping[str, float] | None = None
    """Grades by subtopic, as they were given; those above `grade` count as `grade`. None if the
    document was not judged by subtopic."""
    subtopic_weights: Mapping[str, float] | None = None
    """Weights of the subtopics; None if none were given."""
    stratum: str | None = None
    """The stratum of the pool that the document was drawn from; None if none was given."""
    note: str | None = None
    """The judge's note."""
    given_at: datetime | None = None
    """Time of the judgment in the imported file; None if it is `judged_at`."""


@dataclass(frozen=True, slots=True)
class StoredImport:
    """A file of judgments that was imported."""

    import_id: int
    file_name: str
    author: str
    """Who imported it; the judges are those of the file."""
    created_at: datetime
    first_revision: int
    last_revision: int
    """The revisions of the judgments that it wrote; the last one is lower if there are none."""
    n_changed: int
    """Number of new or changed judgments."""
    undone_at: datetime | None = None
    undone_by: str | None = None
    n_kept: int | None = None
    """When it was undone, the number of pairs that were kept: judges had graded them since."""


@dataclass(frozen=True, slots=True)
class JudgingPolicy:
    """The judging policy of an archive."""

    rule: Judges = "first"
    """Which grade counts if there are second opinions: that of the judgment (first), or one
    computed from the judgment and the opinions since."""
    labels: tuple[str, ...] | None = None
    """Labels of the grades, from 0 up, which define the scale. None if none is declared."""
    guideline: str = ""
    """What judges should consider, people and models alike, as Markdown; empty if there is none."""

    def __post_init__(self) -> None:
        check_judges(self.rule, "rule")
        object.__setattr__(self, "guideline", guideline_text(self.guideline))
        if self.labels is not None:
            object.__setattr__(self, "labels", check_labels(self.labels))

    @property
    def sentence(self) -> str:
        """Which grade counts, in words."""
        return f"If judges disagree, {COUNTED[self.rule]} counts."

    @property
    def highest(self) -> int | None:
        """The highest grade of the scale; None if none is declared."""
        return None if self.labels is None else len(self.labels) - 1


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document."""

    doc_id: str
    hash: str
    title: str | None
    """None if only its hash is stored; so is the text."""
    text: str | None
    updated_at: datetime
    length: int | None = None
    """Its length, in the unit of all documents, such as tokens; None if none was given."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts about a run other than its rankings."""

    name: str
    """Name of the system; runs of the same name form a series."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the system, as JSON."""
    corpus_hash: str | None = None
    """Identifier of the searched documents."""
    tags: Sequence[str] = ()
    """Any labels."""
    commit: str | None = None
    """Git commit."""
    durations: Mapping[str, float] | None = None
    """Milliseconds per query. They are not part of the identity of the run."""
    asked_at: str | None = None
    """When a store was evaluated, as ISO 8601. The same rankings at another time are then another
    run, and the run is scored over the queries that it has, which are those that were sent."""
    failed: Sequence[str] = ()
    """Ids of the queries that were sent but not answered."""
    cautions: Sequence[str] | None = None
    """Contradictions between ranks and scores in its file, see `Run.find_cautions`: ranks are not
    stored. `put` finds them."""

    @property
    def missing(self) -> MissingQueries:
        """The default for scoring judged queries that are missing from the run."""
        return "zero" if self.asked_at is None else "skip"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run, without its rankings; in lists, it also lacks durations."""

    run_id: str
    """Hash of its rankings and facts, without durations."""
    content_hash: str
    """Hash of its rankings only."""
    facts: RunFacts
    stored_at: datetime
    n_queries: int
    n_rows: int


@dataclass(frozen=True, slots=True)
class StoredEvaluation:
    """The means of a run with some judgments."""

    evaluation_id: str
    run_id: str
    judgments_hash: str
    means: Mapping[str, float]
    """Means by measure, in the requested order."""
    holes: Mapping[str, int]
    """The number of unjudged documents that each measure considered."""
    n_queries: int
    counts: QueryCounts
    missing: str
    """How judged queries that are missing from the run were scored."""
    no_relevant: str
    created_at: datetime
    cautions: tuple[str, ...] = ()
    """Cautions about the scores of the run."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run in a series, scored with the judgments of the whole series."""

    run: StoredRun
    mean: float | None
    """None if it cannot be scored."""
    evaluation_id: str | None
    reason: str | None = None
    """Why there is no mean."""
    n_queries: int = 0
    """The number of queries in the mean."""


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """A named run that candidates are compared with."""

    name: str
    run_id: str
    updated_at: datetime
    released_at: datetime | None = None
    """When it was marked as a release; None if it was not."""


@dataclass(frozen=True, slots=True)
class StoredGate:
    """The settings of a gate, as JSON."""

    name: str
    settings: Mapping[str, Any]
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """The verdict of a gate on a run."""

    verdict_id: int
    gate: str
    run_id: str
    baseline_id: str | None
    """The run that it was compared with."""
    judgments_hash: str
    verdict: str
    """``"pass"``, ``"fail"`` or ``"inconclusive"``."""
    report: Mapping[str, Any]
    """The report, as JSON."""
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
    """Summary of its latest evaluation; None if there is none."""
    evaluated_at: datetime | None
    created_at: datetime
    """Later than that of any store of this name before."""
    version: int
    """Incremented by every change of its documents."""


@dataclass(frozen=True, slots=True)
class RegisteredSystem:
    """A search system that an administrator has registered."""

    name: str
    place: str
    """Its name for `berryeval.search.open_system`, such as an address, without credentials."""
    settings: Mapping[str, str]
    """Its settings as text."""
    secrets: Mapping[str, str] = field(repr=False)
    """Headers, as ``header NAME``, and the settings ``user``, ``password`` and ``api_key``."""
    author: str
    """The caller that registered it."""
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """A token and its role. The token itself is shown once, and stored only as a hash."""

    name: str
    role: Role
    created_at: datetime
    revoked_at: datetime | None = None
    collections: tuple[str, ...] | None = None
    """The collections that it may use; None for all, including those created later."""
    used_at: datetime | None = None
    """Last use, to the hour; None if none has been recorded."""

    def may_use(self, collection: str) -> bool:
        """Whether it may use a collection."""
        return self.collections is None or collection in self.collections


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A golden set with its runs and gates, in a database of its own."""

    name: str
    """Its name in addresses, which never changes."""
    title: str
    place: str | None
    """Identifies its database; None for the archive's own collection."""
    created_at: datetime | None
    """None for the archive's own collection, unless it was given a title."""


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """Facts about an archive."""

    version: str
    """Version of its schema."""
    database: str
    """``"sqlite"`` or ``"postgresql"``."""
    size_bytes: int
    counts: Mapping[str, int]
    """The numbers of judgments, queries, runs and so on; empty unless requested."""
    problem: str | None = None
    """Damage found by an integrity check; None if it is intact or was not checked."""
