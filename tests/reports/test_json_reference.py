"""The documented shapes are those that are written."""

import json
import re
from pathlib import Path

import pytest

from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.evaluation import Shown, evaluations_to_json
from berryeval.reports.gate import gate_to_json
from example_results import a_comparison, a_gate

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
ANY_KEY = {"counts", "holes", "intervals", "means", "per_query", "ranks", "slices"}
ALIKE = {"slices[]", "per_query[]", "comparison", "runs[].per_query.*", "runs[].slices.*"}
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
