"""Finds searches in the Python files of a project, which are parsed and not run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from berryeval.search.systems.calling import METHODS, NUMBERS, QUERIES

__all__ = ["SKIPPED", "NeedsArguments", "find_systems"]

SKIPPED = frozenset(("__pycache__", "build", "dist", "node_modules", "site-packages", "venv"))
"""Folders without files of the project itself."""

_MAX_FILES = 500
_SEARCHES = frozenset(("find", "retrieve", "search"))
"""Words in the names of functions that may be a search engine."""
_RETRIEVER = "retriever"
"""How the names of retrievers end, and of functions without parameters that return one."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class NeedsArguments:
    """A class that searches, but whose objects cannot be created without arguments."""

    place: str
    """``module:Class``."""
    method: str
    arguments: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file that defines it."""
        return f"{self.place.partition(':')[0].replace('.', '/')}.py"

    @property
    def factory(self) -> str:
        """A function to add to the file: it returns an object of the class."""
        name = self.place.partition(":")[2]
        given = ", ".join(f"{one}=..." for one in self.arguments)
        return f"def {_RETRIEVER}():\n    return {name}({given})"

    @property
    def factory_place(self) -> str:
        """Where that function is found: ``module:retriever``."""
        return f"{self.place.partition(':')[0]}:{_RETRIEVER}"


def find_systems(root: Path) -> tuple[tuple[str, ...], tuple[NeedsArguments, ...]]:
    """Return what searches in a folder, by name, and classes that search but need arguments.

    Files in the folder and its subfolders are read. The likeliest names come first: retrievers,
    functions without parameters that return an object which searches, and objects of the module.
    """
    modules = dict(_modules(root))
    classes = {name for tree in modules.values() for name in _searching_classes(tree)}
    found: list[tuple[str, bool]] = []
    unready: list[NeedsArguments] = []
    for place, tree in modules.items():
        names = [*_searching_names(tree, classes)]
        found += [(f"{place}:{name}", is_likely) for name, is_likely in names]
        for name, node in _searching_classes(tree).items():
            arguments = _arguments_of(node)
            if arguments:
                method = next(one.name for one in _methods(node) if _is_search(one))
                unready.append(NeedsArguments(f"{place}:{name}", method, tuple(arguments)))
    ordered = sorted(found, key=lambda one: not one[1])
    return tuple(name for name, _ in ordered), tuple(unready)


def _modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in [*sorted(root.glob("*.py")), *sorted(root.glob("*/*.py"))][:_MAX_FILES]:
        module = path.relative_to(root).with_suffix("")
        is_test = module.name == "conftest" or module.name.startswith("test_")
        is_package = all(part.isidentifier() and part not in SKIPPED for part in module.parts)
        if is_test or not is_package:
            continue
        try:
            yield ".".join(module.parts), ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def _searching_classes(module: ast.Module) -> dict[str, ast.ClassDef]:
    return {
        node.name: node
        for node in module.body
        if isinstance(node, ast.ClassDef) and any(map(_is_search, _methods(node)))
    }


def _searching_names(module: ast.Module, classes: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Iterate over the names of what may search, and whether it is likely.

    `classes` are the names of all classes of the project that search.
    """
    created = set()
    for node in module.body:
        if isinstance(node, _FUNCTIONS) and _is_factory(node, classes):
            yield node.name, True
        elif isinstance(node, _FUNCTIONS) and _is_search(node):
            yield node.name, node.name in _SEARCHES and _has_number(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = _called(node.value) or ""
            for target in node.targets:
                if isinstance(target, ast.Name) and (
                    target.id.endswith(_RETRIEVER) or made in classes
                ):
                    created.add(made)
                    yield target.id, True
    for name, node in _searching_classes(module).items():
        if name not in created and _needs_nothing(node):
            yield name, False


def _called(value: ast.expr | None) -> str | None:
    """Return the name of what an expression calls; None for another expression."""
    is_named = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    return value.func.id if is_named else None  # type: ignore[union-attr]  # checked above


def _methods(node: ast.ClassDef) -> Iterator[_Function]:
    names = (*METHODS, "__call__")
    yield from (one for one in node.body if isinstance(one, _FUNCTIONS) and one.name in names)


def _needs_nothing(node: ast.ClassDef) -> bool:
    """Whether objects of a class can be created without arguments, as far as one can see."""
    return not node.bases and not _arguments_of(node)


def _arguments_of(node: ast.ClassDef) -> list[str]:
    """Return the arguments without which no object of a class can be created."""
    for one in node.body:
        if isinstance(one, _FUNCTIONS) and one.name == "__init__":
            return _required(one)[1:]
    if any("dataclass" in ast.dump(one) for one in node.decorator_list):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and one.value is None]
        return [one.target.id for one in fields if isinstance(one.target, ast.Name)]
    return []


def _is_factory(function: _Function, classes: Collection[str]) -> bool:
    """Whether a function needs no arguments, and returns what searches.

    It does by its name, such as ``build_retriever``, or if it creates an object of `classes`.
    """
    if function.name.endswith(_RETRIEVER):
        return not _required(function)
    given = function.args
    has_parameters = given.args or given.posonlyargs or given.kwonlyargs or given.vararg
    if has_parameters or given.kwarg or function.decorator_list:  # such as a fixture of pytest
        return False
    if function.name.startswith(("test_", "_")):
        return False
    if isinstance(function.returns, ast.Name) and function.returns.id in classes:
        return True
    assigned = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _called(node.value) in classes
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return any(
        _called(one) in classes or (isinstance(one, ast.Name) and one.id in assigned)
        for one in returned
    )


def _is_search(function: _Function) -> bool:
    """Whether a function or a method takes a query, and at most a number in addition."""
    required = [name for name in _required(function) if name != "self"]
    is_named = function.name in (*METHODS, "__call__") or bool(
        _SEARCHES & set(function.name.split("_"))
    )
    if not is_named or (function.name.startswith(("test_", "_")) and function.name != "__call__"):
        return False
    return required[:1] != [] and required[0] in QUERIES and set(required[1:]) <= NUMBERS


def _required(function: _Function) -> list[str]:
    """Return the parameters without a default; one that can only be named counts, too."""
    arguments = function.args
    placed = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return placed[: len(placed) - len(arguments.defaults)] + [
        one.arg for one, default in named if default is None
    ]


def _has_number(function: _Function) -> bool:
    """Whether there is a parameter for the number of documents."""
    names = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
    return not NUMBERS.isdisjoint(names)
