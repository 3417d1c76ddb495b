"""Margins given as a share of the baseline's mean."""

import numpy as np
import pytest

from berryeval import gate
from berryeval.evaluation.margins import margin_p_values
from berryeval.stats import mean_of
from evaluation.gating_cases import compared, only

BEFORE = [1, 2, 3, 4, 5] * 20
AFTER = [1, 1, 3, 4, 4] * 10 + [1, 2, 3, 5, 5] * 10


def test_a_share_is_tested_against_a_share_of_the_baseline():
    """Candidate minus 0.9 times the baseline is compared with 0, query by query."""
    before, after = (np.array(hits) / 5 for hits in (BEFORE, AFTER))
    expected = margin_p_values(mean_of(after - 0.9 * before), 0.0, 0.0)
    found = only(gate(compared(BEFORE, AFTER), margin="10%"))
    assert found.limit == pytest.approx(-0.1 * before.mean())
    assert found.p_fail == pytest.approx(expected.failing)
    assert found.p_pass == pytest.approx(expected.passing)
    assert found.value == pytest.approx((after - before).mean())
    fixed = only(gate(compared(BEFORE, AFTER), margin=0.1 * before.mean()))
    assert (fixed.limit, fixed.value) == pytest.approx((found.limit, found.value))
    assert fixed.p_pass != pytest.approx(found.p_pass)


@pytest.mark.parametrize("margin", ["5%", "10%", "40%"])
def test_interval_and_verdict_agree(margin):
    """An interval above the limit passes, and one below it fails."""
    found = only(gate(compared(BEFORE, AFTER), margin=margin))
    assert (found.interval.low > found.limit) == (found.verdict == "pass")
    assert (found.interval.high < found.limit) == (found.verdict == "fail")


def test_a_proportional_drop_is_detected_precisely():
    """Every query loses a fifth, so a share of 25% is surely not exceeded."""
    before = [5] * 40
    after = [4] * 40
    assert gate(compared(before, after), margin="25%").verdict == "pass"
    assert gate(compared(before, after), margin="15%").verdict == "fail"
