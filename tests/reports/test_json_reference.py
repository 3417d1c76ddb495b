"""The documented shapes are those that are written."""

import json
import re
from pathlib import Path

import pytest

from berryeval.golden.check import check_golden_set
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.evaluation import Shown, evaluations_to_json
from berryeval.reports.gate import gate_to_json
from berryeval.reports.golden import check_to_json
from berryeval.reports.quality import render_quality
from berryeval.search.function import Function
from berryeval.suite.quality import run_quality
from example_results import a_comparison, a_gate
from small_golden_set import write_golden_set

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
ANY_KEY = {
    "agreements",
    "by_category",
    "by_difficulty",
    "ceilings",
    "counts",
    "holes",
    "intervals",
    "means",
    "milliseconds",
    "noise",
    "per_query",
    "ranks",
    "settings",
    "slices",
    "unjudged",
}
ALIKE = {
    "agreements.*",
    "comparison",
    "counts.*",
    "per_query[]",
    "report.by_category.*",
    "report.by_difficulty.*",
    "runs[].per_query.*",
    "runs[].slices.*",
    "slices[]",
    "unjudged.*",
}
"""What the page describes elsewhere."""


def documented(section: str) -> set[str]:
    page = PAGE.read_text(encoding="utf-8")
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def paths(value, path="") -> set[str]:
    """Return where values are: ``runs[].means.*``; an object that may be null is one, too."""
    if path in ALIKE or value is None:
        return {path}
    if isinstance(value, list):
        return set().union(*(paths(item, f"{path}[]") for item in value))
    if not isinstance(value, dict):
        return {path}
    found: set[str] = set()
    for key, item in value.items():
        name = "*" if path.rpartition(".")[2] in ANY_KEY else key
        found |= paths(item, f"{path}.{name}" if path else name)
    return found


def optional(keys: set[str]) -> set[str]:
    """Return the keys that hold an object or null, and so are documented besides its own keys."""
    return {key for key in keys if any(other.startswith((f"{key}.", f"{key}[")) for other in keys)}


@pytest.mark.parametrize("section", ["Evaluation", "Comparison", "Gate"])
def test_documented_keys_are_those_written(section):
    """None is forgotten, none is invented."""
    comparison = a_comparison(40)
    everything = Shown(per_query=True, label="category", interval="t")
    text = {
        "Evaluation": lambda: evaluations_to_json(comparison.evaluations, everything),
        "Comparison": lambda: comparison_to_json(comparison, per_query=True),
        "Gate": lambda: gate_to_json(a_gate(comparison)),
    }[section]()
    written = paths(json.loads(text))
    keys = documented(section)
    assert keys - optional(keys) == written - optional(written)


def moody(query, _k):
    if "slow" in query:
        raise ValueError("no such index")
    return ["guide.md#configure-oauth"]


def test_keys_of_quality_and_golden_sets_are_documented(tmp_path):
    """With a failed query, two passes and a system that is looked through, every key is there."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 3, 3], "tuning.md#bananas": [0, 0, 0]}}
    folder = write_golden_set(tmp_path / "small", passes=passes)
    check = check_golden_set(folder)
    result = run_quality(Function(moody), check.golden, repeat=2)
    check = check_golden_set(folder, {"moody": result.run})
    for section, text in (
        ("Quality", render_quality(result, "json")),
        ("Golden set", check_to_json(check)),
    ):
        written = paths(json.loads(text))
        keys = documented(section)
        assert keys - optional(keys) == written - optional(written)
