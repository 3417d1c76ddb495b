"""The queries of a run as a table."""

from types import SimpleNamespace

import pytest

from berryeval import Judgments, Query, Run, evaluate
from berryeval.evaluation.slices import Slice
from berryeval.service.workbench.state.query_table import QueryFilter, QueryTable

GRADES = {
    "q1": {"a": 1},
    "q2": {"a": 1},
    "q3": {"a": 0},
    "q4": {"a": 1},
    "q\udcff": {"a": 1},
}
RANKINGS = {
    "q1": ["a"],
    "q2": ["x", "y", "a"],
    "q3": ["a", "x"],
    "q\udcff": ["x"],
}
QUERIES = {
    "q1": Query("q1", "How to prune Roses", "procedural", tags=("garden",)),
    "q2": Query("q2", "rose oil", "factual", tags=("kitchen", "garden")),
    "q3": Query("q3", "שלום", "factual"),
}


def at(judgments):
    return SimpleNamespace(judgments=judgments, hash="")


def table(measures=("nDCG@10", "RR"), queries=QUERIES, rankings=RANKINGS):
    judgments, run = Judgments.from_dict(GRADES), Run.from_lists(rankings)
    return QueryTable(evaluate(judgments, run, measures), at(judgments), run, queries)


def ids(page):
    return [row.query_id for row in page.rows]


def test_a_row_describes_the_result_of_a_query():
    """It has scores, the first relevant rank, and judged counts of the first ten."""
    rows = {row.query_id: row for row in table().page(QueryFilter()).rows}
    assert rows["q2"].text == "rose oil"
    assert rows["q2"].scores == (pytest.approx(0.5), pytest.approx(1 / 3))
    assert (rows["q2"].first_relevant, rows["q2"].n_holes) == (3, 2)
    assert rows["q2"].judged == pytest.approx(1 / 3)
    assert (rows["q3"].first_relevant, rows["q3"].lacks_relevant) == (None, True)
    assert (rows["q4"].is_missing, rows["q4"].judged) == (True, None)
    assert rows["q\udcff"].text is None


@pytest.mark.parametrize("measures", [("AP",), ("nDCG@10",), ("P@5", "R@3")])
def test_ranks_and_holes_are_available_for_any_measure(measures):
    """They are computed even if no measure provides them."""
    rows = {row.query_id: row for row in table(measures).page(QueryFilter()).rows}
    assert (rows["q2"].first_relevant, rows["q2"].n_holes) == (3, 2)


def test_rows_are_sorted_by_any_column_then_by_id():
    """By default the worst comes first; queries without a relevant result come after all ranks."""
    assert ids(table().page(QueryFilter())) == ["q3", "q4", "q\udcff", "q2", "q1"]
    by_rr = QueryFilter(sort="RR", is_descending=True)
    assert ids(table().page(by_rr)) == ["q1", "q2", "q3", "q4", "q\udcff"]
    assert ids(table().page(QueryFilter(sort="rank")))[:2] == ["q1", "q2"]
    assert ids(table().page(QueryFilter(sort="judged")))[:2] == ["q4", "q\udcff"]
    assert ids(table().page(QueryFilter(sort="query"))) == ["q1", "q2", "q3", "q4", "q\udcff"]
    by_text = QueryFilter(sort="query", is_descending=True)
    assert ids(table().page(by_text)) == ["q\udcff", "q4", "q3", "q2", "q1"]
    assert ids(table().page(QueryFilter(sort="nothing known"))) == ids(table().page(QueryFilter()))


def test_rows_are_filtered_by_text_slice_and_problem():
    """Case does not matter, and filters can be combined."""
    assert ids(table().page(QueryFilter(text="ROSE"))) == ["q2", "q1"]
    assert ids(table().page(QueryFilter(text="q3"))) == ["q3"]
    assert ids(table().page(QueryFilter(slice=Slice("tag", "garden")))) == ["q2", "q1"]
    assert ids(table().page(QueryFilter(only="nothing"))) == ["q3", "q4", "q\udcff"]
    assert ids(table().page(QueryFilter(only="holes"))) == ["q3", "q\udcff", "q2"]
    both = QueryFilter(text="rose", slice=Slice("category", "factual"), only="holes")
    assert ids(table().page(both)) == ["q2"]
    found = table().page(QueryFilter(text="nowhere"))
    assert (found.rows, found.n_found, found.n_queries, found.n_pages) == ((), 0, 5, 1)


def test_the_table_counts_problems():
    """These are queries without a hit, and queries with holes."""
    figures = table().figures
    assert (figures.n_without_relevant, figures.n_with_holes) == (3, 3)


def test_a_page_has_fifty_rows_and_numbers_are_clamped():
    """Page 0 is the first, page 99 the last."""
    grades = {f"q{i:03}": {"a": 1} for i in range(120)}
    judgments, run = Judgments.from_dict(grades), Run.from_lists({key: ["a"] for key in grades})
    found = QueryTable(evaluate(judgments, run, "RR"), at(judgments), run, {})
    assert [len(found.page(QueryFilter(page=n)).rows) for n in (0, 1, 2, 3, 99)] == [
        50,
        50,
        50,
        20,
        20,
    ]
    assert (found.page(QueryFilter(page=99)).number, found.page(QueryFilter()).n_pages) == (3, 3)


def test_available_slices_are_listed():
    """They are grouped by label, with sorted values."""
    assert table().slices() == {
        "category": [Slice("category", "factual"), Slice("category", "procedural")],
        "tag": [Slice("tag", "garden"), Slice("tag", "kitchen")],
    }
    assert table(queries={}).slices() == {}
