"""What a judge sees of a document: the query, the text, and why it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.judgments.opinions import counted_state, saying_of
from berryeval.core.query import Query
from berryeval.service.workbench.state.judging_modes import Mode
from berryeval.service.workbench.state.judging_queues import Turn

__all__ = ["PIECE", "Card", "card_of"]

PIECE = 20_000
"""Characters of a document that come with the page; the rest comes on request."""


@dataclass(frozen=True, slots=True)
class Card:
    """A document to judge."""

    turn: Turn
    query: Query
    is_known_query: bool
    title: str
    text: str
    """Its first `PIECE` characters."""
    n_characters: int
    has_text: bool
    hash: str | None
    why: str
    said: tuple[tuple[str, float], ...] = ()
    """Who said what, where judges differ."""

    def as_dict(self) -> dict[str, Any]:
        """Return what the page's script takes."""
        return {
            "query_id": self.query.query_id,
            "doc_id": self.turn.asked.doc_id,
            "query": self.query.text,
            "is_known_query": self.is_known_query,
            "description": self.query.description,
            "labels": [one for one in (self.query.category, self.query.difficulty) if one],
            "title": self.title,
            "text": self.text,
            "n_shown": len(self.text),
            "n_characters": self.n_characters,
            "has_text": self.has_text,
            "hash": self.hash,
            "revision": self.turn.revision,
            "why": self.why,
            "said": [list(one) for one in self.said],
        }


def card_of(archive: Archive, turn: Turn, mode: Mode) -> Card:
    """Return what to show of something to judge."""
    query_id, doc_id = turn.asked.pair
    query = archive.queries.get(query_id)
    document = archive.documents.get(doc_id)
    text = "" if document is None else document.text or ""
    return Card(
        turn=turn,
        query=query or Query(query_id, query_id),
        is_known_query=query is not None,
        title="" if document is None else document.title or "",
        text=text[:PIECE],
        n_characters=len(text),
        has_text=document is not None and document.text is not None,
        hash=None if document is None else document.hash,
        why=_why(turn, mode),
        said=_said(turn) if mode == "conflicts" else (),
    )


def _said(turn: Turn) -> tuple[tuple[str, float], ...]:
    return tuple(saying_of(turn.states).independent.items())


def _why(turn: Turn, mode: Mode) -> str:
    if mode == "second":
        return (
            "Another judge has graded it. A second grade, given without seeing the first, "
            "shows how well you agree."
        )
    if mode == "stale":
        last = counted_state(turn.states)
        assert last is not None  # what is stale is judged
        return (
            f"{last.author} gave it {last.grade:g} on {last.judged_at:%Y-%m-%d}, "
            "and the document has changed since."
        )
    if mode == "conflicts":
        return "These judges differ. Your grade settles it, and counts from then on."
    return turn.asked.why
