"""Texts of documents as pages show them: Markdown rendered, query terms highlighted.

Documents come from anywhere, so nothing in them is trusted. The renderer escapes HTML and links
only to other sites and mail addresses; its output is sanitised once more.
"""

from __future__ import annotations

import re
from functools import cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from berryeval.search.stop_words import STOP_WORDS

__all__ = ["highlighted", "is_markdown", "one_line", "rendered", "words_of"]

_MAX_WORDS = 20
_LONGEST_SUFFIX = 3
_WORD = re.compile(r"[^\W_]{2,}")
_LINKED = ("http://", "https://", "mailto:")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}]")
_MARKUP = re.compile(r"(<[^<>]*>|&[#\w]{1,10};)")
"""The parts of HTML that are not text: an element's tag, or an escaped character."""

_IS_MARKDOWN = re.compile(
    r"^#{1,6} \S|^(```|~~~)|^ {0,3}[-*+] \S.*\n {0,3}[-*+] \S|^\|?[ :]*-{3,}[ :]*\|"
    r"|\[[^\]\n]{1,200}\]\([^)\s]{1,200}\)|\*\*[^*\n]{1,200}\*\*",
    re.MULTILINE,
)
"""A heading, code, a list, a table, a link or bold text."""

_LINKS = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]{1,200}\)")
_MARKS = re.compile(r"^#{1,6} +|^(?:```|~~~).*$|\*\*|`", re.MULTILINE)
_TABLE = re.compile(r"^(?=.*---)[ |:-]+$|\|", re.MULTILINE)
"""Parts to remove from a line without markup: addresses, marks, and the lines of tables."""

_MAX_BRACKETS, _MAX_LINES = 500, 1000
"""Larger texts would take too long to render, and are shown unrendered."""

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ABOVE = 2
"""Levels by which headings of a text are lowered, to be below those of the page."""
_LOWEST = 6


def words_of(query: str) -> list[str]:
    """Return the words of a query to highlight: without common ones, at most twenty.

    Examples
    --------
    >>> words_of("How do I reset my password?")
    ['reset', 'password']
    """
    found = dict.fromkeys(word.lower() for word in _WORD.findall(query))
    return [word for word in found if word not in STOP_WORDS][:_MAX_WORDS]


def rendered(text: str, query: str = "") -> Markup:
    """Return a text as HTML, with the words of a query highlighted.

    Text that is not Markdown is shown as it is, with links.
    """
    if is_markdown(text):
        return Markup('<div class="markdown">{}</div>').format(
            highlighted(_from_markdown(text), query)
        )
    return highlighted(_linked(text), query)


def is_markdown(text: str) -> bool:
    """Return whether a text is to be rendered: Markdown, and not too much of it.

    Examples
    --------
    >>> is_markdown("# Heading"), is_markdown("2 * 3 * 4, snake_case_name, a - b")
    (True, False)
    """
    if text.count("[") > _MAX_BRACKETS or text.count("\n") > _MAX_LINES:
        return False
    return _IS_MARKDOWN.search(text) is not None


def one_line(text: str) -> str:
    """Return a text in one line, without the marks of Markdown.

    Examples
    --------
    >>> one_line("## Errors\\n\\nSee [limits](limits.md): `429` is **temporary**.")
    'Errors See limits: 429 is temporary.'
    """
    if is_markdown(text):
        text = _TABLE.sub(" ", _MARKS.sub("", _LINKS.sub(r"\1", text)))
    return " ".join(text.split())


def highlighted(html: Markup, query: str) -> Markup:
    """Mark the words of a query in the text of HTML.

    Whole words with short suffixes are marked: *token* matches *tokens*, but not *betoken*.
    """
    words = words_of(query)
    if not words:
        return html

    def marked(found: re.Match[str]) -> str:
        word = found[0].lower()
        is_wanted = any(
            word.startswith(one) and len(word) <= len(one) + _LONGEST_SUFFIX for one in words
        )
        return f"<mark>{found[0]}</mark>" if is_wanted else found[0]

    parts = _MARKUP.split(html)
    for place in range(0, len(parts), 2):
        parts[place] = _WORD.sub(marked, parts[place])
    return Markup("".join(parts))  # noqa: S704 - escaped before, and only marks were added


def _linked(text: str) -> Markup:
    """Escape a text, and link the addresses in it."""
    pieces, end = [], 0
    for found in _ADDRESS.finditer(text):
        pieces += [escape(text[end : found.start()]), _link(found[0])]
        end = found.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _link(address: str) -> Markup:
    return Markup('<a href="{0}" rel="noopener noreferrer nofollow">{0}</a>').format(address)


def _from_markdown(text: str) -> Markup:
    html = nh3.clean(
        _renderer().render(text),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(html)  # noqa: S704 - sanitised


@cache
def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.enable(["table", "strikethrough"]).disable("image")
    renderer.validateLink = _is_linked  # type: ignore[assignment, method-assign]
    renderer.core.ruler.push("headings", _lower_headings)
    return renderer


def _is_linked(address: str) -> bool:
    """Whether a link may be followed: not into this service, and to no script."""
    return address.lower().startswith(_LINKED)


def _lower_headings(state: object) -> None:
    tokens: list[Token] = state.tokens  # type: ignore[attr-defined]
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(_LOWEST, int(token.tag[1]) + _ABOVE)}"
