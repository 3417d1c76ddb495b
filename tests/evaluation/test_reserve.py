"""The sealed reserve: its queries, its results, and its retirement."""

import numpy as np
import pytest
from scipy import stats

from berryeval import ArgumentError, Query
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.memory import Decision
from berryeval.evaluation.reserve import Seal, open_reserve, reserved_among
from berryeval.measures import parse_measure
from berryeval.stats import mean_of
from evaluation.gating_cases import compared, ids

P5 = parse_measure("P@5")
N = 120
BEFORE = [2] * N
RESERVED = set(ids(N)[::3])
AFTER = [(3 if i % 2 else 2) + (i % 3 > 0) for i in range(N)]
"""Reserved queries gain half a document on average, and seen ones one more than that."""


def opened(after=AFTER, *, number=1, openings=5, reserved=RESERVED):
    comparison = compared(BEFORE, after)
    return open_reserve(
        comparison, "candidate", P5, reserved, alpha=0.05, number=number, openings=openings
    )


def test_about_the_declared_share_is_reserved():
    """It is within three standard errors, and another salt chooses others."""
    many = [f"query {i}" for i in range(4000)]
    first, second = (reserved_among(many, {}, 0.3, salt) for salt in ("a", "b"))
    for found in (first, second):
        assert len(found) / 4000 == pytest.approx(0.3, abs=0.022)
    assert len(first & second) / 4000 == pytest.approx(0.09, abs=0.0136)


def test_no_query_changes_sides_as_the_set_grows():
    """Only the hash of a query decides."""
    few = reserved_among(ids(50), {}, 0.3, "s")
    assert reserved_among(ids(100), {}, 0.3, "s") & set(ids(50)) == few


def test_groups_are_kept_together():
    """All queries of a group are reserved, or none."""
    queries = {q: Query(q, "text", group=f"g{i // 10}") for i, q in enumerate(ids(100))}
    found = reserved_among(ids(100), queries, 0.4, "s")
    sizes = {sum(q in found for q in ids(100)[i : i + 10]) for i in range(0, 100, 10)}
    assert sizes == {0, 10}


def test_the_claim_is_the_gain_of_the_reserved_queries_alone():
    """It has the interval of its mean, at alpha divided by the openings."""
    found = opened()
    gains = np.array([(a - b) / 5 for a, b in zip(AFTER, BEFORE, strict=True)])
    own = gains[::3]
    assert (found.n_reserved, found.n_seen) == (40, 80)
    assert found.gain == pytest.approx(own.mean())
    assert found.level == pytest.approx(0.01)
    assert found.interval.level == pytest.approx(0.98)
    assert found.interval.high == pytest.approx(mean_of(own).upper_bound(0.01))
    assert found.interval.low < found.gain < found.interval.high


def test_drift_is_welchs_one_sided_test_of_gains():
    """It compares seen and reserved queries, as in SciPy."""
    found = opened().drift
    gains = np.array([(a - b) / 5 for a, b in zip(AFTER, BEFORE, strict=True)])
    apart, seen = gains[::3], np.delete(gains, np.s_[::3])
    test = stats.ttest_ind(seen, apart, equal_var=False, alternative="greater")
    assert found.mean == pytest.approx(seen.mean() - apart.mean())
    assert found.p_value == pytest.approx(test.pvalue, rel=1e-6)
    both = stats.ttest_ind(seen, apart, equal_var=False).confidence_interval(0.98)
    assert (found.interval.low, found.interval.high) == pytest.approx((both.low, both.high))
    assert opened().has_drifted


def test_equal_gains_are_not_drift():
    """The reserve confirms the gain."""
    found = opened([3 if i % 2 else 2 for i in range(N)])
    assert not found.has_drifted
    assert found.drift.mean == pytest.approx(0, abs=0.02)


def test_few_changes_report_only_the_gain():
    """Below ten changed queries nothing is tested."""
    found = opened([3, *BEFORE[1:]])
    assert (found.interval, found.drift, found.has_drifted) == (None, None, False)
    assert found.gain == pytest.approx(0.2 / 40)


def test_a_reserve_is_retired_after_its_last_opening():
    """The message says what to do."""
    assert opened(number=5).number == 5
    with pytest.raises(ArgumentError, match="all 5 used; it is retired: judge new queries"):
        opened(number=6)


@pytest.mark.parametrize("reserved", [set(), set(ids(N))])
def test_both_sides_need_queries(reserved):
    """Otherwise nothing can be compared."""
    with pytest.raises(ArgumentError, match="expected reserved queries and others"):
        opened(reserved=reserved)


def made(seal, opening=None, opened=None):
    return Decision("c", "b", "q", 1, 1, seal=str(seal), opened=opened, opening=opening)


def test_an_opening_is_counted_once_for_the_same_data():
    """Other runs use the next one; openings of another seal do not count."""
    seal, other = Seal(0.3, "s", 2), Seal(0.2, "s", 2)
    past = [made(other, 2, "x"), made(seal), made(seal, 1, "x")]
    assert seal.next_opening(past, "x") == 1
    assert seal.next_opening(past, "y") == 2
    assert seal.next_opening([], "x") == 1


def test_a_seal_cannot_be_changed_while_the_reserve_is_in_use():
    """Share, salt and openings are fixed until all openings are used."""
    seal = Seal(0.3, "s", 2)
    for other in (Seal(0.2, "s", 2), Seal(0.3, "t", 2), Seal(0.3, "s", 3)):
        with pytest.raises(ArgumentError, match=r"as sealed, got .*; restore these, or count in a"):
            other.check([made(seal), made(seal, 1, "x")])
        other.check([made(seal, 1, "x"), made(seal, 2, "y")])
    seal.check([made(seal, 1, "x")])


def test_rules_declare_the_seal():
    """Without a share nothing is reserved."""
    assert Seal.of(GateRules()) is None
    assert Seal.of(GateRules(reserve=0.3)) == Seal(0.3, "", 5)
    assert Seal.of(GateRules(reserve=0.3, reserve_salt="s", openings=2)) == Seal(0.3, "s", 2)
