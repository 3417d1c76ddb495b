"""Information that is lost between two formats, in sentences.

Readers note what a file has and we do not keep (`note_loss`). Before data are written,
`find_losses` compares them with what the format holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum

from berryeval.core.grouped import Grouped
from berryeval.core.judgments import Judgments, Opinion
from berryeval.core.run import Run
from berryeval.formats.capabilities import Capabilities

__all__ = ["Loss", "count_losses", "find_losses", "note_loss", "sentences_of"]


class Loss(Enum):
    """A kind of loss: singular and plural of what was left out."""

    UNRATED = ("row without a rating was", "rows without a rating were")
    FIELDS = (
        "document's title and other fields were",
        "documents' titles and other fields were",
    )
    QUERY_FACTS = ("query's notes or options were", "queries' notes or options were")
    INDICES = ("document's index name was", "documents' index names were")
    FAILED = ("failed query was", "failed queries were")
    NOT_RETRIEVED = (
        "document that was rated but not retrieved was",
        "documents that were rated but not retrieved were",
    )
    FEATURES = ("row's features were", "rows' features were")
    NEGATIVE = ("negative grade was", "negative grades were")
    JUDGES = ("grade's judge was", "grades' judges were")
    SOURCES = ("grade's source was", "grades' sources were")
    TIMES = ("grade's time was", "grades' times were")
    NOTES = ("grade's note was", "grades' notes were")

    def sentence(self, n: int) -> str:
        """Return a sentence about the given number of losses."""
        return f"{n:,} {self.value[n != 1]} left out."


_noted: ContextVar[Counter[Loss] | None] = ContextVar("losses", default=None)


@contextmanager
def count_losses() -> Iterator[Counter[Loss]]:
    """Count the losses that readers note within the block."""
    found: Counter[Loss] = Counter()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note_loss(loss: Loss, n: int = 1) -> None:
    """Note that something is left out; nothing happens outside `count_losses`."""
    found = _noted.get()
    if found is not None and n:
        found[loss] += n


def sentences_of(losses: Counter[Loss]) -> list[str]:
    """Return one sentence per kind of loss."""
    return [loss.sentence(n) for loss, n in losses.items()]


_OPINIONS: tuple[tuple[str, Loss, Callable[[Opinion], object]], ...] = (
    ("judges", Loss.JUDGES, lambda one: one.judge),
    ("sources", Loss.SOURCES, lambda one: one.source),
    ("times", Loss.TIMES, lambda one: one.judged_at),
    ("notes", Loss.NOTES, lambda one: one.note),
)


def find_losses(data: Grouped, holds: Capabilities) -> list[str]:
    """Return what judgments or a run lose in a format, one sentence per kind of loss.

    Grades of several judges that are reduced to one are not mentioned here: `Judgments.reduced`
    has the rule. Subtopics are not either, since writers refuse them.
    """
    if isinstance(data, Judgments):
        found = _lost_grades(data, holds)
    else:
        assert isinstance(data, Run)
        found = _lost_scores(data, holds)
    n_empty = len([None for _, rows in data.iter_queries() if not rows])
    if n_empty and not holds.empty_queries:
        queries, are = ("query", "is") if n_empty == 1 else ("queries", "are")
        found.append(
            f"{n_empty:,} {queries} without documents {are} left out; only JSON objects can "
            "contain queries without documents."
        )
    return found


def _lost_grades(data: Judgments, holds: Capabilities) -> list[str]:
    lost: Counter[Loss] = Counter()
    opinions = [
        one for documents in data.opinions.values() for some in documents.values() for one in some
    ]
    for name, loss, value_of in _OPINIONS:
        is_reduced = loss is Loss.JUDGES and data.reduced is not None
        if not getattr(holds, name) and not is_reduced:
            lost[loss] = len([None for one in opinions if value_of(one) is not None])
    if not holds.negative:
        lost[Loss.NEGATIVE] = len([None for grade in data.grades if grade < 0])
    found = sentences_of(+lost)
    if data.subtopic_weights and not holds.subtopic_weights:
        found.append("The weights of subtopics were left out.")
    if data.strata and not holds.strata:
        found.append("The strata of documents were left out: xinfAP and infNDCG need them.")
    if data.scale is not None and not holds.scale:
        labels = " and its labels were" if data.labels else " was"
        found.append(f"The scale of grades, 0 to {data.scale:g},{labels} left out.")
    return found


def _lost_scores(data: Run, holds: Capabilities) -> list[str]:
    found = []
    if data.n_rows and not holds.scores:
        found.append("Scores were left out: the format has ranks only.")
    if data.tag is not None and not holds.tags:
        found.append(f"The tag {data.tag!r} was left out.")
    return found
