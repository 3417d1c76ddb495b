"""The history of an archive: its runs in the order in which they were stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from berryeval.core.content_hash import hash_of_ids
from berryeval.errors import FormatError
from berryeval.evaluation.evaluate import read_measure
from berryeval.formats.lines import can_be_read_again
from berryeval.suite.history import Entry, History, sampling_fields

if TYPE_CHECKING:
    from berryeval.archive import Archive
    from berryeval.archive.records import StoredRun, TrendPoint
    from berryeval.evaluation.result import Evaluation

__all__ = ["archived_entry", "entry_of_run", "is_archive", "read_archived"]

_SQLITE = b"SQLite format 3\0"


def is_archive(place: str) -> bool:
    """Whether a location is an archive: a PostgreSQL address, or a SQLite file."""
    if place.startswith(("postgresql://", "postgres://")):
        return True
    if not can_be_read_again(place):
        return False
    try:
        with Path(place).open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # the error is reported when it is read


def read_archived(place: str, measure: str, *, run: str | None = None) -> History:
    """Score the runs of an archive with the current judgments, as entries of a history.

    Parameters
    ----------
    place : str
        A file, or ``postgresql://user@host/database``. A missing file is not created.
    measure : str
        Name of one measure.
    run : str, optional
        Only include runs with this name.

    Raises
    ------
    FormatError
        If it has no run that can be scored, with the reason.
    """
    from berryeval.archive import Archive

    with Archive.open(place, create=False) as archive:
        judgments = archive.judgments.hash()
        found = archive.trend(measure, name=run, at=judgments)
        scored = [point for point in found if point.mean is not None]
        if not scored:
            reason = found[0].reason if found else "there is none"
            raise FormatError(f"expected runs that can be scored: {reason}", archive.name)
        chosen = str(read_measure(measure))
        entries = tuple(archived_entry(archive, chosen, judgments, point) for point in scored)
        unscored = tuple(_sentence(point) for point in found if point.mean is None)
        return History(archive.name, entries, unscored=unscored)


def _sentence(point: TrendPoint) -> str:
    """Return a sentence with the reason why a run cannot be scored."""
    stored_at, name = point.run.stored_at, point.run.facts.name
    n_failed = len(point.run.facts.failed)
    failed = f" ({n_failed} failed)" if n_failed else ""
    return f"{stored_at:%Y-%m-%d %H:%M} {name}: cannot be scored{failed}: {point.reason}."


def archived_entry(archive: Archive, measure: str, judgments: str, point: TrendPoint) -> Entry:
    """Return a scored run as an entry of a history; its note is the commit."""
    assert point.evaluation_id is not None
    evaluation = archive.evaluations.load(point.evaluation_id)
    return entry_of_run(point.run, evaluation, measure, judgments)


def entry_of_run(run: StoredRun, evaluation: Evaluation, measure: str, judgments: str) -> Entry:
    """Return the evaluation of an archived run as an entry of a history.

    Parameters
    ----------
    run : StoredRun
    evaluation : Evaluation
        The run's scores, including the measure.
    measure : str
        Name of the measure in the evaluation.
    judgments : str
        Hash of the judgments.
    """
    return Entry(
        time=run.stored_at,
        run=run.facts.name,
        note=run.facts.commit,
        judgments=judgments,
        queries=hash_of_ids(evaluation.scores.query_ids.iter_bytes()),
        n_queries=evaluation.n_queries,
        means={measure: evaluation[measure].mean},
        scores={measure: tuple(evaluation[measure].values)},
        n_failed=len(run.facts.failed),
        n_missing=sum(bool(one) for one in evaluation.scores.is_missing),
        query_ids=tuple(evaluation.scores.query_ids),
        **sampling_fields(evaluation),
    )
