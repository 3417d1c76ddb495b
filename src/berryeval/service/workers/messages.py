"""Messages between the service and its worker processes: pickles, each after its length."""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

__all__ = ["receive", "send", "unpack"]

_LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, message: object) -> None:
    """Write a message.

    Raises
    ------
    OSError
        If the other side is gone.
    """
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """Read the next message, for `unpack`.

    Raises
    ------
    EOFError
        If the other side is gone.
    """
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return _read(stream, length)


def unpack(data: bytes) -> Any:  # noqa: ANN401 - whatever was sent
    """Return the content of a message."""
    # The other side is our own process, over a pipe that no other process can open.
    return pickle.loads(data)  # noqa: S301


def _read(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
