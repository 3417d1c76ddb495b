"""The list of gates, and the page where guards are edited and replayed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Query, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredGate, StoredRun
from berryeval.errors import BerryEvalError, NotFoundError
from berryeval.evaluation.gate_rules import RULES
from berryeval.evaluation.slices import LABELS
from berryeval.service.answers import etag_of, json_bytes
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, from_state, require, state_of
from berryeval.service.paths import NAME, Name
from berryeval.service.preconditions import Precondition, WriteCheck
from berryeval.service.problems import Problem, existing
from berryeval.service.verdicts import read_gate
from berryeval.service.workbench.pages.gates.form import (
    KINDS,
    GateForm,
    GuardRow,
    changes,
    form_of,
    guard_sentences,
    propose,
    read_form,
    summary,
)
from berryeval.service.workbench.pages.gates.replay_strip import ReplayStrip, strip_of
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.replays import Replays
from berryeval.service.workbench.state.scoring import ScoringDep
from berryeval.service.workbench.waiting import once_read
from berryeval.suite.settings import gate_to_toml

__all__ = ["ReplaysDep", "found_gate", "router"]

_ON_A_PAGE = 50
_MAX_BASELINES = 1000
_MAX_NAMED = 200
_CONFLICT, _UNREADABLE = 412, 422
_ABOUT_NEW = (
    "Filled in with suggestions from your runs. If the queries are too few to test the margin, the "
    "difference on them decides. Change what you like; the replay shows the verdicts it would have "
    "given."
)

router = APIRouter()


async def _posted(request: Request) -> FormData:
    return await received_form(request)


ReplaysDep: TypeAlias = Annotated[Replays, from_state("replays")]
Posted: TypeAlias = Annotated[FormData, Depends(_posted)]


@router.get("/gates")
def show_gates(
    request: Request, archive: ArchiveDep, after: Annotated[str | None, Query()] = None
) -> Response:
    """List gates, each with its latest verdict."""
    found = archive.gates.page(after=after, limit=_ON_A_PAGE)
    rows = [
        (gate, guard_sentences(gate.settings), _latest(archive, gate.name)) for gate in found.items
    ]
    return page(request, "gates.html", rows=rows, after=after, next=found.next)


def _latest(archive: Archive, name: str) -> object:
    return next(iter(archive.verdicts.summaries(gate=name, limit=1).items), None)


@router.get("/gates/+new", dependencies=[require("admin"), once_read])
def show_new_gate(
    request: Request, archive: ArchiveDep, replays: ReplaysDep, scoring: ScoringDep
) -> Response:
    """Propose a gate."""
    name = "release" if archive.gates.get("release") is None else ""
    form = form_of(propose(archive, scoring))
    return _page(request, archive, replays, form, None, name=name)


@router.get("/gates/{name}")
def show_gate(
    request: Request,
    name: Name,
    archive: ArchiveDep,
    replays: ReplaysDep,
    saved: Annotated[str | None, Query()] = None,
    after: Annotated[str | None, Query()] = None,
) -> Response:
    """Show a gate, its replay on the latest runs, and its verdicts."""
    gate = archive.gates.get(name)
    if gate is None:
        return _gone(request, archive, name, after)
    form = form_of(gate.settings)
    return _page(request, archive, replays, form, gate, is_saved=saved is not None, after=after)


@router.post("/gates/+new", dependencies=[require("admin")])
def make_gate(
    request: Request, archive: ArchiveDep, replays: ReplaysDep, posted: Posted
) -> Response:
    """Store a new gate, or show the form again with its errors."""
    form, name = read_form(posted), str(posted.get("name") or "").strip()
    edited = _edited(request, archive, replays, posted, form, None, name)
    if edited is not None:
        return edited
    if not re.fullmatch(NAME, name):
        fault = f"expected letters, digits, dots, dashes; found {name[:40]!r}"
        form = replace(form, messages={**form.messages, "name": fault}, settings=None)
    if form.settings is None:
        return _page(request, archive, replays, form, None, name=name, status=_UNREADABLE)
    try:
        _put(archive, name, form.settings, Precondition(is_none=True))
    except Problem:
        fault = f"gate {name!r} already exists; choose another name"
        form = replace(form, messages={"name": fault}, settings=None)
        return _page(request, archive, replays, form, None, name=name, status=_CONFLICT)
    return RedirectResponse(f"/gates/{name}?saved", 303)


@router.post("/gates/{name}", dependencies=[require("admin")])
def change_gate(
    request: Request, name: Name, archive: ArchiveDep, replays: ReplaysDep, posted: Posted
) -> Response:
    """Store an edited gate, unless it was changed in the meantime."""
    gate, form = found_gate(archive, name), read_form(posted)
    edited = _edited(request, archive, replays, posted, form, gate, name)
    if edited is not None:
        return edited
    if form.settings is None:
        return _page(request, archive, replays, form, gate, status=_UNREADABLE)
    seen = str(posted.get("etag") or "")
    try:
        _put(archive, name, form.settings, Precondition(frozenset({seen})))
    except Problem:
        gate = found_gate(archive, name)
        theirs = form_of(gate.settings).settings or gate.settings
        differences = changes(theirs, form.settings)
        return _page(request, archive, replays, form, gate, status=_CONFLICT, conflict=differences)
    return RedirectResponse(f"/gates/{name}?saved", 303)


@router.post("/gates/{name}/remove", dependencies=[require("admin")])
def remove_gate(name: Name, archive: ArchiveDep, posted: Posted) -> Response:
    """Remove a gate, unless it was changed in the meantime; its verdicts are kept."""
    seen = Precondition(frozenset({str(posted.get("etag") or "")}))
    if not archive.gates.remove(name, check=WriteCheck(seen, _etag, f"gate {name!r}")):
        raise NotFoundError("gate", name)
    return RedirectResponse("/gates", 303)


@router.get("/gates/{name}/replay", tags=["part"])
def show_replay(
    request: Request,
    name: str,
    archive: ArchiveDep,
    replays: ReplaysDep,
    of: Annotated[str, Query(max_length=64)],
    series: Annotated[str | None, Query(max_length=1024)] = None,
) -> Response:
    """Return the current state of a replay."""
    gate = archive.gates.get(name) if re.fullmatch(NAME, name) else None
    settings = replays.settings_of(of)
    strip = None if settings is None else strip_of(archive, replays, settings, _saved(gate), series)
    return fragment(request, "gate_strip.html", strip=strip, fault=None, address=f"/gates/{name}")


def found_gate(archive: Archive, name: str) -> StoredGate:
    """Return a gate; raises `NotFoundError` if there is none."""
    return existing(archive.gates.get(name), "gate", name)


def _put(
    archive: Archive, name: str, settings: Mapping[str, Any], wanted: Precondition
) -> StoredGate:
    return archive.gates.put(name, settings, check=WriteCheck(wanted, _etag, f"gate {name!r}"))


def _etag(gate: StoredGate) -> str:
    return etag_of(json_bytes(gate.settings))


def _saved(gate: StoredGate | None) -> Mapping[str, Any] | None:
    """Return the settings of a gate as its form would store them, to compare an edit with."""
    return None if gate is None else form_of(gate.settings).settings


def _edited(
    request: Request,
    archive: Archive,
    replays: Replays,
    posted: FormData,
    form: GateForm,
    gate: StoredGate | None,
    name: str,
) -> Response | None:
    """Handle buttons other than save: add or remove a row, replay unsaved guards."""
    wanted = str(posted.get("do") or "save")
    is_part = "hx-request" in request.headers
    if wanted == "replay" and is_part:
        strip = None
        if form.settings is not None:
            strip = strip_of(archive, replays, form.settings, _saved(gate), _series(posted))
        return fragment(
            request,
            "gate_edited.html",
            strip=strip,
            fault=form.first_fault,
            address=_address(gate),
            toml=_toml(form.settings),
        )
    form, focus = _rows_changed(form, wanted)
    if is_part and focus is not None:
        return fragment(
            request,
            "gate_guards.html",
            headers={"HX-Trigger": "gate-edited"},
            **_guards_context(form, gate, focus),
        )
    if wanted == "save":
        return None
    return _page(request, archive, replays, form, gate, name=name, focus=focus)


def _toml(settings: Mapping[str, Any] | None) -> str | None:
    """Return the lines of berryeval.toml; None for invalid settings."""
    if settings is None:
        return None
    try:
        return gate_to_toml(read_gate(settings), settings.get("baseline"))
    except BerryEvalError:
        return None


def _series(posted: FormData) -> str | None:
    """Return the series that the form replays; None if it names none."""
    chosen = posted.get("series")
    return chosen[:1024] if isinstance(chosen, str) else None


def _rows_changed(form: GateForm, wanted: str) -> tuple[GateForm, int | None]:
    """Return the form with a row added or removed, and the row to focus; None if unchanged.

    The messages of a removed row are dropped.
    """
    rows = list(form.rows)
    if wanted == "add":
        has_baseline = bool(form.texts["baseline"].strip())
        rows.append(GuardRow("margin" if has_baseline else "at_least"))
        return replace(form, rows=tuple(rows)), len(rows) - 1
    found = re.fullmatch(r"remove-(\d{1,6})", wanted)
    if found is None or int(found[1]) >= len(rows):
        return form, None
    del rows[int(found[1])]
    return replace(form, rows=tuple(rows)), max(0, int(found[1]) - 1)


def _guards_context(form: GateForm, gate: StoredGate | None, focus: int | None) -> dict[str, Any]:
    return {
        "form": form,
        "kinds": KINDS,
        "labels": LABELS,
        "focus": focus,
        "address": _address(gate),
    }


def _address(gate: StoredGate | None) -> str:
    return "/gates/+new" if gate is None else f"/gates/{gate.name}"


def _newest(archive: Archive, strip: ReplayStrip | None) -> StoredRun | None:
    """Return the run to check: the newest of those that are replayed."""
    if strip is not None and strip.cells:
        return strip.cells[-1].run
    return next(iter(archive.runs.page(limit=1, newest_first=True).items), None)


def _names(archive: Archive) -> list[str]:
    """Return the names of the newest series."""
    newest = archive.runs.page(limit=_MAX_NAMED, newest_first=True).items
    return sorted({run.facts.name for run in newest})


def _gone(request: Request, archive: Archive, name: str, after: str | None) -> Response:
    """Show the verdicts of a removed gate."""
    verdicts = archive.verdicts.summaries(gate=name, after=after, limit=_ON_A_PAGE)
    if not verdicts.items:
        raise NotFoundError("gate", name)
    return page(request, "gate_gone.html", status=404, name=name, verdicts=verdicts, after=after)


def _page(
    request: Request,
    archive: Archive,
    replays: Replays,
    form: GateForm,
    gate: StoredGate | None,
    *,
    name: str = "",
    status: int = 200,
    is_saved: bool = False,
    conflict: list[str] | None = None,
    focus: int | None = None,
    after: str | None = None,
) -> Response:
    strip: ReplayStrip | None = None
    if form.settings is not None:
        strip = strip_of(archive, replays, form.settings, _saved(gate))
    settings = form.settings or (gate.settings if gate is not None else None)
    verdicts = (
        None
        if gate is None
        else archive.verdicts.summaries(gate=gate.name, after=after, limit=_ON_A_PAGE)
    )
    newest = _newest(archive, strip)
    return page(
        request,
        "gate.html",
        status=status,
        gate=gate,
        name=name if gate is None else gate.name,
        etag=None if gate is None else _etag(gate),
        about=_ABOUT_NEW if gate is None else summary(gate.settings),
        baselines=[one.name for one in archive.baselines.page(limit=_MAX_BASELINES).items],
        draws=[one.name for one in archive.label_draws.page(limit=_MAX_BASELINES).items],
        judges=sorted({one.judge for one in archive.admissions.all()}),
        measures=[str(measure) for measure in state_of(request).scoring.measures],
        strip=strip,
        fault=form.first_fault,
        toml=_toml(settings),
        verdicts=verdicts,
        after=after,
        newest=newest,
        names=_names(archive),
        is_saved=is_saved,
        rules=RULES,
        conflict=conflict,
        **_guards_context(form, gate, focus),
    )
