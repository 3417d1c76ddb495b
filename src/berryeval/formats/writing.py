"""Writing judgments and runs in the format given by a file name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from berryeval.core.files import format_of_ending, uncompressed_name, write_whole
from berryeval.core.grouped import Grouped
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.formats import arrow, delimited
from berryeval.formats.capabilities import FileKind
from berryeval.formats.lines import PathLike
from berryeval.formats.parquet_folder import write_run_folder
from berryeval.formats.registry import FORMATS, capabilities_of, check_format

__all__ = ["format_of_name", "write_judgments", "write_run"]

_ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".letor": "letor",
    ".lz4": "ranx-lz4",
    ".svmlight": "letor",
    ".qrels": "trec",
    ".run": "trec",
}


def write_judgments(
    judgments: Judgments,
    path: PathLike,
    *,
    format: str | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Write judgments to a file, atomically.

    Parameters
    ----------
    judgments : Judgments
        What to write.
    path : path
        The file; ``-`` is standard output. A name that ends in ``.gz`` or ``.zst`` is
        compressed.
    format : str, optional
        One of `FORMATS`. Without it the name decides: ``.jsonl``, ``.json``, ``.csv``,
        ``.tsv``, ``.parquet``, ``.arrow`` (a file), ``.arrows`` (a stream), ``.letor`` and
        ``.lz4`` (ranx); any other is TREC, except for extensions of other formats, such as
        ``.xlsx``. Formats of other platforms have to be named.
    texts : mapping from str to str, optional
        The texts of queries by id, for the format that has both: ``rank-eval``.

    Raises
    ------
    FormatError
        If the file cannot be written.
    InputError
        If the format cannot represent an id, or the name implies a format that cannot be written.
    """
    write_whole(path, _to_lines(judgments, path, format, texts))


def write_run(
    run: Run, path: PathLike, *, format: str | None = None, partitions: int | None = None
) -> None:
    """Write a run to a file, atomically. Path and format are as for `write_judgments`.

    With `partitions`, the path is a folder of that many Parquet files, each with whole queries, for
    engines that read them at the same time; fewer if there are fewer queries.
    """
    if partitions is None:
        write_whole(path, _to_lines(run, path, format))
        return
    if format not in (None, "parquet"):
        raise ArgumentError("partitions", "the format parquet", repr(format))
    write_run_folder(run, path, partitions)


def format_of_name(path: PathLike) -> str:
    """Return the format given by a file's name.

    Raises
    ------
    ArgumentError
        If it implies one that cannot be written, such as ``.xlsx``.
    """
    return format_of_ending(path, _ENDINGS, "trec", argument="output", choice="a format (--to)")


def _to_lines(
    data: Grouped, path: PathLike, name: str | None, texts: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    chosen = format_of_name(path) if name is None else check_format(name)
    if chosen == "table" and _ending(path) == ".tsv":
        return delimited.to_lines(data, separator="\t")
    if chosen == "arrow":
        return arrow.to_lines(data, is_stream=_ending(path) == ".arrows")
    kind: FileKind = "run" if isinstance(data, Run) else "judgments"
    if kind not in capabilities_of(chosen).writes and chosen != "letor":
        able = ", ".join(name for name in FORMATS if kind in capabilities_of(name).writes)
        raise ArgumentError("format", f"one that holds {kind} ({able})", repr(chosen))
    lines: Iterator[bytes]
    if chosen == "rank-eval" and texts is not None:
        lines = FORMATS[chosen].to_lines(data, texts)
    else:
        lines = FORMATS[chosen].to_lines(data)
    return lines


def _ending(path: PathLike) -> str:
    return os.path.splitext(uncompressed_name(path))[1].lower()  # noqa: PTH122
