"""Standard output and standard error that keep a command's exit code.

A reader may close its end of a pipe at any time: ``berryeval gate | true``. The command then runs
to its end with the rest of its output dropped, so that its exit code is still the verdict.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO

__all__ = ["end_output", "protect_streams"]

_STDOUT = 1
_STDERR = 2
# Windows reports EINVAL for a pipe without a reader.
_CLOSED_PIPE = (errno.EPIPE, errno.EINVAL) if sys.platform == "win32" else (errno.EPIPE,)


class _Stream(io.FileIO):
    """A descriptor whose output is dropped once its reader is gone.

    Standard error drops output after any failure: a message that cannot be printed must not
    replace the exit code that it explains.
    """

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]  # a buffer, as it is called
        except OSError as error:
            if error.errno not in _CLOSED_PIPE and self.fileno() != _STDERR:
                raise
            _discard(self.fileno())
            return len(data)  # type: ignore[arg-type]


def protect_streams() -> None:
    """Let both standard streams survive a reader that closes its pipe.

    Terminals, and streams that the caller replaced, stay as they are. Output to a stream that is
    closed from the start (``>&-``) is dropped.
    """
    if sys.stdout is sys.__stdout__:
        sys.stdout = _protected(sys.stdout, _STDOUT)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _protected(sys.stderr, _STDERR)


def end_output() -> str | None:
    """Write what is still buffered for standard output; return the reason if that fails."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard(_STDOUT)  # Python tries again while it ends, and would replace the exit code
        return error.strerror
    return None


def _protected(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - until the end
    if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_Stream(descriptor, "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
