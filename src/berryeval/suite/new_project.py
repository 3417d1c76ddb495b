"""Finds the files in a folder that can be evaluated, and writes a ``berryeval.toml`` for them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from berryeval.errors import BerryEvalError
from berryeval.evaluation.baseline import is_baseline
from berryeval.evaluation.guards import DEFAULT_MARGIN
from berryeval.evaluation.small_sets import fewest_for_margin, of_small_set
from berryeval.formats import golden_folder, read_judgments, read_queries, read_run
from berryeval.formats.datasets import has_expected_documents
from berryeval.formats.facts import guess_kind
from berryeval.formats.reading import sniff_format
from berryeval.measures import NDCG
from berryeval.suite.found_systems import SKIPPED, NeedsArguments, find_systems

__all__ = ["Findings", "inspect_folder", "is_incomplete", "to_toml"]

_ENDINGS = frozenset(
    (".csv", ".json", ".jsonl", ".parquet", ".qrels", ".run", ".trec", ".tsv", ".txt")
)
_READABLE = frozenset((".csv", ".json", ".jsonl", ".tsv"))
_COMPRESSED = frozenset((".gz", ".zst"))
_MAX_FILES = 500
_MAX_READ = 20_000_000
"""Maximum size of a file that is read as a whole to recognise it, in bytes."""
_PARTS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "judgments": ("judgments", read_judgments),
    "queries": ("queries", read_queries),
    "run": ("runs", read_run),
}
_BASELINE = "baseline.json"
_INCOMPLETE = "# Incomplete: `berryeval init` replaces this file, once it finds what is missing.\n"
_MEASURE = NDCG(10)
_FEWEST = fewest_for_margin(_MEASURE, DEFAULT_MARGIN) or 0


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
    unready: tuple[NeedsArguments, ...] = ()
    """Classes that search, but need arguments."""
    questions: tuple[str, ...] = ()
    """Files of questions with expected documents, which have to be converted first."""
    n_queries: int | None = None
    """Number of judged queries in the first file of judgments; None if unknown."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found that can be evaluated."""
        return not (self.judgments or self.runs or self.systems)

    @property
    def is_complete(self) -> bool:
        """Whether a gate can run, apart from its baseline."""
        return bool(self.judgments and (self.runs or self.systems))

    @property
    def has_margin(self) -> bool:
        """Whether there is, or will be, a baseline for a margin."""
        return bool(self.baselines or self.runs or self.systems)

    @property
    def small_set(self) -> str | None:
        """A sentence if the judged queries are too few to test a margin; None if not."""
        if self.n_queries is None or not self.has_margin or self.n_queries >= _FEWEST:
            return None
        return of_small_set(self.n_queries, _FEWEST, str(DEFAULT_MARGIN))


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
    systems, unready = find_systems(root)
    found_all = Findings(
        **names,
        systems=systems,
        unready=unready,
        n_queries=_count_queries([root / name for name in names["judgments"]]),
    )
    return _matched(found_all, root)


def _count_queries(judgments: Sequence[Path]) -> int | None:
    """Return the number of queries in the first file; None without one, or for a large one."""
    if not judgments or judgments[0].stat().st_size > _MAX_READ:
        return None
    try:
        return read_judgments(judgments[0]).n_queries
    except BerryEvalError:  # in a golden set, which is checked by the commands that use it
        return None


def _subfolders(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.is_dir() and path.name not in SKIPPED and not path.name.startswith("."):
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


def _matched(found: Findings, root: Path) -> Findings:
    """Return the findings without queries that are not judged: documents have texts, too.

    The best match comes first, and files with judged documents become documents.
    """
    files = [root / path for path in (*found.judgments[:1], *found.queries)]
    is_small = all(path.stat().st_size <= _MAX_READ for path in files)
    if not (found.judgments and found.queries and is_small):
        return found
    try:
        judgments = read_judgments(files[0])
        ids = {path: {one.query_id for one in read_queries(root / path)} for path in found.queries}
    except BerryEvalError:  # the gate reports what is wrong
        return found
    judged = set(judgments.query_ids)
    queries = sorted(
        (path for path in found.queries if ids[path] & judged),
        key=lambda path: -len(ids[path] & judged),
    )
    documents = set(judgments.doc_ids)
    others = (path for path in found.queries if path not in queries and ids[path] & documents)
    return replace(
        found,
        queries=tuple(queries),
        documents=tuple(dict.fromkeys([*found.documents, *others])),
    )


def is_incomplete(toml: str) -> bool:
    """Whether a file was written before there was enough to evaluate, and may be replaced."""
    return toml.startswith(_INCOMPLETE)


def to_toml(found: Findings) -> str:
    """Return the content of a ``berryeval.toml`` for what was found.

    If there are several choices, the first one counts, and the others are comments. With two
    runs and no baseline, the oldest run is the baseline, and the newest the candidate. With a run
    or a system alone, the baseline is a file that `berryeval baseline save` writes. The first line
    of a file that is not complete yet says so.
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
    # A function or retriever has its own documents; these are for titles in tests.
    lines += _setting("documents", found.documents, "docs/", is_used=False)
    if not baselines and (runs or found.systems):
        lines += ["# Written by `berryeval baseline save`."]
        baselines = (_BASELINE,)
    lines += _setting("baseline", baselines, _BASELINE)
    guard = ["[[gate.guard]]", f'measure = "{_MEASURE}"']
    if baselines:
        guard += [
            f"margin = {DEFAULT_MARGIN}  # the largest drop from the baseline that is acceptable"
        ]
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
    mark = "" if found.is_complete else _INCOMPLETE
    rules = ["[gate]", *_inference(found), "alpha = 0.05"]
    return mark + "\n".join([*lines, *with_system, "", *rules, "", *guard, ""])


def _inference(found: Findings) -> list[str]:
    """Return the lines for a set that is too small to test a margin."""
    if found.small_set is None:
        return []
    return [
        f"# {found.n_queries:,} judged queries are too few to show what a change does to others,",
        "# so the mean difference on these queries decides, without a test.",
        f'# With {_FEWEST} or more, change "set" to "population": the gate then tests whether the',
        "# drop on queries like these is smaller than the margin, and reports if that is unclear.",
        'inference = "set"',
    ]


def _setting(
    name: str, values: tuple[str, ...], example: str, *, is_used: bool = True
) -> Iterator[str]:
    """Iterate over the lines of a setting; those that are not used are comments."""
    first, *others = values or (example,)
    mark = "" if values and is_used else "# "
    yield f"{mark}{name} = {json.dumps(first, ensure_ascii=False)}"
    for other in others:
        yield f"# {name} = {json.dumps(other, ensure_ascii=False)}"
