"""Queries drawn from distributions that are fitted to real ones."""

import numpy as np
import pytest
from scipy import stats

fitted = pytest.importorskip("fitted_scores", reason="no scripts in a source distribution")


def scores(random, n_queries=400):
    """Return two correlated systems with some lost and some equal queries."""
    better = random.beta(2, 2, n_queries)
    worse = np.clip(better - random.gamma(1.0, 0.05, n_queries), 0, 1)
    worse[:20] = 0.0
    worse[-80:] = better[-80:]
    return worse, better


def test_new_queries_resemble_the_real_ones():
    """Means, spread, lost and unchanged queries, and the correlation are similar."""
    random = np.random.default_rng(1)
    worse, better = scores(random)
    drawn = fitted.draw_like(worse, better, 20_000, random)
    for real, invented in zip((worse, better), drawn, strict=True):
        assert invented.mean() == pytest.approx(real.mean(), abs=0.02)
        assert invented.std() == pytest.approx(real.std(), abs=0.02)
        assert invented.min() >= 0
        assert invented.max() <= 1
    assert np.mean(drawn[0] == drawn[1]) == pytest.approx(0.2, abs=0.01)
    assert np.mean(drawn[0] == 0) == pytest.approx(np.mean(worse == 0), abs=0.01)
    taus = [stats.kendalltau(*pair).statistic for pair in ((worse, better), drawn)]
    assert taus[1] == pytest.approx(taus[0], abs=0.05)


def test_a_discrete_measure_keeps_its_values():
    """P@10 keeps its eleven values."""
    random = np.random.default_rng(1)
    worse, better = (random.integers(0, 11, 200) / 10 for _ in range(2))
    for invented in fitted.draw_like(worse, better, 1000, random):
        assert set(invented) <= {number / 10 for number in range(11)}


def test_too_few_changed_queries_are_not_fitted():
    """At least fifteen are required."""
    better = np.linspace(0.1, 0.9, 100)
    worse = better.copy()
    worse[:14] -= 0.05
    assert fitted.draw_like(worse, better, 100, np.random.default_rng(1)) is None


@pytest.mark.parametrize("family", ["_normal", "_clayton", "_rotated", "_frank"])
def test_copulas_match_their_densities(family):
    """Each integrates to 1, has a Kendall's tau of 0.5, and is recognised from its draws."""
    clayton = fitted._clayton(2.0)
    copulas = {
        "_normal": fitted._normal(np.sqrt(0.5)),
        "_clayton": clayton,
        "_rotated": fitted._rotated(clayton),
        "_frank": fitted._frank(0.5),
    }
    copula = copulas[family]
    grid = (np.arange(400) + 0.5) / 400
    first, second = (side.ravel() for side in np.meshgrid(grid, grid))
    assert np.exp(copula.log_density(first, second)).mean() == pytest.approx(1, abs=0.002)
    drawn = copula.draw(3000, np.random.default_rng(1))
    assert stats.kendalltau(*drawn.T).statistic == pytest.approx(0.5, abs=0.03)
    likeliest = max(copulas, key=lambda name: copulas[name].likelihood(drawn))
    assert likeliest == family
    assert fitted._best_copula(drawn).likelihood(drawn) >= 0.99 * copula.likelihood(drawn)
