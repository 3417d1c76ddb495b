"""Imports between modules, including those for types and inside functions.

import-linter checks the layers; these tests check what it does not.
"""

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import berryeval

SOURCE = Path(berryeval.__file__).parent
ROOT = Path(__file__).parent.parent


def name_of(file: Path) -> str:
    parts = ["berryeval", *file.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in sorted(SOURCE.rglob("*.py"))}


def imported_by(file: Path) -> Iterator[tuple[str, str | None]]:
    """Iterate over the modules that a file imports, and the imported names."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)


@cache
def graph() -> dict[str, set[str]]:
    """Return the modules of berryeval that each module imports."""
    found = {}
    for module, file in MODULES.items():
        whole = {
            f"{home}.{name}" if f"{home}.{name}" in MODULES else home
            for home, name in imported_by(file)
        }
        found[module] = (whole & MODULES.keys()) - {module}
    return found


def test_a_private_module_is_imported_only_by_its_own_package():
    """It can be changed without looking elsewhere."""
    wrong = []
    for importer, imported in graph().items():
        for name in imported:
            parts = name.split(".")
            for place, part in enumerate(parts):
                package = ".".join(parts[:place])
                if part.startswith("_") and not f"{importer}.".startswith(f"{package}."):
                    wrong.append(f"{importer} imports {name}")
    assert wrong == []


def test_there_are_no_circular_imports():
    """A module can be read and tested without those that use it."""
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "examples", "fuzz", "scripts"])
def test_scripts_import_existing_names(folder):
    """No other test runs these scripts."""
    wrong = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        for home, name in imported_by(file):
            if home.partition(".")[0] == "berryeval" and not exists(home, name):
                wrong.append(f"{file.relative_to(ROOT)}: {home} {name or ''}")
    assert wrong == []


def exists(home: str, name: str | None) -> bool:
    if f"{home}.{name}" in MODULES:
        return True
    try:
        module = importlib.import_module(home)
    except ModuleNotFoundError:
        return False
    return name is None or hasattr(module, name)
