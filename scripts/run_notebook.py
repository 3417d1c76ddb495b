"""Run the notebook of the RAG tutorial, store its output, and write it as a page.

Code runs in this process, without Jupyter: all cells of a notebook share one namespace, and what
a cell shows is what it prints, and the value of its last expression.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["NOTEBOOK", "PAGE", "dump", "run", "to_page"]

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "examples" / "rag_retriever.ipynb"
PAGE = ROOT / "docs" / "tutorials" / "evaluate-your-rag-retriever.md"
NOTICE = (
    "This page is the notebook `examples/rag_retriever.ipynb`, which the tests run; "
    "`python scripts/run_notebook.py` writes both."
)


def run(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return a notebook with the output of its code, run in a folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells: list[dict[str, Any]] = []
    number = 0
    with _in_folder(folder):
        for cell in notebook["cells"]:
            found = dict(cell)
            if cell["cell_type"] == "code":
                number += 1
                shown = _run("".join(cell["source"]), names)
                found["execution_count"] = number
                found["outputs"] = [_stream(shown)] if shown else []
            cells.append(found)
    return {**notebook, "cells": cells}


def to_page(notebook: dict[str, Any]) -> str:
    """Return a notebook as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        shown = "".join(line for output in cell["outputs"] for line in output["text"])
        if shown:
            parts.append(f"```text\n{shown.rstrip()}\n```")
    # Links of the notebook start in its folder, those of the page in docs/tutorials.
    return "\n\n".join([*parts, NOTICE]).replace("](../docs/", "](../") + "\n"


def dump(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _run(source: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
            if value is not None:
                print(repr(value))
    return output.getvalue()


def _stream(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}


@contextlib.contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Change the working directory, as `contextlib.chdir` of Python 3.11 does."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Write the output into the notebook, and the page."""
    found = run(json.loads(NOTEBOOK.read_text(encoding="utf-8")), NOTEBOOK.parent)
    NOTEBOOK.write_text(dump(found), encoding="utf-8")
    PAGE.write_text(to_page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
