"""Tasks of worker processes, which report their progress."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berryeval.archive.checks import LONGEST_ID
from berryeval.archive.runs import PackedRun, pack_run
from berryeval.core.judgments import Judgments
from berryeval.core.notes import caution_notes
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.holes import find_holes, highest_grade
from berryeval.evaluation.mean_bounds import mean_bounds
from berryeval.evaluation.weighting import effective_queries
from berryeval.formats import read_judgments, read_run
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.limits import UPLOADED_LINE, limited
from berryeval.formats.losses import count_losses, find_losses, sentences_of
from berryeval.formats.reading import find_judgment_line
from berryeval.measures import Measure, depth_of
from berryeval.reports.comparison import comparison_as_dict
from berryeval.reports.holes import HoleList, holes_to_json

if TYPE_CHECKING:
    from berryeval.service.jobs import Progress

__all__ = [
    "HOLES_STEPS",
    "compare_runs",
    "list_holes",
    "read_judgments_file",
    "read_packed_run",
]

HOLES_STEPS = 2
"""Steps of `list_holes`, after the runs are loaded."""

_ARCHIVE = Capabilities(
    ("judgments",), ("judgments",), judges=True, sources=True, times=True, notes=True, scale=True,
    empty_queries=True, subtopic_weights=True, strata=True,
)  # fmt: skip
"""What an archive can store."""


def read_packed_run(
    path: Path, *, format: str | None, rows: int, content: int, progress: Progress
) -> tuple[PackedRun, list[str]]:
    """Return a run from a file as an archive stores it, and the cautions about it."""
    progress(0, 2, "reading")
    with limited(rows=rows, content=content, line=UPLOADED_LINE, id=LONGEST_ID):
        run = read_run(path, format=format)
    progress(1, 2, "compressing")
    return pack_run(run), [*map(str, caution_notes(run.find_cautions()))]


def read_judgments_file(
    path: Path, *, format: str | None, rows: int, content: int, progress: Progress
) -> tuple[Judgments, list[str]]:
    """Return judgments from a file, and what was left out, in sentences."""
    progress(0, 1, "reading")
    limits = limited(rows=rows, content=content, line=UPLOADED_LINE, id=LONGEST_ID)
    with limits, count_losses() as losses:
        found = read_judgments(path, format=format)
    if not found.n_rows:
        raise FormatError.unexpected("judgments", "none", str(path))
    return found, sentences_of(losses) + find_losses(found, _ARCHIVE)


def find_line(
    path: Path,
    *,
    format: str | None,
    query_ids: Collection[str],
    doc_id: str,
    grade: float,
    progress: Progress,
) -> int | None:
    """Return the line of a grade in a file that was read before; None if it has no lines."""
    progress(0, 1, "reading")
    return find_judgment_line(path, query_ids, doc_id, grade, format=format)


def compare_runs(
    judgments: Judgments,
    runs: Mapping[str, Run],
    *,
    queries: Iterable[Query],
    per_query: bool,
    progress: Progress,
    **options: Any,  # noqa: ANN401 - those of `compare`
) -> dict[str, Any]:
    """Return the report of a comparison."""
    progress(len(runs), len(runs) + 1, "comparing")
    comparison = compare(judgments, runs, queries=queries, **options)
    return comparison_as_dict(comparison, per_query=per_query)


def list_holes(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    *,
    queries: Mapping[str, Query],
    baseline: str | None,
    max_grade: float | None,
    k: int | None,
    limit: int,
    progress: Progress,
) -> dict[str, Any]:
    """Return the report of the unjudged documents of runs, with the bounds of their means."""
    n_steps = len(runs) + HOLES_STEPS
    scale = highest_grade(judgments) if max_grade is None else max_grade
    options: dict[str, Any] = {"baseline": baseline, "max_grade": scale, "queries": queries}
    progress(len(runs), n_steps, "finding holes")
    holes = find_holes(judgments, runs, measures, k=k, **options)
    progress(len(runs) + 1, n_steps, "computing bounds")
    found = HoleList(
        holes=holes,
        n_shown=limit,
        runs=[*runs],
        measures=measures,
        max_grade=scale,
        n_queries=judgments.n_queries,
        depth=depth_of(measures) if k is None else k,
        means=mean_bounds(judgments, runs, measures, **options),
        baseline=baseline,
        texts={query_id: query.text for query_id, query in queries.items()},
        effective_queries=effective_queries(queries, judgments.query_ids),
    )
    report: dict[str, Any] = json.loads(holes_to_json(found))
    return report
