"""How often the gate is wrong, on a small fixed part of what `make simulate` tries."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from berryeval.evaluation.margins import margin_intervals, margin_p_values

SCRIPT = Path(__file__).parents[2] / "scripts" / "simulate_gate.py"

if not SCRIPT.exists():
    pytest.skip("the scripts are not in a source distribution", allow_module_level=True)

spec = importlib.util.spec_from_file_location("simulate_gate", SCRIPT)
simulation = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = simulation  # dataclasses look themselves up there
spec.loader.exec_module(simulation)

# Three standard errors of a share of 0.05 in 1,500 gates.
NOISE = 0.017


@pytest.mark.parametrize("n_queries", [20, 50])
@pytest.mark.parametrize("shape", simulation.SHAPES)
def test_one_guard_is_seldom_wrong(shape, n_queries):
    """At the margin exactly, at most alpha pass and at most alpha fail."""
    rates = simulation.simulate(
        simulation.SHAPES[shape], n_queries, 1, 0.0, n_gates=1500, n_resamples=1000
    )
    assert rates.passed <= simulation.ALPHA + NOISE
    assert rates.failed <= simulation.ALPHA + NOISE


@pytest.mark.parametrize("correlation", simulation.CORRELATIONS)
def test_eight_guards_are_no_more_often_wrong(correlation):
    """Holm holds the share of gates that fail in any guard."""
    rates = simulation.simulate(
        simulation.SHAPES["normal"], 40, 8, correlation, n_gates=1000, n_resamples=1000
    )
    assert rates.passed <= simulation.ALPHA + NOISE
    assert rates.failed <= simulation.ALPHA + NOISE


def test_the_gate_is_not_merely_timid():
    """An unchanged system passes nearly as often as by the t-test alone."""
    passed, by_t = simulation.power(n_gates=1500, n_resamples=1000)
    assert by_t == pytest.approx(0.967, abs=NOISE)
    assert passed == pytest.approx(by_t, abs=0.03)


@pytest.mark.parametrize("shape", simulation.SHAPES)
def test_the_shapes_have_the_mean_they_claim(shape):
    """Minus the margin, to the noise of a million draws."""
    z = np.random.default_rng(1).standard_normal(1_000_000)
    assert simulation.SHAPES[shape](z).mean() == pytest.approx(-simulation.MARGIN, abs=2e-3)


def test_intervals_and_p_values_tell_the_same():
    """An interval of 1 - 2 alpha that lies above minus the margin is one that passes."""
    random = np.random.default_rng(2)
    columns = random.normal(-0.02, 0.1, (30, 40)) * random.choice([1, 3], (30, 40))
    p = margin_p_values(columns, np.full(40, 0.05), 2000)
    for interval, passing, failing in zip(
        margin_intervals(columns, 0.05, 2000), p.passing, p.failing, strict=True
    ):
        if abs(passing - 0.05) > 0.005:
            assert (interval.low > -0.05) == (passing <= 0.05)
        if abs(failing - 0.05) > 0.005:
            assert (interval.high < -0.05) == (failing <= 0.05)
