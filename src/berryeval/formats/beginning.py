"""The beginning of a file, from which its format is detected."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice

from berryeval.errors import FormatError
from berryeval.formats.lines import BOM, PathLike, iter_lines, iter_pieces, path_name

__all__ = ["Beginning", "first_line"]

_SIZE = 1 << 16
# A string that is cut off matches, too: searching for its end from every quote would take too long.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.?)*(?:"|\Z)|[{}\[\]:]', re.DOTALL)


class Beginning:
    """The first line with content, and the first 64 KiB."""

    def __init__(self, path: PathLike) -> None:
        self._path = path
        self.line = first_line(path)
        """The first line that is neither empty nor a comment."""

    @cached_property
    def text(self) -> bytes:
        """The first 64 KiB, without a byte order mark."""
        return b"".join(islice(iter_pieces(self._path), 2)).removeprefix(BOM)[:_SIZE]

    @cached_property
    def keys(self) -> tuple[frozenset[str], ...]:
        """The keys of JSON objects by depth, as far as the text shows them.

        Lists count as a level of depth, too: those of ``{"a": [{"b": 1}]}`` are a, none, and b.
        """
        found: list[set[str]] = []
        depth, last = -1, b""
        if not self.line.lstrip().startswith((b"{", b"[")):
            return ()
        for token in _TOKEN.finditer(self.text):
            sign = token[0]
            if sign in (b"{", b"["):
                depth += 1
                found += [set()] * (depth >= len(found))
            elif sign in (b"}", b"]"):
                depth -= 1
            elif sign == b":" and last.startswith(b'"') and depth >= 0:
                found[depth].add(last[1:-1].decode("utf-8", "replace"))
            last = sign
        return tuple(map(frozenset, found))

    def has_keys(self, *names: str, depth: int = 0) -> bool:
        """Whether objects of this depth have all of the keys."""
        return len(self.keys) > depth and self.keys[depth].issuperset(names)

    def has_anywhere(self, *names: str) -> bool:
        """Whether some level of depth has all of the keys."""
        return any(keys.issuperset(names) for keys in self.keys)


def first_line(path: PathLike) -> bytes:
    """Return the first line that is neither empty nor a comment, or raise if there is none."""
    for _, line in iter_lines(path):
        stripped = line.strip()
        if stripped and not stripped.startswith(b"#"):
            return line
    raise FormatError.unexpected("judgments or a run", "nothing", path_name(path))
