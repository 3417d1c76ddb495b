"""Finds the files in a folder that can be evaluated, and writes a ``berryeval.toml`` for them."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from berryeval.errors import BerryEvalError
from berryeval.evaluation.baseline import is_baseline
from berryeval.formats import golden_folder, read_judgments, read_queries, read_run
from berryeval.formats.datasets import has_expected_documents
from berryeval.formats.facts import guess_kind
from berryeval.formats.reading import sniff_format
from berryeval.search.systems.calling import METHODS, NUMBERS, QUERIES

__all__ = ["Findings", "inspect_folder", "to_toml"]

_ENDINGS = frozenset(
    (".csv", ".json", ".jsonl", ".parquet", ".qrels", ".run", ".trec", ".tsv", ".txt")
)
_READABLE = frozenset((".csv", ".json", ".jsonl", ".tsv"))
_COMPRESSED = frozenset((".gz", ".zst"))
_SKIPPED = frozenset(("__pycache__", "build", "dist", "node_modules", "site-packages", "venv"))
_MAX_FILES = 500
_MAX_READ = 20_000_000
"""Maximum size of a file that is read as a whole to recognise it, in bytes."""
_PARTS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "judgments": ("judgments", read_judgments),
    "queries": ("queries", read_queries),
    "run": ("runs", read_run),
}
_SEARCHES = frozenset(("find", "retrieve", "search"))
"""Words in the names of functions that may be a search engine."""
_RETRIEVER = "retriever"
"""How the names of retrievers end, and of functions without parameters that return one."""
_BASELINE = "baseline.json"


@dataclass(frozen=True)
class Findings:
    """What was found in a folder. Paths are relative to it."""

    judgments: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    """Oldest first."""
    baselines: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    """Functions of a query and k or of a query alone, and retrievers, as ``module:name``."""
    questions: tuple[str, ...] = ()
    """Files of questions with expected documents, which have to be converted first."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found that can be evaluated."""
        return not (self.judgments or self.runs or self.systems)


def inspect_folder(folder: str | os.PathLike[str]) -> Findings:
    """Look for judgments, queries, runs, baselines, and a search function or retriever.

    Files in the folder and in its subfolders are recognised by their content. Python files are
    parsed, not run.
    """
    root = Path(folder)
    found: dict[str, list[Path]] = {"judgments": [], "queries": [], "documents": [], "runs": [],
                                    "baselines": [], "questions": []}  # fmt: skip
    for place in (root, *_subfolders(root)):
        in_golden = _golden_parts(place)
        for part, path in in_golden.items():
            found[part].append(path)
        for path in _data_files(place):
            kind = None if path in in_golden.values() else _kind_of(path)
            if kind is not None:
                found[kind].append(path)
    found["runs"].sort(key=lambda path: path.stat().st_mtime)
    names = {
        part: tuple(path.relative_to(root).as_posix() for path in dict.fromkeys(paths))
        for part, paths in found.items()
    }
    return Findings(**names, systems=tuple(_search_functions(root)))


def _subfolders(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.is_dir() and path.name not in _SKIPPED and not path.name.startswith("."):
            yield path


def _golden_parts(folder: Path) -> dict[str, Path]:
    """Return the parts of a golden set or a BEIR folder, if it has judgments and queries."""
    try:
        parts = {
            "judgments": golden_folder.judgments_in(folder),
            "queries": golden_folder.queries_in(folder),
            "documents": golden_folder.documents_in(folder),
        }
    except BerryEvalError:  # two files of a part: the user has to choose
        return {}
    in_beir = folder / "qrels" / "test.tsv"
    if parts["judgments"] is None and in_beir.is_file():
        parts["judgments"] = str(in_beir)
    if parts["judgments"] is None or parts["queries"] is None:
        return {}
    return {name: Path(path) for name, path in parts.items() if path is not None}


def _data_files(folder: Path) -> list[Path]:
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    return [path for path in files if _is_data(path)][:_MAX_FILES]


def _is_data(path: Path) -> bool:
    endings = [ending for ending in path.suffixes if ending not in _COMPRESSED]
    return bool(endings) and endings[-1].lower() in _ENDINGS and path.stat().st_size > 0


def _kind_of(path: Path) -> str | None:
    """Return which of the parts a file is; None if it is none of them, or cannot be read."""
    is_small = path.stat().st_size <= _MAX_READ
    if not is_small and path.suffix == ".json":
        return None  # a JSON object has to be read as a whole
    if is_small and path.suffix in _READABLE and has_expected_documents(path):
        return "questions"
    try:
        if path.suffix == ".json" and is_baseline(path):
            return "baselines"
        kind = guess_kind(path, sniff_format(path))
        part, read = _PARTS.get(kind, (None, None))
        if is_small and read is not None:
            read(path)  # the first line may look like any text
    except BerryEvalError:
        return None
    return part


def _search_functions(root: Path) -> list[str]:
    """Return top-level searches and retrievers by name, the likeliest first."""
    found: list[tuple[str, bool]] = []
    for path in [*sorted(root.glob("*.py")), *sorted(root.glob("*/*.py"))][:_MAX_FILES]:
        module = path.relative_to(root).with_suffix("")
        if not all(part.isidentifier() and part not in _SKIPPED for part in module.parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        place = ".".join(module.parts)
        found += [(f"{place}:{name}", is_likely) for name, is_likely in _searching_names(tree)]
    return [name for name, _ in sorted(found, key=lambda one: not one[1])]


def _searching_names(module: ast.Module) -> Iterator[tuple[str, bool]]:
    """Iterate over the names of what may search, and whether it is likely."""
    classes = {
        node.name: node
        for node in module.body
        if isinstance(node, ast.ClassDef) and any(map(_is_search, _methods(node)))
    }
    created = set()
    for node in module.body:
        if isinstance(node, _FUNCTIONS) and _is_factory(node):
            yield node.name, True
        elif isinstance(node, _FUNCTIONS) and _is_search(node):
            yield node.name, node.name in _SEARCHES and _has_number(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = node.value.func.id if isinstance(node.value.func, ast.Name) else ""
            for target in node.targets:
                if isinstance(target, ast.Name) and (
                    target.id.endswith(_RETRIEVER) or made in classes
                ):
                    created.add(made)
                    yield target.id, True
    for name, node in classes.items():
        if name not in created and _needs_nothing(node):
            yield name, False


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _methods(node: ast.ClassDef) -> Iterator[_Function]:
    names = (*METHODS, "__call__")
    yield from (one for one in node.body if isinstance(one, _FUNCTIONS) and one.name in names)


def _needs_nothing(node: ast.ClassDef) -> bool:
    """Whether objects of a class can be created without arguments, as far as one can see."""
    created = [one for one in node.body if isinstance(one, _FUNCTIONS) and one.name == "__init__"]
    return not node.bases and all(len(_required(one)) <= 1 for one in created)


def _is_factory(function: _Function) -> bool:
    """Whether a function returns a retriever, by its name, and needs no arguments."""
    return function.name.endswith(_RETRIEVER) and not _required(function)


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


def to_toml(found: Findings) -> str:
    """Return the content of a ``berryeval.toml`` for what was found.

    If there are several choices, the first one counts, and the others are comments. With two
    runs and no baseline, the oldest run is the baseline, and the newest the candidate. With a run
    or a system alone, the baseline is a file that `berryeval baseline save` writes.
    """
    lines = ["# What `berryeval gate` evaluates. Paths are relative to this file.", ""]
    baselines, runs = found.baselines, found.runs
    if not baselines and len(runs) > 1:
        lines[1:1] = ["# The newest run is the candidate, the oldest one the baseline."]
        baselines, runs = runs[:1], runs[:0:-1]
    else:
        runs = runs[::-1]
    lines += _setting("judgments", found.judgments, "judgments.jsonl")
    lines += _setting("queries", found.queries, "queries.jsonl")
    if runs or not found.systems:
        lines += _setting("run", runs, "candidate.run")
    lines += _setting("system", found.systems, "my_app:search", is_used=not runs)
    # A function or retriever has its own documents.
    lines += _setting("documents", found.documents, "docs/", is_used=False)
    if not baselines and (runs or found.systems):
        lines += ["# Written by `berryeval baseline save`."]
        baselines = (_BASELINE,)
    lines += _setting("baseline", baselines, _BASELINE)
    guard = ["[[gate.guard]]", 'measure = "nDCG@10"']
    if baselines:
        guard += ["margin = 0.05  # the largest drop from the baseline that is acceptable"]
    else:
        guard += ["at_least = 0.5  # the mean that is required; save a baseline for margins"]
    reading = [
        "",
        "# If ids have another name in the answers of the system, or chunks repeat those of their",
        "# document without a text:",
        "# [system_settings]",
        '# id = "metadata.source"',
        '# duplicates = "keep-best"',
    ]
    with_system = reading * bool(found.systems and not runs)
    return "\n".join([*lines, *with_system, "", "[gate]", "alpha = 0.05", "", *guard, ""])


def _setting(
    name: str, values: tuple[str, ...], example: str, *, is_used: bool = True
) -> Iterator[str]:
    """Iterate over the lines of a setting; those that are not used are comments."""
    first, *others = values or (example,)
    mark = "" if values and is_used else "# "
    yield f"{mark}{name} = {json.dumps(first, ensure_ascii=False)}"
    for other in others:
        yield f"# {name} = {json.dumps(other, ensure_ascii=False)}"
