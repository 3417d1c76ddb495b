"""What a reader has to know about the queries behind the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from berryeval.measures import depth_of

if TYPE_CHECKING:
    from berryeval.evaluation.result import Evaluation

__all__ = ["count_queries", "holes_notes", "missing_queries", "query_notes"]


def missing_queries(runs: Mapping[str, Evaluation]) -> dict[str, int]:
    """Return how many judged queries each run lacks, of the runs that lack any."""
    return {name: run.counts.missing for name, run in runs.items() if run.counts.missing}


def query_notes(runs: Mapping[str, Evaluation], n_compared: int | None = None) -> tuple[str, ...]:
    """Return notes on how many queries were judged, scored, missing and ignored.

    Parameters
    ----------
    runs : mapping of str to Evaluation
    n_compared : int, optional
        How many queries are compared, where only those count that are scored for every run.
    """
    first = next(iter(runs.values()))
    judged = f"{count_queries(first.counts.judged)} judged"
    if n_compared is not None and any(run.n_queries != n_compared for run in runs.values()):
        notes = [f"{judged}, {n_compared:,} scored: those that are scored for every run."]
    elif all(run.scores.query_ids == first.scores.query_ids for run in runs.values()):
        notes = [f"{judged}, {first.n_queries:,} scored."]
    else:
        notes = [f"{name}: {judged}, {run.n_queries:,} scored." for name, run in runs.items()]
        notes.append("Caution: means over different queries cannot be compared.")
    if first.counts.no_relevant:
        notes.append(f"{count_queries(first.counts.no_relevant)} without a relevant document.")
    notes += [
        f"Caution: {name}: {caution}." for name, run in runs.items() for caution in run.cautions
    ]
    for name, run in runs.items():
        if run.counts.missing:
            notes.append(f"{name}: {count_queries(run.counts.missing)} missing from the run.")
        if run.counts.ignored:
            notes.append(f"{name}: {count_queries(run.counts.ignored)} not judged, ignored.")
    return tuple(notes)


def holes_notes(runs: Mapping[str, Evaluation]) -> tuple[str, ...]:
    """Say how many documents nobody judged, as deep as the measures look."""
    first = next(iter(runs.values()))
    deepest = depth_of(first.measures)
    name = next(str(measure) for measure in first.measures if measure.k == deepest)
    told = [f"{run_name} {run[name].holes:,}" for run_name, run in runs.items() if run[name].holes]
    where = "in the rankings" if deepest is None else f"in the first {deepest}"
    return (f"Unjudged documents {where}: {', '.join(told)}.",) if told else ()


def count_queries(count: int) -> str:
    """Return ``1 query``, ``2 queries``."""
    return "1 query" if count == 1 else f"{count:,} queries"
