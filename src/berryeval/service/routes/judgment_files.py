"""Judgments as files, in any supported format."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.datastructures import Headers
from starlette.responses import FileResponse
from starlette.routing import Match
from starlette.types import Scope

from berryeval.archive.records import StoredImport
from berryeval.core.judgments import Judgments
from berryeval.errors import ScaleError
from berryeval.formats import write_judgments
from berryeval.service.answers import Answer, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.clients import client_wait
from berryeval.service.dependencies import ArchiveDep, CallerDep, SettingsDep, WorkersDep, require
from berryeval.service.fields import Label
from berryeval.service.judgment_files import (
    ReadFormat,
    WrittenFormat,
    batches_of_file,
    judgments_for_file,
    judgments_there,
    located,
    unread_times,
    with_query_ids,
)
from berryeval.service.problems import documented
from berryeval.service.temporary import temporary_folder
from berryeval.service.uploads import file_body, received
from berryeval.service.workers.tasks import read_judgments_file

__all__ = ["FILE_TYPES", "router"]

FILE_TYPES = frozenset(
    (
        "application/gzip",
        "application/jsonl",
        "application/octet-stream",
        "application/vnd.apache.arrow.file",
        "application/vnd.apache.arrow.stream",
        "application/vnd.apache.parquet",
        "application/x-ndjson",
        "application/zstd",
        "text/csv",
        "text/plain",
        "text/tab-separated-values",
    )
)
"""Media types of bodies that are files, rather than JSON for ``POST /v1/judgments``."""

_FILE = "q1 0 d7 2\nq1 0 d9 0\n"


class _FileRoute(JsonRoute):
    """A route for bodies that are files; the route for JSON has the same path."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only if the content type is one of `FILE_TYPES`."""
        kind = Headers(scope=scope).get("content-type", "") if scope["type"] == "http" else ""
        if kind.partition(";")[0].strip().lower() not in FILE_TYPES:
            return Match.NONE, {}
        return super().matches(scope)


router = APIRouter(prefix="/v1/judgments", tags=["judgments"], route_class=JsonRoute)


class ImportedJudgments(BaseModel):
    """The outcome of an import."""

    model_config = with_examples(
        {
            "received": 150,
            "changed": 148,
            "notes": ["2 rows without a rating were left out."],
            "import_id": 7,
        }
    )

    received: int = Field(description="Number of judged pairs in the file.")
    changed: int = Field(description="Number of new or changed judgments and second opinions.")
    notes: list[str] = Field(description="What the file contains and the archive cannot store.")
    import_id: int = Field(description="The number of the import, to undo it.")


@router.post(
    "/file",
    response_model=ImportedJudgments,
    responses=documented(409),
    openapi_extra=file_body(_FILE),
    dependencies=[require("judge")],
)
async def import_judgments(
    request: Request,
    archive: ArchiveDep,
    caller: CallerDep,
    settings: SettingsDep,
    workers: WorkersDep,
    file_name: Annotated[Label, Query(description="Name of the file in messages.")] = "upload",
    format: Annotated[
        ReadFormat | None, Query(description="Default: detected from the beginning.")
    ] = None,
) -> Answer:
    """Import a file of judgments in any supported format, completely or not at all.

    Judges, sources, times and notes in the file are kept. A grade without a judge is by
    `imported`; if several judges graded a document, the first grade is the judgment, and the others
    are second opinions. Queries that are identified by their text get the id of the stored query.
    `POST /v1/imports/{import_id}/undo` undoes an import. `POST /v1/judgments` takes the same files
    if the content type is not JSON, such as `text/plain`.
    """
    async with received(request, file_name) as path, client_wait(request) as wait:
        limits = {"rows": settings.max_rows, "content": settings.max_upload}
        content, notes = await workers.call(
            read_judgments_file, wait, path=path, format=format, **limits
        )

        def store() -> StoredImport:
            found: Judgments = with_query_ids(archive, content)
            return archive.imports.put(
                batches_of_file(found, file_name, judgments_there(archive, found)),
                file_name=file_name,
                author=caller.name,
                declared=found if caller.may("admin") else None,
            )

        try:
            stored = await to_thread.run_sync(store)
        except ScaleError as error:
            raise await located(
                error, archive, workers, wait, path=path, file_name=file_name, format=format
            ) from None
    unread = unread_times(content)
    return Answer(
        {
            "received": content.n_rows,
            "changed": stored.n_changed,
            "notes": notes if unread is None else [*notes, unread],
            "import_id": stored.import_id,
        }
    )


router.add_api_route(
    "",
    import_judgments,
    methods=["POST"],
    response_model=ImportedJudgments,
    dependencies=[require("judge")],
    include_in_schema=False,  # the same path and method as the route for JSON
    route_class_override=_FileRoute,
)


@router.get(
    "/file",
    response_class=FileResponse,
    responses={
        200: {
            "description": "The judgments as a file",
            "content": {
                "application/octet-stream": {"schema": {"type": "string"}, "example": _FILE}
            },
        }
    },
)
def export_judgments(
    archive: ArchiveDep,
    format: Annotated[WrittenFormat, Query(description="Format of the file.")] = "trec",
    with_settled: Annotated[  # noqa: FBT002 - a parameter of the address
        bool,
        Query(
            description="Whether to add opinions that a judge has settled, for an import. They do "
            "not count: of several rows, the one from the source `settled` does."
        ),
    ] = False,
) -> FileResponse:
    """Download the current judgments as a file.

    JSON lines, tables, Parquet and Arrow contain judge, source, time and note of each grade, with
    one row per second opinion; Quepid's books contain the judges. Formats that identify queries by
    text use the stored texts, where there are any.
    """
    judgments, texts = judgments_for_file(archive, format, with_settled=with_settled)
    with ExitStack() as kept:
        path = kept.enter_context(temporary_folder()) / "judgments"
        write_judgments(judgments, path, format=format, texts=texts)
        removal = BackgroundTask(kept.pop_all().close)
    return FileResponse(
        path,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="judgments.{format}"'},
        background=removal,
    )
