"""Conversion of judgments and runs to the format of a platform."""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import InputError
from berryeval.formats.rows import refuse_subtopics

__all__ = ["iter_rankings", "judged_queries", "score_of_rank"]


def judged_queries(
    data: Grouped, what: str, *, whole: bool = False
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Iterate over queries and their documents with grades, without negative ones.

    `what` is the format in messages. Raises `InputError` for a run, for subtopics, and for a
    grade with a fraction if the format has `whole` ones only.
    """
    if not isinstance(data, Judgments):
        raise InputError(f"{what} holds judgments, not a run")
    refuse_subtopics(data, what)
    for query_id, rows in data.iter_queries():
        documents = []
        for row in rows:
            grade = data.grades[row]
            if grade < 0:
                continue
            if whole and not grade.is_integer():
                place = f"{data.doc_ids[row]!r:.80} for query {shown_id(query_id)}"
                message = f"{what} has whole grades only, but {place} has {grade:g}"
                raise InputError(f"{message}; rescale the grades")
            documents.append((data.doc_ids[row], grade))
        yield decode_id(query_id), documents


def iter_rankings(data: Grouped, what: str) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Iterate over queries and their documents with scores, best first; raise for judgments."""
    if not isinstance(data, Run):
        raise InputError(f"{what} holds a run, not judgments")
    for query_id, rows in data.iter_queries():
        scores = {data.doc_ids[row]: data.values[row] for row in rows}
        name = decode_id(query_id)
        yield name, [(doc_id, scores[doc_id]) for doc_id in data.ranking(name)]


def score_of_rank(rank: int) -> float:
    """Return the score of a document of which only the rank is known, from 1: 1 / rank."""
    return 1 / rank
