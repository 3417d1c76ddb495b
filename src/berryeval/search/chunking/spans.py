"""Judgments of spans, which refer to a part of a source and apply to any chunking of it.

A chunk covers a span of the same source if it contains at least half of the span's characters, or
if at least half of its own characters lie in the span; the latter is for spans that are longer
than chunks. If no chunk contains half, because blank lines between chunks belong to none, the
chunk that contains most of the span covers it.

Each span is credited once. The first chunk of a ranking that covers it earns its grade, and later
ones earn nothing. So the number of relevant passages is the number of spans for every chunking,
and returning the same passage twice earns nothing. Ranks count passages: a chunk that is the first
to cover two relevant spans takes two ranks (decision 0015).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import MismatchError
from berryeval.search.chunking.chunkers import Chunk

__all__ = [
    "SpanJudgment",
    "answers_for",
    "credit_spans",
    "judge_chunks",
    "judge_spans",
    "match_spans",
]


def answers_for(chunk: Chunk, span: SpanJudgment) -> bool:
    """Whether a chunk covers a span: half of the span or half of the chunk is common to both."""
    if chunk.source != span.source:
        return False
    common = span.n_common(chunk.start, chunk.end)
    shorter = min(chunk.end - chunk.start, span.end - span.start)
    return common > 0 and 2 * common >= shorter


def match_spans(
    spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]
) -> list[tuple[SpanJudgment, tuple[Chunk, ...]]]:
    """Return each span with the chunks that cover it; none if no chunk overlaps it."""
    by_source: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        by_source[chunk.source].append(chunk)
    found = []
    for span in spans:
        own = by_source[span.source]
        answering = tuple(chunk for chunk in own if answers_for(chunk, span))
        if not answering and own:
            most = max(own, key=lambda chunk: span.n_common(chunk.start, chunk.end))
            answering = (most,) * (span.n_common(most.start, most.end) > 0)
        found.append((span, answering))
    return found


def judge_chunks(spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]) -> Judgments:
    """Return judgments of chunks: each has the highest grade of the spans that it covers.

    A span may count several times here, once for each chunk that covers it; `credit_spans` counts
    it once.

    Raises
    ------
    MismatchError
        If no chunk covers a span, so that it would be lost.
    """
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for span, answering in _matched(spans, chunks):
        known = grades[span.query_id]
        for chunk in answering:
            known[chunk.chunk_id] = max(span.grade, known.get(chunk.chunk_id, span.grade))
    return Judgments.from_dict(grades)


def judge_spans(spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]) -> Judgments:
    """Return judgments of the spans themselves, for a run returned by `credit_spans`.

    Chunks that cover a span also get a judgment, with grade 0: the span is credited to the first
    of them.

    Raises
    ------
    MismatchError
        If no chunk covers a span.
    """
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for span, answering in _matched(spans, chunks):
        known = grades[span.query_id]
        if span.span_id in known:
            message = f"query {span.query_id!r}: span {span.span_id!r} is judged twice"
            raise MismatchError(message)
        known.update({chunk.chunk_id: 0 for chunk in answering})
        known[span.span_id] = span.grade
    return Judgments.from_dict(grades)


def credit_spans(run: Run, spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]) -> Run:
    """Return a run in which chunks are replaced by the spans that they cover, each span once.

    A chunk that covers several spans is replaced by all of them, the best grade first. A chunk
    that covers no span, or only spans that were credited before or have grade 0, stays unchanged.
    Crediting again has no effect.

    Raises
    ------
    MismatchError
        If no chunk covers a span.

    Examples
    --------
    >>> chunks = [Chunk("a#1", "a", 0, 100, "…"), Chunk("a#2", "a", 80, 180, "…")]
    >>> spans = [SpanJudgment("q1", "a", 60, 120, grade=2)]
    >>> run = Run.from_lists({"q1": ["a#2", "a#1", "b#1"]})
    >>> credit_spans(run, spans, chunks).ranking("q1")
    ['a@60-120', 'a#1', 'b#1']
    >>> judge_spans(spans, chunks).to_dict()
    {'q1': {'a#1': 0.0, 'a#2': 0.0, 'a@60-120': 2.0}}
    """
    spans_of: dict[tuple[str, str], list[SpanJudgment]] = defaultdict(list)
    for span, answering in _matched(spans, chunks):
        for chunk in answering:
            if span.grade > 0:
                spans_of[span.query_id, chunk.chunk_id].append(span)
    credited: dict[str, list[str]] = {}
    for query in run.query_ids.iter_bytes():
        query_id = decode_id(query)
        ranking = credited[query_id] = []
        seen: set[str] = set()
        for chunk_id in run.ranking(query_id):
            seen.add(chunk_id)
            fresh = [s for s in spans_of.get((query_id, chunk_id), ()) if s.span_id not in seen]
            fresh.sort(key=lambda span: -span.grade)
            seen.update(span.span_id for span in fresh)
            ranking.extend([span.span_id for span in fresh] or [chunk_id])
    return Run.from_lists(credited)


def _matched(
    spans: Iterable[SpanJudgment], chunks: Iterable[Chunk]
) -> list[tuple[SpanJudgment, tuple[Chunk, ...]]]:
    """Match spans to chunks, and raise if a span would be lost."""
    known = list(chunks)
    found = match_spans(spans, known)
    for span, answering in found:
        if not answering:
            n_chunks = sum(chunk.source == span.source for chunk in known)
            message = (
                f"query {span.query_id!r}: no chunk covers span {span.span_id!r}; "
                f"there are {n_chunks} chunks of {span.source!r}"
            )
            raise MismatchError(message)
    return found
