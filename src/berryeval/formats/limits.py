"""Limits on the content of files, checked while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from berryeval.errors import FormatError, SizeError

__all__ = [
    "MAX_LINE", "UPLOADED_LINE", "are_texts_limited", "check_content", "check_id", "check_rows",
    "limited", "within_limits",
]  # fmt: skip

MAX_LINE = 1 << 28
"""Bytes of the longest line. A longer one is an endless one, such as that of ``/dev/zero``."""
UPLOADED_LINE = 1 << 24
"""The same for files of strangers, unless they begin as JSON does: an object may be one line."""


class _Limits(NamedTuple):
    rows: int | None = None
    content: int | None = None
    line: int | None = None
    id: int | None = None


_limits: ContextVar[_Limits] = ContextVar("limits", default=_Limits())  # noqa: B039 - immutable


@contextmanager
def limited(
    *,
    rows: int | None = None,
    content: int | None = None,
    line: int | None = None,
    id: int | None = None,
) -> Iterator[None]:
    """Reject files that exceed a limit, within the block.

    Parameters
    ----------
    rows : int, optional
        Largest number of rows.
    content : int, optional
        Largest number of bytes when decompressed.
    line : int, optional
        Longest line in bytes.
    id : int, optional
        Longest text in a column of ids, in bytes. Only for formats in which a few bytes may stand
        for very many rows; others are limited by their content.
    """
    token = _limits.set(_Limits(rows, content, line, id))
    try:
        yield
    finally:
        _limits.reset(token)


def check_rows(n_rows: int, name: str) -> None:
    """Raise `SizeError` if a file has too many rows."""
    most = _limits.get().rows
    if most is not None and n_rows > most:
        raise SizeError.unexpected(f"at most {most:,} rows", f"{n_rows:,} or more", name)


def check_content(n_bytes: int, name: str) -> None:
    """Raise `SizeError` if a file has too many bytes when decompressed."""
    most = _limits.get().content
    if most is not None and n_bytes > most:
        raise SizeError.unexpected(f"at most {most:,} bytes", "more", name)


def are_texts_limited() -> bool:
    """Whether the texts of a file have to be checked."""
    return _limits.get().content is not None


def check_id(n_bytes: int, name: str) -> None:
    """Raise `FormatError` if an id of a file is too long."""
    most = _limits.get().id
    if most is not None and n_bytes > most:
        raise FormatError.unexpected(f"ids of at most {most:,} bytes", f"one of {n_bytes:,}", name)


def within_limits(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Iterate over the pieces of a text; raise `SizeError` at the first that exceeds a limit."""
    n_bytes, n_lines, line = 0, 0, 0
    longest = 0
    for piece in pieces:
        if not longest:
            is_json = piece.lstrip()[:1] in (b"{", b"[")
            longest = MAX_LINE if is_json else _limits.get().line or MAX_LINE
        last = piece.rfind(b"\n")
        line = line + len(piece) if last < 0 else len(piece) - last - 1
        if line > longest:
            raise SizeError.unexpected(
                f"lines of at most {longest >> 20} MiB", "a longer one", name, n_lines + 1
            )
        n_bytes += len(piece)
        n_lines += piece.count(b"\n")
        check_content(n_bytes, name)
        check_rows(n_lines, name)
        yield piece
