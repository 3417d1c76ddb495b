"""Sections of Markdown: a heading and the text below it, up to the next heading.

Headings are lines that begin with one to six ``#``, and lines underlined with ``=`` or ``-``.
Lines in a fenced block of code are never headings. Front matter between two lines ``---`` at the
very beginning does not belong to any section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Section", "iter_sections", "slug"]

# Texts are untrusted: no pattern may match the same part in more than one way, or scan to the end
# of a line repeatedly, since that could take quadratic time.
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:$|>|[-*+][ \t]|\d+[.)][ \t]|\|)|(?: {4}|\t)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document: its start, the start of its body, its end, and its headings."""

    start: int
    body: int
    end: int
    headings: tuple[str, ...]


def slug(heading: str) -> str:
    """Return the anchor of a heading in GitHub's form: lower case, hyphens, no punctuation.

    Examples
    --------
    >>> slug("Configure `OAuth` (2.0)")
    'configure-oauth-20'
    """
    kept = re.sub(r"[^\w\- ]", "", _plain(heading).strip().lower())
    return re.sub(r" +", "-", kept)


def iter_sections(text: str, max_level: int = _DEEPEST) -> Iterator[Section]:
    """Iterate over sections in order; text before the first heading is a section without one."""
    front_matter = _FRONT_MATTER.match(text)
    start = body = 0 if front_matter is None else front_matter.end()
    open_headings: list[tuple[int, str]] = []
    for heading_start, heading_end, level, title in _iter_headings(text, start):
        if level > max_level:
            continue
        yield Section(start, body, heading_start, _path(open_headings))
        open_headings = [above for above in open_headings if above[0] < level]
        open_headings.append((level, title))
        start, body = heading_start, heading_end
    yield Section(start, body, len(text), _path(open_headings))


def _path(headings: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in headings)


def _iter_headings(text: str, start: int) -> Iterator[tuple[int, int, int, str]]:
    """Iterate over the starts, ends, levels and texts of headings."""
    fence, is_blank = "", True
    paragraph: tuple[int, str] | None = None  # the previous line, if it can be underlined
    for match in _LINE.finditer(text, start):
        line = match[0].rstrip("\r\n")
        fenced = _FENCE.match(line)
        if fence:
            is_end = fenced is not None and fenced[1].startswith(fence) and not fenced[2].strip()
            fence, paragraph = "" if is_end else fence, None
            continue
        if fenced is not None:
            fence, paragraph = fenced[1], None
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            title = _plain(_without_closing(line[heading.end() :]))
            yield match.start(), match.end(), len(heading[1]), title.strip()
            paragraph, is_blank = None, True
            continue
        underline = _UNDERLINE.match(line)
        if underline is not None and paragraph is not None:
            level = 1 if underline[1][0] == "=" else 2
            yield paragraph[0], match.end(), level, _plain(paragraph[1]).strip()
            paragraph, is_blank = None, True
            continue
        # Only the first line of a paragraph: a longer one is probably not meant as a heading.
        is_first, is_blank = is_blank, not line.strip()
        paragraph = (match.start(), line) if is_first and not _NO_PARAGRAPH.match(line) else None


def _without_closing(title: str) -> str:
    """Return a title without a closing sequence of ``#``, unless it consists only of those."""
    title = title.strip(" \t")
    shorter = title.rstrip("#")
    return shorter.rstrip(" \t") if shorter.endswith((" ", "\t")) else title


def _plain(heading: str) -> str:
    """Return a heading without links and without markup for code and emphasis."""
    return re.sub(r"`|\*+", "", _LINK.sub(r"\1", heading))
