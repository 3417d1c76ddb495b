"""Splits documents into chunks, and applies judgments of spans to any chunking."""

from berryeval.search.chunking.chunkers import (
    CHUNKERS,
    Chunk,
    Chunker,
    by_document,
    by_heading,
    by_paragraph,
    by_size,
    read_chunks,
    read_sources,
    to_documents,
)
from berryeval.search.chunking.cutting import cut
from berryeval.search.chunking.spans import (
    SpanJudgment,
    answers_for,
    credit_spans,
    judge_chunks,
    judge_spans,
    match_spans,
)

__all__ = [
    "CHUNKERS",
    "Chunk",
    "Chunker",
    "SpanJudgment",
    "answers_for",
    "by_document",
    "by_heading",
    "by_paragraph",
    "by_size",
    "credit_spans",
    "cut",
    "judge_chunks",
    "judge_spans",
    "match_spans",
    "read_chunks",
    "read_sources",
    "to_documents",
]
