"""The page Judgments: search, history, conflicts, agreement, export."""

from __future__ import annotations

import re
import shutil
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from berryeval.archive.judgments.opinions import SETTLED, counted_state, history_of, undoable_state
from berryeval.errors import ArgumentError, ConflictError, DisagreementError, NotFoundError
from berryeval.formats import delimited, jsonl, trec
from berryeval.service.agreement import in_words
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.paths import DocId, QueryId, quoted
from berryeval.service.problems import Problem
from berryeval.service.temporary import temporary_folder
from berryeval.service.workbench.grading import (
    change_sentence,
    grade_labels,
    read_revision,
)
from berryeval.service.workbench.pages.judgments.listing import SHOWN, Filter, find_judgments
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.agreement import AgreedDep, TableDep
from berryeval.service.workbench.state.judging_modes import SOURCE
from berryeval.suite.golden_archive import export_golden_set

__all__ = ["SHADES", "router"]

router = APIRouter(prefix="/judgments")

_EXPORTS = {
    "trec": (trec.to_lines, "text/plain; charset=utf-8", "judgments.qrels"),
    "jsonl": (jsonl.to_lines, "application/jsonl", "judgments.jsonl"),
    "csv": (delimited.to_lines, "text/csv; charset=utf-8", "judgments.csv"),
    "opinions-jsonl": (jsonl.to_lines, "application/jsonl", "opinions.jsonl"),
    "opinions-csv": (delimited.to_lines, "text/csv; charset=utf-8", "opinions.csv"),
}
_GOLDEN = "golden"
_NOT_STORED = {"Cache-Control": "no-store"}
_PIECE_BYTES = 1 << 16
_TEXT_SHOWN = 1500
SHADES = {"very good": 4, "good": 3, "fair": 2, "poor": 1}
_SPACE = re.compile(rb"[\s#]")


@router.get("")
def list_judgments(
    request: Request,
    archive: ArchiveDep,
    latest: TableDep,
    show: str = "all",
    q: Annotated[str, Query(max_length=500)] = "",
    author: Annotated[str, Query(max_length=500)] = "",
    source: Annotated[str | None, Query(max_length=1000)] = None,
    grade: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1)] = 1,
) -> Response:
    """List judgments, newest first."""
    if show not in SHOWN:
        raise NotFoundError("list of judgments", show)
    # A form sends "any" for all sources, and an empty text for unnamed ones.
    wanted = Filter(
        show, q, author, None if source in (None, "any") else source, grade, page_number
    )
    table = latest.get()
    found = None if table is None else find_judgments(archive, table, wanted)
    return page(request, "judgments.html", found=found, wanted=wanted, shown=SHOWN)


@router.get("/agreement")
def show_agreement(request: Request, archive: ArchiveDep, latest: AgreedDep) -> Response:
    """Show how well judges agree; shortly after a change, the previous result."""
    agreed = latest.get()
    return page(
        request,
        "agreement.html",
        found=None if agreed is None else agreed.agreement,
        agreed=agreed,
        shades=SHADES,
        is_behind=agreed is not None and agreed.newest < archive.judgments.revision(),
        in_words=in_words,
        shown=SHOWN,
    )


@router.get("/export", tags=["part"])
def export_judgments(archive: ArchiveDep, format: str = "trec") -> Response:
    """Stream all judgments as a file, or with queries and documents as a golden set."""
    if format == _GOLDEN:
        pieces = _golden_set(archive)
        begun = chain([next(pieces)], pieces)  # raises before anything is sent
        headers = {"Content-Disposition": 'attachment; filename="golden.zip"', **_NOT_STORED}
        return StreamingResponse(begun, headers=headers, media_type="application/zip")
    if format not in _EXPORTS:
        raise ArgumentError("format", " or ".join([*_EXPORTS, _GOLDEN]), repr(format)[:40])
    to_lines, kind, name = _EXPORTS[format]
    if format.startswith("opinions-"):
        # Every opinion with judge, time, source and note, also settled ones: for an import.
        found = archive.judgments.with_opinions(with_settled=True)
        headers = {"Content-Disposition": f'attachment; filename="{name}"', **_NOT_STORED}
        return StreamingResponse(_pieces(to_lines(found)), headers=headers, media_type=kind)
    judgments = archive.judgments.current()
    if format == "trec" and _SPACE.search(judgments.doc_ids.data + judgments.query_ids.data):
        # Raises for ids that a TREC file cannot contain, before anything is sent.
        deque(to_lines(judgments), maxlen=0)
    # The file name has the rule: a file with one grade per pair does not show what it omits.
    stem, dot, ending = name.partition(".")
    named = f"{stem}-{archive.judging.get().rule}{dot}{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{named}"', **_NOT_STORED}
    return StreamingResponse(_pieces(to_lines(judgments)), headers=headers, media_type=kind)


@router.get("/{query_id:id}/{doc_id:id}")
def show_judgment(
    request: Request,
    archive: ArchiveDep,
    latest: TableDep,
    caller: CallerDep,
    query_id: QueryId,
    doc_id: DocId,
) -> Response:
    """Show the judgment of a pair with its history, and buttons to change it."""
    states = archive.judgments.history(query_id, doc_id)
    if not states:
        raise NotFoundError("judgment", f"{doc_id} for {query_id}")
    current = counted_state(states)
    saying = history_of(states)
    undoable = undoable_state(states, caller.name)
    earlier = [one for one in states if undoable and one.revision < undoable.revision]
    restored = history_of(earlier).judgment
    if undoable and undoable.kind == "judgment" and restored is None:
        undoable = None  # withdrawing it does the same
    document = archive.documents.get(doc_id)
    text = "" if document is None else document.text or ""
    is_part = "hx-request" in request.headers
    return page(
        request,
        "judgment_part.html" if is_part else "judgment.html",
        query=archive.queries.get(query_id),
        query_id=query_id,
        doc_id=doc_id,
        title="" if document is None else document.title or "",
        text=text[:_TEXT_SHOWN],
        hash="" if document is None else document.hash,
        is_cut=len(text) > _TEXT_SHOWN,
        states=states[::-1],
        current=current,
        opinions=saying.independent,
        is_conflict=saying.is_conflict,
        settling=archive.projects.settling(query_id, doc_id) if saying.is_conflict else None,
        undoable=undoable,
        restored=restored,
        labels=grade_labels(archive, latest.get()),
    )


@router.post("/{query_id:id}/{doc_id:id}", dependencies=[require("judge")])
async def change_judgment(
    request: Request, archive: ArchiveDep, caller: CallerDep, query_id: QueryId, doc_id: DocId
) -> Response:
    """Judge again, settle a conflict, withdraw or undo, unless the judgment has changed."""
    form = await received_form(request)
    grade = str(form.get("grade") or "")
    seen = read_revision(str(form.get("revision") or "0"))

    def work() -> None:
        if grade == "undo":
            mine = read_revision(str(form.get("undo") or ""))
            archive.judgments.undo(query_id, doc_id, author=caller.name, if_revision=mine)
            return
        if grade == "take-back":
            archive.judgments.remove(query_id, doc_id, author=caller.name, if_revision=seen)
            return
        is_settling = bool(form.get("settle"))
        archive.judgments.change(
            query_id,
            doc_id,
            _number(grade),
            author=caller.name,
            source=SETTLED if is_settling else SOURCE,
            document_hash=str(form.get("hash") or "") or None,
            if_revision=seen,
        )

    try:
        await to_thread.run_sync(work)
    except DisagreementError:
        raise
    except ConflictError:
        raise await to_thread.run_sync(_quicker, archive, query_id, doc_id) from None
    return RedirectResponse(f"/judgments/{quoted(query_id)}/{quoted(doc_id)}", 303)


def _quicker(archive: ArchiveDep, query_id: str, doc_id: str) -> Problem:
    changed = change_sentence(archive.judgments.get(query_id, doc_id))
    return Problem(
        412,
        f"{changed}. Nothing was changed; reload the judgment and try again.",
        kind="conflict",
        where=f"/judgments/{quoted(query_id)}/{quoted(doc_id)}",
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError("grade", "a number", repr(text)[:40]) from None


def _pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Join lines into pieces large enough to send."""
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= _PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


def _golden_set(archive: ArchiveDep) -> Iterator[bytes]:
    """Write a golden set into a temporary folder, and iterate over the pieces of its zip file."""
    with temporary_folder() as folder:
        export_golden_set(archive, folder / _GOLDEN)
        packed = shutil.make_archive(str(folder / "packed"), "zip", folder, _GOLDEN)
        with Path(packed).open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                yield piece
