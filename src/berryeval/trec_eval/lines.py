"""Lines as trec_eval reads them, and numbers as C reads them: 0 if a text begins with none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import IO

from berryeval.errors import FormatError
from berryeval.formats.limits import within_limits

__all__ = ["atof", "atol", "content", "lines"]

_PIECE = 1 << 21


def content(path: str, file: IO[bytes] | None = None) -> bytes:
    """Return the content of a file, which must not be empty, or of an open one."""
    try:
        with open(path, "rb") if file is None else nullcontext(file) as source:  # noqa: PTH123
            pieces = iter(partial(source.read, _PIECE), b"")
            text = b"".join(within_limits(pieces, path))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path) from error
    if not text:
        raise FormatError.unexpected("lines", "an empty file", path)
    return text


def lines(
    path: str, text: bytes, *, skip_comments: bool = False, may_indent: bool = False
) -> Iterator[tuple[int, list[bytes]]]:
    """Iterate over the columns of each line; only a line feed ends a line.

    A comment has # in its first column; in runs, 10.0 also allows spaces before it.
    """
    if b"\0" in text:
        raise FormatError.unexpected("text", "a zero byte", path)
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), start=1):
        if skip_comments and (line.lstrip() if may_indent else line).startswith(b"#"):
            continue
        yield number, line.split()


_WHOLE = re.compile(rb"\s*([-+]?\d+)")
_HEXADECIMAL = re.compile(
    rb"\s*([-+]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[-+]?\d+)?)", re.IGNORECASE
)
_DECIMAL = re.compile(
    rb"\s*([-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE
)
_LEAST, _MOST = -(2**63), 2**63 - 1


def atol(text: bytes) -> int:
    """Read a whole number: ``1.9`` and ``1abc`` are 1, ``abc`` is 0."""
    found = _WHOLE.match(text)
    return min(max(int(found[1]), _LEAST), _MOST) if found else 0


def atof(text: bytes) -> float:
    """Read a number: ``1,5`` is 1, ``0x10`` is 16, ``abc`` is 0; ``inf`` and ``nan`` are read."""
    if (found := _HEXADECIMAL.match(text)) is not None:
        digits = found[1].decode("ascii")
        try:
            return float.fromhex(digits)
        except OverflowError:
            return float("-inf" if digits.startswith("-") else "inf")
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0
