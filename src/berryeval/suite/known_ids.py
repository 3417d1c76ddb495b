"""Checks that a system and the judgments it is scored with use the same ids."""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.golden.golden_set import GoldenSet
from berryeval.search.failures import other_ids

__all__ = ["check_any_judged", "find_unknown_hits"]


def find_unknown_hits(
    golden: GoldenSet, run: Run, system: str, likely_id: str | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the hits that are neither chunks of a golden set nor spans, as query and id.

    For a set without documents, the ids of the system's own documents are unknown. `likely_id` is
    `System.likely_id`.

    Raises
    ------
    MismatchError
        If all of them are unknown.
    """
    if not golden.texts:
        return ()
    unknown = tuple(_iter_unknown(golden, run))
    if unknown and len(unknown) == run.n_rows:
        known = (chunk.chunk_id for chunk in golden.chunks)
        returned = (doc_id for _, doc_id in unknown)
        raise other_ids(system, returned, known, "the golden set", likely_id)
    return unknown


def _iter_unknown(golden: GoldenSet, run: Run) -> Iterator[tuple[str, str]]:
    chunks = {chunk.chunk_id for chunk in golden.chunks}
    spans = {(span.query_id, span.span_id) for span, _ in golden.matched_spans}
    for query in golden.queries:
        for doc_id in run.ranking(query.query_id):
            if doc_id not in chunks and (query.query_id, doc_id) not in spans:
                yield query.query_id, doc_id


def check_any_judged(
    judgments: Judgments, run: Run, system: str, likely_id: str | None = None
) -> None:
    """Raise `MismatchError` if no returned document is judged for any query.

    A system that merely ranks badly returns documents that are judged for other queries. If it
    returned hits without ids, `likely_id` is the setting that probably names them.
    """
    judged = dict.fromkeys(judgments.doc_ids)
    if run.n_rows and judged and not any(doc_id in judged for doc_id in run.doc_ids):
        raise other_ids(system, run.doc_ids, judged, "the judgments", likely_id)
