"""Reading a file whose format is told, or found out."""

from __future__ import annotations

from types import ModuleType
from typing import TypeVar

from berryeval.backend import backend
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import delimited, json_object, jsonl, trec
from berryeval.formats._lines import (
    PathLike,
    can_be_read_again,
    iter_lines,
    iter_pieces,
    path_name,
)
from berryeval.formats._rows import Duplicates, Kind, collect
from berryeval.formats._trec_native import read_columns

__all__ = [
    "FORMATS",
    "check_format",
    "first_line",
    "read_judgments",
    "read_run",
    "sniff_format",
]

Noun = TypeVar("Noun", Judgments, Run)

FORMATS: dict[str, ModuleType] = {
    "jsonl": jsonl,
    "json": json_object,
    "table": delimited,
    "trec": trec,
}
"""The formats by name, in the order in which a file is tried for them."""


def read_judgments(
    path: PathLike,
    *,
    format: str | None = None,
    duplicates: Duplicates = "error",
) -> Judgments:
    """Read judgments from a file.

    Parameters
    ----------
    path : path
        The file, compressed with gzip or not; ``-`` is standard input.
    format : str, optional
        One of `FORMATS`; found out from the first line unless given. Standard input and
        pipes can be looked at only once: they are read as TREC unless told otherwise.
    duplicates : {"error", "keep-best"}
        What to do with a document that is judged twice for one query.

    Raises
    ------
    FormatError
        With file and line, for what cannot be read.
    """
    return _read(Judgments, path, "judgments", format, duplicates)


def read_run(
    path: PathLike,
    *,
    format: str | None = None,
    duplicates: Duplicates = "error",
) -> Run:
    """Read a run from a file. Takes what `read_judgments` takes."""
    return _read(Run, path, "run", format, duplicates)


def _read(
    noun: type[Noun], path: PathLike, kind: Kind, name: str | None, duplicates: Duplicates
) -> Noun:
    chosen = sniff_format(path) if name is None else check_format(name)
    if chosen == "trec" and backend().name == "native":
        return noun.of_native(read_columns(iter_pieces(path), kind, path, duplicates))
    return noun.collect(collect(FORMATS[chosen].iter_rows(path, kind), kind, path, duplicates))


def check_format(name: str) -> str:
    """Return the name of a format, or raise if there is none."""
    if name not in FORMATS:
        raise ArgumentError("format", " or ".join(map(repr, FORMATS)), repr(name))
    return name


def sniff_format(path: PathLike) -> str:
    """Return the format of a file, found out from its first line; of a pipe it is TREC."""
    if not can_be_read_again(path):
        return "trec"
    line = first_line(path)
    return next((name for name, module in FORMATS.items() if module.sniff(line)), "trec")


def first_line(path: PathLike) -> bytes:
    """Return the first line that is neither empty nor a comment, or raise if there is none."""
    for _, line in iter_lines(path):
        if _says_something(line):
            return line
    raise FormatError("expected judgments or a run, found nothing", path_name(path))


def _says_something(line: bytes) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(b"#")
