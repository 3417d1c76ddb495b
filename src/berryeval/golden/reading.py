"""Reads golden sets from a folder, and the bundled one."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

from berryeval.core.inputs import note_input
from berryeval.core.query import Query
from berryeval.errors import FormatError, MismatchError
from berryeval.formats import relevance_judgments
from berryeval.formats.queries import read_queries
from berryeval.formats.relevance_judgments import RelevanceJudgments
from berryeval.golden.faults import iter_faults
from berryeval.golden.golden_set import (
    DOCUMENTS,
    JUDGMENTS,
    PASSES,
    QUERIES,
    QUESTIONS,
    GoldenSet,
    Passes,
)
from berryeval.search.chunking import cut, read_sources
from berryeval.search.questions import Questions, read_questions

__all__ = ["HANDBOOK", "handbook", "read_golden_set"]

HANDBOOK = Path(str(resources.files(__package__) / "handbook"))
"""Folder of the bundled golden set."""

_GRADES_PER_PAIR = 3


def handbook() -> GoldenSet:
    """Return the bundled golden set: the documentation of a product that does not exist."""
    return read_golden_set(HANDBOOK)


def read_golden_set(
    path: str | os.PathLike[str], *, strict: bool = True, chunks: str = "heading"
) -> GoldenSet:
    """Read the golden set of a folder.

    Parameters
    ----------
    path : path
        The folder.
    strict : bool
        Whether dangling or contradictory judgments are an error. If not, only malformed files
        are, and judgments may be missing, so that `berryeval.golden.check` can report all errors
        at once.
    chunks : str
        The chunking: ``"heading"``, ``"paragraph"``, ``"size"``, or a file with the positions of a
        system's own chunks, see `berryeval.search.chunking.cutting`. Any chunking other than by
        heading requires judgments of spans.

    Raises
    ------
    FormatError
        If a file is missing or malformed.
    MismatchError
        If the files contradict each other.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise FormatError("expected the folder of a golden set, found none", str(path))
    judgments = _read_judgments(folder / JUDGMENTS, strict=strict)
    texts = read_sources(folder / DOCUMENTS)
    golden = GoldenSet(
        name=folder.resolve().name,
        version=judgments.version,
        folder=folder,
        chunks=tuple(cut(texts, chunks)),
        queries=tuple(_read_queries(folder / QUERIES)),
        judged=judgments.queries,
        scale=judgments.scale,
        labels=judgments.labels,
        judges=judgments.judges,
        relevant_from=judgments.relevant_from,
        pool_depth=judgments.pool_depth,
        passes=_read_passes(folder / PASSES),
        texts=texts,
        questions=_read_questions(folder / QUESTIONS) if chunks == "heading" else {},
    )
    if strict:
        if chunks != "heading":
            _check_cut(golden, chunks)
        for fault in iter_faults(golden):
            way_out = f"`berryeval golden check {path}` lists all errors"
            raise MismatchError(f"{folder}: {fault.where}: {fault.message}; {way_out}")
    return golden


def _check_cut(golden: GoldenSet, chunks: str) -> None:
    """Raise if judgments refer to chunks that this chunking does not produce."""
    known = {chunk.chunk_id for chunk in golden.chunks}
    for judged in golden.judged:
        spans = {span.span_id for span in judged.spans}
        for name, _ in judged.iter_grades():
            if name not in known and name not in spans:
                where = f"{golden.folder / JUDGMENTS}: {judged.query_id}"
                way_out = "only judgments of spans are independent of the chunking"
                message = f"{name!r} is judged but is not a chunk by {chunks!r}; {way_out}"
                raise MismatchError(f"{where}: {message}")


def _read_queries(path: Path) -> list[Query]:
    if not path.is_file():
        raise FormatError("expected the queries of a golden set, found no file", str(path))
    return read_queries(path, strict=True)


def _read_judgments(path: Path, *, strict: bool) -> RelevanceJudgments:
    if path.is_file():
        return relevance_judgments.read(path)
    if strict:
        raise FormatError("expected the judgments of a golden set, found no file", str(path))
    return RelevanceJudgments("1", None, None, ())


def _read_questions(path: Path) -> Questions:
    return read_questions(path) if path.exists() else {}


def _read_passes(path: Path) -> Passes:
    if not path.is_file():
        return {}
    note_input(path)
    try:
        found = json.loads(path.read_bytes())
        return {
            query_id: {chunk_id: _grades(grades) for chunk_id, grades in pairs.items()}
            for query_id, pairs in found.items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        expected = '{"Q001": {"a.md#b": [first, second, settled]}}'
        raise FormatError(f"expected {expected} ({error})", str(path)) from None


def _grades(values: list[int]) -> tuple[int, int, int]:
    if len(values) != _GRADES_PER_PAIR or not all(type(value) is int for value in values):
        raise ValueError(f"found {values!r}"[:60])
    first, second, settled = values
    return first, second, settled
