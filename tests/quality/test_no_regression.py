"""The bundled golden set on the embedded engine and on PostgreSQL, as in CI (X10)."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from berryeval.core.run import Run
from berryeval.errors import SystemUnderTestError
from berryeval.suite.quality import THRESHOLDS

SCRIPT = Path(__file__).parents[2] / "scripts" / "quality_suite.py"
pytestmark = pytest.mark.skipif(
    not SCRIPT.exists(), reason="the scripts are not in a source distribution"
)


@pytest.fixture(scope="module")
def suite():
    """Load the script that `make quality` runs."""
    spec = importlib.util.spec_from_file_location("quality_suite", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def embedded(suite):
    return suite.run("hybrid", None)


def test_the_embedded_engine_is_no_worse_than_its_baseline(suite, embedded):
    """X10: no mean fell by more than the margin."""
    assert embedded.failures == {}
    decided = suite.against_baseline(embedded)
    assert decided.verdict == "pass", decided.sentence


def test_postgresql_is_no_worse_than_its_baseline(suite, postgres_dsn):
    """X4, X6, X10: the same on a real server, in a separate table, with the thresholds."""
    result = suite.run("postgres", postgres_dsn)
    assert result.failures == {}
    assert result.gate.verdict == "pass", result.gate.sentence
    decided = suite.against_baseline(result)
    assert decided.verdict == "pass", decided.sentence


def test_the_thresholds_are_reached(embedded):
    """X6: MRR, P@5 and R@10 of hybrid search on the golden set."""
    assert dict(THRESHOLDS) == {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}
    assert embedded.gate.verdict == "pass", embedded.gate.sentence


def test_a_worse_system_fails(suite, embedded, capsys):
    """Reversed rankings and unanswered queries make the step fail."""
    upside_down = Run.from_lists(
        {query.query_id: embedded.run.ranking(query.query_id)[::-1]
         for query in embedded.golden.queries}
    )  # fmt: skip
    worse = replace(embedded, run=upside_down)
    assert not suite.holds(worse)
    assert "FAIL: RR(rel=2)@10 collapsed from" in capsys.readouterr().out
    failed = replace(embedded, failures={"Q001": SystemUnderTestError("hybrid", "down")})
    assert not suite.holds(failed)
    below = replace(embedded, gate=replace(embedded.gate, verdict="fail"))
    assert not suite.holds(below)
    assert suite.holds(embedded)


def test_reports_are_written_for_every_verdict(suite, embedded, tmp_path):
    """X10: they are HTML, JSON, Markdown and JUnit."""
    suite.write_reports(embedded, tmp_path / "kept")
    written = {path.name: path.stat().st_size for path in (tmp_path / "kept").iterdir()}
    assert set(written) == {"hybrid.html", "hybrid.json", "hybrid.md", "hybrid.xml"}
    assert min(written.values()) > 500
