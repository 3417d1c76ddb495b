"""The table of logarithms."""

import math

from berryeval.kernels import discounts


def test_entries_are_the_logarithms_of_rank_plus_one():
    """Rank 1 is not discounted; rank 3 counts half."""
    table = discounts.log2_ranks(3)
    assert list(table[:3]) == [1.0, math.log2(3), 2.0]


def test_a_longer_table_keeps_the_entries_of_a_shorter_one(monkeypatch):
    """Growing replaces the table without changing an entry or existing references."""
    monkeypatch.setattr(discounts, "_table", discounts.log2_ranks(1)[:1])
    before = discounts.log2_ranks(1)
    after = discounts.log2_ranks(5000)
    assert len(before) == 1
    assert len(after) >= 5000
    assert after[0] == before[0]
    assert discounts.log2_ranks(200) is after
