"""How far two passes of judging agree."""

import pytest

from berryeval.golden.agreement import agreement_of, weighted_kappa


def test_kappa_is_that_of_the_textbook():
    """Worked by hand: 100 pairs, observed disagreement 0.35, by chance 0.795."""
    table = {(0, 0): 40, (0, 1): 10, (1, 0): 5, (1, 1): 20, (1, 2): 5, (2, 1): 5, (2, 2): 10,
             (0, 2): 5}  # fmt: skip
    pairs = [pair for pair, times in table.items() for _ in range(times)]
    assert weighted_kappa(pairs) == pytest.approx(1 - 0.35 / 0.795)


def test_a_far_disagreement_costs_more_than_a_near_one():
    """Weights are linear: grades 0 and 3 are three times as far as 2 and 3."""
    agreed = [(0, 0), (3, 3), (1, 1), (2, 2)] * 5
    near, far = weighted_kappa([*agreed, (2, 3)]), weighted_kappa([*agreed, (0, 3)])
    assert far < near < 1


def test_a_single_grade_leaves_kappa_undefined():
    """Where chance cannot disagree there is nothing to tell, and no NaN."""
    assert weighted_kappa([]) is None
    assert weighted_kappa([(0, 0), (0, 0)]) is None


def test_pairs_that_nobody_found_relevant_can_be_left_out():
    """Of three pairs two are touched by a grade of 1 or more."""
    passes = {"Q1": {"a": (0, 0, 0), "b": (1, 0, 1)}, "Q2": {"c": (3, 3, 3)}}
    everything, touched = agreement_of(passes), agreement_of(passes, least=1)
    assert (everything.n_pairs, everything.n_equal) == (3, 2)
    assert (touched.n_pairs, touched.n_equal) == (2, 1)
    assert everything.kappa > touched.kappa
