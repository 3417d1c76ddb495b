"""berryeval demo."""

import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.errors import SystemUnderTestError
from berryeval.search.systems.embedded import Embedded
from small_golden_set import write_golden_set


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with a golden set."""
    write_golden_set(tmp_path / "golden")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def demo(*arguments):
    return CliRunner().invoke(main, ["demo", *arguments], prog_name="berryeval")


def test_three_systems_are_compared_and_gated(folder):
    """The output has a comparison, a verdict, a page, and a next step."""
    result = demo("--golden", "golden")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[0] == "bm25: indexing 6 chunks, sending 2 queries"
    assert result.stdout.startswith("Three search systems answer 2 queries from 2 documents.\n")
    assert "nDCG@10     MRR     P@5    R@10" in result.stdout
    assert "questions" not in result.stdout, "this golden set has none"
    assert "4. Can hybrid replace bm25?" in result.stdout
    assert "nDCG@10 drops by less than 0.05" in result.stdout
    assert "hybrid falls short: P@5 is 0.4000, below 0.70" in result.stdout
    assert "berryeval golden init docs/" in result.stdout
    page = (folder / "berryeval-demo.html").read_text()
    assert "why are slow searches slow" in page


def test_a_system_that_fails_exits_4(monkeypatch):
    """Figures with failed queries are shown, but flagged."""

    def refuse(_self, _query, _k):
        raise SystemUnderTestError("vector", "out of order")

    monkeypatch.setattr(Embedded, "search", refuse)
    assert demo("--golden", "golden").exit_code == 4


def test_without_the_libraries_the_extra_is_named(monkeypatch):
    """The message is one line, and the exit code is 2."""
    monkeypatch.setitem(sys.modules, "tantivy", None)
    result = demo("--golden", "golden")
    assert result.exit_code == 2
    assert "pip install 'berryeval[search]'" in result.stderr


def test_without_the_libraries_recorded_answers_are_shown(folder, monkeypatch):
    """The first command of README works after its only line of installation, and says so."""
    monkeypatch.setitem(sys.modules, "tantivy", None)
    result = demo()
    assert result.exit_code == 0, result.output
    first, second = result.stderr.splitlines()[:2]
    assert first == "The search engine is not installed: showing recorded answers"
    assert second == "Comparing", "nothing is indexed"
    assert "4. Can hybrid replace bm25? PASS" in result.stdout
    assert "so it can reach lower than the 95% interval above" in result.stdout
    assert "hybrid has nDCG@10 0.8210 with questions and 0.5562 without" in result.stdout
    assert "The answers were recorded; pip install 'berryeval[search]' runs" in result.stdout
    assert "The answers were recorded" in (folder / "berryeval-demo.html").read_text()


def test_it_works_without_arguments(folder):
    """The bundled golden set is used."""
    result = demo()
    assert result.exit_code == 0, result.output
    assert (folder / "berryeval-demo.html").stat().st_size > 50_000
