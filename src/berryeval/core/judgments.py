"""Judgments: what is known about the relevance of documents."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from berryeval.core.grade import MAX_GRADE, check_grade
from berryeval.core.grouped import Grouped, Grouping

__all__ = ["Judgments"]


class Judgments(Grouped):
    """A grade for each judged pair of query and document. TREC people say qrels.

    A document is relevant when its grade reaches the level that a measure asks for, 1 unless
    told otherwise. A grade of 0 says that the document was looked at and found not relevant.
    A grade below 0 says that it was in the pool and not judged, as in trec_eval: it is treated
    as a document without a judgment.

    Examples
    --------
    >>> judgments = Judgments.from_dict({"q1": {"d1": 2, "d2": 0}})
    >>> judgments
    <Judgments: 1 query, 2 documents>
    >>> judgments.to_dict()
    {'q1': {'d1': 2.0, 'd2': 0.0}}
    """

    @classmethod
    def collect(cls, rows: Grouping) -> Judgments:
        """Make judgments of the rows that were collected."""
        return cls(*rows.columns())

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]]) -> Judgments:
        """Read a mapping from query id to a mapping from document id to grade."""
        return cls.of_dict(judgments, "judgments", check_grade, MAX_GRADE)

    @property
    def grades(self) -> array[float]:
        """The grade of each row."""
        return self.values

    def grades_of(self, query_id: bytes) -> dict[bytes, float]:
        """Return the grade of each judged document of a query."""
        return {self.doc_ids.bytes_at(row): self.values[row] for row in self.rows_of(query_id)}
