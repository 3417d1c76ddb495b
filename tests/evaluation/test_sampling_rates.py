"""Rates of false passes with weights, groups and strata, at reduced size."""

import math

import pytest

from depth import IS_DEEP

simulated = pytest.importorskip("simulate_sampling", reason="no scripts in a source distribution")

N_POPULATIONS, N_DRAWS = 4, 200 if IS_DEEP else 75


def rates(population):
    return simulated.rates(population, N_POPULATIONS, N_DRAWS)


def at_most(rate):
    """Return a bound plus three standard errors of the simulation."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / (N_POPULATIONS * N_DRAWS))


@pytest.mark.parametrize(("sigma", "n_queries"), [(0.7, 100), (1.0, 200)])
def test_weights_keep_the_error_rate(sigma, n_queries):
    """Very unequal weights exceed alpha only slightly."""
    found = rates(lambda random: simulated.weighted(random, n_queries, sigma))
    assert found.pooled <= at_most(0.07)
    assert found.worth < 0.7 * n_queries


def test_groups_keep_the_error_rate():
    """Sixty groups of one to eight queries would lose it if ignored."""
    found = rates(lambda random: simulated.grouped(random, 60))
    assert found.pooled <= at_most(0.05)
    assert found.plain > 0.12


@pytest.mark.parametrize("design", simulated.DESIGNS)
def test_strata_keep_the_error_rate(design):
    """This holds for any number of queries and any share."""
    found = rates(lambda random: simulated.stratified(random, *simulated.DESIGNS[design]))
    assert found.pooled <= at_most(0.065)
    assert found.plain < 0.02, "as one sample nothing would pass"
