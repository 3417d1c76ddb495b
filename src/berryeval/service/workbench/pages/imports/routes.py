"""The routes of the page Import: upload, preview, and a job that stores the file."""

from __future__ import annotations

import json
import secrets
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.errors import InputError, NotFoundError, ScaleError
from berryeval.reports.wording import count
from berryeval.service.answers import Answer
from berryeval.service.bodies import received_form
from berryeval.service.clients import client_wait
from berryeval.service.demo import store_samples
from berryeval.service.dependencies import (
    ArchiveDep,
    Caller,
    CallerDep,
    JobsDep,
    SettingsDep,
    WorkersDep,
    require,
    state_of,
)
from berryeval.service.jobs import Job, Progress
from berryeval.service.judgment_files import located, with_query_ids
from berryeval.service.lru_cache import LruCache
from berryeval.service.temporary import temporary_folder
from berryeval.service.uploads import named
from berryeval.service.workbench.pages.imports.kinds import (
    KINDS,
    NOUNS,
    Kind,
    Options,
    Preview,
    preview_of,
    read_file,
    size_of,
    store,
)
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/import")

_WAIT_SECONDS = 1.5
_LONGEST = 200
_MAX_FILES = 20
_ORDER: tuple[Kind, ...] = ("queries", "documents", "judgments", "runs")
_GONE = (
    "The file is no longer available: a preview is kept for half an hour, or until the service "
    "restarts. Nothing was stored; choose the file again."
)


@dataclass(frozen=True, slots=True)
class Staged:
    """A file that was read but is not stored yet."""

    kind: Kind
    content: Any
    options: Options
    revision: int
    """The revision of the judgments when it was previewed."""
    size: int
    """About how many bytes of memory it takes."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One of several files."""

    name: str
    kind: Kind | None = None
    preview: Preview | None = None
    staged: str = ""
    """The key of the previewed file."""
    problem: str = ""
    """Why it cannot be read."""


@router.get("")
def show_import(request: Request, kind: str = "judgments") -> Response:
    """Show the form for a file."""
    return _form(request, _kind(kind))


@router.post("", dependencies=[require("judge")])
async def preview_file(
    request: Request,
    archive: ArchiveDep,
    caller: CallerDep,
    settings: SettingsDep,
    workers: WorkersDep,
) -> Response:
    """Read files, and show what they would change; nothing is stored yet.

    One file is previewed; several are listed with their detected kinds.
    """
    form = await received_form(request, max_files=_MAX_FILES, max_fields=10)
    chosen = _kind(str(form.get("kind") or ""))
    files = [one for one in form.getlist("file") if isinstance(one, UploadFile) and one.filename]
    texts = {name: str(form.get(name) or "").strip()[:_LONGEST] for name in ("run_name", "commit")}

    def previewed(kind: Kind, content: Any, options: Options) -> tuple[Staged, Preview]:  # noqa: ANN401
        if kind in ("judgments", "runs"):
            content = with_query_ids(archive, content)
        staged = Staged(kind, content, options, archive.judgments.revision(), size_of(content))
        may_declare = caller.may("admin")
        return staged, preview_of(archive, kind, content, options, may_declare=may_declare)

    async def read(file: UploadFile, options: Options, kind: Kind | None) -> tuple[Staged, Preview]:
        with temporary_folder() as folder:
            path = folder / f"upload{_suffix(options.file_name)}"
            await to_thread.run_sync(_copy, file, path)
            async with client_wait(request) as wait:
                with named(path, options.file_name):
                    limits = {"rows": settings.max_rows, "content": settings.max_upload}
                    found, content = await workers.call(
                        read_file, wait, path=path, kind=kind, **limits
                    )
                try:
                    return await to_thread.run_sync(previewed, found, content, options)
                except ScaleError as error:
                    raise await located(
                        error, archive, workers, wait, path=path, file_name=options.file_name
                    ) from None

    try:
        if not files:
            return _form(request, chosen, error="Choose a file first.", status=422)
        if len(files) == 1:
            options = Options(_name_of(files[0]), **texts)
            try:
                staged, preview = await read(files[0], options, chosen)
            except InputError as error:
                return _form(request, chosen, error=str(error), options=options, status=422)
            note = "" if staged.kind == chosen else _other_kind(options, chosen, staged.kind)
            return _preview(request, caller, staged, preview, note=note)
        listed: list[ListedFile] = []
        for file in files:
            options = Options(_name_of(file), commit=texts["commit"])
            try:
                staged, preview = await read(file, options, None)
                key = _stage(request, caller, staged)
                listed.append(ListedFile(options.file_name, staged.kind, preview, key))
            except InputError as error:
                listed.append(ListedFile(options.file_name, problem=str(error)))
    finally:
        await form.close()
    return page(
        request, "import_several.html", listed=listed, kind=chosen, kinds=KINDS, nouns=NOUNS
    )


@router.post("/store", dependencies=[require("judge")])
async def store_file(
    request: Request, archive: ArchiveDep, caller: CallerDep, jobs: JobsDep
) -> Response:
    """Store previewed files, each completely or not at all."""
    form = await received_form(request)
    kind = _kind(str(form.get("kind") or ""))
    keys = [str(one) for one in form.getlist("staged")][:_MAX_FILES]
    several = [_imports(request).take((caller.name, key)) for key in keys]
    found = [one for one in several if one is not None]
    if not found or len(found) < len(several):
        for key, one in zip(keys, several, strict=True):
            if one is not None:
                _imports(request).put((caller.name, key), one)
        return _form(request, kind, error=_GONE if keys else "Choose a file first.", status=409)
    staged = found[0]
    if len(found) > 1 or form.get("several"):
        job = jobs.start(
            "import", lambda progress: _store_several(archive, found, caller, progress),
            owner=caller.name,
        )  # fmt: skip
    elif staged.kind == "judgments" and staged.revision != await to_thread.run_sync(
        archive.judgments.revision
    ):
        return await to_thread.run_sync(_preview_again, request, archive, staged, caller)
    else:
        job = jobs.start(
            "import", lambda progress: _store_one(archive, staged, caller, progress),
            owner=caller.name,
        )  # fmt: skip
    await to_thread.run_sync(jobs.wait, job, _WAIT_SECONDS)
    return RedirectResponse(f"/import/jobs/{job.id}?kind={quote(kind)}", 303)


def _store_one(archive: Archive, staged: Staged, caller: Caller, progress: Progress) -> Response:
    progress(0, 1, "writing")
    message, place = _store(archive, staged, caller)
    return Answer({"message": message, "place": place})


def _store_several(
    archive: Archive, several: list[Staged], caller: Caller, progress: Progress
) -> Response:
    """Store files so that each comes after those it refers to; one may fail without the others."""
    lines = []
    in_order = sorted(several, key=lambda one: _ORDER.index(one.kind))
    for number, one in enumerate(in_order):
        progress(number, len(in_order), "writing")
        content = one.content
        try:
            if one.kind in ("judgments", "runs"):  # queries may have come with the files before
                content = with_query_ids(archive, content)
            message, _ = _store(archive, replace(one, content=content), caller)
            lines.append(f"{one.options.file_name}: {message}")
        except InputError as error:
            lines.append(f"{one.options.file_name}: not stored. {error}")
    return Answer({"message": count(len(lines), "file") + ":", "lines": lines, "place": "/"})


def _store(archive: Archive, staged: Staged, caller: Caller) -> tuple[str, str]:
    return store(
        archive,
        staged.kind,
        staged.content,
        staged.options,
        author=caller.name,
        may_declare=caller.may("admin"),
    )


@router.post("/samples", dependencies=[require("admin")])
def store_sample_data(archive: ArchiveDep) -> Response:
    """Fill an empty archive with the examples of the package, and show them."""
    store_samples(archive)
    return RedirectResponse("/", 303)


@router.get("/jobs/{job_id}")
async def show_import_job(
    request: Request, jobs: JobsDep, caller: CallerDep, job_id: str, kind: str = "judgments"
) -> Response:
    """Show the progress of an import, and its outcome."""
    job = jobs.get(job_id)
    if job is None or job.kind != "import" or job.owner != caller.name:
        raise NotFoundError("import", job_id)
    return page(
        request, "import_job.html", job=job, outcome=_outcome(job), kind=_kind(kind), kinds=KINDS
    )


def _imports(request: Request) -> LruCache[tuple[str, str], Staged]:
    """Return the previewed files, by their owner and an unguessable name."""
    imports: LruCache[tuple[str, str], Staged] = state_of(request).staged_imports
    return imports


def _outcome(job: Job) -> dict[str, Any] | None:
    if job.result is None:
        return None
    found: dict[str, Any] = json.loads(bytes(job.result.body))
    return found


def _preview_again(request: Request, archive: Archive, staged: Staged, caller: Caller) -> Response:
    """Show the preview again after judgments have changed."""
    preview = preview_of(
        archive,
        staged.kind,
        staged.content,
        staged.options,
        may_declare=caller.may("admin"),
    )
    again = replace(staged, revision=archive.judgments.revision())
    note = "Judgments have changed since the preview. This is what would change now."
    return _preview(request, caller, again, preview, note=note)


def _preview(
    request: Request, caller: Caller, staged: Staged, preview: Preview, note: str = ""
) -> Response:
    name = _stage(request, caller, staged)
    return page(
        request,
        "import_preview.html",
        kind=staged.kind,
        kinds=KINDS,
        preview=preview,
        options=staged.options,
        name=name,
        note=note,
    )


def _stage(request: Request, caller: Caller, staged: Staged) -> str:
    """Keep a previewed file, and return its unguessable name."""
    name = secrets.token_urlsafe(16)
    _imports(request).put((caller.name, name), staged)
    return name


def _other_kind(options: Options, chosen: Kind, found: Kind) -> str:
    return (
        f"{options.file_name} is {NOUNS[found]}, not {NOUNS[chosen]}. "
        f"Store it to import it as {NOUNS[found]}."
    )


def _name_of(file: UploadFile) -> str:
    return Path(file.filename or "").name[:_LONGEST]


def _suffix(name: str) -> str:
    """Return the ending of a file name if it is plain."""
    found = Path(name).suffix
    return found if found[1:].isascii() and found[1:].isalnum() else ""


def _form(
    request: Request,
    kind: Kind,
    *,
    error: str | None = None,
    options: Options | None = None,
    status: int = 200,
) -> Response:
    return page(
        request,
        "import.html",
        status=status,
        kind=kind,
        kinds=KINDS,
        error=error,
        options=options or Options(""),
    )


def _copy(file: UploadFile, path: Path) -> None:
    with path.open("wb") as copy:
        shutil.copyfileobj(file.file, copy)


def _kind(name: str) -> Kind:
    return name if name in KINDS else "judgments"  # type: ignore[return-value]  # one of them
