"""Names without their common parts, and ids in the order of their numbers."""

import pytest

from berryeval.core.text import distinct_parts, natural_key


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["input.a.gz", "input.b.gz"], ["a", "b"]),
        (["team/bm25-k1", "team/bm25-b"], ["k1", "b"]),
        (["run-10", "run-1"], ["10", "1"]),
        (["bm25", "bm25-tuned"], ["bm25", "bm25-tuned"]),
        (["system-a.run", "system-a.run"], ["system-a.run", "system-a.run"]),
        (["a-x", "a-y"], ["a-x", "a-y"]),
        (["alone.run"], ["alone.run"]),
        ([], []),
    ],
)
def test_shared_beginnings_and_ends_are_left_out(names, expected):
    """Only whole parts are left out, never a whole name, and not just a few characters."""
    assert distinct_parts(names) == expected


def test_numbers_are_sorted_by_value():
    """Leading zeros do not count, and very long numbers are compared, too."""
    wanted = ["1", "2", "10", "a", "a1b2", "a1b10", "a01c", "a2", "a" + "9" * 5000, "b"]
    assert sorted({*wanted}, key=natural_key) == wanted
