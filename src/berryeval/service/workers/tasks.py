"""Tasks of worker processes, which report their progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berryeval.archive.runs import PackedRun, pack_run
from berryeval.core.judgments import Judgments
from berryeval.core.notes import caution_notes
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.comparing import compare
from berryeval.formats import read_run
from berryeval.formats.limits import limited
from berryeval.reports.comparison import comparison_as_dict

if TYPE_CHECKING:
    from berryeval.service.jobs import Progress

__all__ = ["compare_runs", "read_packed_run"]


def read_packed_run(
    path: Path, *, format: str | None, rows: int, content: int, progress: Progress
) -> tuple[PackedRun, list[str]]:
    """Return a run from a file as an archive stores it, and the cautions about it."""
    progress(0, 2, "reading")
    with limited(rows=rows, content=content):
        run = read_run(path, format=format)
    progress(1, 2, "compressing")
    return pack_run(run), [*map(str, caution_notes(run.find_cautions()))]


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
