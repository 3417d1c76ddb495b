"""Texts of documents: rendered, sanitised, with the words of a query marked."""

import time
from html.parser import HTMLParser

import pytest

from berryeval.service.workbench.texts import is_markdown, rendered, words_of

HOSTILE = [
    "**x** <script>alert(1)</script>",
    "**x** <img src=x onerror=alert(1)>",
    "**x** [a](javascript:alert(1))",
    "**x** [a](JaVaScRiPt:alert(1))",
    "**x** [a](data:text/html;base64,PHNjcmlwdD4=)",
    "**x** [a](vbscript:x)",
    "**x** [a](//evil.example)",
    "**x** [a](/tokens)",
    "**x** ![a](https://evil.example/seen.png)",
    "**x** <a href='javascript:alert(1)'>x</a>",
    '**x** [a](https://e.example/"onmouseover=alert(1))',
    "[a]: javascript:alert(1)\n\n**x** [a]",
    '<svg/onload=alert(1)> http://e.example/"><script>alert(1)</script>',
    "javascript:alert(1) &lt;script&gt; <b>",
]


def tags_of(html):
    """Return the tags of HTML with their attributes, as a browser reads them."""
    found = []
    reader = HTMLParser()
    reader.handle_starttag = lambda name, attributes: found.append((name, dict(attributes)))
    reader.feed(html)
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_document_is_executed(text):
    """Scripts, handlers and images are removed; links lead only to other sites."""
    for name, attributes in tags_of(rendered(text, "alert script a x")):
        assert name in ("a", "div", "p", "strong", "mark", "br", "em")
        assert set(attributes) <= {"href", "rel", "class"}
        if name == "a":
            assert attributes["href"].startswith(("http://", "https://", "mailto:"))
            assert "noopener" in attributes["rel"]


def test_markdown_is_rendered_below_the_headings_of_the_page():
    """This covers headings, lists, code, tables and links."""
    html = rendered("# One\n\n- a\n- b\n\n`c`\n\n[d](https://e.example)\n\n|f|\n|---|\n|g|\n")
    for part in ("<h3>One</h3>", "<li>a</li>", "<code>c</code>", "<td>g</td>"):
        assert part in html
    assert 'href="https://e.example"' in html
    assert "noopener" in html


def test_plain_text_is_shown_as_it_is():
    """Characters that only look like Markdown keep their meaning; addresses are links."""
    text = "a * b * c, __init__, 3 < 4 & 5\n  indented, see https://e.example/x."
    html = rendered(text)
    assert "a * b * c, __init__, 3 &lt; 4 &amp; 5\n  indented" in html
    assert '<a href="https://e.example/x" rel="noopener noreferrer nofollow">' in html
    assert html.endswith("</a>.")


def test_words_of_a_query_are_marked_as_whole_words():
    """Short suffixes and case do not matter; tags and escaped characters are never marked."""
    html = rendered("Tokens & betoken **token** https://token.example", "the amp token href")
    assert "<mark>Tokens</mark>" in html
    assert "betoken" in html
    assert "<mark>betoken" not in html
    assert "&amp;" in html
    assert "<mark>href" not in html
    assert words_of("the of and") == []


@pytest.mark.parametrize(
    "text", ["[" * 40_000, "- a\n" * 10_000, "![" * 20_000 + "**x**", "[a](" * 10_000 + "**x**"]
)
def test_texts_that_would_take_long_are_not_rendered(text):
    """A page must not wait for a document that was written to be slow."""
    began = time.process_time()
    rendered(text, "a b")
    assert not is_markdown(text)
    assert time.process_time() - began < 2
