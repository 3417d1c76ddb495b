"""Creates a golden set from a folder of Markdown."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

from berryeval.core.files import write_whole
from berryeval.core.grade import default_labels
from berryeval.errors import ArgumentError, FormatError
from berryeval.golden.golden_set import DOCUMENTS, GUIDELINE, JUDGMENTS, QUERIES, GoldenSet
from berryeval.golden.reading import read_golden_set
from berryeval.search.chunking import read_chunks

__all__ = ["init_golden_set"]

_SCALE = 3
"""The highest grade, as in the guideline."""

_ENDINGS = (".md", ".markdown", ".txt")

_SHARES = {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}
"""The thresholds of the quality suite, as shares of the best possible means: with few relevant
chunks per query, even the best possible P@5 is far below 1."""


def init_golden_set(
    documents: str | os.PathLike[str], target: str | os.PathLike[str]
) -> tuple[Path, ...]:
    """Copy documents into a new golden set, and create the files to fill in.

    These contain a sample query and a sample judgment to replace, a guideline, and a
    ``berryeval.toml`` with guards.

    Parameters
    ----------
    documents : path
        A folder with Markdown or text.
    target : path
        Folder of the golden set; it must be new or empty.

    Returns
    -------
    tuple of Path
        The files that were written, without the documents.

    Raises
    ------
    FormatError
        If there are no documents.
    ArgumentError
        If the target is not empty, so that judgments are never overwritten.
    """
    source, folder = Path(documents), Path(target)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ArgumentError("target", "a new or empty folder", repr(str(target)))
    if not source.is_dir():
        raise FormatError("expected a folder with Markdown or text files, found none", str(source))
    chunks = read_chunks(source)
    if not chunks:
        raise FormatError("expected documents with text, found none", str(source))
    for path in sorted(source.rglob("*")):
        is_inside = folder.resolve() in path.resolve().parents
        if path.suffix.lower() in _ENDINGS and path.is_file() and not is_inside:
            _write(folder / DOCUMENTS / path.relative_to(source), path.read_bytes())
    written = {
        QUERIES: _to_json(_queries()),
        JUDGMENTS: _to_json(_judgments(chunks[0].chunk_id)),
        GUIDELINE: _template(GUIDELINE),
    }
    for name, content in written.items():
        _write(folder / name, content)
    settings = "berryeval.toml"
    _write(folder / settings, _template(settings) + _guards(read_golden_set(folder)))
    return tuple(folder / name for name in (*written, settings))


def _guards(golden: GoldenSet) -> bytes:
    """Write the guards of a gate, with thresholds that the judgments allow."""
    best = golden.ceilings(_SHARES)
    guards = "".join(
        f'\n[[gate.guard]]\nmeasure = "{measure}"\nat_least = {share * best[measure]:.2f}'
        f"  # the best possible is {best[measure]:.2f}\n"
        for measure, share in _SHARES.items()
    )
    return guards.encode()


def _queries() -> dict[str, object]:
    query = {
        "id": "Q001",
        "query": "what a user types",
        "category": "factual",
        "difficulty": "easy",
        "description": "What the user wants to know, in one sentence. Judges read this.",
    }
    return {"queries": [query]}


def _judgments(chunk_id: str) -> dict[str, object]:
    judged = {
        "query_id": "Q001",
        "relevant": [{"chunk_id": chunk_id, "grade": 1}],
        "not_relevant": [],
    }
    labels = default_labels(_SCALE)
    return {"version": 1, "scale": _SCALE, "labels": labels, "judgments": [judged]}


def _to_json(content: object) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _template(name: str) -> bytes:
    return (resources.files(__package__) / "templates" / name).read_bytes()


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", str(path)) from error
    write_whole(path, [content])
