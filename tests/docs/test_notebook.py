"""The notebook of the RAG tutorial, run without Jupyter."""

import json

import pytest
import run_notebook


@pytest.fixture(scope="module")
def notebook():
    """Return the notebook as it is stored."""
    return json.loads(run_notebook.NOTEBOOK.read_text(encoding="utf-8"))


def test_the_notebook_shows_what_its_code_prints(notebook):
    """Stored output equals that of running it now."""
    assert run_notebook.run(notebook, run_notebook.NOTEBOOK.parent) == notebook


def test_the_notebook_evaluates_a_retriever(notebook):
    """The previous test must not pass because there is no code."""
    shown = [line for cell in notebook["cells"] for out in cell.get("outputs", ()) for line in
             out["text"]]  # fmt: skip
    assert any(line.startswith("ndcg ") for line in shown)
    assert "pass\n" in shown


def test_the_page_is_the_notebook(notebook):
    """`python scripts/run_notebook.py` writes both."""
    assert run_notebook.PAGE.read_text(encoding="utf-8") == run_notebook.to_page(notebook)
    text = run_notebook.NOTEBOOK.read_text(encoding="utf-8")
    assert text == run_notebook.dump(notebook)
