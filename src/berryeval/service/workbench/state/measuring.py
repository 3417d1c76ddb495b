"""How much differences vary from query to query, from runs of the archive."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.query import Query
from berryeval.errors import MismatchError
from berryeval.evaluation.deciding import Column, Floats
from berryeval.evaluation.detection import (
    ASSUMED_CORRELATION,
    Detection,
    assumed_detection,
    detection_of,
)
from berryeval.evaluation.differences import find_pairs
from berryeval.evaluation.result import MeasureResult
from berryeval.evaluation.sampling import sampling_of
from berryeval.evaluation.slices import find_all_slices
from berryeval.service.lru_cache import LruCache
from berryeval.service.references import find_run
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["N_SERIES", "Columns", "Measuring", "Spread", "Wish"]

N_SERIES = 8
"""Runs of a series that are looked at, the newest."""

_MOST_KNOWN = 64
_MOST_PARTS = 40
"""Slices that are told of, the largest."""


@dataclass(frozen=True)
class Wish:
    """A question, with whatever is wrong with it beside its field."""

    texts: Mapping[str, str]
    """The fields as they were typed."""
    measure: str
    slice: str
    """``label=value``, or empty for all queries."""
    source: str
    a: str
    b: str
    margin: float
    alpha: float
    power: float
    sd: float | None = None
    messages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spread:
    """How much differences vary, and what follows."""

    found: Detection
    told: str
    """Where the spread comes from, to end a sentence."""
    slices: Sequence[str]
    """What queries can be sliced by: ``label=value``."""
    parts: Sequence[tuple[str, Detection]]
    """What each slice can detect, the one that detects least first."""


class Columns:
    """Query by query: differences of pairs of runs, or the scores of one run.

    Parameters
    ----------
    values : sequence of arrays
        One number per query, for each pair.
    reference : MeasureResult
        The measure of the baseline.
    query_ids, queries
        Which queries they are, and their labels.
    told : str
        Where they come from, to end a sentence.
    is_assumed : bool
        Whether they are scores, and differences are only assumed.
    """

    def __init__(
        self,
        values: Sequence[Floats],
        reference: MeasureResult,
        query_ids: Sequence[str],
        queries: Mapping[str, Query],
        told: str,
        *,
        is_assumed: bool = False,
    ) -> None:
        self._values = values
        self._reference = reference
        self._is_assumed = is_assumed
        self._sampling = sampling_of(queries, query_ids)
        self.n_queries = len(query_ids)
        self.told = told
        found = find_all_slices(queries, [*query_ids])
        self.slices = {str(part): positions for part, positions in found.items()}

    def detection(self, wish: Wish, part: str = "") -> Detection:
        """Return what all queries, or those of a slice, can detect.

        Of several pairs the one that differs most counts.
        """
        positions = self.slices.get(part, range(self.n_queries))
        asked = {"alpha": wish.alpha, "power": wish.power, "margin": wish.margin}
        scores = self._reference.scores
        if part:
            scores = scores.take([*positions])
        baseline = replace(self._reference, scores=scores)
        if not self._is_assumed and wish.sd is None:
            sampling = self._sampling.take([*positions])
            columns = [Column(one[positions], sampling=sampling) for one in self._values]
            return detection_of(columns, baseline, **asked)
        found = assumed_detection(baseline, **asked)
        return found if wish.sd is None else replace(found, sd=wish.sd)


class Measuring:
    """Columns of the runs that were asked for last, at the judgments of now."""

    def __init__(self, archive: Archive, scoring: Scoring) -> None:
        self._archive = archive
        self._scoring = scoring
        self._known: LruCache[tuple[object, ...], Columns] = LruCache(_MOST_KNOWN)

    def is_known(self, wish: Wish) -> bool:
        """Tell whether an answer takes no time.

        Raises
        ------
        NotFoundError
            If a run is not there.
        """
        return self._key(wish) in self._known

    def spread(self, wish: Wish) -> Spread:
        """Return how much differences vary, as the wish wants it.

        Raises
        ------
        NotFoundError
            If a run is not there.
        MismatchError
            If runs cannot be scored, or there is no such slice.
        """
        columns = self._known.get_or_make(self._key(wish), lambda: self._make(wish))
        slices = columns.slices
        if wish.slice and wish.slice not in slices:
            raise MismatchError(f"no query is in the slice {wish.slice!r}")
        found = columns.detection(wish, wish.slice)
        if wish.sd is not None:
            return Spread(found, "as you say", tuple(slices), ())
        largest = sorted(slices, key=lambda name: -len(slices[name]))[:_MOST_PARTS]
        parts = [(name, columns.detection(wish, name)) for name in largest]
        parts.sort(key=lambda part: (-(part[1].smallest_drop or math.inf), part[0]))
        return Spread(found, columns.told, tuple(slices), parts)

    def _key(self, wish: Wish) -> tuple[object, ...]:
        a, b = (find_run(self._archive, one).run_id for one in (wish.a, wish.b))
        state = self._archive.judgments.revision(), self._archive.queries.stamp()
        if wish.source in ("assumed", "given"):
            return "assumed", a, wish.measure, state
        newest = self._series(b)[:1] if wish.source == "series" else ()
        return wish.source, a, b, wish.measure, state, *(run.run_id for run in newest)

    def _make(self, wish: Wish) -> Columns:
        reference = find_run(self._archive, wish.a)
        first = self._scoring.evaluation(reference.run_id)
        # Not those of the evaluation: it stays when only labels change.
        known = first.scores.query_ids, self._scoring.queries()
        measure = first[wish.measure].measure
        if wish.source in ("assumed", "given"):
            scores = f"the scores of {_name(reference)}"
            told = f"assumed: {scores}, and a correlation of {ASSUMED_CORRELATION:g}"
            [alone] = find_pairs(first, {"": first}, [measure], [*known[0]])
            return Columns([alone.baseline], first[wish.measure], *known, told, is_assumed=True)
        candidate = find_run(self._archive, wish.b)
        several = [candidate]
        told = f"measured between {_name(reference)} and {_name(candidate)}"
        if wish.source == "series":
            series = self._series(candidate.run_id)
            several = [run for run in series if run.content_hash != reference.content_hash]
            several = several[:N_SERIES]
            runs = "run" if len(several) == 1 else f"{len(several)} runs"
            told = f"measured over the last {runs} of {candidate.facts.name}"
        scored = {run.run_id: self._scoring.evaluation(run.run_id) for run in several}
        pairs = find_pairs(first, scored, [measure], [*known[0]])
        columns = [pair.differences for pair in pairs]
        return Columns(columns, first[wish.measure], *known, told)

    def _series(self, run_id: str) -> tuple[StoredRun, ...]:
        name = find_run(self._archive, run_id).facts.name
        return self._archive.runs.page(name=name, limit=N_SERIES + 1, newest_first=True).items


def _name(run: StoredRun) -> str:
    return f"{run.facts.name} {(run.facts.commit or run.run_id)[:7]}"
