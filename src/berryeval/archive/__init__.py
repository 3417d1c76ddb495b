"""The archive: judgments, queries, runs, evaluations and verdicts, in SQLite or PostgreSQL.

Requires SQLAlchemy and Alembic (``pip install 'berryeval[archive]'``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of
from berryeval.errors import MissingExtraError

if TYPE_CHECKING:
    from berryeval.archive.archive import Archive
    from berryeval.archive.documents import hash_of_document
    from berryeval.archive.records import (
        ROLES,
        ArchiveFacts,
        Check,
        JudgmentEntry,
        Page,
        Role,
        RunFacts,
        StoredBaseline,
        StoredDocument,
        StoredEvaluation,
        StoredGate,
        StoredJudgment,
        StoredRun,
        StoredStore,
        StoredVerdict,
        Token,
        TrendPoint,
    )
    from berryeval.archive.runs import hash_of_run

__all__ = [
    "ROLES",
    "Archive",
    "ArchiveFacts",
    "Check",
    "JudgmentEntry",
    "Page",
    "Role",
    "RunFacts",
    "StoredBaseline",
    "StoredDocument",
    "StoredEvaluation",
    "StoredGate",
    "StoredJudgment",
    "StoredRun",
    "StoredStore",
    "StoredVerdict",
    "Token",
    "TrendPoint",
    "hash_of_document",
    "hash_of_run",
]

_OTHERS = {
    "Archive": "berryeval.archive.archive",
    "hash_of_document": "berryeval.archive.documents",
    "hash_of_run": "berryeval.archive.runs",
}
_load = loader_of(__name__, dict.fromkeys(__all__, "berryeval.archive.records") | _OTHERS)


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "sqlalchemy":
            raise MissingExtraError("The archive", "archive") from None
        raise
