"""The power of a golden set."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from berryeval import ArgumentError
from berryeval.evaluation.power import ASSUMED_CORRELATIONS, sensitivity
from berryeval.reports.layout import tables_to_text
from berryeval.reports.power import power_tables, power_to_json
from berryeval.stats import mean_of, power_at, sd_of_differences

N = 30
JUDGMENTS = {f"q{i:02}": {"d": 1} for i in range(N)}
RUN = {f"q{i:02}": [f"x{j}" for j in range(i % 3)] + ["d"] for i in range(N)}
OTHER = {f"q{i:02}": [f"x{j}" for j in range(i % 2)] + ["d"] for i in range(N)}
SCORES = np.array([1 / (i % 3 + 1) for i in range(N)])
DIFFERENCES = np.array([1 / (i % 2 + 1) for i in range(N)]) - SCORES


def test_two_runs_measure_the_spread_of_differences():
    """The smallest drop at 80% power follows from it."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR", against=OTHER)
    [spread] = found.spreads
    assert (found.n_queries, spread.correlation, spread.is_assumed) == (N, None, False)
    assert spread.sd == pytest.approx(DIFFERENCES.std(ddof=1))
    skewness = mean_of(DIFFERENCES).skewness
    tested = binom.sf(9, N, np.count_nonzero(DIFFERENCES) / N)
    passing = power_at(spread.sd, N, spread.smallest_drop, skewness=skewness, loss=1.0)
    assert tested * passing == pytest.approx(0.8, abs=1e-6)


def test_one_run_requires_assumed_correlations():
    """Each has its own labelled spread."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR")
    assert [spread.correlation for spread in found.spreads] == [*ASSUMED_CORRELATIONS]
    for spread in found.spreads:
        assert spread.is_assumed
        expected = sd_of_differences(SCORES.std(ddof=1), spread.correlation)
        assert spread.sd == pytest.approx(expected)


def test_margins_report_the_queries_needed():
    """At that number nine of ten equal candidates have ten changes, and pass."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR", against=OTHER, margins=[0.1], power=0.9)
    [spread] = found.spreads
    [(margin, needed)] = spread.needed
    share, skewness = np.count_nonzero(DIFFERENCES) / N, mean_of(DIFFERENCES).skewness

    def passing(n):
        by_test = power_at(spread.sd, n, margin, skewness=skewness, loss=1.0)
        return binom.sf(9, n, share) * by_test

    assert passing(needed) >= 0.9 > passing(needed - 1)
    [(low, high)] = spread.needed_ranges
    assert low < needed < high


def test_the_curve_falls_and_includes_the_current_number():
    """More queries detect smaller drops."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR", against=OTHER)
    curve = found.spreads[0].curve
    assert [drop for _, drop in curve] == sorted((drop for _, drop in curve), reverse=True)
    assert dict(curve)[N] == found.spreads[0].smallest_drop


@pytest.mark.parametrize("n_queries", [1, 2, 7, 30])
def test_without_spread_nothing_is_detected(n_queries):
    """It shows None and a dash, never NaN."""
    judgments = {f"q{i}": {"d": 1, "e": 1, "f": 1} for i in range(n_queries)}
    found = sensitivity(judgments, {f"q{i}": ["d", "e", "f"] for i in range(n_queries)}, "P@5")
    for spread in found[0].spreads:
        assert (spread.sd, spread.smallest_drop, spread.curve) == (0.0, None, ())
    text = tables_to_text(power_tables(found))
    assert "-: there is no spread between queries, so nothing can be computed." in text
    assert "nan" not in text
    assert len(power_tables(found)) == 1


def test_each_measure_has_its_own_result():
    """They are in the requested order."""
    assert [str(one.measure) for one in sensitivity(JUDGMENTS, RUN, ["RR", "P@1"])] == ["RR", "P@1"]


def test_json_has_every_figure():
    """It has a version, and names."""
    content = json.loads(power_to_json(sensitivity(JUDGMENTS, RUN, "RR", against=OTHER)))
    assert (content["version"], content["kind"]) == (1, "power")
    [entry] = content["measures"]
    assert (entry["measure"], entry["n_queries"]) == ("RR", N)
    assert entry["spreads"][0]["needed"][0].keys() == {"margin", "queries", "range"}
    assert entry["spreads"][0]["curve"][0].keys() == {"queries", "drop"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margins": [0.0]}, r"margin: expected a number from 1e-100 to 1e\+100, got 0.0"),
        ({"margins": [math.nan]}, r"margin: expected a number from 1e-100 to 1e\+100, got nan"),
        ({"margins": [math.inf]}, r"margin: expected a number from 1e-100 to 1e\+100, got inf"),
        ({"alpha": 0.0}, "alpha: expected a number between 0 and 1, got 0.0"),
        ({"power": 1.0}, "power: expected a number between 0 and 1, got 1.0"),
    ],
)
def test_invalid_arguments_are_errors(settings, message):
    """This holds with and without a second run."""
    for against in (None, OTHER):
        with pytest.raises(ArgumentError, match=message):
            sensitivity(JUDGMENTS, RUN, "RR", against=against, **settings)
