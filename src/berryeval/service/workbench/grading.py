"""The scale and concurrent changes, for all pages where documents are graded."""

from __future__ import annotations

from typing import Protocol

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable
from berryeval.core.grade import HIGHEST, default_labels

__all__ = ["change_sentence", "grade_labels", "labels_in_use", "read_revision"]

_MAX_DIGITS = 18
_WHOLE_SCALE = 3
_ENOUGH = 100
"""With fewer judgments, the grades in use say little about the scale."""


def grade_labels(archive: Archive, table: JudgmentTable | None) -> tuple[str, ...]:
    """Return the labels of the grades, from 0 up.

    If the archive declares none, the scale ends with 3 or the highest grade in use.
    """
    highest = float(table.grades.max()) if table is not None and len(table) else 0.0
    n_judgments = 0 if table is None else len(table)
    return archive.judging.get().labels or labels_in_use(highest, n_judgments)


def labels_in_use(highest: float, n_judgments: int) -> tuple[str, ...]:
    """Return the labels of grades without a declared scale, by those that judgments have."""
    if highest > _WHOLE_SCALE:
        return default_labels(min(int(highest), HIGHEST))
    return default_labels(max(1, int(highest)) if n_judgments >= _ENOUGH else _WHOLE_SCALE)


def read_revision(text: str) -> int:
    """Return the revision in a form; -1, which no judgment has, if it is not a number."""
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else -1


class Graded(Protocol):
    """The parts of a judgment that a sentence names."""

    @property
    def author(self) -> str:
        """The judge."""

    @property
    def grade(self) -> float | None:
        """The grade."""


def change_sentence(current: Graded | None) -> str:
    """Describe how a judgment was changed while another judge was looking at it."""
    if current is None:
        return "The judgment has been withdrawn"
    return f"{current.author} has graded it {current.grade:g}"
