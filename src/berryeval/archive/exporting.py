"""Writes an archive as plain files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, not_, select

from berryeval.archive import tables
from berryeval.archive.collections import further_collections, opened_database
from berryeval.archive.columns import decode
from berryeval.archive.database import Database
from berryeval.archive.export_files import (
    COLLECTIONS,
    EXPORT_VERSION,
    FACTS,
    HISTORY,
    JUDGMENTS,
    KIND,
    PLAIN_TABLES,
    RUNS,
    inside,
    record_of,
)
from berryeval.archive.failures import damaged
from berryeval.archive.judgments.rows import IS_CURRENT
from berryeval.archive.runs import read_content
from berryeval.archive.schema import version_of
from berryeval.core.files import write_whole
from berryeval.core.id_column import IdColumn
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, InputError
from berryeval.formats.json_object import to_lines
from berryeval.formats.writing import write_run

__all__ = ["export_archive"]

_AT_ONCE = 1000
_PARTIAL = ".partial"


def export_archive(database: Database, folder: str | os.PathLike[str]) -> dict[str, int]:
    """Write a consistent snapshot into a new folder; see `Archive.export`."""
    target = Path(folder).absolute()
    is_there = target.exists()
    if is_there and not _is_empty(target):
        expected = "a new or empty folder"
        raise ArgumentError("folder", expected, repr(os.fspath(folder)))
    # An existing folder may be a mount point, which a sibling folder cannot be moved onto.
    partial = target / _PARTIAL if is_there else target.with_name(f"{target.name}{_PARTIAL}")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        (partial / RUNS).mkdir(parents=True)
        with database.reading(repeatable=True) as connection:
            _check_intact(connection, database)
            counts = _write(connection, partial)
            others = further_collections(connection)
        for name, place in others:
            with opened_database(database, place) as opened:
                written = export_archive(opened, partial / COLLECTIONS / name)
            counts |= inside(name, written)
        if is_there:
            # The file that identifies an export is written last: incomplete ones are invalid.
            for file in sorted(partial.iterdir(), key=lambda file: file.name == FACTS):
                file.rename(target / file.name)
        else:
            partial.rename(target)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", os.fspath(folder)) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return counts


def _is_empty(folder: Path) -> bool:
    """Whether a folder contains only what a killed export left behind."""
    return folder.is_dir() and all(file.name == _PARTIAL for file in folder.iterdir())


def _check_intact(connection: Connection, database: Database) -> None:
    """Raise if the file is damaged: rows that are lost with a page would not be missed."""
    problem = database.problem(connection)
    if problem is not None:
        raise damaged(problem, database.location.name)


def _write(connection: Connection, folder: Path) -> dict[str, int]:
    c = tables.judgments.c
    judged = select(tables.judgments)
    parts: dict[str, Iterable[dict[str, Any]]] = {
        JUDGMENTS: _judged(connection, judged.where(IS_CURRENT).order_by(c.query_id, c.doc_id)),
        HISTORY: _judged(connection, judged.where(not_(IS_CURRENT)).order_by(c.revision)),
    }
    for name, table in PLAIN_TABLES.items():
        parts[name] = _records(connection, table)
    counts = {name: _write_lines(folder / name, records) for name, records in parts.items()}
    for content in connection.scalars(select(tables.run_contents.c.content_hash)).all():
        _write_rankings(read_content(connection, content), folder / RUNS / content)
    facts = {
        "kind": KIND,
        "version": EXPORT_VERSION,
        "schema": version_of(connection),
        "lines": counts,
    }
    write_whole(folder / FACTS, [json.dumps(facts, indent=1).encode() + b"\n"])
    return counts


def _rows(connection: Connection, rows: Select[Any]) -> Iterator[dict[str, Any]]:
    for row in connection.execution_options(yield_per=_AT_ONCE).execute(rows):
        yield dict(row._mapping)  # noqa: SLF001 - public, but for its name


def _records(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    for row in _rows(connection, select(table).order_by(*table.primary_key.columns)):
        yield record_of(table, row) | _scores(row)


def _judged(connection: Connection, rows: Select[Any]) -> Iterator[dict[str, Any]]:
    for row in _rows(connection, rows):
        row.pop("superseded_by")  # follows from the revisions
        yield record_of(tables.judgments, row)


def _scores(row: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of an evaluation as JSON."""
    if "scores" not in row:
        return {}
    return {
        "columns": {
            name: list(column) if isinstance(column, IdColumn) else column.tolist()
            for name, column in decode([row["scores"]]).items()
        }
    }


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> int:
    n_lines = 0

    def lines() -> Iterator[bytes]:
        nonlocal n_lines
        for record in records:
            n_lines += 1
            yield json.dumps(record, allow_nan=False).encode() + b"\n"

    write_whole(path, lines())
    return n_lines


def _write_rankings(run: Run, stem: Path) -> None:
    """Write a TREC run, or JSON if TREC cannot represent an id or an empty query."""
    sizes = (len(rows) for _, rows in run.iter_queries())
    if run.n_rows and all(sizes):
        with suppress(InputError):
            write_run(run, stem.with_name(f"{stem.name}.run.gz"), format="trec")
            return
    write_whole(stem.with_name(f"{stem.name}.json.gz"), to_lines(run))
