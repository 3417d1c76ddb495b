"""Texts that were crafted to make a pattern slow."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.search.chunking.markdown import _HEADING, _without_closing, iter_sections

N = 40_000
HOSTILE = {
    "front matter that never ends": "---\r\n" + "a\r\n" * N,
    "front matter of empty lines": "---\r\n" + "\r\n" * N,
    "spaces in a heading": "# " + " " * N + "x",
    "marks in a heading": "# " + "# " * N + "x",
    "brackets in a heading": "# " + "[" * N,
    "half a link, again and again": "# " + "[](" * N,
    "an underline that is none": "title\n" + "-" * N + "x",
    "fences": "```" * N,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_parsing_time_is_linear_in_the_length(text):
    """A text ten times as long takes about ten times as long."""

    def seconds(part):
        began = time.thread_time()
        assert list(iter_sections(part))
        return time.thread_time() - began

    short = min(seconds(text[: len(text) // 10]) for _ in range(3))
    assert min(seconds(text) for _ in range(3)) < 40 * short + 0.05


@given(st.text("# \tax", max_size=8))
def test_titles_are_those_of_the_grammar(rest):
    """The parser finds the same titles as one simple but slow pattern."""
    line = f"#{rest}"
    whole = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$").match(line)
    found = _HEADING.match(line)
    assert (found is None) == (whole is None)
    if found is not None and whole is not None:
        assert len(found[1]) == len(whole[1])
        assert _without_closing(line[found.end() :]) == (whole[2] or "").strip()
