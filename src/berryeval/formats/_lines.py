"""Lines of files, compressed or not, with their numbers."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from berryeval.errors import FormatError

__all__ = ["PathLike", "iter_lines", "path_name"]

PathLike = str | os.PathLike[str]

_GZIP = b"\x1f\x8b\x08"  # the only method there is
_BOM = b"\xef\xbb\xbf"


def path_name(path: PathLike) -> str:
    """Return what messages call a file; ``-`` is standard input."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


def iter_lines(path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Iterate over the lines of a file and their numbers, from 1.

    ``-`` reads standard input. gzip is recognised by its first bytes, whatever the file is
    called. A byte order mark is dropped.

    Raises
    ------
    FormatError
        If the file cannot be read, or is damaged.
    """
    name = path_name(path)
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                yield number, line.removeprefix(_BOM) if number == 1 else line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"cannot be read: {reason}", name) from error


@contextmanager
def _open(path: PathLike) -> Iterator[Iterable[bytes]]:
    with ExitStack() as opened:
        if os.fspath(path) == "-":
            source: IO[bytes] = sys.stdin.buffer  # not closed: it belongs to the process
        else:
            # pathlib is slow to import; the stack closes the file.
            source = opened.enter_context(open(path, "rb"))  # noqa: PTH123
        if _starts_with_gzip(source):
            yield opened.enter_context(gzip.open(source))
        else:
            yield source


def _starts_with_gzip(source: IO[bytes]) -> bool:
    peek = getattr(source, "peek", None)
    return peek is not None and bytes(peek(len(_GZIP))[: len(_GZIP)]) == _GZIP
