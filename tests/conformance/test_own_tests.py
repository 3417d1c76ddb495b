"""scripts/trec_eval_own_tests.py, with a fake checkout."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "trec_eval_own_tests.py"
pytestmark = pytest.mark.skipif(
    not SCRIPT.exists(), reason="the scripts are not in a source distribution"
)
MAKEFILE = """\
all: trec_eval

quicktest: trec_eval
\t./trec_eval -m map test/qrels test/run | diff - test/out
\t./trec_eval -R prefs -m prefs_simp  test/prefs test/run | diff - test/out.prefs
\t/bin/echo "Test succeeded"

longtest: trec_eval
\t./trec_eval test/qrels test/run | diff - test/out
"""
FILES = {
    "Makefile": MAKEFILE,
    "test/qrels": "# judged\nq 0 d1 1\n",
    "test/run": "q Q0 d1 1 1 t\n",
    "test/prefs": "# preferred\nq a 0 d1 1\nq a 0 d2 0\n",
    "test/out": "map                   \tall\t1.0000\nrbp                   \tall\t0.2\n",
    "test/out.prefs": "prefs_simp            \tall\t0.5000\n",
}


@pytest.fixture
def script(tmp_path):
    """The script, with a page and a checkout."""
    for name, text in FILES.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    names = runpy.run_path(str(SCRIPT))
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *names["MARKS"], "after", ""]))
    names["main"].__globals__["PAGE"] = page
    return names, page, tmp_path / "checkout"


def test_the_own_tests_of_a_version_are_run_and_counted(script):
    """Lines are compared with the authors' output; rbp is separate, and differences fail."""
    names, page, checkout = script
    assert names["main"]([f"10.0={checkout}"]) == 1
    text = page.read_text()
    assert "| `-m map qrels run` | 1 | 0 |" in text
    assert "| `-R prefs -m prefs_simp prefs run` | 1 | 1 |" in text
    assert "**10.0**: of 2 lines, 1 differ. 1 lines of `rbp` are not compared" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    (checkout / "test" / "out.prefs").write_text("prefs_simp            \tall\t1.0000\n")
    assert names["main"]([f"10.0={checkout}"]) == 0
    assert names["section_of"](page.read_text())[-1] == (
        "| `-R prefs -m prefs_simp prefs run` | 1 | 0 |"
    )


def test_the_page_states_that_no_line_differs():
    """This holds for the own tests of both versions."""
    names = runpy.run_path(str(SCRIPT))
    section = names["section_of"]((ROOT / "docs/reference/conformance.md").read_text("utf-8"))
    message = [line for line in section if line.startswith("**")]
    assert [line.partition(":")[0] for line in message] == ["**9.0.8**", "**10.0**"]
    assert all(" lines, 0 differ." in line for line in message)
