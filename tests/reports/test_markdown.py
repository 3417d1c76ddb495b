"""Markdown for pull requests and job summaries."""

from dataclasses import replace

import pytest

from berryeval.core.query import Query
from berryeval.reports.layout import Table
from berryeval.reports.markdown import (
    comparison_to_markdown,
    gate_to_markdown,
    tables_to_markdown,
)
from example_results import a_comparison, a_gate, compare_these


def test_a_gate_starts_with_its_verdict():
    """It has a symbol, a word and a sentence, a table of guards, and the folded comparison."""
    text = gate_to_markdown(a_gate(a_comparison(40)))
    lines = text.splitlines()
    assert lines[0].startswith("### ❌ Fail: hybrid must not ship")
    assert lines[2] == "| guard | verdict | value | limit | interval | why |"
    assert lines[3] == "| :--- | :--- | ---: | ---: | ---: | :--- |"
    assert "<details><summary>hybrid against bm25, 40 queries</summary>" in text
    assert text.count("<details>") == text.count("</details>") == 2


def test_a_gate_without_a_comparison_has_its_guards_only():
    """Nothing is folded."""
    result = replace(a_gate(a_comparison(10)), comparison=None, holes=(), suggestion=None)
    assert "<details>" not in gate_to_markdown(result)


def test_a_comparison_folds_long_parts():
    """Means and differences are visible; slices and queries can be unfolded."""
    text = comparison_to_markdown(a_comparison(40))
    seen, _, folded = text.partition("<details>")
    assert "| nDCG@10 |" in seen
    assert "nDCG@10 decides alone." in seen
    assert "category=factual" in folded


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a|b", "a&#124;b"),
        ("<script>", "&#60;script&#62;"),
        ("a & b", "a &#38; b"),
        ("two\nlines", "two lines"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("*bold* _it_ snake_case", "&#42;bold&#42; &#95;it&#95; snake_case"),
        ("ask @someone", "ask @\u2060someone"),
        ("see #12", "see #\u206012"),
        ("[x](y)", "[x&#93;(y)"),
        ("https://a.b www.c.d", "https\u2060://a.b www\u2060.c.d"),
    ],
)
def test_data_is_shown_as_text(written, shown):
    """It cannot create markup, links, mentions or columns."""
    judged = {"q": {"d": 1}}
    queries = [Query("q", written)]
    comparison = compare_these(judged, {"a": {"q": ["x", "d"]}, "b": {"q": ["d"]}}, queries)
    assert f"| q {shown} |" in comparison_to_markdown(comparison)


def test_parts_beyond_the_limit_of_a_comment_are_left_out():
    """Folded parts go first; the verdict and the means stay."""
    measures = [f"{name}@{k}" for name in ("nDCG", "P", "R", "Success") for k in range(1, 11)]
    systems = {f"a-system-with-a-long-name-{i}": 0.5 + i / 10 for i in range(6)}
    text = comparison_to_markdown(a_comparison(20, systems, measures))
    assert len(text) < 65_536
    assert "| Success@10 |" in text
    assert "tables are left out: a comment cannot hold them." in text


def test_tables_have_titles_and_notes():
    """Long tables show their first 200 rows."""
    few = Table("", ("", "a"), (("x", "1"),), ("A note.",))
    many = Table("Many", ("", "a"), tuple((str(i), "1") for i in range(250)))
    text = tables_to_markdown([few, many])
    assert text.startswith("|  | a |\n| :--- | ---: |\n| x | 1 |\n\n<sub>A note.</sub>\n\n**Many**")
    assert text.endswith("<sub>50 more rows are left out.</sub>\n")


def test_commands_in_notes_are_code():
    """Escaped backticks would be shown as such."""
    table = Table("", ("a",), (("`x`",),), ("Run `berryeval gate | tee <b>`.",))
    text = tables_to_markdown([table])
    assert "<sub>Run <code>berryeval gate &#124; tee &#60;b&#62;</code>.</sub>" in text
    assert "| &#96;x&#96; |" in text
