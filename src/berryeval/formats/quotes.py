"""Quotes from documents, which judgments may give in place of positions.

A quote matches if the document contains it once, character by character; only white space may
differ, since line breaks fall elsewhere in a file of JSON. A quote that does not match is never
placed by guess: the message has the nearest text of the document.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from berryeval.core.span_judgment import SpanJudgment

__all__ = ["LostQuote", "QuoteJudgment", "locate_quote"]

_WORD = re.compile(r"\S+")
_MIN_SHARE = 0.5  # share of the words of a quote that the nearest text must have
_COMPARED = 50  # passages with the same words, letter by letter
_SHOWN = 60


@dataclass(frozen=True)
class QuoteJudgment:
    """A grade of a quoted passage for a query."""

    query_id: str
    source: str
    """The document."""
    quote: str
    grade: float

    @property
    def quote_id(self) -> str:
        """Its name until its position is known: ``guide.md "tokens expire"``."""
        return f'{self.source} "{self.quote}"'


@dataclass(frozen=True)
class LostQuote:
    """A quote without a position, and why it has none."""

    judgment: QuoteJudgment
    message: str


def locate_quote(judged: QuoteJudgment, texts: Mapping[str, str]) -> SpanJudgment | LostQuote:
    """Return the span of a quote, or why there is none.

    Parameters
    ----------
    judged : QuoteJudgment
        The quote.
    texts : mapping
        The documents, by name.

    Examples
    --------
    >>> quote = QuoteJudgment("q1", "a.md", "expire after 90 days", 3)
    >>> locate_quote(quote, {"a.md": "Tokens expire\\nafter 90 days."}).span_id
    'a.md@7-27'
    >>> locate_quote(quote, {"a.md": "Tokens expire after 60 days."}).message
    "'a.md' does not contain 'expire after 90 days'; the nearest text is 'expire after 60 days.'"
    """
    shown = repr(_shortened(judged.quote))
    if judged.source not in texts:
        near = difflib.get_close_matches(judged.source, texts, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        message = f"{shown} is quoted from {judged.source!r}, which is not a document{hint}"
        return LostQuote(judged, message)
    text = texts[judged.source]
    words = _WORD.findall(judged.quote)
    places = _places(words, text)
    if len(places) == 1:
        start, end = places[0]
        return SpanJudgment(judged.query_id, judged.source, start, end, judged.grade)
    if places:
        message = f"{judged.source!r} contains {shown} {len(places)} times; quote more of the text"
        return LostQuote(judged, message)
    near_text = _nearest(words, text)
    hint = "" if near_text is None else f"; the nearest text is {_shortened(near_text)!r}"
    return LostQuote(judged, f"{judged.source!r} does not contain {shown}{hint}")


def _places(words: list[str], text: str) -> list[tuple[int, int]]:
    """Return where a text contains words, with any white space between them."""
    starts, positions, n_characters = [], [], 0
    pieces = []
    for word in _WORD.finditer(text):
        starts.append(n_characters)
        positions.append(word.start())
        pieces.append(word[0])
        n_characters += len(word[0]) + 1
    plain, quote = " ".join(pieces), " ".join(words)

    def position(place: int) -> int:
        piece = bisect_right(starts, place) - 1
        return positions[piece] + place - starts[piece]

    found = []
    place = plain.find(quote) if words else -1
    while place >= 0:
        found.append((position(place), position(place + len(quote) - 1) + 1))
        place = plain.find(quote, place + 1)
    return found


def _nearest(words: list[str], text: str) -> str | None:
    """Return the most similar passage with the same number of words; None if most words differ."""
    wanted = Counter(map(_plain, words))
    found = [*_WORD.finditer(text)]
    names = [_plain(word[0]) for word in found]
    width = min(len(words), len(names))
    best = 0
    starts: list[int] = []
    held: Counter[str] = Counter()
    n_common = 0
    for end, name in enumerate(names):
        held[name] += 1
        n_common += held[name] <= wanted[name]
        if end >= width:
            gone = names[end - width]
            n_common -= held[gone] <= wanted[gone]
            held[gone] -= 1
        if end + 1 >= width and n_common >= best:
            starts = [] if n_common > best else starts
            starts.append(end + 1 - width)
            best = n_common
    if best < _MIN_SHARE * len(words) or not words:
        return None
    quote = " ".join(words)
    passages = [
        text[found[start].start() : found[start + width - 1].end()] for start in starts[:_COMPARED]
    ]
    return max(passages, key=lambda one: difflib.SequenceMatcher(None, quote, one).ratio())


def _plain(word: str) -> str:
    return word.casefold().strip(".,;:!?()[]\"'`*_")


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
