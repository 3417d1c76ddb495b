"""What changed between two golden sets."""

import json

from berryeval.golden import read_golden_set
from berryeval.golden.diff import diff_golden_sets
from berryeval.reports.golden_diff import diff_tables, diff_to_json
from berryeval.reports.layout import tables_to_text
from small_golden_set import JUDGMENTS, QUERIES, write_golden_set


def sets(tmp_path):
    """Return two sets that differ in every part."""
    before = write_golden_set(tmp_path / "a")
    queries = [{**QUERIES[0], "query": "set up OAuth", "weight": 2},
               {"id": "Q3", "query": "ripe bananas"}]  # fmt: skip
    grades = {
        "Q1": {**JUDGMENTS["Q1"], "guide.md#token-lifetime": 2},
        "Q3": {"tuning.md#bananas": 3},
    }
    after = write_golden_set(tmp_path / "b", grades, queries, relevant_from=2)
    guide = after / "test-documents" / "guide.md"
    guide.write_text(guide.read_text().replace("one hour", "two hours") + "\n## New\n\nText.\n")
    return before, after


def test_a_set_equals_itself(tmp_path):
    """Nothing differs, and everything is counted as the same."""
    golden = read_golden_set(write_golden_set(tmp_path))
    found = diff_golden_sets(golden, golden)
    assert found.is_empty
    assert (found.documents.n_same, found.queries.n_same, found.judgments.n_same) == (6, 2, 6)
    assert "The sets are equal." in tables_to_text(diff_tables(found))


def test_every_difference_is_found(tmp_path):
    """Entries are added, removed or changed, and the others are the same."""
    before, after = sets(tmp_path)
    found = diff_golden_sets(read_golden_set(before), read_golden_set(after))
    assert [*found.documents.added] == [("guide.md#new",)]
    assert [*found.documents.changed] == [("guide.md#token-lifetime",)]
    assert [*found.queries.removed] == [("Q2",)]
    assert [*found.queries.added] == [("Q3",)]
    assert found.judgments.changed == {("Q1", "guide.md#token-lifetime"): (1, 2)}
    assert found.judgments.added == {("Q3", "tuning.md#bananas"): 3}
    assert len(found.judgments.removed) == 3
    assert found.judgments.n_same == 2
    assert found.declared == {"relevant_from": (1, 2)}


def test_the_table_shows_what_changed(tmp_path):
    """Numbers come first, then each difference with both values."""
    before, after = sets(tmp_path)
    found = diff_golden_sets(read_golden_set(before), read_golden_set(after))
    rows = [" ".join(line.split()) for line in tables_to_text(diff_tables(found)).splitlines()]
    assert "documents 1 0 1 5" in rows
    assert "relevant_from 1 2" in rows
    assert "changed guide.md#token-lifetime text" in rows
    assert "changed Q1 text configure OAuth → set up OAuth; weight none → 2" in rows
    assert "removed Q2 tuning.md#slow-searches 3" in rows
    assert "changed Q1 guide.md#token-lifetime 1 → 2" in rows


def test_a_long_table_is_cut_and_json_is_not(tmp_path):
    """The table says how many more there are."""
    many = [{"id": f"N{n}", "query": f"query {n}"} for n in range(30)]
    before = read_golden_set(write_golden_set(tmp_path / "a"))
    after = read_golden_set(write_golden_set(tmp_path / "b", queries=[*QUERIES, *many]))
    found = diff_golden_sets(before, after)
    assert "10 more differences; --json lists all of them." in tables_to_text(diff_tables(found))
    shape = json.loads(diff_to_json(found))
    assert len(shape["queries"]["added"]) == 30
    assert shape["queries"]["added"][0] == {"query_id": "N0", "query": "query 0"}


def test_json_has_every_difference(tmp_path):
    """Changed queries have each label that differs, with both values."""
    before, after = sets(tmp_path)
    shape = json.loads(
        diff_to_json(diff_golden_sets(read_golden_set(before), read_golden_set(after)))
    )
    assert (shape["version"], shape["kind"], shape["equal"]) == (1, "golden-diff", False)
    assert shape["before"]["hash"] != shape["after"]["hash"]
    assert shape["declared"] == {"relevant_from": {"before": 1, "after": 2}}
    assert shape["documents"]["changed"] == [
        {"chunk_id": "guide.md#token-lifetime", "differs": ["text"]}
    ]
    (query,) = shape["queries"]["changed"]
    assert query["text"] == {"before": "configure OAuth", "after": "set up OAuth"}
    assert shape["judgments"]["changed"] == [
        {"query_id": "Q1", "chunk_id": "guide.md#token-lifetime", "before": 1, "after": 2}
    ]
