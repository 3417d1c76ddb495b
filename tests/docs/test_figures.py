"""Figures in prose are those of the generated pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FRONT = ("README.md", "docs/index.md", "docs/explanation/limits.md")


def seconds_per_tool() -> dict[str, float]:
    """Return the time of each tool for seven million rows, as `make bench-peers` wrote it."""
    page = (DOCS / "reference" / "benchmarks-peers.md").read_text(encoding="utf-8")
    table = page[page.index("### 6,980 queries x 1,000 rows") :]
    rows = re.findall(r"^\| (\w+)[^|]*\| ([\d.]+) \|", table[: table.index("###", 3)], re.MULTILINE)
    return {name: float(seconds) for name, seconds in rows}


def shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"


@pytest.mark.parametrize("name", FRONT)
def test_times_of_other_tools_are_measured(name):
    """After `make bench-peers`, the tables are out of date until they have its figures."""
    page = (ROOT / name).read_text(encoding="utf-8")
    measured = {shown(seconds) for seconds in seconds_per_tool().values()}
    assert len(measured) == 5
    [*rows] = re.findall(r"^\| .*\d s .*$", page, re.MULTILINE)
    assert rows
    claimed = set(re.findall(r"\b\d+\.\d+ s\b", page))
    assert claimed == measured


def test_figures_of_the_proofs_are_measured():
    """Speed and memory on the page that shows the evidence."""
    page = (DOCS / "explanation" / "proofs.md").read_text(encoding="utf-8")
    seconds = seconds_per_tool()
    for tool in ("berryeval", "trec_eval", "ranx"):
        assert shown(seconds[tool]) in page, tool
