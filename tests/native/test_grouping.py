"""Rows grouped by C++ are the same as those grouped by Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.backend import backend
from berryeval.core.grouped import Grouping
from berryeval.core.run import Run

if backend().name != "native":
    pytest.skip("there is no extension to compare with", allow_module_level=True)

from berryeval import _native

ids = st.sampled_from(
    [b"", b"a", b"b", b"ab", b"abc", b"abcd\0", b"x" * 8, b"x" * 16, b"x" * 17]
) | (st.binary(max_size=40))
numbers = st.sampled_from([0.0, -0.0, 1.0, float("inf")]) | st.floats(allow_nan=False)
rows_in_order = st.lists(st.tuples(ids, ids, numbers), max_size=30).map(
    lambda rows: sorted(rows, key=lambda row: row[0])
)
rows_mixed = st.lists(st.tuples(ids, ids, numbers), max_size=30)


def specified(rows):
    """Return the Python twin's columns with the best kept, and the first duplicate."""
    found = Grouping()
    duplicates = []
    for number, row in enumerate(rows):
        if not found.add(*row):
            duplicates.append(number)
            found.keep_best(*row)
    return Run(*found.columns()), next(iter(duplicates), None)


@given(rows_in_order | rows_mixed)
def test_both_twins_group_in_the_same_way(rows):
    """Queries and rows keep their order, and the best of duplicates is kept."""
    run, duplicate = specified(rows)
    columns, found = _native.group(rows, keep_best=True)
    assert (Run.of_native(columns), found) == (run, duplicate)
    assert Run.of_native(columns).values.tobytes() == run.values.tobytes()


@given(rows_in_order | rows_mixed)
def test_skipping_the_duplicate_check_drops_nothing(rows):
    """The faster path gives the same columns."""
    unique = list({row[:2]: row for row in rows}.values())
    columns, found = _native.group(unique, keep_best=False)
    assert (Run.of_native(columns), found) == specified(unique)


@pytest.mark.parametrize("mixed", [False, True])
def test_many_queries_and_documents_are_grouped(mixed):
    """Hash tables grow: 5,000 queries, one with 3,000 documents."""
    rows = [(b"q%d" % q, b"d%d" % d, float(d)) for q in range(5000) for d in range(3)]
    rows += [(b"long", b"%d" % d, float(d)) for d in range(3000)]
    if mixed:
        rows = rows[::2] + rows[1::2]
    expected = specified(rows)
    columns, found = _native.group(rows, keep_best=False)
    assert (Run.of_native(columns), found) == expected
    assert _native.group([*rows, (b"q7", b"d1", 0.0), rows[0]], keep_best=True)[1] == len(rows)
