"""Words are chosen in `berryeval.evaluation`; reports and pages only show them."""

import ast
import re
from pathlib import Path

import berryeval
from berryeval.evaluation.findings import WORDS as FINDINGS

SOURCE = Path(berryeval.__file__).parent
SHOWN_BY = ("reports", "service", "pytest_plugin", "cli")
WORDS = {*FINDINGS, *FINDINGS.values()}
MODULES = sorted(path for room in SHOWN_BY for path in (SOURCE / room).rglob("*.py"))
PAGES = sorted(path for kind in ("html", "js") for path in SOURCE.rglob(f"*.{kind}"))
CHOSEN = re.compile(r"""["'](?:better|worse)["'] (?:if|:)|\? ["'](?:better|worse)["']""")


def chosen_words(tree):
    """Return the lines of conditional expressions that choose a word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            for part in (node.body, node.orelse):
                if isinstance(part, ast.Constant) and part.value in WORDS:
                    yield node.lineno


def test_no_report_or_page_chooses_a_word():
    """`findings` decides once between better, worse, equal, unclear and untested."""
    assert len(MODULES) > 100
    assert not [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in MODULES
        for line in chosen_words(ast.parse(path.read_text(encoding="utf-8")))
    ]


def test_no_template_or_script_chooses_a_word():
    """This includes the colour of a figure."""
    assert len(PAGES) > 50
    assert not [path for path in PAGES if CHOSEN.search(path.read_text(encoding="utf-8"))]


def test_a_choice_would_be_found():
    """It is detected in Python, in a template and in a script."""
    assert [*chosen_words(ast.parse("x = 'better' if d > 0 else 'worse'"))] == [1, 1]
    assert CHOSEN.search('{{ "better" if value > 0 else "worse" }}')
    assert CHOSEN.search('const word = value > 0 ? "better" : "worse";')
