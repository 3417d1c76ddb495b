"""Appends a line to a file that other processes also append to."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from berryeval.core.files import uncompressed_name
from berryeval.errors import FormatError
from berryeval.formats.lines import PathLike, path_name

__all__ = ["append_line", "locked"]

_NOT_EXECUTABLE = 0o666
"""The mode of a new file, before the user's mask."""


def append_line(path: PathLike, line: bytes) -> None:
    """Append a line that ends in a newline, completely or not at all, and wait for the disk.

    An unfinished line of an earlier writer is ended by a newline first. Raises `FormatError`, with
    the file unchanged, if it cannot be written, or if its name is that of a compressed one.
    """
    if uncompressed_name(path) != os.fspath(path):
        message = "cannot be appended to: expected a name without .gz or .zst"
        raise FormatError(message, path_name(path))
    try:
        how = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        file = os.open(path, how, _NOT_EXECUTABLE)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", path_name(path)) from error
    try:
        with locked(file):
            _append(file, line)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", path_name(path)) from error
    finally:
        os.close(file)


def _append(file: int, line: bytes) -> None:
    size = os.lseek(file, 0, os.SEEK_END)
    if size and not _ends_with_newline(file, size):
        line = b"\n" + line
    try:
        n_written = os.write(file, line)
        os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise
    if n_written < len(line):
        os.ftruncate(file, size)
        raise OSError(errno.ENOSPC, f"only {n_written} of {len(line)} bytes could be written")


def _ends_with_newline(file: int, size: int) -> bool:
    os.lseek(file, size - 1, os.SEEK_SET)
    return os.read(file, 1) == b"\n"


if sys.platform == "win32":

    @contextmanager
    def locked(file: int) -> Iterator[None]:
        """Hold the lock of an open file; other processes that want it wait."""
        import msvcrt

        beyond = 1 << 40  # a position that is never written, since locked bytes cannot be read
        os.lseek(file, beyond, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(file, beyond, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:

    @contextmanager
    def locked(file: int) -> Iterator[None]:
        """Hold the lock of an open file; other processes that want it wait."""
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
