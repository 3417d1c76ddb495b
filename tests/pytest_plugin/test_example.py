"""The example: a project that tests its own search."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from berryeval.pytest_plugin import Results
from pytest_plugin.other_plugins import WITHOUT_THEM

EXAMPLE = Path(__file__).parents[2] / "examples" / "search_project"


@pytest.fixture
def example(tmp_path):
    """A copy of the project in a temporary folder."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "search_project"))


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "BERRYEVAL"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *WITHOUT_THEM, *arguments],
        cwd=folder,
        env=inherited,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_passes_and_leaves_a_report(example):
    """This works in any folder of the project: berryeval.toml is found in a parent folder."""
    done = run(example / "tests", "--berryeval-report", "report.html")
    assert done.returncode == 0, done.stdout
    assert "17 passed" in done.stdout
    page = (example / "tests" / "report.html").read_text(encoding="utf-8")
    assert "nDCG@5 drops by less than 0.02" in page


def test_a_worse_search_fails_with_its_rankings(example):
    """Without stemming some words match nothing, and the failure shows what was found instead."""
    source = example / "plant_search.py"
    whole = source.read_text(encoding="utf-8")
    broken = whole.replace('_ENDINGS = ("ing", "es", "s", "ed", "e")', "_ENDINGS = ()")
    assert broken != whole
    source.write_text(broken, encoding="utf-8")
    done = run(example)
    assert done.returncode == 1, done.stdout
    assert "fail: nDCG@5 fell by" in done.stdout
    assert '1 query lost:\nE         p05  1.0000 -> 0.0000  "what kills an aphid"' in done.stdout


def test_the_how_to_shows_the_message_of_a_failure():
    """Its block is the message of the assertion above it, for the example."""
    page = (EXAMPLE.parents[1] / "docs/how-to/test-your-search-with-pytest.md").read_text("utf-8")
    lines = page.partition("E   AssertionError: ")[2].partition("\n```")[0].splitlines()
    sys.path.insert(0, str(EXAMPLE))
    try:
        from plant_search import PlantSearch
    finally:
        sys.path.remove(str(EXAMPLE))
    golden = EXAMPLE / "golden"
    results = Results(golden / "judgments.jsonl", PlantSearch(), queries=golden / "queries.jsonl")
    with pytest.raises(AssertionError) as failure:
        results.query("p10").assert_measure("nDCG@3", at_least=0.9)
    assert str(failure.value).splitlines() == [line.removeprefix("E   ") for line in lines]
