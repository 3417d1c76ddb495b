"""How much differences vary from query to query, from runs of the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.query import Query
from berryeval.errors import MismatchError
from berryeval.evaluation.result import averaged
from berryeval.evaluation.slices import LABELS, find_slices
from berryeval.service.references import find_run
from berryeval.service.workbench.power.answer import (
    Floats,
    Part,
    Positions,
    parts_of,
    pooled_sd,
    sd_assumed,
)
from berryeval.service.workbench.power.wish import Wish
from berryeval.service.workbench.scoring import Scoring

__all__ = ["N_SERIES", "Spread", "measure_spread"]

N_SERIES = 8
"""Runs of a series that are looked at, the newest."""

_MOST_PARTS = 40
"""Slices that are told of, the largest."""


@dataclass(frozen=True)
class Spread:
    """How much differences vary, and of which queries."""

    sd: float
    n_queries: int
    told: str
    """Where it comes from, to end a sentence."""
    slices: Sequence[str]
    """What queries can be sliced by: ``label=value``."""
    parts: Sequence[Part]
    """What each slice can see."""


@dataclass(frozen=True)
class _Columns:
    """Query by query: differences of pairs of runs, or the scores of one run."""

    values: Sequence[Floats]
    query_ids: Sequence[str]
    queries: Mapping[str, Query]
    told: str
    is_assumed: bool = False

    def sd(self, positions: Positions | None = None) -> float:
        chosen = [one if positions is None else one[positions] for one in self.values]
        return sd_assumed(chosen[0]) if self.is_assumed else pooled_sd(chosen)


def measure_spread(archive: Archive, scoring: Scoring, wish: Wish) -> Spread:
    """Return how much differences vary, as the wish wants it.

    Raises
    ------
    NotFoundError
        If a run is not there.
    MismatchError
        If runs cannot be scored, or there is no such slice.
    """
    columns = _columns(archive, scoring, wish)
    slices = _slices(columns)
    if wish.slice and wish.slice not in slices:
        raise MismatchError(f"no query is in the slice {wish.slice!r}")
    chosen = np.asarray(slices[wish.slice]) if wish.slice else None
    n_queries = len(columns.query_ids) if chosen is None else len(chosen)
    sd = columns.sd(chosen) if wish.sd is None else wish.sd
    told = columns.told if wish.sd is None else "as you say"
    largest = sorted(slices, key=lambda name: -len(slices[name]))[:_MOST_PARTS]
    parts = (
        parts_of(
            columns.sd,
            {name: slices[name] for name in largest},
            wish.margin,
            wish.alpha,
            wish.power,
        )
        if wish.sd is None
        else ()
    )
    return Spread(sd, n_queries, told, tuple(slices), parts)


def _columns(archive: Archive, scoring: Scoring, wish: Wish) -> _Columns:
    reference = find_run(archive, wish.a)
    first = scoring.evaluation(reference.run_id)
    known = first.scores.query_ids, first.queries
    if wish.source in ("assumed", "given"):
        values = [_values(scoring, reference, wish.measure)]
        told = f"assumed: the scores of {_name(reference)}, and a correlation of 0.7"
        return _Columns(values, *known, told, is_assumed=True)
    candidate = find_run(archive, wish.b)
    several = [candidate]
    told = f"measured between {_name(reference)} and {_name(candidate)}"
    if wish.source == "series":
        name = candidate.facts.name
        newest = archive.runs.page(name=name, limit=N_SERIES + 1, newest_first=True).items
        several = [run for run in newest if run.content_hash != reference.content_hash][:N_SERIES]
        told = f"measured over the last {len(several)} runs of {name} against {_name(reference)}"
    before = _values(scoring, reference, wish.measure)
    differences = [_values(scoring, run, wish.measure) - before for run in several]
    return _Columns(differences, *known, told)


def _values(scoring: Scoring, run: StoredRun, measure: str) -> Floats:
    result = scoring.evaluation(run.run_id)[measure]
    return np.fromiter(averaged(result.measure, result.values), np.float64, len(result.values))


def _name(run: StoredRun) -> str:
    return f"{run.facts.name} {(run.facts.commit or run.run_id)[:7]}"


def _slices(columns: _Columns) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for label in LABELS:
        try:
            parts = find_slices(columns.queries, label, columns.query_ids)
        except MismatchError:  # no query has it
            continue
        found.update({str(part): positions for part, positions in parts.items()})
    return found
