"""The routes of the page Compare: the comparison, and actions on it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple, TypeAlias

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun, StoredVerdict
from berryeval.charts.forest import forest, forest_row
from berryeval.charts.marks import outcomes
from berryeval.charts.scatter import Point, scatter
from berryeval.errors import NotFoundError
from berryeval.evaluation.comparison import headline
from berryeval.evaluation.figures import percent
from berryeval.evaluation.hole_effects import hole_effect
from berryeval.evaluation.sentences import of_holes
from berryeval.judges.protocol import hash_of
from berryeval.measures import Measure
from berryeval.reports.wording import capitalised, policy_note, undefined_notes
from berryeval.service.bodies import received_form
from berryeval.service.clients import ClientWait
from berryeval.service.dependencies import ArchiveDep, RunsDep, WorkersDep, require
from berryeval.service.problems import existing
from berryeval.service.stored_runs import RunCache, check_baseline_name
from berryeval.service.verdicts import decide_on
from berryeval.service.workbench.choosing import (
    choose_measure,
    choose_revision,
    choose_run,
    read_number,
    run_choices,
)
from berryeval.service.workbench.pages.compare.listing import (
    OUTCOMES,
    ComparedQueries,
    Listing,
    Pair,
    list_changes,
    read_wanted,
)
from berryeval.service.workbench.pages.compare.many import show_many
from berryeval.service.workbench.pages.compare.pinning import pinned_at
from berryeval.service.workbench.pages.compare.with_model import compare_with_model
from berryeval.service.workbench.rendering import fragment, origin_of, page
from berryeval.service.workbench.state.comparisons import Compared, Comparisons, ComparisonsDep
from berryeval.service.workbench.state.many_comparisons import ManyComparisonsDep
from berryeval.service.workbench.state.run_directory import MAIN
from berryeval.service.workbench.state.scoring import Scoring, ScoringDep
from berryeval.service.workbench.waiting import being_computed, once_read
from berryeval.service.workers.pool import Workers

__all__ = ["router"]

router = APIRouter(prefix="/compare", dependencies=[once_read])

_BADGES = {"better": "pass", "worse": "fail"}
_WIDE, _NARROW = 520, 340
_MAX_DRAWS = 5
MAX_QUERIES_WITH_HOLES = 1_000
"""Computing the bounds takes seconds if more queries than this have holes."""


@router.get("")
def show_comparison(
    request: Request,
    archive: ArchiveDep,
    scoring: ScoringDep,
    comparisons: ComparisonsDep,
    many: ManyComparisonsDep,
) -> Response:
    """Show a comparison of two runs, or of several; without two, show a form to choose them."""
    given = request.query_params
    if len(given.getlist("b")) > 1:
        return show_many(request, archive, scoring, many)
    if not given.get("a") or not given.get("b"):
        return _choose(request, archive)
    return _show_pair(request, archive, scoring, comparisons)


def _show_pair(
    request: Request, archive: Archive, scoring: Scoring, comparisons: Comparisons
) -> Response:
    given = request.query_params
    a, b = (choose_run(archive, given[side]) for side in ("a", "b"))
    if a.run_id == b.run_id:
        return _choose(request, archive, problem="same")
    measure = choose_measure(scoring.measures, given.get("measure", ""))
    wanted = read_wanted(given, measure)
    at = choose_revision(given)
    compared, is_current = comparisons.soon(a, b, measure, at)
    if compared is None:
        return being_computed(request, "Comparing both runs")
    listing = list_changes(compared, wanted)
    pair = Pair(given["a"], given["b"], at)
    seen = Pair(a.run_id, b.run_id, scoring.pin_of(compared.state))
    if wanted.cell is not None and listing.n_found == 1:
        return RedirectResponse(pair.query(listing.rows[0].query_id, wanted), 303)
    shared: dict[str, Any] = {
        "wanted": wanted,
        "listing": listing,
        "titles": archive.documents.titles(
            {move.doc_id for row in listing.rows for move in row.moves.shown}
        ),
        "pair": pair,
        "compared": compared,
        "pages": _pages(pair, wanted, listing),
        "slices": _slice_names(compared, measure),
        "measure": measure,
        "names": compared.names,
        "lines": outcomes,
        "outcomes": OUTCOMES,
    }
    if request.headers.get("hx-target") == "found":
        return fragment(request, "compare_found.html", **shared)
    return page(
        request,
        "compare.html",
        **shared,
        **_figures(compared, measure, pair, wanted),
        **_decisions(archive, a, b, given.get("verdict", "")),
        a=a,
        b=b,
        is_current=is_current,
        measures=scoring.measures,
        permalink=origin_of(request) + seen.with_(wanted, page=wanted.page),
        pinned=pinned_at(scoring, at, replace(pair, at=None).with_(wanted)),
        report=pair.report(measure),
    )


class _ComparedRuns(NamedTuple):
    """The comparison that an address names, and the chosen measure."""

    compared: Compared | None
    """None if a run was removed since the page was opened."""
    measure: Measure


def _compared_runs(
    request: Request, archive: ArchiveDep, scoring: ScoringDep, comparisons: ComparisonsDep
) -> _ComparedRuns:
    given = request.query_params
    measure = choose_measure(scoring.measures, given.get("measure", ""))
    try:
        a, b = (choose_run(archive, given.get(side, "")) for side in ("a", "b"))
        return _ComparedRuns(comparisons.compare(a, b, choose_revision(given)), measure)
    except NotFoundError:
        return _ComparedRuns(None, measure)


ComparedRunsDep: TypeAlias = Annotated[_ComparedRuns, Depends(_compared_runs)]


@router.get("/holes", tags=["part"])
def show_holes(request: Request, chosen: ComparedRunsDep) -> Response:
    """Show whether unjudged documents could change the verdict, which may take a while."""
    compared, measure = chosen
    if compared is None:
        return fragment(request, "compare_holes.html", effect=None)
    found = compared.remembered(
        ("hole effect", measure),
        lambda: hole_effect(compared.comparison, measure, most_queries=MAX_QUERIES_WITH_HOLES),
    )
    given = request.query_params
    pair = Pair(given["a"], given["b"], choose_revision(given))
    return fragment(
        request,
        "compare_holes.html",
        effect=found,
        words=of_holes(found.n_holes),
        measure=measure,
        pair=pair,
    )


@router.get("/model", tags=["part"])
def show_model(request: Request, archive: ArchiveDep, chosen: ComparedRunsDep) -> Response:
    """Show the comparison that is based on people and a model, for each draw of labels."""
    compared, measure = chosen
    if compared is None:
        return fragment(request, "compare_model.html", rows=[], measure=measure, level="")
    found = (archive.model_grades.stamp(), archive.admissions.all(), archive.judging.guideline())
    rows = [
        compared.remembered(
            ("model", measure, one.name, hash_of(found)),
            partial(compare_with_model, archive, compared, measure, one.name),
        )
        for one in archive.label_draws.page(limit=_MAX_DRAWS).items
    ]
    level = percent(compared.comparison.statistics.level)
    return fragment(request, "compare_model.html", rows=rows, measure=measure, level=level)


def _choose(request: Request, archive: Archive, problem: str = "") -> Response:
    baselines, newest = run_choices(archive)
    given = request.query_params
    a = given.get("a") or next((one.reference for one in baselines if one.baseline == MAIN), "")
    a = a or (newest[1].reference if len(newest) > 1 else "")
    b = given.get("b") or next((o.reference for o in newest if not o.baseline), "")
    return page(request, "compare_choose.html", baselines=baselines, newest=newest, a=a, b=b,
                problem=problem)  # fmt: skip


def _figures(
    compared: Compared, measure: Measure, pair: Pair, wanted: ComparedQueries
) -> dict[str, Any]:
    comparison = compared.comparison
    level = comparison.statistics.level
    [difference] = comparison.deciding(measure)
    before, after = compared.scores(measure)
    rows = [
        forest_row(
            one,
            str(one.measure),
            address=pair.with_(wanted, measure=one.measure, cell=None),
            is_chosen=one.measure == measure,
        )
        for one in comparison.differences
    ]

    def link_of(point: Point) -> tuple[str, str]:
        if point.count == 1:
            query_id = comparison.query_ids[point.first]
            text = comparison.text_of(query_id) or query_id
            return pair.query(query_id, wanted), f"{text}: {point.before:.3f} → {point.after:.3f}"
        cell = pair.with_(wanted, cell=point.cell) + "#queries"
        return cell, f"{point.count} queries near {point.before:.3f} → {point.after:.3f}"

    return {
        "sentence": headline(comparison, measure),
        "difference": difference,
        "badge_kind": _BADGES.get(difference.finding, "inconclusive"),
        "differences": list(zip(comparison.differences, rows, strict=True)),
        "forest": forest(rows, compared.names[0], level, width=_WIDE),
        "narrow_forest": forest(rows, compared.names[0], level, width=_NARROW),
        "scatter": scatter(before, after, compared.gains(measure), names=compared.names,
                           measure=measure, link_of=link_of),
        "parts": compared.sliced(measure),
        "cautions": _cautions(compared),
        "notes": [*(note.text for note in comparison.marked_notes if not note.is_caution),
                  policy_note(comparison),
                  *undefined_notes(comparison.differences)],
        "level": percent(level),
    }  # fmt: skip


def _cautions(compared: Compared) -> list[str]:
    """Return reasons to doubt the comparison."""
    found = [note.text for note in compared.comparison.marked_notes if note.is_caution]
    corpora = [run.facts.corpus_hash for run in (compared.a, compared.b)]
    if None not in corpora and corpora[0] != corpora[1]:
        found.append(
            "The runs searched different documents (their corpus hashes differ), "
            "which may explain a difference."
        )
    return [text[:1].upper() + text[1:] for text in found]


def _slice_names(compared: Compared, measure: Measure) -> list[str]:
    return [str(one.slice) for one in compared.sliced(measure)]


def _pages(pair: Pair, wanted: ComparedQueries, listing: Listing) -> tuple[str | None, str | None]:
    before = pair.with_(wanted, page=listing.page - 1) if listing.page > 1 else None
    after = pair.with_(wanted, page=listing.page + 1) if listing.page < listing.n_pages else None
    return before and f"{before}#queries", after and f"{after}#queries"


def _decisions(archive: Archive, a: StoredRun, b: StoredRun, number: str) -> dict[str, Any]:
    """Return gates, baselines, and the requested or the newest verdict on this pair."""
    gates = [gate.name for gate in archive.gates.page(limit=50).items]
    baselines = [one.name for one in archive.baselines.page(limit=50).items]
    verdict = archive.verdicts.get(read_number(number, 0)) if number else None
    if verdict is not None and verdict.run_id != b.run_id:
        verdict = None
    if verdict is None:
        recent = archive.verdicts.page(run_id=b.run_id, limit=10).items
        verdict = next((one for one in recent if one.baseline_id == a.run_id), None)
    sentence = "" if verdict is None else capitalised(str(verdict.report.get("sentence", "")))
    return {
        "gates": gates,
        "baselines": baselines,
        "verdict": verdict,
        "verdict_sentence": sentence,
        "has_draws": bool(archive.label_draws.page(limit=1).items),
    }


@router.post("/gate", dependencies=[require("judge")])
async def decide(
    request: Request, archive: ArchiveDep, runs: RunsDep, workers: WorkersDep
) -> Response:
    """Run a gate on the candidate and the baseline, and show its verdict."""
    form = await received_form(request)
    pair = Pair(str(form.get("a") or ""), str(form.get("b") or ""))
    name = str(form.get("gate") or "")
    wait = ClientWait(request.state.deadline)
    verdict = await to_thread.run_sync(_decide, archive, runs, name, pair, wait, workers)
    return RedirectResponse(f"{pair.address()}&verdict={verdict.verdict_id}#decide", 303)


def _decide(
    archive: Archive, runs: RunCache, name: str, pair: Pair, wait: ClientWait, workers: Workers
) -> StoredVerdict:
    gate = existing(archive.gates.get(name) if name else None, "gate", name)
    baseline, candidate = (choose_run(archive, one) for one in (pair.a, pair.b))
    return decide_on(
        archive,
        runs,
        gate,
        candidate,
        baseline,
        milliseconds=None,
        progress=wait,
        workers=workers,
    )


@router.post("/baseline", dependencies=[require("admin")])
async def set_baseline(request: Request, archive: ArchiveDep) -> Response:
    """Make the candidate a baseline; the page still shows the same two runs."""
    form = await received_form(request)
    pair = Pair(str(form.get("a") or ""), str(form.get("b") or ""))
    name = str(form.get("name") or "").strip()
    check_baseline_name(name)
    stay = await to_thread.run_sync(_set, archive, name, pair)
    return RedirectResponse(f"{stay.address()}&done=baseline#decide", 303)


def _set(archive: Archive, name: str, pair: Pair) -> Pair:
    """Set the baseline, and return the pair by ids, as the names may now mean another run."""
    before, after = (choose_run(archive, one) for one in (pair.a, pair.b))
    archive.baselines.put(name, after.run_id)
    return Pair(before.run_id, after.run_id)
