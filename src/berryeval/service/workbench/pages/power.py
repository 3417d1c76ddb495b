"""The page Power: the smallest drop that a golden set can detect, and queries needed per margin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request
from starlette.datastructures import QueryParams
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.charts.power import detection_chart
from berryeval.errors import ArgumentError, BerryEvalError
from berryeval.evaluation.detection import Detection
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.notes import range_text
from berryeval.evaluation.slices import Slice
from berryeval.service.dependencies import ArchiveDep, from_state
from berryeval.service.workbench.assets import HTMX, assets
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.measuring import Measuring, PowerForm, Spread
from berryeval.service.workbench.state.scoring import Scoring, ScoringDep
from berryeval.service.workbench.waiting import once_read
from berryeval.stats.power import MAX_QUERIES, check_power_option

__all__ = ["read_form", "router", "sentences"]

_N_RUNS = 30
_MARGINS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
_WIDE, _NARROW = (560, 320), (340, 280)

SOURCES: Mapping[str, str] = {
    "runs": "measured between two runs",
    "series": "measured over a series of runs",
    "assumed": "assumed from one run",
    "given": "entered below",
}
"""Sources of the spread of differences."""

_DEFAULTS = {"margin": 0.02, "alpha": DEFAULT_RULES.alpha, "power": POWER, "sd": 0.1}

router = APIRouter(dependencies=[once_read])


@router.get("/power")
def show_power(
    request: Request,
    archive: ArchiveDep,
    scoring: ScoringDep,
    measuring: Annotated[Measuring, from_state("measuring")],
) -> Response:
    """Show the answer to the form. If it takes a while, the page requests it when it is open."""
    baselines = [one.name for one in archive.baselines.page(limit=1000).items]
    runs = archive.runs.page(limit=_N_RUNS, newest_first=True).items
    if not runs:
        return page(request, "power_empty.html")
    form = _form(request, archive, scoring, baselines, runs)
    is_part = "hx-request" in request.headers
    spread, problem, is_waiting = None, None, False
    try:
        is_waiting = HTMX in assets() and not is_part and not measuring.is_known(form)
        if not is_waiting:
            spread = measuring.spread(form)
    except BerryEvalError as error:
        problem = str(error)
    return (fragment if is_part else page)(
        request,
        "power_part.html" if is_part else "power.html",
        form=form,
        sources=SOURCES,
        measures=_measures(scoring),
        baselines=baselines,
        runs=runs,
        problem=problem,
        is_waiting=is_waiting,
        **_answered(spread, form),
    )


def _answered(spread: Spread | None, form: PowerForm) -> dict[str, Any]:
    """Return the context of the answer; empty until there is one."""
    if spread is None:
        return {"spread": None, "found": None}
    found = spread.found
    charts = [
        detection_chart(found, width=width, height=height) if found.curve else None
        for width, height in (_WIDE, _NARROW)
    ]
    return {
        "spread": spread,
        "found": found,
        "sentences": sentences(found, form),
        "chart": charts[0],
        "small_chart": charts[1],
        "margins": sorted({*_MARGINS, found.margin}),
    }


def _measures(scoring: Scoring) -> list[str]:
    return [str(measure) for measure in scoring.measures if measure.aggregate != "sum"]


def _form(
    request: Request,
    archive: Archive,
    scoring: Scoring,
    baselines: list[str],
    runs: tuple[StoredRun, ...],
) -> PowerForm:
    """Read the form; by default it compares the newest other run with the baseline."""
    a = "main" if "main" in baselines else baselines[0] if baselines else runs[-1].run_id
    baseline = archive.baselines.get(a) if a in baselines else None
    reference = a if baseline is None else baseline.run_id
    content = next((run.content_hash for run in runs if run.run_id == reference), None)
    others = [run for run in runs if run.run_id != reference and run.content_hash != content]
    b = others[0].run_id if others else a
    source = "runs" if others else "assumed"
    return read_form(request.query_params, _measures(scoring), a, b, source)


def read_form(
    given: QueryParams, measures: Sequence[str], a: str, b: str, source: str
) -> PowerForm:
    """Read the form; `a`, `b` and `source` are its defaults.

    An invalid field gets a message, and the default value takes its place.
    """
    texts = {key: given.get(key, str(default)).strip()[:40] for key, default in _DEFAULTS.items()}
    messages: dict[str, str] = {}
    margin, alpha, power = (_number(texts, key, messages) for key in ("margin", "alpha", "power"))
    chosen = given.get("source", source)
    sd = _number(texts, "sd", messages) if chosen == "given" else None
    part = given.get("slice", "")[:300]
    measure = given.get("measure", measures[0])
    if measure not in measures:
        messages["measure"] = f"expected a measure of the workbench, found {measure[:40]!r}"
        measure = measures[0]
    return PowerForm(
        texts,
        measure,
        str(Slice.read(part) or part),
        chosen if chosen in SOURCES else source,
        given.get("a") or a,
        given.get("b") or b,
        margin,
        alpha,
        power,
        sd,
        messages,
    )


def _number(texts: Mapping[str, str], key: str, messages: dict[str, str]) -> float:
    try:
        found = float(texts[key])
    except ValueError:
        found = math.nan
    try:
        check_power_option(key, found)
    except ArgumentError as error:
        messages[key] = f"expected {error.expected}, found {texts[key]!r}"
        return _DEFAULTS[key]
    return found


def sentences(found: Detection, form: PowerForm) -> tuple[str, str]:
    """Return the answer in a sentence, and another one about the margin."""
    queries = "1 query" if found.n_queries == 1 else f"{found.n_queries:,} queries"
    where = f"{form.measure} ({form.slice})" if form.slice else form.measure
    if found.smallest_drop is None:
        if found.n_queries < 2:  # noqa: PLR2004
            return f"{queries}: too few for an estimate.", "Choose a larger slice."
        reason = "the scores of the runs do not differ from query to query"
        return f"{where} cannot be analysed: {reason}.", "Choose runs that differ."
    drop = f"{found.smallest_drop:.3f}" if found.smallest_drop >= 0.001 else "less than 0.001"  # noqa: PLR2004
    first = f"These {queries} can detect a drop of {drop} in {where}."
    if found.needed is None:
        return first, f"A margin of {found.margin:g} needs more than {MAX_QUERIES:,} queries."
    margin = f"A margin of {found.margin:g} needs {found.needed:,}{range_text(found.needed_range)}"
    if found.is_enough:
        return first, f"{margin}: you have enough."
    more = "1 more query" if found.missing == 1 else f"{found.missing:,} more queries"
    return first, f"{margin}: you need {more}."
