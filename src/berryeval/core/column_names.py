"""Names of the columns of judgments and runs, in BerryEval and in other tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

__all__ = [
    "DOCUMENT",
    "GRADE",
    "JUDGE",
    "JUDGED_AT",
    "LABEL_COLUMNS",
    "LENGTH",
    "NOTE",
    "QUERY",
    "RANK",
    "SCORE",
    "SOURCE",
    "STRATUM",
    "SUBTOPIC",
    "SUBTOPIC_WEIGHT",
    "Kind",
    "find_name",
    "wanted_names",
]

Kind: TypeAlias = Literal["judgments", "run"]
"""The kind of data in a file or a frame."""

# Ours first. BEIR uses query-id, corpus-id and score; Quepid query, docid and rating.
QUERY = ("query_id", "query-id", "qid", "queryid", "q_id", "query", "topic")
DOCUMENT = (
    "doc_id", "corpus-id", "docid", "docno", "did", "document_id", "corpus_id", "doc", "document",
)  # fmt: skip
GRADE = ("relevance", "grade", "rel", "rating", "label", "judgment", "score")
SCORE = ("score", "sim", "similarity", "rsv")

LENGTH = ("length", "tokens", "n_tokens", "words", "characters")

# Runs may also have this.
RANK = ("rank",)

# Judgments may also have these.
JUDGE = ("judge", "judge_id", "assessor", "author")
SUBTOPIC = ("subtopic", "subtopic_id", "intent")
SOURCE = ("source",)
JUDGED_AT = ("judged_at",)
NOTE = ("note",)
SUBTOPIC_WEIGHT = ("subtopic_weight", "intent_weight")
STRATUM = ("stratum",)
LABEL_COLUMNS = (JUDGE, SUBTOPIC, SOURCE, JUDGED_AT, NOTE, SUBTOPIC_WEIGHT, STRATUM)
"""Columns, in the order of the fields of `berryeval.core.judging.JudgedRow`."""


def wanted_names(kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the accepted names of the columns for query, document, and grade or score."""
    return QUERY, DOCUMENT, GRADE if kind == "judgments" else SCORE


def find_name(names: Iterable[str], known: tuple[str, ...]) -> str | None:
    """Return the first known name, in order of preference; None if there is none."""
    given: dict[str, str] = {}
    for name in names:
        given.setdefault(name.strip().lower(), name)
    return next((given[name] for name in known if name in given), None)
