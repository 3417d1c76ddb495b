"""The example: a project that tests its own search."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "search_project"


@pytest.fixture
def example(tmp_path):
    """A copy of the project, in a folder of its own."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "search_project"))


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "BERRYEVAL"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *arguments],
        cwd=folder,
        env=inherited,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_passes_and_leaves_a_report(example):
    """From any folder of the project: berryeval.toml is found above."""
    done = run(example / "tests", "--berryeval-report", "report.html")
    assert done.returncode == 0, done.stdout
    assert "17 passed" in done.stdout
    page = (example / "tests" / "report.html").read_text(encoding="utf-8")
    assert "nDCG@5 drops by less than 0.02" in page


def test_a_worse_search_fails_with_its_rankings(example):
    """Without stems some words find nothing, and the failure shows what was found instead."""
    source = example / "plant_search.py"
    whole = source.read_text(encoding="utf-8")
    broken = whole.replace('_ENDINGS = ("ing", "es", "s", "ed", "e")', "_ENDINGS = ()")
    assert broken != whole
    source.write_text(broken, encoding="utf-8")
    done = run(example)
    assert done.returncode == 1, done.stdout
    assert "fail: nDCG@5 fell by" in done.stdout
    assert "lost most:\n" in done.stdout
