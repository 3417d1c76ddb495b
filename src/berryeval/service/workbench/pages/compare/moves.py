"""What moved in a ranking, in a few words for a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.id_column import decode_id

__all__ = ["MovedDocument", "Moves", "what_moved"]

_N_SHOWN = 2
_RELEVANT = 1.0


@dataclass(frozen=True)
class MovedDocument:
    """A document that stands elsewhere; no rank is one below those that are looked at."""

    doc_id: str
    grade: float
    before: int | None
    after: int | None

    @property
    def is_up(self) -> bool:
        """Whether it stands higher than before."""
        return self.after is not None and (self.before is None or self.after < self.before)


@dataclass(frozen=True)
class Moves:
    """What moved within the first ranks."""

    shown: tuple[MovedDocument, ...]
    """Relevant documents, the best grade and the longest way first."""
    n_relevant: int
    """Relevant documents that moved."""
    n_new: int
    """Documents that were not there."""
    n_shifted: int
    """Documents that were there, at another rank."""

    @property
    def words(self) -> str:
        """Say it without names: ``2 new, 5 shifted``."""
        told = [f"{self.n_new} new"] if self.n_new else []
        told += [f"{self.n_shifted} shifted"] if self.n_shifted else []
        return ", ".join(told) or "same ranking"


def what_moved(
    before: Sequence[bytes], after: Sequence[bytes], grades: Mapping[bytes, float]
) -> Moves:
    """Compare the first ranks of two rankings.

    Relevant are documents with a grade of at least 1.
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
