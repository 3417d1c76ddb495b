"""Judgments and runs from any source: files, dicts, lists, frames, records or arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from berryeval.core.documents import Documents
from berryeval.core.frames import ArrowStream, is_frame, iter_head, lengths_of_frame
from berryeval.core.grouped import Grouping
from berryeval.core.id_column import as_id, decode_id, encode_id
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments, judgments_of_frame
from berryeval.core.origin import Origin
from berryeval.core.records import are_records, judgments_of_records, run_of_records
from berryeval.core.run import Run, run_of_frame
from berryeval.core.score_order import cautions_of, rows_of_dict
from berryeval.core.timings import check_timings
from berryeval.errors import ArgumentError, MismatchError
from berryeval.formats import Duplicates, read_judgments, read_run, reading
from berryeval.formats.lines import path_name

__all__ = [
    "DocumentsOfChunks",
    "JudgmentsSource",
    "LengthsSource",
    "RunSource",
    "TimingsSource",
    "find_cautions",
    "load_judgments",
    "load_run",
    "load_timings",
    "reshape_run",
]

JudgmentsSource: TypeAlias = (
    "Judgments | str | os.PathLike[str] | Mapping[Any, Mapping[Any, float] | Collection[Any]]"
    " | Mapping[Any, Mapping[Any, float | Mapping[Any, float]]] | ArrowStream | Iterable[object]"
)
"""Judgments, the path of a file of them, a dict of dicts of grades, a dict of lists or sets of
relevant documents, a data frame, or records such as ``qrels_iter`` of ir_datasets. Ids are text, or
whole numbers, which mean their decimal text. A dict of subtopics and grades may stand for a
grade."""

RunSource: TypeAlias = (
    "Run | str | os.PathLike[str] | Mapping[Any, Mapping[Any, float]]"
    " | Mapping[Any, Iterable[str | int]] | ArrowStream | Iterable[object]"
)
"""A run, the path of a file, a dict of dicts of scores, a dict of lists, best first, a data frame,
or records with query_id, doc_id and score."""

DocumentsOfChunks: TypeAlias = "Mapping[str, str] | Callable[[str], str]"
"""The document of each chunk, by the chunk's id."""


LengthsSource: TypeAlias = "Documents | str | os.PathLike[str] | Mapping[Any, float] | ArrowStream"
"""Documents that all have a length, the path of a file, a mapping from document id to length, or a
data frame with the columns doc_id and length."""


def load_judgments(
    source: JudgmentsSource,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    lengths: LengthsSource | None = None,
) -> Judgments:
    """Return judgments from any source, or raise if there are none.

    With `lengths`, they have these; otherwise those that they had.
    """
    judgments = _load_judgments(source, duplicates, judges)
    if not judgments.query_ids:
        is_path = isinstance(source, (str, os.PathLike))
        name = path_name(source) if is_path else "judgments"  # type: ignore[arg-type]
        raise MismatchError(f"{name}: expected at least one judged query, found none")
    return judgments if lengths is None else judgments.with_lengths(_load_lengths(lengths))


def _load_lengths(source: LengthsSource) -> Documents | Mapping[Any, float]:
    if isinstance(source, (str, os.PathLike)):
        from berryeval.formats.lengths import read_lengths  # few need it

        return read_lengths(source)
    if is_frame(source):
        return lengths_of_frame(source)
    return source  # type: ignore[return-value]  # it is checked


def _load_judgments(source: JudgmentsSource, duplicates: Duplicates, judges: Judges) -> Judgments:
    if isinstance(source, Judgments):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_judgments(source, duplicates=duplicates, judges=judges)
    if is_frame(source):
        origin = Origin("judgments", is_file=False)
        return judgments_of_frame(source, duplicates, judges, origin)
    if isinstance(source, Mapping):
        return Judgments.from_dict(_graded(source))
    if are_records(source):
        return judgments_of_records(source, duplicates, judges)
    return Judgments.from_dict(source)  # type: ignore[arg-type]  # it raises


def _graded(judgments: Mapping[Any, Any]) -> Mapping[Any, Mapping[Any, float]]:
    """Give the documents of lists and sets, which are relevant, the grade 1."""
    kinds = (list, tuple, set, frozenset)
    if not any(isinstance(documents, kinds) for documents in judgments.values()):
        return judgments
    return {
        query_id: dict.fromkeys(documents, 1) if isinstance(documents, kinds) else documents
        for query_id, documents in judgments.items()
    }


TimingsSource: TypeAlias = "str | os.PathLike[str] | Mapping[Any, float]"
"""The path of a file that `berryeval retrieve --timings` writes, or milliseconds by query id."""


def load_timings(source: TimingsSource) -> dict[str, float]:
    """Return the milliseconds of each query."""
    if isinstance(source, (str, os.PathLike)):
        from berryeval.formats.timings import read_timings  # few need it

        return read_timings(source)
    return check_timings(source)


def load_run(source: RunSource, duplicates: Duplicates = "error") -> Run:
    """Return a run from any source."""
    if isinstance(source, Run):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_run(source, duplicates=duplicates)
    if is_frame(source):
        return run_of_frame(source, duplicates, Origin("run", is_file=False))
    if isinstance(source, Mapping):
        first: Any = next(iter(source.values()), {})
        if not isinstance(first, Mapping):
            return Run.from_lists(source)
    elif are_records(source):
        return run_of_records(source, duplicates)
    return Run.from_dict(source)  # type: ignore[arg-type]  # it checks what it reads


def reshape_run(
    run: Run, *, documents: DocumentsOfChunks | None = None, exclude_self: bool = False
) -> Run:
    """Return a run of documents in place of chunks, or without the queries themselves.

    A document has the score of its best chunk.

    Raises
    ------
    ArgumentError
        If a mapping lacks a chunk.
    """
    rows = Grouping()
    for query_id, of_query in run.iter_queries():
        rows.add_query(query_id)
        for row in of_query:
            doc_id = run.doc_ids.bytes_at(row)
            if documents is not None:
                doc_id = _document_of(doc_id, documents)
            if exclude_self and doc_id == query_id:
                continue
            if not rows.add(query_id, doc_id, run.values[row]):
                rows.keep_best(query_id, doc_id, run.values[row])
    reshaped = Run.collect(rows)
    reshaped.milliseconds = run.milliseconds
    return reshaped


def _document_of(chunk_id: bytes, documents: DocumentsOfChunks) -> bytes:
    chunk = decode_id(chunk_id)
    if not isinstance(documents, Mapping):
        return encode_id(as_id(documents(chunk), "documents: what the function returns"))
    if chunk not in documents:
        raise ArgumentError(
            "documents", "the document of every chunk in the run", f"none of {chunk!r}"
        )
    return encode_id(as_id(documents[chunk], f"documents[{chunk!r}]"))


def find_cautions(source: RunSource) -> tuple[str, ...]:
    """Return what is suspicious about the scores of a run that the engine could score.

    The ranks that a file states are checked too.
    """
    if isinstance(source, Run):
        return source.find_cautions()
    if isinstance(source, (str, os.PathLike)):
        return reading.find_cautions(source, reading.sniff_format(source)) or ()
    if isinstance(source, Mapping):
        scores: Any = source
        return cautions_of(lambda _limit: rows_of_dict(scores))
    return cautions_of(lambda limit: iter_head(source, limit))
