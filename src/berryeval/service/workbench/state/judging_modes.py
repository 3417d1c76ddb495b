"""What to judge: holes, holes of a comparison, and judgments of others."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from berryeval.archive import Archive
from berryeval.archive.judgments.opinions import SETTLED, counted_state, history_of
from berryeval.archive.judgments.table import WantedJudgments
from berryeval.archive.records import StoredJudgment
from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import NotFoundError
from berryeval.evaluation.hole_queue import HoleQueue, QueuedHole, queue_holes
from berryeval.judges.protocol import hash_of
from berryeval.measures import Measure
from berryeval.service.paths import address
from berryeval.service.stored_runs import find_run
from berryeval.service.workbench.state.scoring import Scoring

__all__ = [
    "DEPTH",
    "MODES",
    "SOURCE",
    "JudgingTask",
    "Listed",
    "Mode",
    "Pair",
    "PairToJudge",
    "effect_words",
    "list_pairs",
    "needs_judgment",
    "stamp_of",
]

Mode: TypeAlias = Literal["holes", "compare", "draw", "second", "stale", "conflicts", "project"]
Pair: TypeAlias = tuple[str, str]

SOURCE = "workbench"
"""Source of judgments from the queue."""

DEPTH = 10
"""Number of ranks of each run to pool."""

_MAX_RUNS = 12
_MAX_RECENT = 200
_MAX_PAIRS = 2000
_LEAST = 0.0005
"""The smallest effect that is not 0 when rounded to three decimals."""

MODES: Mapping[Mode, str] = {
    "holes": "Unjudged",
    "compare": "Decisive for a comparison",
    "draw": "Drawn queries",
    "second": "Second opinions",
    "stale": "Stale",
    "conflicts": "Conflicts",
    "project": "Project",
}


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """A queue to judge.

    Parameters
    ----------
    mode : Mode
        The kind of queue.
    a, b : str, optional
        The baseline and the candidate of a comparison: runs, or names of baselines. `a` is also
        the name of a label draw.
    project : str, optional
        The name of a project.
    """

    mode: Mode = "holes"
    a: str | None = None
    b: str | None = None
    project: str | None = None

    @property
    def query(self) -> str:
        """Its parameters in an address."""
        if self.project is not None:
            return address("", project=self.project).removeprefix("?")
        return address("", mode=self.mode, a=self.a, b=self.b).removeprefix("?")

    @property
    def source(self) -> str:
        """The source of its judgments."""
        return SETTLED if self.mode == "conflicts" else SOURCE


@dataclass(frozen=True, slots=True)
class PairToJudge:
    """A pair to judge, and the reason."""

    query_id: str
    doc_id: str
    why: str = ""
    opinions: tuple[tuple[str, float], ...] = ()
    """Judges and their grades, if the judge may see them."""

    @property
    def pair(self) -> Pair:
        """Query and document."""
        return self.query_id, self.doc_id


@dataclass(frozen=True, slots=True)
class Listed:
    """The pairs to judge, most useful first."""

    asked: Sequence[PairToJudge]
    n_more: int = 0
    """Number of pairs that are not listed."""


def stamp_of(archive: Archive, wanted: JudgingTask) -> object:
    """Return a stamp that changes when a list must be rebuilt, apart from new judgments."""
    if wanted.mode not in ("holes", "draw"):
        return None
    newest = archive.runs.page(limit=1, newest_first=True).items
    baselines = archive.baselines.page(limit=_MAX_RUNS).items
    return [run.run_id for run in newest], [(one.name, one.run_id) for one in baselines]


def list_pairs(archive: Archive, scoring: Scoring, wanted: JudgingTask, caller: str) -> Listed:
    """Return the pairs to judge; takes seconds if there are many.

    Raises
    ------
    NotFoundError
        If a run of the comparison, or the draw, does not exist.
    """
    return _LISTS[wanted.mode](archive, scoring, wanted, caller)


def _holes(archive: Archive, scoring: Scoring, _wanted: JudgingTask, _caller: str) -> Listed:
    run_ids = _pool(archive)
    if not run_ids:
        return Listed(())
    runs = {run_id: scoring.read_run(run_id) for run_id in run_ids}
    measure = scoring.measures[0]
    judgments, queries = archive.judgments.current(), scoring.queries()
    queue = queue_holes(judgments, runs, measure, k=DEPTH, queries=queries)
    return _of_queue(queue, measure, "")


def _compare(archive: Archive, scoring: Scoring, wanted: JudgingTask, _caller: str) -> Listed:
    a, b = (find_run(archive, reference or "main").run_id for reference in (wanted.a, wanted.b))
    if a == b:
        return Listed(())
    runs = {run_id: scoring.run(run_id) for run_id in (a, b)}
    measure = scoring.measures[0]
    judgments, queries = archive.judgments.current(), scoring.queries()
    depth = measure.k or DEPTH
    queue = queue_holes(judgments, runs, measure, baseline=a, k=depth, queries=queries)
    return _of_queue(queue, measure, "the difference in ")


def _draw(archive: Archive, scoring: Scoring, wanted: JudgingTask, _caller: str) -> Listed:
    """Return the documents of runs for drawn queries, in an order that hides ranks."""
    stored = archive.label_draws.get(wanted.a) if wanted.a else None
    if stored is None:
        raise NotFoundError("label draw", wanted.a or "")
    runs = [scoring.read_run(run_id) for run_id in _pool(archive)]
    judgments = archive.judgments.current()
    asked = []
    for query_id in sorted(stored.draw.labelled):
        key = encode_id(query_id)
        known = judgments.grades_of(key)
        found = {doc_id for run in runs for doc_id in run.ranked_ids(key, DEPTH)}
        unjudged = [decode_id(one) for one in found if known.get(one, -1) < 0]
        asked += [
            PairToJudge(query_id, doc_id, "Its query was drawn; all its documents are judged.")
            for doc_id in sorted(unjudged, key=lambda one: hash_of([query_id, one]))
        ]
    return Listed(asked[:_MAX_PAIRS], max(0, len(asked) - _MAX_PAIRS))


def _of_queue(queue: HoleQueue, measure: Measure, what: str) -> Listed:
    asked = [
        PairToJudge(hole.query_id, hole.doc_id, _why(hole, queue.n_runs, measure, what))
        for hole in queue.holes
    ]
    return Listed(asked, queue.n_holes - len(asked))


def _why(hole: QueuedHole, n_runs: int, measure: Measure, what: str) -> str:
    systems = "the only system" if n_runs == 1 else f"{hole.n_runs} of {n_runs} systems"
    found = f"In the top {measure.k or DEPTH} of {systems}"
    if hole.effect is None:
        return f"{found}."
    return f"{found}; judging it could move {what}{measure} {effect_words(hole.effect)}."


def effect_words(effect: float) -> str:
    """Return how far judging a document could move a measure.

    Examples
    --------
    >>> effect_words(0.0123), effect_words(0.0)
    ('by up to 0.012', 'by less than 0.001')
    """
    return f"by up to {effect:.3f}" if effect >= _LEAST else f"by less than {2 * _LEAST:g}"


def _pool(archive: Archive) -> list[str]:
    """Return the baselines and the newest run of every series."""
    found = dict.fromkeys(one.run_id for one in archive.baselines.page(limit=_MAX_RUNS).items)
    seen = set()
    for run in archive.runs.page(limit=_MAX_RECENT, newest_first=True).items:
        if run.facts.name not in seen:
            seen.add(run.facts.name)
            found[run.run_id] = None
    return [*found][:_MAX_RUNS]


def _second(archive: Archive, _scoring: Scoring, _wanted: JudgingTask, caller: str) -> Listed:
    table = archive.judgment_index.table()
    rows = table.without_opinion_of(caller)
    chance = np.random.default_rng()
    chosen = chance.choice(rows, min(len(rows), _MAX_PAIRS), replace=False)
    asked = [PairToJudge(*table.pair(row)) for row in chosen.tolist()]
    return Listed(asked, len(rows) - len(asked))


def _stale(archive: Archive, _scoring: Scoring, _wanted: JudgingTask, _caller: str) -> Listed:
    return _found(archive, WantedJudgments(is_stale=True))


def _conflicts(archive: Archive, _scoring: Scoring, _wanted: JudgingTask, _caller: str) -> Listed:
    # Those of projects are settled by their rules, on a page of the project.
    return _found(archive, WantedJudgments(is_conflict=True), archive.projects.unfinished_pairs())


def _found(
    archive: Archive, wanted: WantedJudgments, others: Container[Pair] = frozenset()
) -> Listed:
    table = archive.judgment_index.table()
    pairs = [pair for row in table.find(wanted).tolist() if (pair := table.pair(row)) not in others]
    asked = [PairToJudge(*pair) for pair in pairs[:_MAX_PAIRS]]
    return Listed(asked, len(pairs) - len(asked))


# Those of projects are stored with the project; see `project_queues`.
_LISTS: Mapping[Mode, Callable[[Archive, Scoring, JudgingTask, str], Listed]] = {
    "holes": _holes,
    "compare": _compare,
    "draw": _draw,
    "second": _second,
    "stale": _stale,
    "conflicts": _conflicts,
}


def needs_judgment(mode: Mode, states: Sequence[StoredJudgment], caller: str) -> bool:
    """Whether a pair with this history still needs a judgment by this judge."""
    current = counted_state(states)
    if mode in ("holes", "compare", "draw"):
        return current is None or current.grade is None or current.grade < 0
    if current is None:
        return False
    if mode == "stale":
        return current.is_stale
    found = history_of(states)
    if mode == "second":
        return caller not in found.independent and current.author != caller
    return found.is_conflict
