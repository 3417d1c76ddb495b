"""What somebody said of a document."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["RelevanceJudgment"]


@dataclass(frozen=True, slots=True)
class RelevanceJudgment:
    """The grade of one document for one query.

    Parameters
    ----------
    doc_id : hashable
        The document.
    grade : float
        The higher the better; relevant from 1 on, unless a measure is told otherwise.
        0 is judged and not relevant. Below 0 counts as not judged.

    Examples
    --------
    >>> RelevanceJudgment("d7", 2)
    RelevanceJudgment(doc_id='d7', grade=2)
    """

    doc_id: Hashable
    grade: float = 1
