"""Reads the plain files of an export into an empty archive."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from berryeval.archive import evaluations, queries, runs, tables
from berryeval.archive.admissions import check_admission_row
from berryeval.archive.checks import check_note
from berryeval.archive.collections import (
    check_collection_name,
    check_place,
    create_database,
    drop_database,
    further_collections,
)
from berryeval.archive.columns import Column, encode
from berryeval.archive.database import Database, batches_of
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
    row_of,
)
from berryeval.archive.judgments import judging
from berryeval.archive.judgments.subtopics import check_subtopics
from berryeval.archive.label_draws import check_draw_row
from berryeval.archive.model_grades import check_grade_row
from berryeval.archive.projects.records import PROJECT_STATES, plan_of
from berryeval.archive.proposals import check_proposal_row
from berryeval.archive.records import JUDGMENT_KINDS
from berryeval.core.id_column import IdColumn, encode_id
from berryeval.core.lengths import check_length
from berryeval.core.run import Run
from berryeval.errors import (
    ArgumentError,
    BerryEvalError,
    FormatError,
    InputTypeError,
    MismatchError,
)
from berryeval.evaluation.memory import Decision
from berryeval.formats import read_run
from berryeval.formats.jsonl import iter_objects
from berryeval.formats.lines import iter_pieces

__all__ = ["import_archive", "read_facts"]

_FAULTS = (ArgumentError, InputTypeError, AttributeError, LookupError, TypeError, ValueError)


def import_archive(database: Database, folder: str | os.PathLike[str]) -> dict[str, int]:
    """Import a folder, completely or not at all; see `Archive.import_`."""
    created: list[str] = []
    try:
        return _import(database, Path(folder), created)
    except BaseException:
        for place in created:
            drop_database(database, place)
        raise


def _import(database: Database, source: Path, created: list[str] | None) -> dict[str, int]:
    """Import a folder; collections are added to `created`, and rejected if it is None."""
    expected = read_facts(source)
    with database.writing(alone="schema") as connection:
        for table in tables.metadata.sorted_tables:
            if connection.scalar(select(func.count()).select_from(table)):
                found = f"{table.name} in {database.location.name}"
                raise ArgumentError("archive", "an empty one to import into", found)
        counts = _import_judgments(connection, source)
        for name, table in PLAIN_TABLES.items():
            if name not in expected:  # an export from before the table existed
                continue
            counts[name] = _insert(connection, table, _rows(source / name, table))
            if table is tables.queries:
                _check_groups(connection, source / name)
            if table is tables.run_contents:
                _import_rankings(connection, source / RUNS)
        _check_lines(source, expected, counts)
        for name, place in further_collections(connection):
            if created is None:
                message = "expected a collection without further collections"
                raise FormatError(message, os.fspath(source))
            with create_database(database, place) as other:
                counts |= inside(name, _import(other, source / COLLECTIONS / name, None))
            created.append(place)
    return counts


def _check_lines(source: Path, expected: Mapping[str, int], counts: Mapping[str, int]) -> None:
    for name, n_lines in expected.items():
        if counts.get(name) != n_lines:
            raise FormatError.unexpected(
                f"{n_lines} lines", str(counts.get(name, 0)), os.fspath(source / name)
            )


def _check_groups(connection: Connection, path: Path) -> None:
    try:
        queries.check_groups(connection)
    except ArgumentError as error:
        raise FormatError(str(error), os.fspath(path)) from None


def read_facts(folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return the number of lines of each file of an export; raise `FormatError` if it is none."""
    path = os.fspath(Path(folder) / FACTS)
    try:
        facts = json.loads(b"".join(iter_pieces(path)))
        kind, version, lines = facts["kind"], facts["version"], dict(facts["lines"])
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError("expected the facts of an exported archive", path) from None
    if kind != KIND or version != EXPORT_VERSION:
        found = f"{kind!r}, version {version!r}"
        raise FormatError.unexpected(f"{KIND!r}, version {EXPORT_VERSION}", found, path)
    return lines


def _import_judgments(connection: Connection, folder: Path) -> dict[str, int]:
    rows: list[dict[str, Any]] = []
    counts = {}
    for name in (JUDGMENTS, HISTORY):
        before = len(rows)
        rows += _rows(folder / name, tables.judgments)
        counts[name] = len(rows) - before
    rows.sort(key=lambda row: int(row["revision"]), reverse=True)
    newest: dict[tuple[str, ...], int] = {}
    for row in rows:
        # Each judge's opinions of a pair form a separate chain from that of its judgments.
        judge = (row["author"],) if row["kind"] == "opinion" else ()
        chain = row["query_id"], row["doc_id"], *judge
        row["superseded_by"] = newest.get(chain)
        newest[chain] = row["revision"]
    if len({row["revision"] for row in rows}) != len(rows):
        raise FormatError.unexpected(
            f"each revision once, here and in {HISTORY}", "one twice", os.fspath(folder / JUDGMENTS)
        )
    _insert(connection, tables.judgments, reversed(rows))
    return counts


def _rows(path: Path, table: Table) -> Iterator[dict[str, Any]]:
    for line, record in iter_objects(path):
        try:
            columns = record.pop("columns", None)
            row = row_of(table, record)
            _check(table, row)
            if table is tables.evaluations:
                row["scores"] = _scores(columns, row["facts"])
        except _FAULTS as error:
            reason = str(error) if isinstance(error, BerryEvalError) else f"no {error}"
            message = f"expected a line as `berryeval archive export` writes ({reason})"
            raise FormatError(message, os.fspath(path), line) from None
        yield row


def _check(table: Table, row: dict[str, Any]) -> None:
    """Raise if the archive could not read the flattened part of a row."""
    check = _CHECKS.get(table.name)
    if check is not None:
        check(row)


def _check_query(row: dict[str, Any]) -> None:
    row["content"] = queries.content_of(queries.query_of(row["query_id"], row["content"]))


def _check_document(row: dict[str, Any]) -> None:
    if row["content"] is not None:
        row["content"] = {key: str(row["content"][key]) for key in ("title", "text")}
    if row.get("length") is not None:
        check_length(row["length"])


def _check_judgment(row: dict[str, Any]) -> None:
    if row["kind"] not in JUDGMENT_KINDS:
        raise ArgumentError("kind", " or ".join(map(repr, JUDGMENT_KINDS)), repr(row["kind"]))
    check_note(row["note"], "note")
    named = check_subtopics(row["subtopics"], row["subtopic_weights"])
    row |= {"subtopics": named.grades, "subtopic_weights": named.weights}


def _check_setting(row: dict[str, Any]) -> None:
    if row["name"] == judging.NAME:
        judging.policy_of(row["content"])


def _check_verdict(row: dict[str, Any]) -> None:
    if row["decision"] is not None:
        row["decision"] = Decision.from_dict(row["decision"]).to_dict()


def _check_run(row: dict[str, Any]) -> None:
    facts = runs.facts_of(row["facts"], row["durations"])
    row |= {"facts": runs.fields_of(facts), "durations": runs.durations_of(facts)}


def _check_project(row: dict[str, Any]) -> None:
    plan_of(row["settings"])
    if row["state"] not in PROJECT_STATES:
        raise ArgumentError("state", " or ".join(map(repr, PROJECT_STATES)), repr(row["state"]))


def _check_collection(row: dict[str, Any]) -> None:
    """Raise for a collection with a hostile name or place."""
    check_collection_name(row["name"])
    check_place(row["place"], row["name"])


def _check_token(row: dict[str, Any]) -> None:
    """Raise for a token that is limited to a collection with a hostile name."""
    if row["collections"] is not None:
        row["collections"] = [check_collection_name(name) for name in row["collections"]]


_CHECKS: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "queries": _check_query,
    "documents": _check_document,
    "store_documents": _check_document,
    "judgments": _check_judgment,
    "settings": _check_setting,
    "verdicts": _check_verdict,
    "runs": _check_run,
    "projects": _check_project,
    "model_grades": check_grade_row,
    "judge_admissions": check_admission_row,
    "label_draws": check_draw_row,
    "query_proposals": check_proposal_row,
    "collections": _check_collection,
    "tokens": _check_token,
}
"""Checks of rows, by the name of the table."""


def _scores(columns: Any, facts: Mapping[str, Any]) -> bytes:  # noqa: ANN401 - any JSON
    typed: dict[str, Column] = {}
    for name, values in columns.items():
        if name.endswith("_ids"):
            typed[name] = IdColumn.of(map(encode_id, values))
        else:
            typed[name] = array("d" if name.startswith("scores ") else "Q", values)
    evaluations.scores_of(typed, facts)
    return b"".join(encode(typed))


def _insert(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> int:
    n_rows = 0
    for batch in batches_of(rows):
        connection.execute(insert(table), batch)
        n_rows += len(batch)
    return n_rows


def _import_rankings(connection: Connection, folder: Path) -> None:
    for content in connection.scalars(select(tables.run_contents.c.content_hash)).all():
        path = folder / f"{content}.run.gz"
        if path.exists():
            run = read_run(path, format="trec")
        else:
            run = _read_json(folder / f"{content}.json.gz")
        if runs.hash_of_run(run) != content:
            message = "expected rankings whose hash matches the file name, found others"
            raise MismatchError(f"{path}: {message}")
        runs.write_content(connection, content, runs.pieces_of(run))


def _read_json(path: Path) -> Run:
    try:
        content = json.loads(b"".join(iter_pieces(path)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"expected a JSON object ({error})", os.fspath(path)) from None
    return Run.from_dict(content)
