"""X6: the golden set has the same figures everywhere, with and without questions."""

import json
import re
from pathlib import Path

import pytest

from berryeval.evaluation.evaluate import evaluate
from berryeval.golden.golden_set import name_in_suite
from berryeval.reports.demo import demo_tables
from berryeval.suite.demo import RECORDED, SYSTEMS, run_demo

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(
    not DOCS.exists(), reason="the documentation is not in a source distribution"
)
_MEANS = re.compile(r"(?<!')\b(MRR|P@5|P@10|R@10|nDCG@10)[ =](\d\.\d{3,4})\b")


@pytest.fixture(scope="module")
def figures():
    """Return the means of each system with and without questions, by displayed name."""
    pytest.importorskip("tantivy")
    found = run_demo()
    return {
        (system, is_asked): {
            name_in_suite(one.measure, found.golden): one.mean for one in evaluation.values()
        }
        for system, result in found.results.items()
        for is_asked, evaluation in (
            (True, result.gate.evaluation),
            (False, result.without_questions),
        )
    }, found


def tables(path):
    """Return the tables of a page as lists of cells, each with its heading."""
    found, heading, is_table = [], "", False
    for line in (DOCS / path).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|") and not is_table:
            found.append((heading, []))
        is_table = line.startswith("|")
        if is_table and not set(line) <= set("|-: "):
            found[-1][1].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_baseline_page_shows_the_means_of_the_systems(figures):
    """X6: both tables are checked for each embedded system."""
    means, _ = figures
    seen = set()
    for heading, (header, *rows) in tables("reference/baseline.md"):
        if not heading.startswith("Means with"):
            continue
        for name, *cells in rows:
            if name in SYSTEMS:
                shown = dict(zip(header[1:6], cells[:5], strict=True))
                seen.add((name, heading))
                assert shown == {
                    measure: f"{mean:.3f}"
                    for measure, mean in means[name, heading == "Means with questions"].items()
                }
    assert len(seen) == 2 * len(SYSTEMS)


def test_the_how_to_shows_both_lines(figures):
    """X6: one line is with questions, one without."""
    means, _ = figures
    (table,) = (
        rows for _, rows in tables("how-to/run-the-quality-suite.md") if rows[0][1:2] == ["MRR"]
    )
    header, *rows = table
    assert {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows} == {
        f"with{'' if is_asked else 'out'} questions": {
            measure: f"{mean:.3f}" for measure, mean in means["hybrid", is_asked].items()
        }
        for is_asked in (True, False)
    }


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/explanation/proofs.md",
        "docs/how-to/run-the-quality-suite.md",
        "docs/how-to/try-the-workbench.md",
    ],
)
def test_figures_in_sentences_are_those_of_hybrid_search(figures, path):
    """X6: a measure next to a number is the mean of hybrid search, with or without questions."""
    means, _ = figures
    for measure, shown in _MEANS.findall((ROOT / path).read_text(encoding="utf-8")):
        digits = len(shown) - 2
        known = {f"{means['hybrid', is_asked][measure]:.{digits}f}" for is_asked in (True, False)}
        assert shown in known, f"{path}: {measure} {shown}"


def test_figures_with_questions_never_appear_alone(figures):
    """X6: a page that shows them also shows those without."""
    means, _ = figures
    asked, plain = (means["hybrid", is_asked] for is_asked in (True, False))
    for path in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        # 0.724 alone may be any number; two of the three together are the suite's.
        message = [f"{asked[name]:.3f}" in text for name in ("MRR", "P@5", "R@10")]
        if sum(message) > 1 and "decisions" not in path.parts:
            for name in ("MRR", "P@5", "R@10"):
                assert f"{plain[name]:.3f}" in text, f"{path}: {name} without questions"


@pytest.mark.parametrize("system", SYSTEMS)
def test_recorded_answers_are_those_of_a_live_search(figures, system):
    """`python scripts/record_demo.py` records again what `berryeval demo` shows without extras."""
    means, found = figures
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[system]
    run = found.results[system].run
    assert recorded["with questions"] == {
        query_id: list(run.ranking(query_id)) for query_id in recorded["with questions"]
    }
    plain = evaluate(found.golden.judgments, recorded["without questions"], "nDCG@10")
    assert plain["nDCG@10"].mean == means[system, False]["nDCG@10"]


def test_the_demonstration_shows_both_lines(figures):
    """X6: one line per system with questions, one without, and the difference."""
    means, found = figures
    table = demo_tables(found)[0]
    rows = {name: cells for name, *cells in table.rows}
    for system in SYSTEMS:
        for name, is_asked in ((system, True), (f"{system}, without questions", False)):
            shown = [f"{means[system, is_asked][measure]:.4f}" for measure in table.header[1:]]
            assert rows[name] == shown
    (note,) = [note for note in table.notes if "questions" in note]
    for is_asked in (True, False):
        assert f"{means['hybrid', is_asked]['nDCG@10']:.4f}" in note
