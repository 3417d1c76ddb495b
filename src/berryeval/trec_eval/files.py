"""Qrels and runs, read as trec_eval reads them.

Qrels: ``query_id iteration doc_id grade``, four columns and no more. A blank line is malformed.

Runs: ``query_id Q0 doc_id rank score tag``; columns after the tag, and blank lines, are ignored.

Numbers are read as far as they go (`berryeval.trec_eval.numbers`). Version 9.0.8 keeps scores in
32 bits; 10.0 keeps 64, and passes over lines that begin with #.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from berryeval.errors import FormatError, InputError
from berryeval.trec_eval.names import Version
from berryeval.trec_eval.numbers import atof, atol

__all__ = ["RunFile", "read_judgments", "read_run"]

_QRELS_COLUMNS = 4
_RUN_COLUMNS = 6


@dataclass(frozen=True)
class RunFile:
    """What a run's file holds: documents with their scores by query, and the tag."""

    rankings: dict[bytes, list[tuple[float, bytes]]]
    tag: bytes


def read_judgments(path: str, version: Version) -> dict[bytes, list[tuple[bytes, int]]]:
    """Read qrels: documents and grades by query, repeated ones included."""
    judgments: dict[bytes, list[tuple[bytes, int]]] = {}
    for number, columns in _lines(path, _content(path), version):
        if len(columns) != _QRELS_COLUMNS:
            message = (
                f"expected 4 columns (query, iteration, document, grade), found {len(columns)}"
            )
            raise FormatError(message, path, number)
        query_id, _, doc_id, grade = columns
        judgments.setdefault(query_id, []).append((doc_id, atol(grade)))
    return judgments


def read_run(path: str, version: Version) -> RunFile:
    """Read a run; for 10.0 ``-`` is standard input."""
    rankings: dict[bytes, list[tuple[float, bytes]]] = {}
    tag = b""
    is_stdin = version == "10.0" and path == "-"
    content = sys.stdin.buffer.read() if is_stdin else _content(path)
    for number, columns in _lines(path, content, version):
        if not columns:
            continue
        if len(columns) < _RUN_COLUMNS:
            message = (
                f"expected 6 columns (query, Q0, document, rank, score, tag), found {len(columns)}"
            )
            raise FormatError(message, path, number)
        query_id, _, doc_id, _, score, tag = columns[:_RUN_COLUMNS]
        rankings.setdefault(query_id, []).append((_score(score, version, path, number), doc_id))
    return RunFile(rankings, tag)


def _score(text: bytes, version: Version, path: str, number: int) -> float:
    score = atof(text)
    if math.isnan(score):
        raise FormatError(
            "expected a score, found nan, which has no place in an order", path, number
        )
    return array("f", [score])[0] if version == "9.0.8" else score


def _content(path: str) -> bytes:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not content:
        raise FormatError("expected lines, found an empty file", path)
    return content


def _lines(path: str, content: bytes, version: Version) -> Iterator[tuple[int, list[bytes]]]:
    """Iterate over the columns of each line, which only a line feed ends."""
    if b"\0" in content:
        raise FormatError("expected text, found a zero byte", path)
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        columns = line.split()
        if not (version == "10.0" and columns and columns[0].startswith(b"#")):
            yield number, columns
