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
from berryeval.formats.facts import guess_kind
from berryeval.formats.reading import sniff_format

__all__ = ["Findings", "inspect_folder", "to_toml"]

_ENDINGS = frozenset(
    (".csv", ".json", ".jsonl", ".parquet", ".qrels", ".run", ".trec", ".tsv", ".txt")
)
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
"""Names of functions that may be a search engine."""
_QUERIES = frozenset(("q", "query", "question", "text"))
"""Names of their first parameter."""
_NUMBERS = frozenset(("k", "limit", "n", "size", "top_k"))
"""Names of their second parameter: how many documents to return."""
_RETRIEVER = "retriever"
"""Suffix of the names of retrievers, and of functions without parameters that return one."""
_QUERY_AND_NUMBER = 2
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
    """Functions of a query and k, and retrievers, as ``module:name``."""

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
                                    "baselines": []}  # fmt: skip
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
    """Return the parts of a golden set, if the folder has judgments and queries."""
    try:
        parts = {
            "judgments": golden_folder.judgments_in(folder),
            "queries": golden_folder.queries_in(folder),
            "documents": golden_folder.documents_in(folder),
        }
    except BerryEvalError:  # two files of a part: the user has to choose
        return {}
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


def _search_functions(root: Path) -> Iterator[str]:
    """Iterate over top-level retrievers, and functions of a query and a number, by name."""
    for path in [*sorted(root.glob("*.py")), *sorted(root.glob("*/*.py"))][:_MAX_FILES]:
        module = path.relative_to(root).with_suffix("")
        if not all(part.isidentifier() and part not in _SKIPPED for part in module.parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for name in filter(None, map(_searching_name, tree.body)):
            yield f"{'.'.join(module.parts)}:{name}"


def _searching_name(node: ast.stmt) -> str | None:
    """Return the name that a statement gives to a search function or a retriever."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name if _is_search(node) else None
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return next((name for name in names if name.endswith(_RETRIEVER)), None)
    return None


def _is_search(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = [argument.arg for argument in function.args.args]
    if function.name.endswith(_RETRIEVER):
        return len(arguments) == len(function.args.defaults)
    if function.name not in _SEARCHES or len(arguments) < _QUERY_AND_NUMBER:
        return False
    return arguments[0] in _QUERIES and arguments[1] in _NUMBERS


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
    return "\n".join([*lines, "", "[gate]", "alpha = 0.05", "", *guard, ""])


def _setting(
    name: str, values: tuple[str, ...], example: str, *, is_used: bool = True
) -> Iterator[str]:
    """Iterate over the lines of a setting; those that are not used are comments."""
    first, *others = values or (example,)
    mark = "" if values and is_used else "# "
    yield f"{mark}{name} = {json.dumps(first, ensure_ascii=False)}"
    for other in others:
        yield f"# {name} = {json.dumps(other, ensure_ascii=False)}"
