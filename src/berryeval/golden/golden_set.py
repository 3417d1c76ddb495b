"""A golden set: documents, queries and judgments that belong together.

A folder with

========================  ======================================================
``test-documents/``       Markdown; a heading with its text is a chunk, unless told otherwise
``test-queries.json``     queries with category, difficulty and description
``relevance-judgments.json``  grades, see `berryeval.formats.relevance_judgments`
``document-questions.json``  optional: what people ask, see `berryeval.search.questions`
``judging-passes.json``   optional: ``{"Q001": {"a.md#b": [first, second, settled]}}``
``GUIDELINE.md``          optional: how grades are given
========================  ======================================================

Judgments name chunks, or spans of documents. Those of spans hold for any way to cut the documents:
what a system returns is turned into spans by `GoldenSet.credit` before it is scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.documents import Document
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.core.span_judgment import SpanJudgment
from berryeval.evaluation.ceilings import best_possible
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.formats.relevance_judgments import JudgedQuery
from berryeval.measures import Measure
from berryeval.search.chunking import (
    Chunk,
    credit_spans,
    match_spans,
    to_documents,
)
from berryeval.search.questions import Questions, with_questions

__all__ = [
    "DOCUMENTS",
    "GUIDELINE",
    "JUDGMENTS",
    "PASSES",
    "QUERIES",
    "QUESTIONS",
    "GoldenSet",
    "Passes",
]

DOCUMENTS = "test-documents"
QUERIES = "test-queries.json"
QUESTIONS = "document-questions.json"
JUDGMENTS = "relevance-judgments.json"
PASSES = "judging-passes.json"
GUIDELINE = "GUIDELINE.md"

Passes: TypeAlias = "Mapping[str, Mapping[str, tuple[int, int, int]]]"
"""Query, chunk, and the grades of the first pass, of the second, and settled."""


@dataclass(frozen=True, eq=False)
class GoldenSet:
    """Documents, queries and judgments that belong together."""

    name: str
    version: str
    folder: Path
    chunks: tuple[Chunk, ...]
    queries: tuple[Query, ...]
    judged: tuple[JudgedQuery, ...]
    """As the file has them, the most relevant first."""
    scale: float | None = None
    """The highest grade there is."""
    labels: tuple[str, ...] | None = None
    """What the grades mean, from 0 up; None where that is not declared."""
    judges: Judges | None = None
    """Which grade counts where second opinions are given; None where that is not declared."""
    relevant_from: float = 1
    """The lowest grade that counts as relevant."""
    pool_depth: int | None = None
    """How many ranks of every system were judged."""
    passes: Passes = field(default_factory=dict)
    """The grades of both passes of judging, and what became of them; empty if nobody kept them."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The documents, by name."""
    questions: Questions = field(default_factory=dict)
    """What people ask, by chunk; empty if nobody wrote it down, and if documents are cut in
    another way than by heading: questions are of those chunks."""

    @property
    def guideline(self) -> Path | None:
        """Where it is written how grades are given."""
        path = self.folder / GUIDELINE
        return path if path.is_file() else None

    @property
    def sources(self) -> tuple[str, ...]:
        """The documents, which the chunks are pieces of."""
        return tuple(dict.fromkeys(chunk.source for chunk in self.chunks))

    @property
    def n_judgments(self) -> int:
        """How many chunks and spans were judged, over all queries."""
        return sum(1 for judged in self.judged for _ in judged.iter_grades())

    @cached_property
    def matched_spans(self) -> tuple[tuple[SpanJudgment, tuple[Chunk, ...]], ...]:
        """The spans that were judged, each with the chunks that answer for it."""
        spans = [span for judged in self.judged for span in judged.spans]
        return tuple(match_spans(spans, self.chunks))

    @cached_property
    def judgments(self) -> Judgments:
        """Every query with its grades; one that nobody judged has none, and scores 0.

        A span is found under its id. Chunks that answer for one have the grade 0 there: what is
        relevant in them is the span, see `credit`.
        """
        grades: dict[str, dict[str, float]] = {query.query_id: {} for query in self.queries}
        for judged in self.judged:
            for chunk_id, grade in judged.iter_grades():
                grades.setdefault(judged.query_id, {}).setdefault(chunk_id, grade)
        for span, answering in self.matched_spans:
            for chunk in answering:
                grades[span.query_id].setdefault(chunk.chunk_id, 0)
        found = Judgments.from_dict(grades)
        found.scale, found.labels, found.judges = self.scale, self.labels, self.judges
        return found

    def credit(self, run: Run) -> Run:
        """Return what a system returned as it is scored: chunks have become the spans judged.

        Each span is credited to the first chunk that answers for it, and to no other. Where
        judgments name chunks the run is as it was.
        """
        spans = [span for span, answering in self.matched_spans if answering]
        return credit_spans(run, spans, self.chunks) if spans else run

    @cached_property
    def content_hash(self) -> str:
        """A hash of what scores are counted by: texts, queries and grades.

        Texts are those of the chunks; of the whole documents where all judgments are of spans, so
        that another way to cut them leaves it as it is.
        """
        digest = hashlib.sha256()
        if self.n_judgments and self.n_judgments == len(self.matched_spans):
            for name, text in sorted(self.texts.items()):
                digest.update(json.dumps([name, text]).encode())
            digest.update(json.dumps(sorted(
                (query.query_id, *graded) for query in self.judged for graded in query.iter_grades()
            )).encode())  # fmt: skip
            grades = ""
        else:
            for chunk in sorted(self.chunks, key=lambda chunk: chunk.chunk_id):
                digest.update(json.dumps([chunk.chunk_id, chunk.headings, chunk.text]).encode())
            grades = hash_of_judgments(self.judgments)
        for query in sorted(self.queries, key=lambda query: query.query_id):
            digest.update(json.dumps([query.query_id, query.text]).encode())
        digest.update(f"{grades} {self.relevant_from:g}".encode())
        return digest.hexdigest()

    @property
    def n_questions(self) -> int:
        """How many different questions there are."""
        return len({one for asked in self.questions.values() for one in asked})

    @cached_property
    def questions_hash(self) -> str:
        """A hash of the questions; systems that were given others cannot be compared."""
        return hashlib.sha256(json.dumps(sorted(self.questions.items())).encode()).hexdigest()

    def documents(self, *, questions: bool = False) -> Iterator[Document]:
        """Iterate over the chunks as documents to index, with their questions if that is asked for.

        Questions of what is no chunk, which `berryeval.golden.check` tells, are left out.
        """
        if not questions:
            return to_documents(self.chunks)
        names = {chunk.chunk_id for chunk in self.chunks}
        known = {name: asked for name, asked in self.questions.items() if name in names}
        return with_questions(to_documents(self.chunks), known)

    def relevant_of(self, query_id: str) -> tuple[str, ...]:
        """Return the chunks or spans that reach the level of relevance, as the file orders them.

        The first is the primary one.
        """
        return tuple(
            chunk_id
            for judged in self.judged
            if judged.query_id == query_id
            for chunk_id, grade in judged.relevant
            if grade >= self.relevant_from
        )

    def at_level(self, measures: Iterable[MeasureLike] | MeasureLike) -> tuple[Measure, ...]:
        """Return measures with this set's level of relevance: P(rel=2)@5 for P@5.

        A level that a measure was given stays, and nDCG has none: it counts every grade.
        """
        return tuple(
            replace(measure, rel=self.relevant_from)  # type: ignore[call-arg]
            if getattr(measure, "rel", None) == 1 and self.relevant_from != 1
            else measure
            for measure in read_measures(measures)
        )

    def ceilings(self, measures: Iterable[MeasureLike]) -> dict[str, float]:
        """Return the best mean of each measure that any system can reach on this set."""
        return best_possible(self.judgments, self.at_level(measures), queries=self.queries)

    def __repr__(self) -> str:
        counts = (
            (len(self.sources), "documents"),
            (len(self.chunks), "chunks"),
            (len(self.queries), "queries"),
            (self.n_judgments, "judgments"),
        )
        shown = ", ".join(f"{number:,} {noun}" for number, noun in counts)
        return f"<GoldenSet {self.name} {self.version}: {shown}>"
