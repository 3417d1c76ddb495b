"""Write the tutorials as notebooks into examples/notebooks, and run a notebook.

    python scripts/notebooks.py

A page of docs/tutorials is the source of its notebook: prompts and commands become cells, and the
output on the page becomes their output, which the tests compare with what the cells print.
Code runs in this process, without Jupyter: all cells of a notebook share one namespace.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import os
import posixpath
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from berryeval.cli import main as berryeval

__all__ = ["NOTEBOOKS", "TUTORIALS", "dump", "run", "to_notebook"]

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "examples" / "notebooks"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
SITE = "https://berryeval.github.io/berryeval/latest/tutorials/"

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)\.md")
_FAILS = "raises-exception"  # the tag that makes Jupyter continue after an error
# Sections about the reader's own code and repository, which remain text.
_READERS_OWN = ("## Use your own retriever", "## Put it into CI")


def to_notebook(page: str) -> dict[str, Any]:
    """Return a tutorial as a notebook."""
    cells = [_code("%pip install --quiet berryeval")]
    title, _, rest = page.partition("\n")
    cells.insert(0, _text(title))
    for part in re.split(r"(?m)^(?=## )", rest):
        cells += [_text(part)] if part.startswith(_READERS_OWN) else _cells_of(part)
    count = 0
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": python, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def dump(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cells_of(part: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = []
    end = 0
    for found in _FENCE.finditer(part):
        before = part[end : found.start()]
        end = found.end()
        if before.strip():
            cells.append(_text(before))
        language, body = found.groups()
        if language == "text":  # output of the cell above
            cells[-1]["outputs"] = _shown(body)
        else:
            cells += _BLOCKS[language](body)
    return [*cells, _text(part[end:])] if part[end:].strip() else cells


def _of_prompts(body: str) -> list[dict[str, Any]]:
    """Return a cell for each output: a cell of a notebook shows only its last value."""
    cells, lines = [], ""
    for example in doctest.DocTestParser().get_examples(body):
        lines += example.source
        if example.want:
            cells.append(_code(lines, example.want, fails=example.exc_msg is not None))
            lines = ""
    return [*cells, _code(lines)] if lines else cells


def _of_commands(body: str) -> list[dict[str, Any]]:
    cells = []
    for command, output in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
        is_folder = command.startswith("cd ")
        cells.append(_code(f"%{command}" if is_folder else f"!{command}", output))
    return cells


_BLOCKS = {
    "console": _of_commands,
    "pycon": _of_prompts,
    "python": lambda body: [_code(body)],
    "toml": lambda body: [_code(f"%%writefile berryeval.toml\n{body}")],
}


def _code(source: str, output: str = "", *, fails: bool = False) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": [_FAILS]} if fails else {},
        "outputs": _shown(output),
        "source": source.strip("\n").splitlines(keepends=True),
    }


def _text(text: str) -> dict[str, Any]:
    """Return a cell of text, whose links lead to the site."""

    def absolute(link: re.Match[str]) -> str:
        return f"](https://{posixpath.normpath(SITE[8:] + link[1])}.html"

    lines = _LINK.sub(absolute, text).strip("\n").splitlines(keepends=True)
    return {"cell_type": "markdown", "metadata": {}, "source": lines}


def _shown(text: str) -> list[dict[str, Any]]:
    if not text:
        return []
    lines = text.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": lines}]


def run(notebook: dict[str, Any], folder: Path) -> list[tuple[str, str, str]]:
    """Run the cells of a notebook in a folder.

    Returns
    -------
    list of tuple
        The code of each cell, the output in the notebook, and the output of running it now.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    with _in_folder(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                source = "".join(cell["source"])
                shown = "".join(line for output in cell["outputs"] for line in output["text"])
                found.append((source, shown, _run(source, names)))
    return found


def _run(source: str, names: dict[str, Any]) -> str:
    if source.startswith("%pip "):
        return ""
    if source.startswith("%cd "):
        os.chdir(source[4:])
        return ""
    if source.startswith("%%writefile "):
        name, _, content = source[12:].partition("\n")
        Path(name).write_text(content, encoding="utf-8")
        return ""
    if source.startswith("!"):
        program, *words = shlex.split(source[1:])
        assert program == "berryeval", "another command needs a shell"
        return CliRunner().invoke(berryeval, words, prog_name=program).stdout
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - our own notebook
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
                if value is not None:
                    print(repr(value))
        except Exception as error:  # noqa: BLE001 - a tutorial shows what is rejected
            name = f"{type(error).__module__}.{type(error).__qualname__}"
            print(f"Traceback (most recent call last):\n    ...\n{name}: {error}")
    return output.getvalue()


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
    """Write a notebook for each tutorial."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for page in TUTORIALS:
        notebook = to_notebook(page.read_text(encoding="utf-8"))
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(dump(notebook), encoding="utf-8")


if __name__ == "__main__":
    main()
