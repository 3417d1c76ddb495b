"""The search page, and the command palette, which shows the same results while typing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paths import quoted
from berryeval.service.workbench.rendering import PAGES, fragment, page
from berryeval.service.workbench.state.run_directory import Directory, DirectoryDep, RunDirectory
from berryeval.service.workbench.state.scoring import Scoring, ScoringDep

__all__ = ["Found", "router"]

_OF_A_KIND = 6
_ON_A_PAGE = 50
_NEWEST = 1000

router = APIRouter()


class Found(NamedTuple):
    """A search result."""

    kind: str
    text: str
    note: str
    address: str
    also: str = ""
    """Text that is searched but not shown."""


@router.get("/palette", tags=["part"])
def show_palette(
    request: Request, archive: ArchiveDep, scoring: ScoringDep, directory: DirectoryDep, q: str = ""
) -> Response:
    """Return the items of the palette for a text."""
    found = list(_search(archive, scoring, directory, q.strip(), _OF_A_KIND))
    return fragment(request, "palette_items.html", found=found, q=q)


@router.get("/search")
def show_search(
    request: Request, archive: ArchiveDep, scoring: ScoringDep, directory: DirectoryDep, q: str = ""
) -> Response:
    """Return the search page."""
    found = list(_search(archive, scoring, directory, q.strip(), _ON_A_PAGE)) if q.strip() else []
    return page(request, "search.html", found=found, q=q)


def _search(
    archive: Archive, scoring: Scoring, directory: RunDirectory, text: str, most: int
) -> Iterator[Found]:
    """Iterate over pages, runs, queries and gates that contain the text, in this order."""
    wanted = text.casefold()
    pages = (Found("Page", place.title, place.about, place.address) for place in PAGES)
    yield from _first(len(PAGES), wanted, pages)
    yield from _first(most, wanted, _runs(archive, directory.current()))
    if wanted:
        yield from _first(most, wanted, _queries(scoring))
    yield from _first(most, wanted, _gates(archive))


def _first(most: int, wanted: str, several: Iterator[Found]) -> Iterator[Found]:
    matching = (one for one in several if wanted in f"{one.text} {one.note} {one.also}".casefold())
    return islice(matching, most)


def _runs(archive: Archive, directory: Directory) -> Iterator[Found]:
    names = {one.run_id: one.name for one in archive.baselines.page(limit=_NEWEST).items}
    for run in islice(reversed(directory.runs), _NEWEST):
        facts = run.facts
        commit = facts.commit or ""
        parts = (names.get(run.run_id), *facts.tags, commit[:8], run.run_id[:8])
        note = " · ".join(part for part in parts if part)
        yield Found("Run", facts.name, note, f"/runs/{run.run_id}", also=f"{commit} {run.run_id}")


def _queries(scoring: Scoring) -> Iterator[Found]:
    for query_id, query in scoring.queries().items():
        yield Found("Query", query.text or query_id, query_id, f"/queries/{quoted(query_id)}")


def _gates(archive: Archive) -> Iterator[Found]:
    for gate in archive.gates.page(limit=_NEWEST).items:
        yield Found("Gate", gate.name, "", f"/gates/{gate.name}")
