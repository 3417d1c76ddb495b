"""Limits on the content of files, checked while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from berryeval.errors import SizeError

__all__ = ["MOST_LINE", "UPLOADED_LINE", "check_content", "check_rows", "limited", "within_limits"]

MOST_LINE = 1 << 28
"""Bytes of the longest line. A longer one is an endless one, such as that of ``/dev/zero``."""
UPLOADED_LINE = 1 << 24
"""The same for files of strangers, unless they begin as JSON does: an object may be one line."""


class _Limits(NamedTuple):
    rows: int | None = None
    content: int | None = None
    line: int | None = None


_limits: ContextVar[_Limits] = ContextVar("limits", default=_Limits())  # noqa: B039 - immutable


@contextmanager
def limited(
    *, rows: int | None = None, content: int | None = None, line: int | None = None
) -> Iterator[None]:
    """Within the block, reject files with more rows, more bytes when decompressed, longer lines."""
    token = _limits.set(_Limits(rows, content, line))
    try:
        yield
    finally:
        _limits.reset(token)


def check_rows(n_rows: int, name: str) -> None:
    """Raise `SizeError` if a file has too many rows."""
    most = _limits.get().rows
    if most is not None and n_rows > most:
        raise SizeError(f"expected at most {most:,} rows, found {n_rows:,} or more", name)


def check_content(n_bytes: int, name: str) -> None:
    """Raise `SizeError` if a file has too many bytes when decompressed."""
    most = _limits.get().content
    if most is not None and n_bytes > most:
        raise SizeError(f"expected at most {most:,} bytes, found more", name)


def within_limits(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Iterate over the pieces of a text; raise `SizeError` at the first that exceeds a limit."""
    n_bytes, n_lines, line = 0, 0, 0
    longest = 0
    for piece in pieces:
        if not longest:
            is_json = piece.lstrip()[:1] in (b"{", b"[")
            longest = MOST_LINE if is_json else _limits.get().line or MOST_LINE
        last = piece.rfind(b"\n")
        line = line + len(piece) if last < 0 else len(piece) - last - 1
        if line > longest:
            message = f"expected lines of at most {longest >> 20} MiB, found a longer one"
            raise SizeError(message, name, n_lines + 1)
        n_bytes += len(piece)
        n_lines += piece.count(b"\n")
        check_content(n_bytes, name)
        check_rows(n_lines, name)
        yield piece
