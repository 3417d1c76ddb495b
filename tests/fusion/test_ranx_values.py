"""Fused scores equal those of ranx, where ranx follows the papers."""

import json
from pathlib import Path

import pytest

import berryeval as be
from fusion.make_ranx_values import (
    N_FIRST_SEGMENT,
    RANK_METHODS,
    SCORE_METHODS,
    TRAINED_METHODS,
    WEIGHTS,
    shorten,
)

VALUES = json.loads(Path(__file__).with_name("ranx_values.json").read_text("utf-8"))
NAMES = {"w": "window"}


def fused(method, norm):
    runs = VALUES["runs"]
    if method == "segfuse":
        runs = shorten(runs, N_FIRST_SEGMENT)
    given = {**SCORE_METHODS, **RANK_METHODS, **TRAINED_METHODS}[method]
    given = {NAMES.get(name, name): value for name, value in given.items()}
    judgments = VALUES["qrels"] if method in TRAINED_METHODS else None
    return be.fuse(runs, method, norm=norm, judgments=judgments, **given).to_dict()


@pytest.mark.parametrize("case", VALUES["fused"])
def test_fused_scores_equal_those_of_ranx(case):
    """Every document of every query has the same score, to within rounding."""
    method, norm = case.split()
    found = fused(method, None if norm == "None" else norm)
    expected = VALUES["fused"][case]
    assert found.keys() == expected.keys()
    for query in found:
        assert found[query] == pytest.approx(expected[query], rel=1e-9, abs=1e-12)


def test_every_method_has_stored_values():
    """The exception is Condorcet's, whose comparison of missing documents is wrong in ranx."""
    stored = {case.split()[0] for case in VALUES["fused"]}
    assert stored == be.fusion.METHODS.keys() - {"condorcet", "w_condorcet"}
    assert len(WEIGHTS) == len(VALUES["runs"])
