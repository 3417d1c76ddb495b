"""The page of a quality result."""

import re

import pytest

from berryeval.golden import read_golden_set
from berryeval.reports.html import quality_page
from berryeval.reports.rendering import render_quality
from berryeval.search.systems.function import Function
from berryeval.suite.quality import run_quality
from small_golden_set import QUERIES, write_golden_set


def moody(query, _k):
    if "slow" in query:
        raise ValueError("no <such> index")
    return ["guide.md#configure-oauth", "guide.md#guide", "tuning.md#bananas"]


@pytest.fixture
def result(tmp_path):
    queries = [{**QUERIES[0], "query": "<b>configure</b> OAuth"}, QUERIES[1]]
    golden = read_golden_set(write_golden_set(tmp_path / "small", queries=queries))
    return run_quality(Function(moody, name="moody"), golden)


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


def test_the_page_shows_hits_with_their_grades(result):
    """X7: hits have their grades, holes are marked, and missed documents are listed."""
    text = text_of(render_quality(result, "html"))
    assert "1 guide.md#configure-oauth 3" in text
    assert "2 guide.md#guide not judged" in text
    assert "3 tuning.md#bananas 0" in text
    assert "Relevant but not found: guide.md#token-lifetime." in text
    assert "1 query failed, and scores 0." in text
    assert "at least 0.7 · best possible 0.4000" in text


def test_data_is_escaped(result):
    """Texts of queries and errors are shown literally."""
    page = render_quality(result, "html")
    assert "&lt;b&gt;configure&lt;/b&gt; OAuth" in page
    assert "<b>configure" not in page
    assert "no &lt;such&gt; index" in page


def test_a_long_page_states_what_it_leaves_out(result, monkeypatch):
    """Very many queries are limited, with a note."""
    monkeypatch.setattr(quality_page, "_MAX_QUERIES", 1)
    assert "Queries left out: 1. JSON has them all." in text_of(render_quality(result, "html"))
