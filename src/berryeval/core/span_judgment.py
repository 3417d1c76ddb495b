"""Judgments of pieces of documents."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.errors import ArgumentError

__all__ = ["SpanJudgment"]


@dataclass(frozen=True, slots=True)
class SpanJudgment:
    """A grade of a piece of a source document for a query."""

    query_id: str
    source: str
    """The document, as `berryeval.search.chunking.Chunk` names it."""
    start: int
    end: int
    """The first character after the piece; `start` is its first one."""
    grade: float
    """Higher is better; 0 means judged and not relevant."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ArgumentError("span", "0 <= start < end", f"{self.start} to {self.end}")

    @property
    def span_id(self) -> str:
        """Its name in judgments and runs: ``guide.md@120-340``."""
        return f"{self.source}@{self.start}-{self.end}"

    def n_common(self, start: int, end: int) -> int:
        """Return how many characters it has in common with another piece of the source."""
        return max(0, min(end, self.end) - max(start, self.start))
