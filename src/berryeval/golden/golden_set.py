"""A golden set: documents, queries and judgments that belong together.

It is a folder with these files, or with the same parts under other names and in other formats, see
`berryeval.formats.golden_folder`:

========================  ======================================================
``test-documents/``       Markdown; a heading with its text is a chunk by default
``test-queries.json``     queries with category, difficulty and description
``relevance-judgments.json``  grades, see `berryeval.formats.relevance_judgments`
``document-questions.json``  optional: what people ask, see `berryeval.search.questions`
``judging-passes.json``   optional: ``{"Q001": {"a.md#b": [first, second, settled]}}``
``GUIDELINE.md``          optional: how to assign grades
========================  ======================================================

Judgments refer to chunks, or to spans of documents. Judgments of spans apply to any chunking:
`GoldenSet.credit` converts the results of a system to spans before they are scored.
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
from berryeval.evaluation.quality import HITS
from berryeval.formats.golden_folder import DOCUMENTS, JUDGMENTS, QUERIES
from berryeval.formats.quotes import LostQuote
from berryeval.formats.relevance_judgments import JudgedQuery
from berryeval.measures import Measure, ReciprocalRank
from berryeval.search.chunking import Chunk, credit_spans, match_spans, to_documents
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
    "mean_name",
    "name_in_suite",
]

QUESTIONS = "document-questions.json"
PASSES = "judging-passes.json"
GUIDELINE = "GUIDELINE.md"

Passes: TypeAlias = "Mapping[str, Mapping[str, tuple[int, int, int]]]"
"""By query and chunk, the grades of the first pass, of the second pass, and the settled one."""


@dataclass(frozen=True, eq=False)
class GoldenSet:
    """Documents, queries and judgments that belong together."""

    name: str
    version: str
    folder: Path
    chunks: tuple[Chunk, ...]
    queries: tuple[Query, ...]
    judged: tuple[JudgedQuery, ...]
    """Judged queries in the order of the file, with the most relevant chunks first."""
    scale: float | None = None
    """The highest possible grade."""
    labels: tuple[str, ...] | None = None
    """The meanings of the grades, from 0 up; None if they are not declared."""
    judges: Judges | None = None
    """The rule for second opinions; None if it is not declared."""
    relevant_from: float = 1
    """The lowest grade that counts as relevant."""
    pool_depth: int | None = None
    """The number of ranks that were judged for every system."""
    passes: Passes = field(default_factory=dict)
    """The grades of both passes of judging, and the settled ones; empty if they were not kept."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The documents, by name; empty if systems bring their own."""
    questions: Questions = field(default_factory=dict)
    """Questions by chunk; empty if there are none, or if documents are not split in the set's own
    way, since questions belong to those chunks."""
    lost_quotes: tuple[LostQuote, ...] = ()
    """Quotes in judgments that do not match a document; only if the set was read without checks."""

    @property
    def guideline(self) -> Path | None:
        """The file with the judging guideline; None if there is none."""
        path = self.folder / GUIDELINE
        return path if path.is_file() else None

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the documents that have chunks."""
        return tuple(dict.fromkeys(chunk.source for chunk in self.chunks))

    @property
    def unit(self) -> str:
        """What is judged: ``"chunk"``, or ``"document"`` if documents are not split."""
        is_split = any(chunk.chunk_id != chunk.source for chunk in self.chunks)
        return "chunk" if is_split else "document"

    @property
    def n_judgments(self) -> int:
        """The number of judged chunks and spans, over all queries."""
        return sum(1 for judged in self.judged for _ in judged.iter_grades())

    @cached_property
    def matched_spans(self) -> tuple[tuple[SpanJudgment, tuple[Chunk, ...]], ...]:
        """The judged spans, each with the chunks that cover it."""
        spans = [span for judged in self.judged for span in judged.spans]
        return tuple(match_spans(spans, self.chunks))

    @cached_property
    def judgments(self) -> Judgments:
        """Every query with its grades; an unjudged one has none, and scores 0.

        Spans are listed under their ids. Chunks that cover a span have the grade 0, since the
        span itself is what counts as relevant, see `credit`.
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
        """Return a system's run with chunks replaced by the judged spans, for scoring.

        Each span is credited only to the first chunk that covers it. If the judgments refer to
        chunks, the run is returned unchanged.
        """
        spans = [span for span, answering in self.matched_spans if answering]
        return credit_spans(run, spans, self.chunks) if spans else run

    @cached_property
    def content_hash(self) -> str:
        """A hash of everything that scores depend on: texts, queries and grades.

        Texts are those of the chunks; if all judgments are of spans, those of whole documents, so
        that another chunking does not change the hash.
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
        """The number of different questions."""
        return len({one for asked in self.questions.values() for one in asked})

    @cached_property
    def questions_hash(self) -> str:
        """A hash of the questions; systems with different questions cannot be compared."""
        return hashlib.sha256(json.dumps(sorted(self.questions.items())).encode()).hexdigest()

    def documents(self, *, questions: bool = False) -> Iterator[Document]:
        """Iterate over the chunks as documents to index, optionally with their questions.

        Questions for unknown chunks, which `berryeval.golden.check` reports, are left out.
        """
        if not questions:
            return to_documents(self.chunks)
        names = {chunk.chunk_id for chunk in self.chunks}
        known = {name: asked for name, asked in self.questions.items() if name in names}
        return with_questions(to_documents(self.chunks), known)

    def relevant_of(self, query_id: str) -> tuple[str, ...]:
        """Return the relevant chunks or spans, in the order of the file.

        The first is the primary one.
        """
        return tuple(
            chunk_id
            for judged in self._judged_by_query.get(query_id, ())
            for chunk_id, grade in judged.relevant
            if grade >= self.relevant_from
        )

    @cached_property
    def _judged_by_query(self) -> Mapping[str, list[JudgedQuery]]:
        found: dict[str, list[JudgedQuery]] = {}
        for judged in self.judged:
            found.setdefault(judged.query_id, []).append(judged)
        return found

    def at_level(self, measures: Iterable[MeasureLike] | MeasureLike) -> tuple[Measure, ...]:
        """Return measures with this set's relevance level, such as P(rel=2)@5 for P@5.

        An explicit level of a measure is kept; nDCG has no level, since it counts every grade.
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


def mean_name(measure: Measure) -> str:
    """Return the name of a measure's mean: MRR for RR, its own name for any other.

    Examples
    --------
    >>> mean_name(ReciprocalRank(10))
    'MRR@10'
    """
    name = str(measure)
    return f"M{name}" if isinstance(measure, ReciprocalRank) else name


def name_in_suite(measure: Measure, golden: GoldenSet) -> str:
    """Return the name of a measure's mean in the quality suite.

    Its level of relevance is that of the golden set, and the suite considers ten hits: names omit
    both, so that ``RR(rel=2)@10`` is MRR and ``P(rel=2)@5`` is P@5.
    """
    if getattr(measure, "rel", 1) == golden.relevant_from != 1:
        measure = replace(measure, rel=1.0)  # type: ignore[call-arg]
    return "MRR" if measure == ReciprocalRank(HITS) else mean_name(measure)
