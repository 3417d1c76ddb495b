"""Means of BEIR's own metrics, compared with stored values (see make_beir_values.py)."""

import json
from pathlib import Path

import pytest

from berryeval import evaluate

STORED = json.loads(Path(__file__).with_name("beir_values.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", STORED["means"])
def test_means_equal_those_of_beir(name):
    """Its names are read unchanged; it rounds to five digits."""
    result = evaluate(STORED["qrels"], STORED["run"], name)
    [measure] = result
    assert result[measure].mean == pytest.approx(STORED["means"][name], abs=5.1e-6)


def test_holes_differ_from_unjudged_documents():
    """The test set has documents that only other queries judge."""
    result = evaluate(STORED["qrels"], STORED["run"], ["Hole@10", "Unjudged@10"])
    assert result["Hole@10"].mean < result["Unjudged@10"].mean
