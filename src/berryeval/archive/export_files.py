"""The files of an export: JSON lines, one file per table, and one file per run.

``archive.json`` has the version, and the number of lines of each file. The other files are
independent: ``judgments.jsonl``, ``queries.jsonl``, ``documents.jsonl`` and ``runs/*.run.gz`` can
be read by `berryeval evaluate` and other commands. Each further collection is an export of its
own, in ``collections/NAME``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import Column, DefaultClause, Double, Integer, LargeBinary, String, Table

from berryeval.archive import tables
from berryeval.archive.checks import check_count, check_id, json_value
from berryeval.archive.tables import Json, Name, UtcTime
from berryeval.core.grade import check_grade
from berryeval.errors import ArgumentError

__all__ = [
    "COLLECTIONS",
    "EXPORT_VERSION",
    "FACTS",
    "HISTORY",
    "JUDGMENTS",
    "KIND",
    "PLAIN_TABLES",
    "RUNS",
    "inside",
    "record_of",
    "row_of",
]

KIND = "berryeval archive"
EXPORT_VERSION = 1

FACTS = "archive.json"
JUDGMENTS = "judgments.jsonl"
HISTORY = "history.jsonl"
RUNS = "runs"
COLLECTIONS = "collections"

# Ordered so that rows follow those that they refer to. A run's rankings and the scores of an
# evaluation are not among the columns: they are compressed.
PLAIN_TABLES: Mapping[str, Table] = {
    "judgment_states.jsonl": tables.judgment_states,
    "queries.jsonl": tables.queries,
    "documents.jsonl": tables.documents,
    "run_contents.jsonl": tables.run_contents,
    "runs.jsonl": tables.runs,
    "evaluations.jsonl": tables.evaluations,
    "baselines.jsonl": tables.baselines,
    "gates.jsonl": tables.gates,
    "verdicts.jsonl": tables.verdicts,
    "stores.jsonl": tables.stores,
    "store_documents.jsonl": tables.store_documents,
    "tokens.jsonl": tables.tokens,
    "settings.jsonl": tables.settings,
    "imports.jsonl": tables.imports,
    "projects.jsonl": tables.projects,
    "project_pairs.jsonl": tables.project_pairs,
    "project_refusals.jsonl": tables.project_refusals,
    "model_grades.jsonl": tables.model_grades,
    "judge_admissions.jsonl": tables.judge_admissions,
    "label_draws.jsonl": tables.label_draws,
    "query_proposals.jsonl": tables.query_proposals,
    "collections.jsonl": tables.collections,
}

_RENAMED = {tables.judgments.c.grade: "relevance"}
"""Its name in files of judgments."""


def inside(name: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Return numbers of lines by file, with the folder of a collection."""
    return {f"{COLLECTIONS}/{name}/{file}": n_lines for file, n_lines in counts.items()}


def record_of(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as JSON, without empty values; ``content`` and ``facts`` are flattened."""
    record: dict[str, Any] = {}
    for column in table.columns:
        value = values.get(column.name)
        if column.name in ("content", "facts"):
            record |= value or {}
        elif isinstance(value, datetime):
            record[column.name] = value.isoformat().replace("+00:00", "Z")
        elif value is not None and not isinstance(value, bytes):
            record[_RENAMED.get(column, column.name)] = value
    return record


def row_of(table: Table, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a record, the inverse of `record_of`, without compressed columns.

    Raises `ArgumentError` or `InputTypeError` if a value is missing or has the wrong type.
    """
    rest = dict(record)
    row: dict[str, Any] = {}
    flat = None
    for column in table.columns:
        if column.name in ("content", "facts"):
            flat = column
            continue
        if isinstance(column.type, LargeBinary):
            continue
        name = _RENAMED.get(column, column.name)
        value = rest.pop(name, None)
        if value is None and isinstance(column.server_default, DefaultClause):
            value = column.server_default.arg  # an export from before the column existed
        if value is None and not column.nullable:
            raise ArgumentError(name, "a value", "none")
        row[column.name] = None if value is None else _typed(column, value, name)
    if flat is not None:
        row[flat.name] = rest or None
        # A run's name is among its facts, and also in a separate column, to search by it.
        if flat.name == "facts" and "name" in row:
            row[flat.name] = {"name": row["name"], **rest}
    return row


def _typed(column: Column[Any], value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(column.type, UtcTime):
        return _time(value, name)
    if isinstance(column.type, Json):
        return json_value(value, name)
    if isinstance(column.type, Double):
        return check_grade(value, name)
    if isinstance(column.type, Integer):
        return check_count(value, name)
    check_id(value, name)
    longest = column.type.length if isinstance(column.type, String) else None
    if not isinstance(column.type, Name) and longest is not None and len(value) > longest:
        raise ArgumentError(name, f"at most {longest} characters", f"{len(value)}")
    return value


def _time(value: object, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
        return moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise ArgumentError(name, "a time", repr(value)[:60]) from None
