"""Turns the chunks of a run into what the judgments refer to: documents, or spans of them.

Retrievers return chunks with their own ids. If those are judged, a run is not changed. If the
judgments refer to spans of documents, such as ``guide.md@120-340``, each span is credited to the
first chunk that covers it, see `berryeval.search.chunking.spans`. If they refer to documents, each
chunk becomes its document, at the rank of the document's first chunk.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from berryeval.core.events import event_logger
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.span_judgment import SpanJudgment
from berryeval.search.chunking.chunkers import Chunk
from berryeval.search.chunking.spans import answers_for, credit_spans
from berryeval.search.places import Place

__all__ = ["to_judged_units"]

_SPAN = re.compile(r"(?P<source>.+)@(?P<start>\d+)-(?P<end>\d+)", re.DOTALL)

_log = event_logger(__name__)


def to_judged_units(run: Run, judgments: Judgments, places: Mapping[str, Place]) -> Run:
    """Return a run in the units of the judgments.

    Parameters
    ----------
    run : Run
        What a system returned.
    judgments : Judgments
        The judgments to score with.
    places : mapping of str to Place
        Origins of the returned chunks, by id.

    Returns
    -------
    Run
        The run itself if one of its ids is judged for its query, if no origin is known, and if
        neither a document nor a span of a returned chunk is judged.

    Examples
    --------
    >>> run = Run.from_lists({"q1": ["c7", "c3", "c9"]})
    >>> places = {
    ...     "c7": Place({"metadata.source": "a.md"}),
    ...     "c3": Place({"metadata.source": "a.md"}),
    ...     "c9": Place({"metadata.source": "b.md"}),
    ... }
    >>> judgments = Judgments.from_dict({"q1": {"b.md": 1}})
    >>> to_judged_units(run, judgments, places).ranking("q1")
    ['a.md', 'b.md']
    """
    if not places:
        return run
    grades = {query: judgments.grades_of(query) for query in run.query_ids.iter_bytes()}
    rankings = {query: run.ranking(decode_id(query)) for query in grades}
    if any(encode_id(one) in grades[query] for query in grades for one in rankings[query]):
        return run
    # The field that fits best, and not the first: threads add places in any order.
    fields = sorted({field for place in places.values() for field in place.sources})
    chunks = {field: list(_chunks(places, field)) for field in fields}
    spans = {field: list(_covered(_spans(grades), chunks[field])) for field in fields}
    field = max(fields, key=lambda field: len(spans[field]), default="")
    if spans.get(field):
        _log.info("chunks are credited with judged spans", extra={"field": field})
        return credit_spans(run, spans[field], chunks[field])
    collapsed = {field: _collapse(rankings, places, field) for field in fields}
    n_judged = {
        field: sum(encode_id(one) in grades[query] for query, ids in found.items() for one in ids)
        for field, found in collapsed.items()
    }
    field = max(fields, key=lambda field: n_judged[field], default="")
    if not n_judged.get(field):
        return run
    _log.info("chunks are scored as their documents", extra={"field": field})
    return Run.from_lists({decode_id(query): ids for query, ids in collapsed[field].items()})


def _collapse(
    rankings: Mapping[bytes, list[str]], places: Mapping[str, Place], field: str
) -> dict[bytes, list[str]]:
    """Replace chunks by their documents, each at the rank of its first chunk."""
    sources = {
        chunk_id: place.sources[field]
        for chunk_id, place in places.items()
        if field in place.sources
    }
    return {
        query: list(dict.fromkeys(sources.get(one, one) for one in ranking))
        for query, ranking in rankings.items()
    }


def _chunks(places: Mapping[str, Place], field: str) -> Iterator[Chunk]:
    for chunk_id, place in places.items():
        if field in place.sources and place.start is not None and place.end is not None:
            yield Chunk(chunk_id, place.sources[field], place.start, place.end, "")


def _covered(spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]) -> Iterator[SpanJudgment]:
    """Iterate over the spans that a returned chunk covers; others cannot be credited."""
    by_source: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        by_source[chunk.source].append(chunk)
    for span in spans:
        if any(answers_for(chunk, span) for chunk in by_source[span.source]):
            yield span


def _spans(grades: Mapping[bytes, Mapping[bytes, float]]) -> Iterator[SpanJudgment]:
    """Iterate over the judged spans, with their grades."""
    for query, judged in grades.items():
        for doc_id, grade in judged.items():
            found = _SPAN.fullmatch(decode_id(doc_id))
            if found is not None and int(found["start"]) < int(found["end"]):
                yield SpanJudgment(
                    decode_id(query),
                    found["source"],
                    int(found["start"]),
                    int(found["end"]),
                    grade,
                )
