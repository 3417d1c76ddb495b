"""Reads golden sets: from a folder, from a BEIR folder, from three files, and the bundled one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from berryeval.core.inputs import note_input
from berryeval.core.query import Query
from berryeval.errors import FormatError, MismatchError
from berryeval.formats.located_quotes import locate_quotes
from berryeval.formats.queries import read_queries
from berryeval.formats.relevance_judgments import JudgedQuery
from berryeval.golden.chunked import default_chunking, read_chunked
from berryeval.golden.document_names import judged_names, renamed
from berryeval.golden.faults import iter_faults
from berryeval.golden.golden_set import PASSES, QUERIES, QUESTIONS, GoldenSet, Passes
from berryeval.golden.judged import read_any_judgments, with_spans
from berryeval.golden.parts import find_parts
from berryeval.search.chunking import Chunk
from berryeval.search.questions import Questions, read_questions

__all__ = ["HANDBOOK", "handbook", "read_golden_set"]

HANDBOOK = Path(str(resources.files(__package__) / "handbook"))
"""Folder of the bundled golden set."""

_GRADES_PER_PAIR = 3


def handbook() -> GoldenSet:
    """Return the bundled golden set: the documentation of a product that does not exist."""
    return read_golden_set(HANDBOOK)


def read_golden_set(
    path: str | os.PathLike[str] | None = None,
    *,
    documents: str | os.PathLike[str] | None = None,
    queries: str | os.PathLike[str] | None = None,
    judgments: str | os.PathLike[str] | None = None,
    split: str | None = None,
    strict: bool = True,
    chunks: str | None = None,
) -> GoldenSet:
    """Read a golden set from a folder, or from the files of its parts.

    Parameters
    ----------
    path : path, optional
        The folder of a golden set, or a BEIR folder. From a BEIR folder, only the queries that are
        judged in the split belong to the set.
    documents : path, optional
        The documents, in place of those in the folder: a file or a folder of Markdown or text, or
        JSON lines. A set without documents can test systems that have their own.
    queries, judgments : path, optional
        Files in any format, in place of those in the folder; required without a folder.
    split : str, optional
        The split of a BEIR folder. Default: ``"test"``.
    strict : bool
        Whether dangling or contradictory judgments are an error. If not, only malformed files
        are, and judgments may be missing, so that `berryeval.golden.check` can report all errors
        at once.
    chunks : str, optional
        The chunking: ``"heading"``, ``"paragraph"``, ``"size"``, ``"document"``, or a file with the
        positions of a system's own chunks, see `berryeval.search.chunking.cutting`. Default: the
        chunking that the judgments declare; otherwise Markdown and text are split by heading, or
        not at all if judgments in another format than JSON have names of files as ids, with or
        without extension; each line of JSON lines is a chunk. Any other chunking requires judgments
        of spans.

    Raises
    ------
    ArgumentError
        If neither a folder nor queries and judgments are given.
    FormatError
        If a file is missing or malformed.
    MismatchError
        If the files contradict each other.
    """
    parts = find_parts(path, documents=documents, queries=queries, judgments=judgments, split=split)
    judged = read_any_judgments(parts.judgments, strict=strict)
    own = judged.chunks or default_chunking(parts.documents)
    chosen = chunks or own
    texts, pieces = read_chunked(parts.documents, chosen)
    can_declare = parts.judgments.endswith(".json")
    if chunks is None and judged.chunks is None and not can_declare:
        texts, pieces = _as_judged(parts.documents, texts, pieces, judged.queries)
    located, lost = locate_quotes(with_spans(judged, texts), texts)
    asked = _read_queries(parts.queries)
    if parts.is_split:
        judged_ids = {one.query_id for one in located.queries}
        asked = [query for query in asked if query.query_id in judged_ids]
    golden = GoldenSet(
        name=parts.folder.resolve().name,
        version=located.version,
        folder=parts.folder,
        chunks=pieces,
        queries=tuple(asked),
        judged=located.queries,
        scale=located.scale,
        labels=located.labels,
        judges=located.judges,
        relevant_from=located.relevant_from,
        pool_depth=located.pool_depth,
        passes=_read_passes(parts.folder / PASSES),
        texts=texts,
        questions=_read_questions(parts.folder / QUESTIONS) if chosen == own else {},
        lost_quotes=tuple(lost),
    )
    if strict:
        if chosen != own:
            _check_cut(golden, parts.judgments, chosen)
        _raise_fault(golden, path)
    return golden


def _as_judged(
    documents: str | None,
    texts: dict[str, str],
    pieces: tuple[Chunk, ...],
    judged: Sequence[JudgedQuery],
) -> tuple[dict[str, str], tuple[Chunk, ...]]:
    """Return whole documents if none of the chunks is judged, but the documents are."""
    ids = {chunk_id for one in judged for chunk_id, _ in one.iter_grades()}
    if any(one.spans for one in judged) or any(chunk.chunk_id in ids for chunk in pieces):
        return texts, pieces
    names = judged_names(texts, ids)
    return renamed(*read_chunked(documents, "document"), names) if names else (texts, pieces)


def _raise_fault(golden: GoldenSet, path: str | os.PathLike[str] | None) -> None:
    for fault in iter_faults(golden):
        way_out = "" if path is None else f" {path}"
        message = f"{golden.folder}: {fault.where}: {fault.message}"
        raise MismatchError(f"{message}; `berryeval golden check{way_out}` lists all errors")


def _check_cut(golden: GoldenSet, path: str, chunks: str) -> None:
    """Raise if judgments refer to chunks that this chunking does not produce."""
    known = {chunk.chunk_id for chunk in golden.chunks}
    for judged in golden.judged:
        spans = {span.span_id for span in judged.spans}
        for name, _ in judged.iter_grades():
            if name not in known and name not in spans:
                where = f"{path}: {judged.query_id}"
                way_out = "only judgments of spans are independent of the chunking"
                message = f"{name!r} is judged but is not a chunk by {chunks!r}; {way_out}"
                raise MismatchError(f"{where}: {message}")


def _read_queries(path: str) -> list[Query]:
    if not Path(path).is_file():
        raise FormatError.unexpected("the queries of a golden set", "no file", path)
    # Files of other tools have keys of their own.
    return read_queries(path, strict=Path(path).name == QUERIES)


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
