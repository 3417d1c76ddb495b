"""The page Compare with several candidates: a leaderboard, every pair, where runs disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.charts.disagreement import heat_map
from berryeval.charts.forest import forest, forest_row
from berryeval.charts.pair_matrix import pair_matrix
from berryeval.core.text import distinct_parts
from berryeval.errors import ArgumentError
from berryeval.evaluation.figures import percent
from berryeval.evaluation.leaderboard import by_effect, leaderboard
from berryeval.measures import Measure
from berryeval.reports.wording import policy_note, undefined_notes
from berryeval.service.workbench.choosing import choose_measure, choose_revision, choose_run
from berryeval.service.workbench.pages.compare.listing import ComparedQueries, Pair
from berryeval.service.workbench.pages.compare.pinning import pinned_at
from berryeval.service.workbench.rendering import origin_of, page
from berryeval.service.workbench.state.many_comparisons import (
    MAX_COMPARED,
    ManyCompared,
    ManyComparisons,
)
from berryeval.service.workbench.state.scoring import Scoring
from berryeval.service.workbench.waiting import being_computed

__all__ = ["many_address", "references_in", "show_many"]

_WIDTHS = (1000, 340)
"""Width of a chart in pixels, on wide and on narrow screens."""
_N_DISPUTED = 30


def many_address(
    a: str,
    candidates: Sequence[str],
    measure: Measure | None = None,
    at: int | None = None,
    *,
    path: str = "/compare",
) -> str:
    """Return the address of a comparison with several candidates, or of its report."""
    given = [("a", a), *(("b", one) for one in candidates)]
    given += [] if measure is None else [("measure", str(measure))]
    given += [] if at is None else [("at", str(at))]
    return f"{path}?{urlencode(given, errors='surrogateescape')}"


def show_many(
    request: Request, archive: Archive, scoring: Scoring, comparisons: ManyComparisons
) -> Response:
    """Compare several candidates with one baseline; without one, with the oldest of them.

    A run that is named twice is compared once.

    Raises
    ------
    ArgumentError
        If there are too many runs.
    NotFoundError
        If there is no such run.
    """
    given = request.query_params
    at = choose_revision(given)
    wanted = references_in(archive, given)
    if wanted != [given.get("a"), *given.getlist("b")]:
        return RedirectResponse(many_address(wanted[0], wanted[1:], at=at), 303)
    runs = [choose_run(archive, one) for one in wanted]
    measure = choose_measure(scoring.measures, given.get("measure", ""))
    compared = comparisons.soon(runs, measure, at)
    if compared is None:
        return being_computed(request, f"Comparing {len(runs)} runs")
    references = dict(zip(compared.runs, wanted, strict=True))
    ids = [run.run_id for run in runs]
    return page(
        request,
        "compare_many.html",
        **_figures(compared, measure, references, at),
        runs=compared.runs,
        state=compared.state,
        is_current=at is not None or scoring.is_current(compared.state),
        measure=measure,
        permalink=origin_of(request)
        + many_address(ids[0], ids[1:], measure, scoring.pin_of(compared.state)),
        pinned=pinned_at(scoring, at, many_address(wanted[0], wanted[1:], measure)),
        report=many_address(wanted[0], wanted[1:], measure, at, path="/compare/report"),
        tabs=[(one, many_address(wanted[0], wanted[1:], one, at)) for one in scoring.measures],
        addresses={
            label: Pair(wanted[0], reference, at).address(measure)
            for label, reference in references.items()
        },
    )


def references_in(archive: Archive, given: QueryParams) -> list[str]:
    """Return the runs that an address names, each once, the baseline first.

    Raises
    ------
    ArgumentError
        If there are too many runs.
    NotFoundError
        If there is no such run.
    """
    named = [one for one in (given.get("a"), *given.getlist("b")) if one]
    if len(named) > MAX_COMPARED:
        raise ArgumentError("b", f"at most {MAX_COMPARED} runs with the baseline", str(len(named)))
    runs = [(choose_run(archive, one), one) for one in named]
    if not given.get("a"):
        runs.sort(key=lambda found: found[0].stored_at)
    by_id: dict[str, str] = {}
    for run, reference in runs:
        by_id.setdefault(run.run_id, reference)
    return [*by_id.values()]


def _figures(
    compared: ManyCompared, measure: Measure, references: dict[str, str], at: int | None
) -> dict[str, Any]:
    comparison = compared.comparison
    baseline = comparison.baseline
    level = comparison.statistics.level
    places = leaderboard(comparison, measure)
    order = [place.system for place in places]
    differences = by_effect(comparison, measure)
    rows = [
        forest_row(
            one,
            name,
            address=Pair(references[baseline], references[one.system], at).address(measure),
        )
        for one, name in zip(
            differences, distinct_parts([d.system for d in differences]), strict=True
        )
    ]
    best = Pair(references[baseline], references[differences[0].system])
    wide, narrow = _WIDTHS
    return {
        "sentence": comparison.sentence,
        "ranked": places,
        "baseline": baseline,
        "forest": [forest(rows, baseline, level, width=width) for width in _WIDTHS],
        "matrix": [pair_matrix(compared.pairs, order, width=width) for width in _WIDTHS],
        "heat_map": [
            heat_map(comparison, measure, n_queries=_N_DISPUTED, width=width,
                     address_of=lambda query_id: best.query(query_id, ComparedQueries(measure)))
            for width in (wide, narrow)
        ],
        "slices": _slices(compared, order),
        "cautions": [note.text for note in comparison.marked_notes if note.is_caution],
        "notes": [*(note.text for note in comparison.marked_notes if not note.is_caution),
                  policy_note(comparison),
                  *undefined_notes(comparison.differences)],
        "level": percent(level),
    }  # fmt: skip


def _slices(compared: ManyCompared, order: Sequence[str]) -> list[tuple[Any, int, list[Any]]]:
    """Return each slice with its number of queries, and the difference of each candidate."""
    comparison = compared.comparison
    candidates = [name for name in order if name != comparison.baseline]
    found: dict[Any, dict[str, Any]] = {}
    for one in comparison.sliced:
        found.setdefault(one.slice, {})[one.system] = one
    return [
        (part, next(iter(by_system.values())).n_queries, [by_system[name] for name in candidates])
        for part, by_system in found.items()
    ]
