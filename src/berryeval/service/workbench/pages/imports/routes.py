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
from berryeval.errors import InputError, NotFoundError
from berryeval.service.answers import Answer
from berryeval.service.bodies import received_form
from berryeval.service.clients import client_wait
from berryeval.service.dependencies import (
    ArchiveDep,
    Caller,
    CallerDep,
    JobsDep,
    SettingsDep,
    WorkersDep,
    require,
)
from berryeval.service.jobs import Job, Progress
from berryeval.service.judgment_files import with_query_ids
from berryeval.service.lru_cache import LruCache
from berryeval.service.temporary import temporary_folder
from berryeval.service.uploads import named
from berryeval.service.workbench.pages.imports.kinds import (
    KINDS,
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
    """Read a file, and show what it would change; nothing is stored yet."""
    form = await request.form(max_files=1, max_fields=10)
    kind = _kind(str(form.get("kind") or ""))
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return _form(request, kind, error="Choose a file first.", status=422)
    options = Options(
        file_name=Path(file.filename).name[:_LONGEST],
        **{name: str(form.get(name) or "").strip()[:_LONGEST]
           for name in ("run_name", "commit")},
    )  # fmt: skip

    def previewed(content: Any) -> tuple[Staged, Preview]:  # noqa: ANN401 - by its kind
        if kind in ("judgments", "runs"):
            content = with_query_ids(archive, content)
        staged = Staged(kind, content, options, archive.judgments.revision(), size_of(content))
        may_declare = caller.may("admin")
        return staged, preview_of(archive, kind, content, options, may_declare=may_declare)

    limits = {"rows": settings.max_rows, "content": settings.max_upload}
    try:
        with temporary_folder() as folder:
            path = folder / "upload"
            await to_thread.run_sync(_copy, file, path)
            async with client_wait(request) as wait:
                with named(path, options.file_name):
                    content = await workers.call(read_file, wait, path=path, kind=kind, **limits)
        staged, preview = await to_thread.run_sync(previewed, content)
    except InputError as error:
        return _form(request, kind, error=str(error), options=options, status=422)
    finally:
        await form.close()
    return _preview(request, caller, staged, preview)


@router.post("/store", dependencies=[require("judge")])
async def store_file(
    request: Request, archive: ArchiveDep, caller: CallerDep, jobs: JobsDep
) -> Response:
    """Store a previewed file, completely or not at all."""
    form = await received_form(request)
    staged = _imports(request).take((caller.name, str(form.get("staged") or "")))
    if staged is None:
        error = (
            "The file is no longer available: a preview is kept for half an hour, or until the "
            "service restarts. Nothing was stored; choose the file again."
        )
        return _form(request, _kind(str(form.get("kind") or "")), error=error, status=409)
    if staged.kind == "judgments" and staged.revision != await to_thread.run_sync(
        archive.judgments.revision
    ):
        return await to_thread.run_sync(_preview_again, request, archive, staged, caller)

    def work(progress: Progress) -> Response:
        progress(0, 1, "writing")
        said, place = store(
            archive,
            staged.kind,
            staged.content,
            staged.options,
            may_declare=caller.may("admin"),
        )
        return Answer({"said": said, "place": place})

    job = jobs.start("import", work, owner=caller.name)
    await to_thread.run_sync(jobs.wait, job, _WAIT_SECONDS)
    return RedirectResponse(f"/import/jobs/{job.id}?kind={quote(staged.kind)}", 303)


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
    imports: LruCache[tuple[str, str], Staged] = request.app.state.staged_imports
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
    name = secrets.token_urlsafe(16)
    _imports(request).put((caller.name, name), staged)
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
