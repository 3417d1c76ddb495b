"""Splits documents into chunks, the unit that search returns.

The text of a chunk is the part of its source between `start` and `end`, so it can be located in
the source. Ids are readable, and do not change if other text changes:

=================  ============================================================
`by_heading`       ``guide.md#configure-oauth``; a repeated heading ends in -2
`by_paragraph`     ``guide.md#p3``
`by_size`          ``guide.md#1200-2000``, the span in characters
`by_document`      ``guide.md``, the whole document
=================  ============================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError
from berryeval.formats.source_texts import read_sources
from berryeval.search.chunking.markdown import Section, iter_sections, slug

__all__ = [
    "CHUNKERS",
    "Chunk",
    "Chunker",
    "by_document",
    "by_heading",
    "by_paragraph",
    "by_size",
    "read_chunks",
    "read_sources",
    "to_documents",
]

_PARAGRAPH_END = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document.

    Parameters
    ----------
    chunk_id : str
        Its id in judgments and runs.
    source : str
        The document it comes from.
    start, end : int
        Its position in the source, in characters; `end` is exclusive.
    text : str
        The source from `start` to `end`.
    headings : tuple of str
        The headings above it, outermost first, including its own.
    """

    chunk_id: str
    source: str
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()

    def to_document(self) -> Document:
        """Return the chunk as a document to index; its title is the path of headings."""
        return Document(self.chunk_id, self.text, title=" > ".join(self.headings))


Chunker: TypeAlias = Callable[[str, str], list[Chunk]]
"""Takes the text of a document and its name, and returns its chunks."""


def by_heading(text: str, source: str, *, max_level: int = 6) -> list[Chunk]:
    """Split Markdown at its headings.

    A chunk starts with its heading and ends before the next one. Text before the first heading is
    a chunk with the id of the source. A heading without its own text is not a chunk, but is in
    `headings` of those below it. Front matter is skipped.

    Parameters
    ----------
    text, source : str
        The document, and its name.
    max_level : int
        Deeper headings do not start a chunk; 2 splits at # and ## only.

    Examples
    --------
    >>> text = "# Auth\\n\\nIntro.\\n\\n## OAuth 2.0\\n\\nHow."
    >>> [chunk.chunk_id for chunk in by_heading(text, "auth.md")]
    ['auth.md#auth', 'auth.md#oauth-20']
    """
    sections = list(iter_sections(text, max_level))
    anchors = _unique_anchors(sections)
    return [
        _chunk(source if anchor is None else f"{source}#{anchor}", source, text, section)
        for section, anchor in zip(sections, anchors, strict=True)
        if text[section.body : section.end].strip()
    ]


def by_paragraph(text: str, source: str, *, min_chars: int = 200) -> list[Chunk]:
    """Split text at empty lines; paragraphs are joined until they have `min_chars` characters.

    The last chunk of a section may be shorter. Markdown headings are kept as `headings`, and no
    chunk extends across one.
    """
    found: list[Chunk] = []
    for section in iter_sections(text):
        for start, end in _joined(text, section, min_chars):
            chunk_id = f"{source}#p{len(found) + 1}"
            found.append(_spanned(chunk_id, source, text, start, end, section.headings))
    return found


def by_size(text: str, source: str, *, size: int = 800, overlap: int = 200) -> list[Chunk]:
    """Split text into overlapping pieces of at most `size` characters, between words if possible.

    Raises
    ------
    ArgumentError
        If the overlap is not below the size.
    """
    if size < 1:
        raise ArgumentError("size", "at least 1 character", str(size))
    if not 0 <= overlap < size:
        raise ArgumentError("overlap", f"at least 0 and below the size, {size}", str(overlap))
    found, start = [], 0
    while start < len(text):
        end = _word_end(text, start, min(start + size, len(text)))
        if text[start:end].strip():
            found.append(_spanned(f"{source}#{start}-{end}", source, text, start, end, ()))
        if end == len(text):
            break
        start = max(_word_start(text, end - overlap, end), start + 1)
    return found


def by_document(text: str, source: str) -> list[Chunk]:
    """Return the whole document as one chunk, or none if it has no text.

    Its id is the name of the document, and its title the first heading. Front matter is skipped.

    Examples
    --------
    >>> by_document("# Auth\\n\\nIntro.", "auth.md")[0].chunk_id
    'auth.md'
    """
    sections = list(iter_sections(text))
    if not text[sections[0].start :].strip():
        return []
    headings = next((section.headings[:1] for section in sections if section.headings), ())
    return [_spanned(source, source, text, sections[0].start, len(text), headings)]


CHUNKERS: dict[str, Chunker] = {
    "heading": by_heading,
    "paragraph": by_paragraph,
    "size": by_size,
    "document": by_document,
}
"""The chunkers by name."""


def read_chunks(folder: str | Path, chunker: Chunker = by_heading) -> list[Chunk]:
    """Split every Markdown or text file in a folder and its subfolders, in the order of names.

    Sources are named by their path below the folder, with ``/`` on every platform. The path of a
    single file is also accepted.

    Raises
    ------
    FormatError
        If there is no such file, or it is not UTF-8.
    """
    sources = read_sources(folder)
    return [chunk for name, text in sources.items() for chunk in chunker(text, name)]


def to_documents(chunks: Iterable[Chunk]) -> Iterator[Document]:
    """Iterate over chunks as documents to index."""
    return (chunk.to_document() for chunk in chunks)


def _chunk(chunk_id: str, source: str, text: str, section: Section) -> Chunk:
    return _spanned(chunk_id, source, text, section.start, section.end, section.headings)


def _spanned(
    chunk_id: str, source: str, text: str, start: int, end: int, headings: tuple[str, ...]
) -> Chunk:
    """Create a chunk without surrounding white space."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    return Chunk(chunk_id, source, start, end, text[start:end], headings)


def _unique_anchors(sections: Iterable[Section]) -> list[str | None]:
    """Name sections by their headings; a repeated name gets the suffix -2."""
    taken: set[str] = set()
    anchors: list[str | None] = []
    for section in sections:
        if not section.headings:
            anchors.append(None)
            continue
        name = anchor = slug(section.headings[-1]) or "section"
        number = 1
        while anchor in taken:
            number += 1
            anchor = f"{name}-{number}"
        taken.add(anchor)
        anchors.append(anchor)
    return anchors


def _joined(text: str, section: Section, min_chars: int) -> Iterator[tuple[int, int]]:
    """Iterate over the spans of a section's paragraphs, joined until they are long enough."""
    start = section.body
    for gap in _PARAGRAPH_END.finditer(text, section.body, section.end):
        if len(text[start : gap.start()].strip()) >= max(min_chars, 1):
            yield start, gap.start()
            start = gap.end()
    if text[start : section.end].strip():
        yield start, section.end


def _word_end(text: str, start: int, end: int) -> int:
    """Move an end back to the last blank, at most by half of the piece."""
    if end == len(text) or text[end].isspace():
        return end
    middle = (start + end) // 2
    blank = max(text.rfind(" ", middle, end), text.rfind("\n", middle, end))
    return end if blank < 0 else blank


def _word_start(text: str, start: int, end: int) -> int:
    """Move a start forward to the beginning of a word, if there is one before the end."""
    if start == 0 or text[start - 1].isspace():
        return start
    blank = re.compile(r"\s+").search(text, start, end)
    return start if blank is None else blank.end()
