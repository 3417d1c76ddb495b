"""The routes of the page Model judges: all judges, and one with its checks."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.errors import ArgumentError
from berryeval.judges.metering import Price
from berryeval.reports.check_figures import read_figures
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address
from berryeval.service.problems import existing
from berryeval.service.workbench.pages.judges.figures import charts_of
from berryeval.service.workbench.rendering import page
from berryeval.suite.archived_judges import Disagreement, disagreements, judges_in
from berryeval.suite.judge_overview import JudgeOverview

__all__ = ["router"]

router = APIRouter(prefix="/judges")

_ON_A_PAGE = 10
_EXCERPT = 1500
"""Number of characters of a document to show beside its query."""

STATES = {
    "admitted": ("pass", "admitted"),
    "rejected": ("fail", "not admitted"),
    "expired": ("inconclusive", "expired"),
    "unchecked": ("inconclusive", "not checked"),
}
"""The badge and the word for each standing of a judge."""

PriceText = Annotated[str, Query(max_length=50)]


@router.get("")
def list_judges(request: Request, archive: ArchiveDep, price: PriceText = "") -> Response:
    """List automated judges: whether they count, and what they cost so far."""
    paid, problem = _read_price(price)
    judges = judges_in(archive)
    return page(
        request,
        "judges.html",
        judges=judges,
        costs=[_cost(one, paid) for one in judges],
        price=price,
        problem=problem,
        states=STATES,
        n_proposed=archive.proposals.counts().get("proposed", 0),
    )


@router.get("/{identity}")
def show_judge(
    request: Request,
    archive: ArchiveDep,
    identity: str,
    price: PriceText = "",
    page_number: Annotated[int, Query(alias="page", ge=1)] = 1,
) -> Response:
    """Show one judge: calibration, confusion, bias, drift, and where people disagree."""
    judges = {one.identity: one for one in judges_in(archive)}
    judge = existing(judges.get(identity), "judge", identity)
    paid, problem = _read_price(price)
    checks = [one for one in archive.admissions.all() if one.identity.digest == identity]
    figures = read_figures(checks[-1].result) if checks else None
    found = disagreements(archive, identity)
    shown = numbered_page(len(found), page_number, _ON_A_PAGE)
    here = f"/judges/{identity}"

    def turn(number: int) -> str | None:
        if not 1 <= number <= shown.n_pages:
            return None
        return address(here, price=price, page=number) + "#disagreements"

    return page(
        request,
        "judges_one.html",
        judge=judge,
        cost=_cost(judge, paid),
        price=price,
        problem=problem,
        states=STATES,
        checks=checks[::-1],
        figures=figures,
        n_disagreements=len(found),
        disagreements=_with_texts(archive, identity, found[shown.rows]),
        shown=shown,
        turns=(turn(shown.number - 1), turn(shown.number + 1)),
        **charts_of(figures),
    )


def _read_price(text: str) -> tuple[Price | None, str]:
    """Return the price, and an error message."""
    if not text.strip():
        return None, ""
    try:
        return Price.parse(text), ""
    except ArgumentError as error:
        return None, f"Expected {error.expected}."


def _cost(judge: JudgeOverview, price: Price | None) -> float | None:
    return None if price is None else price.of(judge.input_tokens, judge.output_tokens)


def _with_texts(archive: Archive, identity: str, found: list[Disagreement]) -> list[dict[str, Any]]:
    queries = archive.queries.some({one.query_id for one in found})
    documents = archive.documents.some({one.doc_id for one in found})
    given = archive.model_grades.of_pairs(identity, [one.pair for one in found])
    grades = {(one.key, one.content): one for one in given}
    rows = []
    for one in found:
        document = documents.get(one.doc_id)
        text = "" if document is None else document.text or ""
        rows.append({
            "grade": grades[one.pair, one.content],
            "people": one.people,
            "query": queries.get(one.query_id),
            "title": "" if document is None else document.title or "",
            "text": text[:_EXCERPT],
            "is_cut": len(text) > _EXCERPT,
        })  # fmt: skip
    return rows
