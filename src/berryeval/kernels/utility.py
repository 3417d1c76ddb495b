"""Utility: the sum of the values of each kind of document."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["utility"]


def utility(
    grades: Sequence[float],
    judged: Sequence[float],
    worth: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0),
    n_documents: int = 0,
    level: float = 1.0,
) -> float:
    """Add up the values of documents, by whether they were retrieved and are relevant.

    `worth` contains the value of a document that is retrieved and relevant; retrieved and not
    relevant; relevant and not retrieved; neither. The number of the last follows from
    `n_documents`, the size of the collection; 0, as in trec_eval, makes it negative.
    """
    n_retrieved = len(grades)
    n_relevant = count_relevant(judged, level)
    n_found = count_relevant(grades, level)
    total = worth[0] * n_found
    total += worth[1] * (n_retrieved - n_found)
    total += worth[2] * (n_relevant - n_found)
    total += worth[3] * (n_documents + n_found - n_retrieved - n_relevant)
    return total
