"""Lines of a file, as trec_eval takes them apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from berryeval.errors import FormatError

__all__ = ["content", "lines"]


def content(path: str) -> bytes:
    """Read a file that is not empty."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path) from error
    if not text:
        raise FormatError("expected lines, found an empty file", path)
    return text


def lines(
    path: str, text: bytes, *, skip_comments: bool = False, may_indent: bool = False
) -> Iterator[tuple[int, list[bytes]]]:
    """Iterate over the columns of each line, which only a line feed ends.

    A comment has # in its first column; in runs, 10.0 also allows spaces before it.
    """
    if b"\0" in text:
        raise FormatError("expected text, found a zero byte", path)
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), start=1):
        if skip_comments and (line.lstrip() if may_indent else line).startswith(b"#"):
            continue
        yield number, line.split()
