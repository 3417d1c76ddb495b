"""Splits documents with a named chunker, or at the positions in a file.

The file is for systems with their own chunks: it lists the position of each chunk, in characters
of the document, one object per line::

    {"chunk_id": "4711", "document": "guide.md", "start": 120, "end": 340}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.lines import iter_lines
from berryeval.search.chunking.chunkers import CHUNKERS, Chunk

__all__ = ["cut"]


def cut(texts: Mapping[str, str], how: str) -> list[Chunk]:
    """Return the chunks of documents.

    Parameters
    ----------
    texts : mapping
        The documents, by name.
    how : str
        One of `CHUNKERS`, or a file with the positions of chunks.

    Raises
    ------
    ArgumentError
        If `how` is neither.
    FormatError
        With the line, for a chunk of an unknown document, or one beyond its end.
    """
    if how in CHUNKERS:
        return [chunk for name, text in texts.items() for chunk in CHUNKERS[how](text, name)]
    if not Path(how).is_file():
        raise ArgumentError("chunks", f"{', '.join(CHUNKERS)} or a file", repr(how))
    return list(_iter_placed(texts, how))


def _iter_placed(texts: Mapping[str, str], path: str) -> Iterator[Chunk]:
    seen: set[str] = set()
    for number, line in iter_lines(path):
        if not line.strip():
            continue
        try:
            chunk_id, source, start, end = _place(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError):
            expected = '{"chunk_id": "4711", "document": "guide.md", "start": 120, "end": 340}'
            shown = line.decode("utf-8", "replace").strip()[:60]
            raise FormatError.unexpected(expected, repr(shown), path, number) from None
        if source not in texts:
            raise FormatError(f"{source!r} is not a document of the set", path, number)
        if end > len(texts[source]):
            message = f"{source!r} has {len(texts[source]):,} characters, but none at {end:,}"
            raise FormatError(message, path, number)
        if chunk_id in seen:
            raise FormatError.unexpected("each chunk once", f"{chunk_id!r} again", path, number)
        seen.add(chunk_id)
        yield Chunk(chunk_id, source, start, end, texts[source][start:end])


def _place(row: Mapping[str, object]) -> tuple[str, str, int, int]:
    chunk_id, source, start, end = (row[key] for key in ("chunk_id", "document", "start", "end"))
    if not isinstance(chunk_id, str) or not isinstance(source, str):
        raise TypeError
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise ValueError
    return chunk_id, source, start, end
