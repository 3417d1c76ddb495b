"""Scores by measure and query, as other tools computed them.

In JSON lines ``{"query_id": "q1", "measure": "NDCG@10", "value": 0.8}``, and in tables the same
columns. Platforms have their own: responses of ``_rank_eval``, experiments of OpenSearch,
snapshots of Quepid.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from berryeval.core.column_names import QUERY, find_name
from berryeval.core.files import write_whole
from berryeval.core.id_column import decode_id, shown_id
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import delimited, jsonl
from berryeval.formats.keys import id_bytes, shown_keys
from berryeval.formats.lines import PathLike, path_name, readable_again
from berryeval.formats.reading import iter_limited, sniff_format
from berryeval.formats.registry import FORMATS, capabilities_of, check_format, check_kind
from berryeval.formats.rows import Row, parse_number, written

__all__ = ["ScoreTable", "read_scores", "write_scores"]

ScoreTable: TypeAlias = "dict[str, dict[str, float]]"
"""The score of each query by measure."""

_MEASURE = ("measure", "metric")
_VALUE = ("value", "score")


def read_scores(path: PathLike, *, format: str | None = None) -> ScoreTable:
    """Read scores from a file.

    Parameters
    ----------
    path : path
        The file, compressed or not; ``-`` is standard input.
    format : str, optional
        One of `FORMATS` that holds scores. Default: detected from the beginning.

    Returns
    -------
    dict
        For each measure, by the name that the file gives it, the score of each query.

    Raises
    ------
    FormatError
        For invalid content, and for a query with two scores of a measure.
    """
    path = readable_again(path)
    chosen = sniff_format(path) if format is None else check_format(format)
    check_kind(chosen, "scores", path)
    module = FORMATS[chosen]
    if hasattr(module, "read_scores"):
        found: ScoreTable = module.read_scores(path)
        return found
    if chosen not in ("jsonl", "table"):
        raise FormatError.unexpected("scores", f"the format {chosen}", path_name(path))
    records = jsonl.iter_objects(path) if chosen == "jsonl" else _table(path)
    return _collect(iter_limited(_rows(records, path), path), path)


def _table(path: PathLike) -> Iterator[tuple[int, dict[str, object]]]:
    for line, fields in delimited.iter_records(path):
        yield line, dict(fields)


def _rows(records: Iterable[tuple[int, dict[str, object]]], path: PathLike) -> Iterator[Row]:
    """Iterate over line, query, measure and value."""
    for line, record in records:
        names = [find_name(record, known) for known in (QUERY, _MEASURE, _VALUE)]
        query, measure, value = names
        if query is None or measure is None or value is None:
            shown = shown_keys(record)
            expected = "query_id, measure and value"
            raise FormatError.unexpected(expected, shown[:150], path_name(path), line)
        number = record[value]
        text = number if isinstance(number, (int, float, str)) else repr(number)
        yield (
            line,
            id_bytes(record[query], path, line),
            id_bytes(record[measure], path, line),
            parse_number(text, "run", path, line),
        )


def _collect(rows: Iterable[Row], path: PathLike) -> ScoreTable:
    found: ScoreTable = {}
    for line, query_id, measure, value in rows:
        scores = found.setdefault(decode_id(measure), {})
        query = decode_id(query_id)
        if query in scores:
            message = f"query {shown_id(query)} has a second score of {shown_id(measure)}"
            raise FormatError(message, path_name(path), line)
        scores[query] = value
    return found


def write_scores(scores: Mapping[str, Mapping[str, float]], path: PathLike, *, format: str) -> None:
    """Write scores to a file, atomically, in a format that holds scores.

    Raises
    ------
    ArgumentError
        If the format does not hold scores.
    InputError
        If it cannot hold these.
    """
    if "scores" not in capabilities_of(check_format(format)).writes:
        able = ", ".join(name for name in FORMATS if "scores" in capabilities_of(name).writes)
        raise ArgumentError("format", f"one that holds scores ({able})", repr(format))
    if format == "jsonl":
        lines = _to_lines(scores)
    elif format == "table":
        rows = ([query, name, written(float(value))] for query, name, value in _each(scores))
        lines = delimited.write_rows(_with_header(rows), ",")
    else:
        lines = FORMATS[format].scores_to_lines(scores)
    write_whole(path, lines)


def _to_lines(scores: Mapping[str, Mapping[str, float]]) -> Iterator[bytes]:
    for query, name, value in _each(scores):
        record = {"query_id": query, "measure": name, "value": value}
        yield json.dumps(record).encode() + b"\n"


def _with_header(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    yield ["query_id", "measure", "value"]
    yield from rows


def _each(scores: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, str, float]]:
    for name, by_query in scores.items():
        for query, value in by_query.items():
            yield query, name, value
