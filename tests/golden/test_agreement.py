"""The agreement of two judging passes."""

import numpy as np
import pytest

from berryeval.golden.agreement import agreement_of
from berryeval.stats import kappa_interval


def test_kappa_has_linear_weights():
    """By hand: 4 pairs have the mean distance 0.5, and 1.25 by chance."""
    passes = {"Q1": {"a": (0, 0, 0), "b": (0, 1, 1), "c": (2, 2, 2), "d": (3, 2, 2)}}
    assert agreement_of(passes).kappa == pytest.approx(0.6)


def test_a_single_grade_leaves_kappa_undefined():
    """If chance cannot disagree, kappa is undefined, not NaN."""
    assert agreement_of({"Q1": {"a": (0, 0, 0)}}).kappa is None


def test_pairs_without_a_relevant_grade_can_be_left_out():
    """Two of three pairs have a grade of 1 or more."""
    passes = {"Q1": {"a": (0, 0, 0), "b": (1, 0, 1)}, "Q2": {"c": (3, 3, 3)}}
    everything, touched = agreement_of(passes), agreement_of(passes, least=1)
    assert (everything.n_pairs, everything.n_equal) == (3, 2)
    assert (touched.n_pairs, touched.n_equal) == (2, 1)
    assert everything.kappa > touched.kappa


def test_the_interval_of_kappa_resamples_queries():
    """Pairs of one query stay together, so each query counts once."""
    random = np.random.default_rng(8)
    passes = {
        f"Q{query}": {
            f"d{i}": (int(grade), int(min(3, grade + (random.random() < 0.3))), 0)
            for i, grade in enumerate(random.integers(0, 4, 6))
        }
        for query in range(30)
    }
    found = agreement_of(passes)
    pairs = [grades[:2] for chunks in passes.values() for grades in chunks.values()]
    assert found.interval == kappa_interval(pairs, groups=[q for q in passes for _ in range(6)])
    assert found.interval.low < found.kappa < found.interval.high
