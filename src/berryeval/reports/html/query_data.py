"""The queries of a comparison, in a compact form for a script.

Scores are whole ten-thousandths, column by column. Rankings are included for the queries that
changed most, up to a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.core.text import printable
from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.reports.html.focus import Focus

if TYPE_CHECKING:
    from berryeval.core.documents import Document
    from berryeval.evaluation.comparison import Comparison
    from berryeval.measures import Measure

__all__ = ["DEPTH", "OUTCOMES", "TitledDocuments", "moves", "query_data"]

OUTCOMES: tuple[Outcome, ...] = ("better", "equal", "worse")
"""Outcomes, in the order of their numbers in the data."""

DEPTH = 10
"""Number of ranks to show."""
_LOOK_DOWN = 100
"""Number of ranks to search for the new place of a document."""
_UNIT = 10_000
_MAX_RANKINGS = 1_500
_MAX_CHARACTERS = 2_000_000
_LONGEST_TEXT = 240
_LONGEST_TITLE = 90
_MAX_TITLES = 1_000_000
"""Total length of all titles in characters."""

TitledDocuments: TypeAlias = (
    "Mapping[str, Document] | Callable[[Iterable[str]], Mapping[str, Document]]"
)
"""Documents by id, or a function that returns those of some ids: few of all have to be read."""

Documents = list[list[Any]]
"""For each document, its id, its grade or None, and its rank in each run or 0."""


def query_data(
    comparison: Comparison, focus: Focus, documents: TitledDocuments | None = None
) -> dict[str, Any]:
    """Return the data for the script of the page; known documents have titles."""
    rankings = _rankings(comparison)
    ids = list(comparison.query_ids)
    baseline = comparison.baseline
    measures = [str(measure) for measure in comparison.measures]
    labels = [_label(comparison, query_id) for query_id in ids]
    return {
        "outcomes": OUTCOMES,
        "systems": [baseline, *comparison.candidates],
        "measures": measures,
        "system": comparison.candidates.index(focus.system),
        "measure": comparison.measures.index(focus.measure),
        "higher": [measure.higher_is_better for measure in comparison.measures],
        "depth": DEPTH,
        "ids": [printable(query_id) for query_id in ids],
        "texts": [_short(comparison.text_of(query_id)) for query_id in ids],
        "labels": labels if any(labels) else [],
        "hasLabels": any(labels),
        "baseline": [_scores(comparison, baseline, measure) for measure in measures],
        "candidates": [_candidate(comparison, system) for system in comparison.candidates],
        "rankings": rankings,
        "titles": _titles(rankings.values(), documents or {}),
    }


def _titles(rankings: Iterable[Documents], documents: TitledDocuments) -> dict[str, str]:
    """Return titles of the documents in rankings, or the beginnings of texts, up to a limit."""
    doc_ids = dict.fromkeys(row[0] for ranking in rankings for row in ranking)
    by_id = documents(doc_ids) if callable(documents) else documents
    found: dict[str, str] = {}
    n_characters = 0
    for doc_id in doc_ids:
        known = by_id.get(doc_id)
        if known is None:
            continue
        title = " ".join((known.title or known.text[: 2 * _LONGEST_TITLE]).split())
        title = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
        n_characters += len(doc_id) + len(title)
        if n_characters > _MAX_TITLES:
            break
        found[doc_id] = title
    return found


def _candidate(comparison: Comparison, system: str) -> dict[str, Any]:
    """Return the columns of one candidate, each with one number per query for each measure."""
    measures = comparison.measures
    moved = [comparison.moved(system, measure).tolist() for measure in measures]
    return {
        "scores": [_scores(comparison, system, str(measure)) for measure in measures],
        "differences": [[*map(_rounded, found)] for found in moved],
        "outcomes": [
            _outcomes(found, measure) for found, measure in zip(moved, measures, strict=True)
        ],
    }


def _outcomes(differences: Iterable[float], measure: Measure) -> list[int]:
    better = measure.higher_is_better
    return [OUTCOMES.index(outcome_of(one, higher_is_better=better)) for one in differences]


def _label(comparison: Comparison, query_id: str) -> str | None:
    query = comparison.queries.get(query_id)
    return None if query is None else query.category


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= _LONGEST_TEXT:
        return text
    return text[: _LONGEST_TEXT - 1] + "…"


def _scores(comparison: Comparison, system: str, measure: str) -> list[int]:
    return [*map(_rounded, comparison.evaluations[system][measure].values)]


def _rounded(value: float) -> int:
    return round(value * _UNIT)


def _rankings(comparison: Comparison) -> dict[int, Documents]:
    found: dict[int, Documents] = {}
    n_characters = 0
    for position in _most_changed(comparison):
        documents = moves(comparison, comparison.query_ids[position])
        n_characters += sum(len(str(document)) for document in documents)
        if len(found) == _MAX_RANKINGS or n_characters > _MAX_CHARACTERS:
            break
        found[position] = documents
    return found


def _most_changed(comparison: Comparison) -> Iterator[int]:
    """Return the queries by their largest change in any measure or system; all if there are few."""
    greatest = [0.0] * comparison.n_queries
    for difference in comparison.differences:
        for position, value in enumerate(abs(difference.values).tolist()):
            greatest[position] = max(greatest[position], value)
    order = sorted(range(comparison.n_queries), key=lambda position: -greatest[position])
    return iter(order)


def moves(comparison: Comparison, query_id: str) -> Documents:
    """Return the documents that any run has in its first ranks, with the rank in each run."""
    return [
        [printable(one.doc_id), _whole(one.grade), *one.ranks]
        for one in comparison.placed_documents(query_id, DEPTH, _LOOK_DOWN)
    ]


def _whole(grade: float | None) -> float | None:
    return int(grade) if grade is not None and grade == int(grade) else grade
