"""Rank changes of a query, summarised for a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.id_column import decode_id

__all__ = ["MovedDocument", "Moves", "find_moves"]

_N_SHOWN = 2
_RELEVANT = 1.0


@dataclass(frozen=True)
class MovedDocument:
    """A document whose rank changed; None is a rank below those that are compared."""

    doc_id: str
    grade: float
    before: int | None
    after: int | None

    @property
    def is_up(self) -> bool:
        """Whether it moved up."""
        return self.after is not None and (self.before is None or self.after < self.before)


@dataclass(frozen=True)
class Moves:
    """Rank changes within the top ranks."""

    shown: tuple[MovedDocument, ...]
    """Relevant documents, highest grade and largest move first."""
    n_relevant: int
    """Relevant documents that moved."""
    n_new: int
    """Documents that were not there before."""
    n_shifted: int
    """Documents that were there before, at another rank."""

    @property
    def words(self) -> str:
        """A summary without ids: ``2 new, 5 shifted``."""
        parts = [f"{self.n_new} new"] if self.n_new else []
        parts += [f"{self.n_shifted} shifted"] if self.n_shifted else []
        return ", ".join(parts) or "same ranking"


def find_moves(
    before: Sequence[bytes], after: Sequence[bytes], grades: Mapping[bytes, float]
) -> Moves:
    """Compare the top ranks of two rankings.

    A document is relevant from grade 1.
    """
    old, new = ({doc_id: i for i, doc_id in enumerate(ids, start=1)} for ids in (before, after))
    moved = [doc_id for doc_id in old | new if old.get(doc_id) != new.get(doc_id)]
    relevant = [
        MovedDocument(decode_id(doc_id), grades[doc_id], old.get(doc_id), new.get(doc_id))
        for doc_id in moved
        if grades.get(doc_id, 0.0) >= _RELEVANT
    ]
    deepest = max(len(before), len(after)) + 1
    relevant.sort(key=lambda one: (-one.grade, -_way(one, deepest)))
    n_new = sum(doc_id not in old for doc_id in new)
    n_shifted = sum(old.get(doc_id, rank) != rank for doc_id, rank in new.items())
    return Moves(tuple(relevant[:_N_SHOWN]), len(relevant), n_new, n_shifted)


def _way(document: MovedDocument, deepest: int) -> int:
    before, after = (rank or deepest for rank in (document.before, document.after))
    return abs(after - before)
