"""What can be asked about holes, and what is an error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.measures import Measure

__all__ = ["check_runs", "highest_grade", "scale_of"]


def highest_grade(judgments: Judgments) -> float:
    """Return the most that a hole may get: the highest grade declared or given, at least 1."""
    return max(1.0, judgments.scale or 1.0, max(judgments.grades, default=1.0))


def scale_of(judgments: Judgments, max_grade: float | None) -> float:
    """Return the highest grade that was declared, else the highest that was given."""
    if max_grade is None:
        return highest_grade(judgments)
    if not 0.0 < max_grade < math.inf:
        raise ArgumentError("max_grade", "a number above 0", str(max_grade))
    return float(max_grade)


def check_runs(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    baseline: str | None,
) -> None:
    """Raise unless there are runs of the judged queries, and measures to look at them with."""
    if not measures:
        raise ArgumentError("measures", "at least one", "none")
    if not runs:
        raise ArgumentError("runs", "at least one", "none")
    if baseline is not None and baseline not in runs:
        raise ArgumentError("baseline", f"one of {', '.join(map(repr, runs))}", repr(baseline))
    if baseline is not None and len(runs) == 1:
        raise ArgumentError("runs", "a run other than the baseline", "none")
    judged = set(judgments.query_ids.iter_bytes())
    for name, run in runs.items():
        if judged.isdisjoint(run.query_ids.iter_bytes()):
            shown = [", ".join(map(repr, ids[:3])) for ids in (judgments.query_ids, run.query_ids)]
            raise MismatchError(
                f"{name}: no query in common with the judgments: judged queries are "
                f"{shown[0] or 'none'}; queries in the run are {shown[1] or 'none'}"
            )
