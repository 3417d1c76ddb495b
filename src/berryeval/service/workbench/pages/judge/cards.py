"""Cards of documents to judge: the query, the text, and the reason to judge it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup, escape

from berryeval.archive import Archive
from berryeval.archive.judgments.opinions import counted_state, history_of
from berryeval.core.query import Query
from berryeval.service.workbench.state.judging_modes import Mode
from berryeval.service.workbench.state.judging_queues import Turn
from berryeval.service.workbench.texts import highlighted, rendered

__all__ = ["PIECE", "Card", "card_of"]

PIECE = 20_000
"""Number of characters of a document that are sent with the page; the rest is sent on request."""


@dataclass(frozen=True, slots=True)
class Card:
    """A document to judge, as sent to the script of the page."""

    query_id: str
    doc_id: str
    query: str
    """The text of the query."""
    is_known_query: bool
    description: str | None
    labels: list[str]
    title: str
    html: Markup
    """Its first `PIECE` characters, with the words of the query highlighted."""
    title_html: Markup
    n_shown: int
    n_characters: int
    has_text: bool
    hash: str | None
    revision: int
    why: str
    opinions: tuple[tuple[str, float], ...] = ()
    """Judges and their grades, if they disagree or a project shows them."""


def card_of(archive: Archive, turn: Turn, mode: Mode) -> Card:
    """Return the card of a document to judge."""
    query_id, doc_id = turn.asked.pair
    query = archive.queries.get(query_id)
    document = archive.documents.get(doc_id)
    text = "" if document is None else document.text or ""
    asked_for = query or Query(query_id, query_id)
    shown = text[:PIECE]
    title = "" if document is None else document.title or ""
    return Card(
        query_id=query_id,
        doc_id=doc_id,
        query=asked_for.text,
        is_known_query=query is not None,
        description=asked_for.description,
        labels=[one for one in (asked_for.category, asked_for.difficulty) if one],
        title=title,
        html=rendered(shown, asked_for.text),
        title_html=highlighted(escape(title or doc_id), asked_for.text),
        n_shown=len(shown),
        n_characters=len(text),
        has_text=document is not None and document.text is not None,
        hash=None if document is None else document.hash,
        revision=turn.revision,
        why=_why(turn, mode),
        opinions=_grades_by_author(turn) if mode == "conflicts" else turn.asked.opinions,
    )


def _grades_by_author(turn: Turn) -> tuple[tuple[str, float], ...]:
    return tuple(history_of(turn.states).independent.items())


def _why(turn: Turn, mode: Mode) -> str:
    if mode == "second":
        return (
            "Another judge has graded it. Your grade, given without seeing theirs, "
            "shows how well you agree."
        )
    if mode == "stale":
        last = counted_state(turn.states)
        assert last is not None  # a stale judgment exists
        return (
            f"{last.author} graded it {last.grade:g} on {last.judged_at:%Y-%m-%d}; "
            "the document has changed since then."
        )
    if mode == "conflicts":
        return "These judges disagree. Your grade settles the conflict and is the one that counts."
    return turn.asked.why
