"""Strata of the pool: which part of it a judged document was sampled from.

If a pool is too large to judge, a random sample is judged, often at different rates in different
strata, such as the first ten ranks and all others. Estimates need the number of documents
of each stratum, and how many of them were judged. Measures of single grades treat a `SampledGrade`
as a plain number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SampledGrade", "Stratum", "find_strata", "grades_by_stratum"]


class Stratum(NamedTuple):
    """A part of the pool of a query, from which documents were sampled at random.

    Examples
    --------
    >>> Stratum(b"2", n_pooled=40, n_sampled=10).weight
    4.0
    """

    name: bytes
    n_pooled: int
    """The number of its documents, judged or not."""
    n_sampled: int
    """The number of judged ones."""

    @property
    def weight(self) -> float:
        """The number of documents that each judged one stands for; 0 if none is judged."""
        return self.n_pooled / self.n_sampled if self.n_sampled else 0.0


class SampledGrade(float):
    """The grade of a document, and the stratum that it belongs to.

    Examples
    --------
    >>> grade = SampledGrade(2.0, Stratum(b"2", 40, 10))
    >>> grade + 1, grade.stratum.name
    (3.0, b'2')
    """

    __slots__ = ("stratum",)

    stratum: Stratum

    def __new__(cls, grade: float, stratum: Stratum) -> Self:
        """Make a number with a stratum."""
        made = super().__new__(cls, grade)
        made.stratum = stratum
        return made

    def __reduce__(self) -> tuple[type[SampledGrade], tuple[float, Stratum]]:
        """Return what copies and pickles are made of."""
        return SampledGrade, (float(self), self.stratum)


def find_strata(
    grades: Mapping[bytes, float], strata: Mapping[bytes, bytes]
) -> dict[bytes, Stratum]:
    """Return the strata of a query by name.

    Parameters
    ----------
    grades : mapping from bytes to float
        The grade of each document in the pool; below 0 for those that were not judged.
    strata : mapping from bytes to bytes
        The stratum of each document. Documents without one form a stratum of their own, whose name
        is empty.
    """
    n_pooled: dict[bytes, int] = {}
    n_sampled: dict[bytes, int] = {}
    for doc_id, grade in grades.items():
        name = strata.get(doc_id, b"")
        n_pooled[name] = n_pooled.get(name, 0) + 1
        n_sampled[name] = n_sampled.get(name, 0) + (grade >= 0.0)
    return {name: Stratum(name, n_pooled[name], n_sampled[name]) for name in n_pooled}


def grades_by_stratum(
    grades: Mapping[bytes, float], strata: Mapping[bytes, bytes]
) -> dict[bytes, float]:
    """Return the grades of a query's documents with their strata, as `find_strata` finds them."""
    found = find_strata(grades, strata)
    return {
        doc_id: SampledGrade(grade, found[strata.get(doc_id, b"")])
        for doc_id, grade in grades.items()
    }
