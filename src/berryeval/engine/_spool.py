"""What comes only once, kept until it is known whether it is needed again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

__all__ = ["Spooled"]

_IN_MEMORY = 16 << 20
_PIECE = 1 << 20


class Spooled(Iterator[bytes]):
    """Pieces that are iterated over, and kept in a temporary file as they pass."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        import tempfile  # slow to import, and files do without

        self._pieces = pieces
        self._kept = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - close()

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self._kept.write(piece)
        return piece

    def from_the_start(self) -> Iterator[bytes]:
        """Iterate over all pieces: those that have passed, and those that are still to come."""
        self._kept.seek(0)
        yield from iter(partial(self._kept.read, _PIECE), b"")
        yield from self._pieces

    def first(self, size: int) -> bytes:
        """Return the first bytes of what has passed."""
        self._kept.seek(0)
        found = self._kept.read(size)
        self._kept.seek(0, os.SEEK_END)
        return found

    def close(self) -> None:
        """Remove what was kept."""
        self._kept.close()
