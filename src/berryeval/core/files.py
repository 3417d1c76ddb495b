"""Files that are written completely or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import IO, BinaryIO, cast

from berryeval.core.inputs import refuse_input
from berryeval.errors import ArgumentError, FormatError, MissingExtraError

__all__ = ["format_of_ending", "refuse_existing", "uncompressed_name", "write_whole"]

_NAMED_FORMATS = frozenset((
    ".7z", ".arrow", ".arrows", ".avro", ".bmp", ".bz2", ".csv", ".db", ".doc", ".docx", ".eps",
    ".feather", ".gif", ".h5", ".hdf5", ".htm", ".html", ".ipc", ".ipynb", ".jpeg", ".jpg",
    ".json", ".jsonl", ".letor", ".lz4", ".md", ".ndjson", ".npy", ".npz", ".ods", ".odt", ".orc",
    ".parq", ".parquet", ".pdf", ".pickle", ".pkl", ".png", ".ppt", ".pptx", ".pq", ".ps",
    ".qrels", ".rar", ".rtf", ".run", ".sqlite", ".svg", ".svmlight", ".tar", ".tex", ".tif",
    ".tiff", ".toml", ".tsv", ".webp", ".xls", ".xlsx", ".xml", ".xz", ".yaml", ".yml", ".zip",
))  # fmt: skip
"""Endings that promise a format, ours and others'."""

_STANDARD_OUTPUT = ("-", "/dev/stdout")


def refuse_existing(
    path: str | os.PathLike[str], way_out: str = "use --force to replace it"
) -> None:
    """Raise `FormatError` if a file exists that a command would replace."""
    if os.path.exists(path):  # noqa: PTH110 - pathlib is slow to import
        raise FormatError(f"exists already; {way_out}", os.fspath(path))


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file under a temporary name, and rename it when all of it is on the disk.

    If anything fails, an existing file is unchanged. Links are followed. ``-`` is standard output;
    it, devices and pipes are written directly, and output to a closed pipe is dropped. A name that
    ends in ``.gz`` or ``.zst`` is compressed.

    Raises `FormatError` with the system's reason if the file cannot be written, or if it is an
    input of the command; `MissingExtraError` if zstd is not installed.
    """
    name = os.fspath(path)
    if name in _STANDARD_OUTPUT:
        # Errors are left as they are: the command line has streams that survive a closed pipe.
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
        return
    refuse_input(name)
    try:
        if _can_be_replaced(name):
            _replace(name, pieces)
        else:
            # A closed pipe must not change the exit code, neither for standard output nor here.
            with suppress(BrokenPipeError), open(name, "wb") as file:  # noqa: PTH123 - see above
                _write(file, name, pieces)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", name) from error


def uncompressed_name(path: str | os.PathLike[str]) -> str:
    """Return a file's name without the extension of its compression."""
    return os.fspath(path).removesuffix(".gz").removesuffix(".zst")


def format_of_ending(
    path: str | os.PathLike[str],
    endings: Mapping[str, str],
    otherwise: str,
    *,
    argument: str = "--output",
    choice: str = "--format",
    is_strict: bool = False,
) -> str:
    """Return the format that the extension of a file requests, ignoring that of compression.

    `endings` has the supported formats; `otherwise` is the format of names without a known
    extension, such as ``.txt``. `argument` and `choice` are words for messages: the name, and
    another way to choose a format. Raises `ArgumentError` for the extension of an unsupported
    format, such as ``.xlsx``, and if it is strict, for every extension except ``.txt``.
    """
    ending = os.path.splitext(uncompressed_name(path))[1].lower()  # noqa: PTH122
    if ending in endings:
        return endings[ending]
    if ending in _NAMED_FORMATS or (is_strict and ending not in ("", ".txt")):
        expected = f"a name that ends in {', '.join(sorted(endings))}, or {choice}"
        raise ArgumentError(argument, expected, repr(os.fspath(path)))
    return otherwise


def _can_be_replaced(name: str) -> bool:
    """Whether it is a regular file or does not exist yet, rather than a device, pipe or folder."""
    try:
        return stat.S_ISREG(os.stat(name).st_mode)  # noqa: PTH116
    except FileNotFoundError:
        return True


def _replace(name: str, pieces: Iterable[bytes]) -> None:
    target = os.path.realpath(name)
    # A unique name: another process may write the same file, or "x.partial" may be an input.
    partial = f"{target}.{os.urandom(4).hex()}.partial"
    try:
        with open(partial, "xb") as file:  # noqa: PTH123
            _write(file, name, pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)  # noqa: PTH105
    finally:
        with suppress(OSError):
            os.remove(partial)  # noqa: PTH107


def _write(file: IO[bytes], name: str, pieces: Iterable[bytes]) -> None:
    if name.endswith(".gz"):
        import gzip  # slow to import, and most files are not compressed

        # No time and no name inside: the same content gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
            compressed.writelines(pieces)
    elif name.endswith(".zst"):
        with _compress_zstd(file) as compressed:
            compressed.writelines(pieces)
    else:
        file.writelines(pieces)


def _compress_zstd(file: IO[bytes]) -> BinaryIO:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd

            return cast("BinaryIO", zstd.open(file, "wb"))
        import zstandard
    except ImportError:
        raise MissingExtraError("Writing zstd", "zstd") from None
    writer = zstandard.ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False)
    return cast("BinaryIO", io.BufferedWriter(writer))
