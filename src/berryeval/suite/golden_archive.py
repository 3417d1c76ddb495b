"""From an archive to a golden set, and back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from berryeval.core.documents import Document
from berryeval.core.id_column import encode_id
from berryeval.formats.relevance_judgments import RelevanceJudgments
from berryeval.golden.golden_set import GoldenSet
from berryeval.golden.judged import judged_queries
from berryeval.golden.writing import check_target, write_golden_set

if TYPE_CHECKING:
    from berryeval.archive import Archive

__all__ = ["ExportedGoldenSet", "export_golden_set", "import_golden_set"]

IMPORTED = "imported"
"""The author of judgments from a golden set."""

_AT_ONCE = 1000


@dataclass(frozen=True)
class ExportedGoldenSet:
    """What an archive was exported as."""

    files: tuple[Path, ...]
    n_documents: int
    n_queries: int
    n_judgments: int
    missing_documents: tuple[str, ...] = ()
    """Judged documents whose text the archive does not have."""
    missing_queries: tuple[str, ...] = ()
    """Judged queries whose text the archive does not have."""
    n_by_subtopic: int = 0
    """Number of documents whose grades by subtopic are left out."""


def export_golden_set(
    archive: Archive, folder: str | os.PathLike[str], *, relevant_from: float = 1
) -> ExportedGoldenSet:
    """Write the documents, queries and judgments of an archive as a golden set.

    The judgments are those that count now, by the archive's rule; its scale and labels are
    declared. Documents are written as JSON lines, each of them a chunk; without texts in the
    archive, the set has no documents. Second opinions, subtopics and history are only in
    `berryeval.archive.Archive.export`.

    Parameters
    ----------
    archive : Archive
        The archive.
    folder : path
        A new or empty folder.
    relevant_from : float
        The lowest grade that counts as relevant, which archives do not store.

    Raises
    ------
    ArgumentError
        If the folder is not empty.
    FormatError
        If a file cannot be written.
    """
    target = check_target(folder)
    judgments = archive.judgments.current()
    queries = [*archive.queries.all().values()]
    judged = judged_queries(judgments)
    texts: set[str] = set()
    documents = _documents(archive, texts)
    first = next(documents, None)
    files = write_golden_set(
        target,
        documents=None if first is None else chain([first], documents),
        queries=queries,
        judgments=RelevanceJudgments(
            version="1",
            scale=judgments.scale,
            pool_depth=None,
            queries=tuple(judged),
            relevant_from=relevant_from,
            labels=judgments.labels,
            judges=judgments.judges,
        ),
    )
    known = {query.query_id for query in queries}
    judged_ids = {name for one in judged for name, _ in one.iter_grades()}
    return ExportedGoldenSet(
        files=files,
        n_documents=len(texts),
        n_queries=len(queries),
        n_judgments=judgments.n_rows,
        missing_documents=tuple(sorted(judged_ids - texts)) if texts else (),
        missing_queries=tuple(one.query_id for one in judged if one.query_id not in known),
        n_by_subtopic=len([None for own in judgments.subtopics.values() for _ in own]),
    )


def import_golden_set(archive: Archive, golden: GoldenSet) -> dict[str, int]:
    """Store the documents, queries and judgments of a golden set in an archive.

    Documents are the chunks of the set; judged spans are stored as documents of their own, by their
    ids. Judgments are by ``imported``; a judgment with the same grade stays as it is. The archive
    adopts the scale, labels and rule of the set, unless it has its own.

    Returns
    -------
    dict of str to int
        The number of new or changed documents, queries and judgments.
    """
    from berryeval.archive.records import JudgmentBatch, JudgmentEntry

    judgments = golden.judgments
    there = archive.judgments.current()
    entries = [
        JudgmentEntry(judged.query_id, name, grade)
        for judged in golden.judged
        for known in [there.grades_of(encode_id(judged.query_id))]
        for name, grade in judged.iter_grades()
        if known.get(encode_id(name)) != grade
    ]
    source = f"golden set {golden.name}"
    return {
        "documents": archive.documents.put([*golden.documents(), *_spans(golden)]),
        "queries": archive.queries.put(golden.queries),
        "judgments": archive.judgments.put_batches(
            [JudgmentBatch(IMPORTED, source, entries)], declared=judgments
        ),
    }


def _spans(golden: GoldenSet) -> Iterator[Document]:
    """Iterate over judged spans as documents, each of them once."""
    spans = {span.span_id: span for span, _ in golden.matched_spans}
    for span_id, span in spans.items():
        yield Document(span_id, golden.texts[span.source][span.start : span.end], span.source)


def _documents(archive: Archive, ids: set[str]) -> Iterator[Document]:
    """Iterate over the documents that have a text, and note their ids: there may be millions."""
    after = None
    while True:
        page = archive.documents.page(after=after, limit=_AT_ONCE)
        for stored in page.items:
            if stored.text is not None:
                ids.add(stored.doc_id)
                yield Document(stored.doc_id, stored.text, stored.title or "", stored.length)
        after = page.next
        if after is None:
            return
