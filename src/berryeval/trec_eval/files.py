"""Qrels and runs, read as trec_eval reads them.

Qrels: ``query_id iteration doc_id grade``, four columns and no more. A blank line is malformed.
Judgment groups, and preferences in the form of qrels, have the group in place of the iteration.

Preferences: ``query_id group subgroup doc_id level``, five columns.

Runs: ``query_id Q0 doc_id rank score tag``; columns after the tag, and blank lines, are ignored.

Numbers are read up to the first invalid character (`berryeval.trec_eval.lines`). Version 9.0.8
stores scores in 32 bits; 10.0 uses 64, and skips lines that begin with # in all of these files.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from berryeval.core.id_column import decode_id
from berryeval.errors import FormatError
from berryeval.trec_eval.lines import atof, atol, content, lines
from berryeval.trec_eval.names import RelevanceFormat, Version
from berryeval.trec_eval.preferences import Preference

__all__ = [
    "Grouped",
    "Judgments",
    "Preferred",
    "Qrels",
    "RelevanceFormat",
    "RunFile",
    "read_judgments",
    "read_run",
]

Qrels: TypeAlias = dict[bytes, list[tuple[bytes, int]]]
"""Documents and grades by query, repeated ones included."""

Grouped: TypeAlias = dict[bytes, dict[bytes, dict[bytes, int]]]
"""Grades by query, group and document."""

Preferred: TypeAlias = dict[bytes, list[Preference]]
"""Preferences by query."""

Judgments: TypeAlias = Qrels | Grouped | Preferred

_QRELS = ("query", "iteration", "document", "grade")
_GROUPED = ("query", "group", "document", "grade")
_PREFERENCES = ("query", "group", "subgroup", "document", "level")
_RUN_COLUMNS = 6


@dataclass(frozen=True)
class RunFile:
    """The content of a run's file: documents with their scores by query, and the tag."""

    rankings: dict[bytes, list[tuple[float, bytes]]]
    tag: bytes


def read_judgments(path: str, version: Version, format: RelevanceFormat = "qrels") -> Judgments:
    """Read judgments in one of the formats of ``-R``."""
    if format == "qrels":
        return _read_qrels(path, version)
    if format == "qrels_jg":
        return _read_groups(path, version)
    return _read_preferences(path, _PREFERENCES if format == "prefs" else _GROUPED, version)


def _read_qrels(path: str, version: Version) -> Qrels:
    judgments: Qrels = {}
    for _, columns in _exact_lines(path, _QRELS, version):
        query_id, _, doc_id, grade = columns
        judgments.setdefault(query_id, []).append((doc_id, atol(grade)))
    return judgments


def _read_groups(path: str, version: Version) -> Grouped:
    judgments: Grouped = {}
    for number, (query_id, group_id, doc_id, grade) in _exact_lines(path, _GROUPED, version):
        group = judgments.setdefault(query_id, {}).setdefault(group_id, {})
        if doc_id in group:
            message = f"duplicate docs {decode_id(doc_id)} of query {decode_id(query_id)!r}"
            raise FormatError(message, path, number)
        group[doc_id] = atol(grade)
    return judgments


def _read_preferences(path: str, names: tuple[str, ...], version: Version) -> Preferred:
    judgments: Preferred = {}
    for number, columns in _exact_lines(path, names, version):
        query_id, group_id, *subgroup, doc_id, level = columns
        row = Preference(group_id, b"".join(subgroup), doc_id, atof(level))
        if math.isnan(row.level):
            raise FormatError.unexpected("a level", "nan", path, number)
        judgments.setdefault(query_id, []).append(row)
    return judgments


def _exact_lines(
    path: str, names: tuple[str, ...], version: Version
) -> Iterator[tuple[int, list[bytes]]]:
    for number, columns in lines(path, content(path), skip_comments=version == "10.0"):
        if len(columns) != len(names):
            expected = f"{len(names)} columns ({', '.join(names)})"
            raise FormatError.unexpected(expected, str(len(columns)), path, number)
        yield number, columns


def read_run(path: str, version: Version) -> RunFile:
    """Read a run; in version 10.0, ``-`` is standard input."""
    rankings: dict[bytes, list[tuple[float, bytes]]] = {}
    tag = b""
    is_stdin = version == "10.0" and path == "-"
    text = content(path, sys.stdin.buffer if is_stdin else None)
    for number, columns in lines(path, text, skip_comments=version == "10.0", may_indent=True):
        if not columns:
            continue
        if len(columns) < _RUN_COLUMNS:
            raise FormatError.unexpected(
                "6 columns (query, Q0, document, rank, score, tag)", str(len(columns)), path, number
            )
        query_id, _, doc_id, _, score, tag = columns[:_RUN_COLUMNS]
        rankings.setdefault(query_id, []).append((_score(score, version, path, number), doc_id))
    return RunFile(rankings, tag)


def _score(text: bytes, version: Version, path: str, number: int) -> float:
    score = atof(text)
    if math.isnan(score):
        raise FormatError.unexpected("a score", "nan, which cannot be ordered", path, number)
    return array("f", [score])[0] if version == "9.0.8" else score
