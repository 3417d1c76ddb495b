"""Imports of judgments: which files were imported, and their undo."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from berryeval.archive.records import StoredImport
from berryeval.service.answers import Answer, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, Caller, CallerDep, require
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.problems import Problem, documented, existing

__all__ = ["check_owner", "router"]

router = APIRouter(prefix="/v1/imports", tags=["imports"], route_class=JsonRoute)

_ImportId = Annotated[
    int, Path(ge=1, lt=2**63, description="The number of the import.", examples=[7])
]


class ImportState(
    shape_of(  # type: ignore[misc] # built from the record
        StoredImport,
        author="Who imported it; the judges are those of the file.",
        last_revision="Lower than the first if the import changed nothing.",
        n_changed="Number of new or changed judgments and second opinions.",
        undone_at="When it was undone; null if it was not.",
        n_kept="Number of pairs that the undo kept, since judges had graded them since.",
    )
):
    """An imported file of judgments."""

    model_config = with_examples(
        {
            "import_id": 7,
            "file_name": "qrels.txt",
            "author": "ada",
            "created_at": "2026-11-16T08:00:00+00:00",
            "first_revision": 301,
            "last_revision": 448,
            "n_changed": 148,
            "undone_at": None,
            "undone_by": None,
            "n_kept": None,
        }
    )


@router.get("", response_model=Listed[ImportState])
def list_imports(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List imports, newest first."""
    return paging.answer(archive.imports.page(**paging.bounds), ImportState.of)


@router.get("/{import_id}", response_model=ImportState, responses=documented(404))
def get_import(import_id: _ImportId, archive: ArchiveDep) -> Answer:
    """Return an import."""
    found = existing(archive.imports.get(import_id), "import", str(import_id))
    return Answer(ImportState.of(found))


@router.post(
    "/{import_id}/undo",
    response_model=ImportState,
    responses=documented(404, 409),
    dependencies=[require("judge")],
)
def undo_import(import_id: _ImportId, archive: ArchiveDep, caller: CallerDep) -> Answer:
    """Undo an import: the previous judgments count again.

    Pairs that judges have graded since are kept, and counted in `n_kept`. Imports of others can be
    undone with the role admin. 409 if it was already undone.
    """
    check_owner(caller, existing(archive.imports.get(import_id), "import", str(import_id)))
    return Answer(ImportState.of(archive.imports.undo(import_id, author=caller.name)))


def check_owner(caller: Caller, found: StoredImport) -> None:
    """Raise if a caller may not undo an import.

    Raises
    ------
    Problem
        403 for another caller's import, without the role admin.
    """
    if found.author != caller.name and not caller.may("admin"):
        raise Problem(
            403,
            f"import {found.import_id} is by {found.author!r}; undoing it requires the role admin",
            where="Authorization",
            expected="admin",
            found=caller.role,
            way_out="ask an administrator to undo it",
        )
