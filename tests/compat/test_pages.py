"""The pages for users of other tools: one line changes, and the results stay the same."""

import doctest
import re
from pathlib import Path

import pytest

from berryeval.compat import ir_measures as compat

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


def blocks_of(page, language):
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def changed_lines(page):
    """Return the lines that a page removes, and those that it adds."""
    lines = blocks_of(page, "diff")[0].splitlines()
    return [[line[1:] for line in lines if line.startswith(sign)] for sign in "-+"]


@pytest.mark.parametrize("page", ["coming-from-pytrec-eval.md", "coming-from-ranx.md"])
def test_only_the_module_of_an_import_changes(page):
    """The first example of the page, which tests/docs runs, begins with the line after."""
    [[before], [after]] = changed_lines(page)
    assert blocks_of(page, "pycon")[0].startswith(f">>> {after}\n")
    names = [line.partition("import ")[2].rpartition(" as ")[2] for line in (before, after)]
    assert names[0] == names[1]


def test_pytrec_eval_itself_has_the_results_on_the_page():
    """The first example also runs with the line before."""
    page = "coming-from-pytrec-eval.md"
    [[before], [after]] = changed_lines(page)
    session = blocks_of(page, "pycon")[0].replace(after, before)
    test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    failures = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("is_registered", [True, False])
def test_ir_measures_prints_the_same_with_the_line_and_without(is_registered, capsys):
    """It prints the last line of the example, which is a comment there."""
    pytest.importorskip("ir_measures")
    page = "coming-from-ir-measures.md"
    [[], [added]] = changed_lines(page)
    [program] = blocks_of(page, "python")
    call, _, rest = added.rpartition("; ")[::-1]
    assert rest in program
    assert f"\n{call}\n" in program
    if not is_registered:
        program = program.replace(f"\n{call}\n", "\n")
    try:
        exec(program, {})  # noqa: S102 - the page's own example
    finally:
        compat.unregister()
    assert f"# {capsys.readouterr().out.strip()}" == program.splitlines()[-1]


def test_other_libraries_can_be_given_the_module(monkeypatch):
    """The page replaces pytrec_eval for libraries that import it themselves."""
    import sys

    import pytrec_eval

    monkeypatch.setitem(sys.modules, "pytrec_eval", pytrec_eval)
    [program] = blocks_of("coming-from-pytrec-eval.md", "python")
    exec(program, {})  # noqa: S102 - the page's own example
    assert sys.modules["pytrec_eval"].__name__ == "berryeval.compat.pytrec_eval"
