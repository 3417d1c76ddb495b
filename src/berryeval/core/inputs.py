"""Files that a command reads, which it must not overwrite.

Readers record each file (`note_input`), and writers check it (`refuse_input`). Nothing is recorded
outside `keep_inputs`: in Python, a program may read a file and write it again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from berryeval.errors import FormatError

__all__ = ["keep_inputs", "note_input", "refuse_input", "release_input", "release_inputs"]

_STANDARD_INPUT = 0

_noted: dict[str | int, None] | None = None
"""Paths, or the descriptor of standard input; None while nothing is noted."""


@contextmanager
def keep_inputs() -> Iterator[None]:
    """Reject, within the block, writing to any file that was read in it."""
    global _noted  # noqa: PLW0603 - one command per process
    before, _noted = _noted, {}
    try:
        yield
    finally:
        _noted = before


def note_input(path: str | os.PathLike[str]) -> None:
    """Note that a file is read; ``-`` is standard input."""
    if _noted is not None:
        name = os.fspath(path)
        _noted[_STANDARD_INPUT if name == "-" else name] = None


def release_input(path: str | os.PathLike[str]) -> None:
    """Allow a command to replace a file that it has read, because that is its purpose."""
    if _noted is not None:
        _noted.pop(os.fspath(path), None)


def release_inputs() -> None:
    """Stop recording inputs: a service reads and writes its own files."""
    global _noted  # noqa: PLW0603
    _noted = None


def refuse_input(path: str | os.PathLike[str]) -> None:
    """Raise `FormatError` if writing a file would overwrite an input.

    Files are compared by device and inode: links and other spellings of a path are recognised.
    """
    target = _regular_file(path) if _noted else None
    if target is None:
        return
    for source in _noted or ():
        found = _regular_file(source)
        if found is not None and os.path.samestat(found, target):
            name = "standard input" if source == _STANDARD_INPUT else source
            is_same = "" if name == os.fspath(path) else f" ({name})"
            message = f"is an input of this command{is_same}; write the output to another file"
            raise FormatError(message, os.fspath(path))


def _regular_file(path: str | os.PathLike[str] | int) -> os.stat_result | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - pathlib is slow to import
    except (OSError, ValueError):  # not there, or no path at all
        return None
    return found if stat.S_ISREG(found.st_mode) else None
