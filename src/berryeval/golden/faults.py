"""Finds errors in a golden set: dangling references, contradictions and invalid grades."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal, TypeAlias

from berryeval.core.span_judgment import SpanJudgment
from berryeval.formats.relevance_judgments import JudgedQuery
from berryeval.golden.golden_set import PASSES, QUESTIONS, GoldenSet

__all__ = ["Fault", "Severity", "iter_faults", "overlapping"]

Severity: TypeAlias = Literal["error", "warning"]
"""Errors make scores wrong; warnings make them less meaningful."""

_MANY = 10_000  # names; to compare each of them would take seconds per mistake

_SEVERAL = 3
"""Judged ids that cannot all be misspelt."""

_ALMOST = 0.9  # similar enough for document_questions.json, but not for judging-pools.json


@dataclass(frozen=True)
class Fault:
    """A problem, or a possible problem, of a golden set."""

    level: Severity
    kind: str
    """The kind of problem, in a word, such as ``dangling``."""
    where: str
    """The affected query, chunk or file."""
    message: str


def iter_faults(golden: GoldenSet) -> Iterator[Fault]:
    """Iterate over the errors of a golden set that make its scores wrong."""
    chunk_ids = {chunk.chunk_id for chunk in golden.chunks}
    others = _other_ids(golden, chunk_ids)
    yield from others
    query_ids = {query.query_id for query in golden.queries}
    seen: set[str] = set()
    for judged in golden.judged:
        query_id = judged.query_id
        if query_id not in query_ids:
            yield _error("dangling", query_id, "is judged but is not in the queries")
        if query_id in seen:
            yield _error("contradiction", query_id, "is judged twice")
        seen.add(query_id)
        if golden.texts and not others:  # otherwise systems bring their own documents
            yield from _wrong_chunks(judged, chunk_ids, golden)
        yield from _contradictions(judged)
        yield from _wrong_grades(judged, golden.scale)
        yield from _wrong_spans(judged, golden)
    for query in golden.queries:
        if not query.text.strip():
            yield _error("empty", query.query_id, "has no text to search for")
    for lost in golden.lost_quotes:
        yield _error("quote", lost.judgment.query_id, lost.message)
    yield from _unread_files(golden)
    yield from _lost_spans(golden)
    yield from _wrong_passes(golden)
    yield from _lost_questions(golden, chunk_ids)


def _error(kind: str, where: str, message: str) -> Fault:
    return Fault("error", kind, where, message)


def _other_ids(golden: GoldenSet, chunk_ids: set[str]) -> list[Fault]:
    """Return one error if all judged ids are unknown: the names differ, and not a single id."""
    judged = {name: None for one in golden.judged for name, _ in one.iter_grades()}
    spans = {span.span_id for one in golden.judged for span in one.spans}
    is_known = any(name in chunk_ids or name in golden.texts for name in judged)
    if not golden.texts or is_known or spans or len(judged) < _SEVERAL:
        return []
    given, known = (", ".join(map(repr, islice(ids, 3))) for ids in (judged, sorted(chunk_ids)))
    message = (
        f"none of the {len(judged):,} judged ids is a {golden.unit} of the documents; judged: "
        f"{given}; {golden.unit}s: {known}"
    )
    return [_error("dangling", golden.name, message)]


def _wrong_chunks(judged: JudgedQuery, chunk_ids: set[str], golden: GoldenSet) -> Iterator[Fault]:
    spans = {span.span_id for span in judged.spans}
    what = "chunk of the documents" if golden.unit == "chunk" else "document"
    for chunk_id, _ in judged.iter_grades():
        if chunk_id in chunk_ids or chunk_id in spans:
            continue
        if chunk_id in golden.texts:
            hint = '; to judge whole documents, declare "chunks": "document" in the judgments'
        else:
            hint = _hint(chunk_id, chunk_ids)
        message = f"{chunk_id!r} is judged but is not a {what}{hint}"
        yield _error("dangling", judged.query_id, message)


def _hint(name: str, known: Collection[str]) -> str:
    if len(known) > _MANY:
        return ""
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _wrong_spans(judged: JudgedQuery, golden: GoldenSet) -> Iterator[Fault]:
    """Find spans outside of any document, and those that contradict another judgment."""
    query_id = judged.query_id
    for span in judged.spans:
        if span.source not in golden.texts:
            hint = _hint(span.source, golden.texts)
            message = (
                f"span {span.span_id!r} is judged, but {span.source!r} is not a document{hint}"
            )
            yield _error("dangling", query_id, message)
        elif span.end > len(golden.texts[span.source]):
            n_characters = len(golden.texts[span.source])
            message = f"span {span.span_id!r} ends beyond its document, of {n_characters:,}"
            yield _error("range", query_id, f"{message} characters")
    for a, b in overlapping(judged):
        if a.grade != b.grade:
            message = f"spans {a.span_id!r} and {b.span_id!r} overlap but have the grades"
            yield _error("contradiction", query_id, f"{message} {a.grade:g} and {b.grade:g}")
    if judged.spans and len(judged.spans) < sum(1 for _ in judged.iter_grades()):
        message = "chunks and spans are judged; a passage could count as both, so use only spans"
        yield _error("contradiction", query_id, message)


def overlapping(judged: JudgedQuery) -> Iterator[tuple[SpanJudgment, SpanJudgment]]:
    """Iterate over pairs of different spans that have characters in common."""
    for a, b in combinations(judged.spans, 2):
        if a.source == b.source and a.span_id != b.span_id and a.n_common(b.start, b.end):
            yield a, b


def _lost_spans(golden: GoldenSet) -> Iterator[Fault]:
    for span, answering in golden.matched_spans:
        if not answering and span.end <= len(golden.texts.get(span.source, "")):
            message = f"no chunk overlaps span {span.span_id!r}, so no system can find it"
            yield _error("lost", span.query_id, message)


def _contradictions(judged: JudgedQuery) -> Iterator[Fault]:
    grades: dict[str, float] = {}
    for chunk_id, grade in judged.iter_grades():
        if chunk_id not in grades:
            grades[chunk_id] = grade
        elif grades[chunk_id] == grade:
            message = f"{chunk_id!r} is judged twice"
            yield _error("contradiction", judged.query_id, message)
        else:
            message = f"{chunk_id!r} has the grades {grades[chunk_id]:g} and {grade:g}"
            yield _error("contradiction", judged.query_id, message)


def _wrong_grades(judged: JudgedQuery, scale: float | None) -> Iterator[Fault]:
    if scale is None:
        return
    for chunk_id, grade in judged.relevant:
        if grade > scale:
            message = f"{chunk_id!r} has the grade {grade:g}, above the scale of {scale:g}"
            yield _error("grade", judged.query_id, message)


def _unread_files(golden: GoldenSet) -> Iterator[Fault]:
    """Find misspelt names of optional files, which would otherwise be ignored silently."""
    for known in (QUESTIONS, PASSES):
        if (golden.folder / known).exists():
            continue
        names = [path.name for path in golden.folder.glob("*.json")]
        for name in difflib.get_close_matches(known, names, n=1, cutoff=_ALMOST):
            yield _error("unread", name, f"is ignored; did you mean {known!r}?")


def _lost_questions(golden: GoldenSet, chunk_ids: set[str]) -> Iterator[Fault]:
    lost = sorted(golden.questions.keys() - chunk_ids)
    if lost:
        others = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        hint = _hint(lost[0], chunk_ids)
        message = f"questions are given for {lost[0]!r}{others}, but there is no such chunk{hint}"
        yield _error("dangling", QUESTIONS, message)


def _wrong_passes(golden: GoldenSet) -> Iterator[Fault]:
    grades = {judged.query_id: dict(judged.iter_grades()) for judged in golden.judged}
    for query_id, pairs in golden.passes.items():
        known = grades.get(query_id, {})
        for chunk_id, (_, _, settled) in pairs.items():
            if known.get(chunk_id) != settled:
                found = f"{known[chunk_id]:g}" if chunk_id in known else "none"
                message = f"{chunk_id!r} was settled as {settled}, but its grade is {found}"
                yield _error("contradiction", query_id, message)
