"""Fusion with the interface of ranx."""

import ast
import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import berryeval as be
from berryeval.compat.ranx import OptimizationReport, Qrels, Run, fuse, normalize, optimize_fusion
from fusion.make_ranx_values import OPTIMISED, RANK_METHODS, SCORE_METHODS, TRAINED_METHODS

FOLDER = Path(__file__).parents[1] / "fusion"
VALUES = json.loads((FOLDER / "ranx_values.json").read_text("utf-8"))
QRELS = Qrels(VALUES["qrels"])
RUNS = [Run(run, name=name) for name, run in VALUES["runs"].items()]
METHODS = {**SCORE_METHODS, **RANK_METHODS}


@pytest.mark.parametrize("case", [case for case in VALUES["fused"] if case.split()[0] in METHODS])
def test_fused_scores_equal_those_of_ranx(case):
    """The arguments are those of ranx."""
    method, norm = case.split()
    fused = fuse(RUNS, None if norm == "None" else norm, method, METHODS[method]).to_dict()
    for query, expected in VALUES["fused"][case].items():
        assert fused[query] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", [name for name in TRAINED_METHODS if name != "segfuse"])
def test_what_was_learned_can_be_passed_on(method):
    """`optimize_fusion` returns parameters that `fuse` takes, as in ranx."""
    limits = {"probfuse": ("n_segments", 4), "slidefuse": ("w", 2)}
    given = {}
    if method in limits:
        name, value = limits[method]
        given = {f"min_{name}": value, f"max_{name}": value}
    params = optimize_fusion(QRELS, RUNS, None, method, "ndcg@5", **given)
    fused = fuse(RUNS, None, method, params).to_dict()
    for query, expected in VALUES["fused"][f"{method} None"].items():
        assert fused[query] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def has_ties(method, config):
    """Return whether two documents of a query tie, which ranx orders differently."""
    fused = fuse(RUNS, method=method, params={"weights": ast.literal_eval(config)}).to_dict()
    return any(
        math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
        for own in fused.values()
        for one, other in pairwise(own.values())
    )


@pytest.mark.parametrize("method", OPTIMISED)
def test_scores_of_configurations_equal_those_of_ranx(method):
    """The best is chosen from all that ranx tries; weights that leave ties are not compared."""
    params, report = optimize_fusion(
        QRELS, RUNS, method=method, metric="ndcg@5", return_optimization_report=True,
        show_progress=False, **OPTIMISED[method],
    )  # fmt: skip
    found = dict(zip(report.configs, report.results, strict=True))
    n_compared = 0
    for shown, expected in VALUES["optimised"][method].items():
        config = re.sub(r"np\.float64\(([\d.]+)\)", r"\1", shown)
        if not config.startswith("(") or not has_ties(method, config):
            assert found[config] == pytest.approx(expected, abs=1e-9), config
            n_compared += 1
    assert n_compared >= 2
    evaluated = be.evaluate(QRELS.table(), fuse(RUNS, method=method, params=params).table(),
                            "nDCG@5")  # fmt: skip
    assert evaluated["nDCG@5"].mean == pytest.approx(max(report.results))


def test_all_weights_are_tried():
    """There are 66 for three runs and steps of 0.1; ranx tries 62."""
    _, report = optimize_fusion(QRELS, RUNS, return_optimization_report=True)
    assert len(report.configs) == 66
    assert "(0.7, 0.2, 0.1)" in report.configs


def test_the_last_of_equal_configurations_counts():
    """As in ranx, two equal runs get the last weights, (1, 0)."""
    assert optimize_fusion(QRELS, [RUNS[0], RUNS[0]]) == {"weights": (1.0, 0.0)}


def test_a_report_prints_as_a_table():
    """There is one line per configuration, with shares or percentages."""
    report = OptimizationReport("rrf", ["10", "20"], [0.51239, 0.5], "ndcg@5")
    assert str(report).splitlines()[2:] == ["k   ndcg@5", "10   0.512", "20   0.500"]
    shares = OptimizationReport("wsum", ["(0.5, 0.5)"], [0.5], "ndcg", 3, show_percentages=True)
    assert str(shares).endswith("50.0")


def test_runs_are_named_as_in_ranx():
    """The parameter name takes precedence."""
    assert fuse(RUNS, method="sum").name == "comb_sum"
    assert fuse(RUNS, method="wsum").name == "weighted_sum"
    assert fuse(RUNS, method="rrf", params={"name": "mine", "k": np.int64(7)}).name == "mine"


def test_one_run_is_normalised():
    """Each query is normalised separately."""
    run = Run({"q_1": {"d_1": 3.0, "d_2": 1.0}, "q_2": {"d_1": 5.0}}, name="bm25")
    found = normalize(run)
    assert (found.name, found.to_dict()) == (
        "bm25",
        {"q_1": {"d_1": 1.0, "d_2": 0.0}, "q_2": {"d_1": 1.0}},
    )
    assert normalize(run, "rank")["q_1"] == {"d_1": 1.0, "d_2": 0.5}
    with pytest.raises(be.ArgumentError, match="expected one for a single run, not 'borda'"):
        normalize(run, "borda")
    with pytest.raises(be.InputError, match="query 'q_1': its scores cannot be normalised"):
        normalize(Run({"q_1": {"d_1": -1.0}}), "max")


def test_runs_of_different_queries_are_an_error():
    """This is as in ranx; be.fuse accepts them."""
    other = Run({"q1": {"d1": 1.0}})
    with pytest.raises(be.MismatchError, match="run_2 lacks 5 of 6 queries"):
        fuse([Run(VALUES["runs"]["one"]), other])
    with pytest.raises(be.MismatchError, match="qrels and runs have different queries"):
        optimize_fusion(QRELS, [RUNS[0], other])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "isr"}, "method: expected one that can be optimised .wsum, wmnz, .* got 'isr'"),
        ({"method": "wsum", "min_k": 3}, "min_k: expected an argument for 'wsum'"),
        (
            {"method": "mapfuse", "return_optimization_report": True},
            "return_optimization_report: expected False for 'mapfuse', got True",
        ),
    ],
)
def test_what_cannot_be_optimised_is_an_error(given, message):
    """The message states what can be optimised."""
    with pytest.raises(be.ArgumentError, match=message):
        optimize_fusion(QRELS, RUNS, **given)
