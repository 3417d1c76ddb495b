"""Lines of files, compressed or not, with their numbers."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, BinaryIO, cast

from berryeval.errors import FormatError, MissingExtraError

__all__ = ["PathLike", "is_plain_file", "iter_lines", "path_name"]

PathLike = str | os.PathLike[str]

_GZIP = b"\x1f\x8b\x08"  # the only method there is
_ZSTD = b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"


def path_name(path: PathLike) -> str:
    """Return what messages call a file; ``-`` is standard input."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


def iter_lines(path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Iterate over the lines of a file and their numbers, from 1.

    ``-`` reads standard input. gzip and zstd are recognised by their first bytes, whatever the
    file is called. A byte order mark is dropped.

    Raises
    ------
    FormatError
        If the file cannot be read, or is damaged.
    MissingExtraError
        If it is compressed with zstd, Python is older than 3.14, and the extra is not there.
    """
    name = path_name(path)
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                yield number, line.removeprefix(_BOM) if number == 1 else line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"cannot be read: {reason}", name) from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of either library, without importing it
            raise
        raise FormatError(f"cannot be read: {error}", name) from error


def is_plain_file(path: PathLike) -> bool:
    """Whether it is a file that is not compressed. False, too, if it cannot be opened."""
    if os.fspath(path) == "-":
        return False
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return not file.read(len(_ZSTD)).startswith((_GZIP, _ZSTD))
    except OSError:
        return False  # whoever reads it learns why


@contextmanager
def _open(path: PathLike) -> Iterator[Iterable[bytes]]:
    with ExitStack() as opened:
        if os.fspath(path) == "-":
            source: IO[bytes] = sys.stdin.buffer  # not closed: it belongs to the process
        else:
            # pathlib is slow to import; the stack closes the file.
            source = opened.enter_context(open(path, "rb"))  # noqa: PTH123
        first = _first_bytes(source)
        if first.startswith(_GZIP):
            yield opened.enter_context(gzip.open(source))
        elif first.startswith(_ZSTD):
            yield opened.enter_context(_open_zstd(source))
        else:
            yield source


def _first_bytes(source: IO[bytes]) -> bytes:
    peek = getattr(source, "peek", None)
    return b"" if peek is None else bytes(peek(len(_ZSTD))[: len(_ZSTD)])


def _open_zstd(source: IO[bytes]) -> BinaryIO:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd

            return cast("BinaryIO", zstd.open(source))
        import zstandard
    except ImportError:
        raise MissingExtraError("Reading zstd", "zstd") from None
    return cast("BinaryIO", io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(source)))
