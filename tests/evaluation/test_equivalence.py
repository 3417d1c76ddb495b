"""Equivalence: a refactoring should change nothing, for better or worse."""

import json

import numpy as np
import pytest
from scipy import stats

from berryeval import ArgumentError, gate
from berryeval.errors import InputError
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.evaluation.margins import equivalence_p_values, margin_interval
from berryeval.measures import parse_measure
from berryeval.reports.gate import gate_table, gate_to_json
from berryeval.stats import mean_of
from evaluation.gating_cases import compared, only

SAME = MarginGuard(parse_measure("P@5"), Margin(0.05), is_equivalence=True)
N = 200


def decided(after, guard=SAME, **rules):
    return gate(compared([3] * N, after), [guard], **rules)


def test_small_changes_both_ways_are_equivalent():
    """A drop and a rise of the margin are both ruled out."""
    result = decided([4, 2, 3, 3, 3] * (N // 5))
    assert result.verdict == "pass"
    assert only(result).name == "P@5 changes by less than 0.05"
    assert "a change of 0.05 is ruled out" in only(result).reason


@pytest.mark.parametrize("hits", [4, 2])
def test_a_rise_fails_like_a_drop(hits):
    """A margin alone would pass an improvement."""
    after = [hits] * (N // 2) + [3] * (N // 2)
    assert decided(after).verdict == "fail"
    plain = MarginGuard(SAME.measure, SAME.margin)
    assert decided(after, plain).verdict == ("pass" if hits == 4 else "fail")


def test_too_few_queries_are_inconclusive():
    """The number needed is higher than for a margin, as both sides must pass."""
    before, after = [3] * 60, [4, 2, 3] * 20
    tight = MarginGuard(SAME.measure, Margin(0.03), is_equivalence=True)
    found = only(gate(compared(before, after), [tight]))
    plain = only(gate(compared(before, after), margin=0.03))
    assert (found.verdict, plain.verdict) == ("inconclusive", "inconclusive")
    assert found.queries_needed > plain.queries_needed
    assert "a change of 0.03 is neither ruled out nor shown" in found.reason


def test_on_these_queries_alone_the_size_of_the_change_decides():
    """This holds without inference, in either direction."""
    for hits, verdict in ((4, "fail"), (2, "fail"), (3, "pass")):
        after = [hits] * 60 + [3] * (N - 60)
        assert decided(after, inference="set").verdict == verdict


def test_interval_and_p_values_agree():
    """An interval within the margins passes; Student's is never wider."""
    random = np.random.default_rng(4)
    for _ in range(50):
        values = random.normal(0, 0.15, 60) - random.exponential(0.02, 60)
        sample = mean_of(values)
        p = equivalence_p_values(sample, 0.05, 0.5)
        interval = margin_interval(sample, 0.05, 0.5, is_equivalence=True)
        assert (p.passing <= 0.05) == (interval.low > -0.05 and interval.high < 0.05)
        student = stats.ttest_1samp(values, 0).confidence_interval(0.90)
        assert interval.low <= student.low
        assert interval.high >= student.high


def test_equivalence_keeps_its_error_rate():
    """At a true rise of the margin it passes, or fails, in at most 5 of 100 cases."""
    random = np.random.default_rng(5)
    passed = failed = 0
    for _ in range(1000):
        p = equivalence_p_values(mean_of(random.normal(0.05, 0.15, 60)), 0.05, 0.0)
        passed += p.passing <= 0.05
        failed += p.failing <= 0.05
    assert passed / 1000 <= 0.05 + 0.021  # three standard errors
    assert failed / 1000 <= 0.05 + 0.021


def test_settings_flags_and_json_support_equivalence():
    """The key `equivalent` replaces `margin`."""
    rules = GateRules.from_dict({"guards": [{"measure": "P@5", "equivalent": "2%"}]})
    share = Margin(0.02, is_relative=True)
    assert rules.guards == (MarginGuard(SAME.measure, share, is_equivalence=True),)
    assert rules.to_dict()["guards"] == [{"measure": "P@5", "equivalent": "2%"}]
    texts = GateRules().with_guards({"equivalent": ["P@5=0.05"]}, {"equivalent": "--equivalent"})
    assert texts.guards == (SAME,)
    both = {"measure": "P@5", "margin": 0.1, "equivalent": 0.1}
    with pytest.raises(InputError, match="equivalent: expected no margin in the same guard"):
        GateRules.from_dict({"guards": [both]})
    with pytest.raises(ArgumentError, match="equivalent: expected at most 1, the range of P@5"):
        MarginGuard(SAME.measure, Margin(1.5), is_equivalence=True)
    result = decided([4, 2, 3, 3, 3] * (N // 5))
    assert json.loads(gate_to_json(result))["guards"][0]["name"] == "P@5 changes by less than 0.05"
    assert "±0.0500" in {cell for row in gate_table(result)[0].rows for cell in row}
