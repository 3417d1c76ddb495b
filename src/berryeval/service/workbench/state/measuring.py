"""The spread of differences between queries, from runs of the archive."""

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
from berryeval.service.lru_cache import LruCache, at_least
from berryeval.service.stored_runs import find_run
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["N_SERIES", "Columns", "Measuring", "PowerForm", "Spread"]

N_SERIES = 8
"""Number of runs of a series to use, newest first."""

_MAX_BYTES, _MAX_KNOWN = 16 << 20, 64
"""Maximum size in bytes, and number, of the cached columns."""
_MAX_PARTS = 40
"""Number of slices to report, largest first."""


@dataclass(frozen=True)
class PowerForm:
    """The form of the page Power, with its errors by field."""

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
    """The spread of differences, and what it can detect."""

    found: Detection
    source: str
    """The source of the spread, to end a sentence."""
    slices: Sequence[str]
    """The slices of the queries: ``label=value``."""
    parts: Sequence[tuple[str, Detection]]
    """What each slice can detect, least sensitive first."""


class Columns:
    """Values per query: differences of pairs of runs, or the scores of one run.

    Parameters
    ----------
    values : sequence of arrays
        One number per query, for each pair.
    reference : MeasureResult
        The measure of the baseline.
    query_ids, queries
        The queries, and their labels.
    source : str
        The source of the values, to end a sentence.
    is_assumed : bool
        Whether the values are scores, and differences are only assumed.
    """

    def __init__(
        self,
        values: Sequence[Floats],
        reference: MeasureResult,
        query_ids: Sequence[str],
        queries: Mapping[str, Query],
        source: str,
        *,
        is_assumed: bool = False,
    ) -> None:
        self._values = values
        self._reference = reference
        self._is_assumed = is_assumed
        self._sampling = sampling_of(queries, query_ids)
        self.n_queries = len(query_ids)
        self.source = source
        found = find_all_slices(queries, [*query_ids])
        self.slices = {str(part): positions for part, positions in found.items()}
        n_numbers = (len(values) + 1) * len(query_ids) + sum(map(len, found.values()))
        self.n_bytes = 8 * n_numbers
        """About how much memory they take."""

    def detection(self, form: PowerForm, part: str = "") -> Detection:
        """Return what all queries, or those of a slice, can detect.

        If there are several pairs, the one with the largest spread counts.
        """
        positions = self.slices.get(part, range(self.n_queries))
        asked = {"alpha": form.alpha, "power": form.power, "margin": form.margin}
        scores = self._reference.scores
        if part:
            scores = scores.take([*positions])
        baseline = replace(self._reference, scores=scores)
        if not self._is_assumed and form.sd is None:
            sampling = self._sampling.take([*positions])
            columns = [Column(one[positions], sampling=sampling) for one in self._values]
            return detection_of(columns, baseline, **asked)
        found = assumed_detection(baseline, **asked)
        return found if form.sd is None else replace(found, sd=form.sd)


class Measuring:
    """Columns of the most recently requested runs, with the current judgments."""

    def __init__(self, archive: Archive, scoring: Scoring) -> None:
        self._archive = archive
        self._scoring = scoring
        self._known: LruCache[tuple[object, ...], Columns] = LruCache(
            _MAX_BYTES, at_least(_MAX_BYTES // _MAX_KNOWN, lambda columns: columns.n_bytes)
        )

    def is_known(self, form: PowerForm) -> bool:
        """Return whether the answer is immediately available.

        Raises
        ------
        NotFoundError
            If a run does not exist.
        """
        return self._key(form) in self._known

    def spread(self, form: PowerForm) -> Spread:
        """Return the spread of differences that the form specifies.

        Raises
        ------
        NotFoundError
            If a run does not exist.
        MismatchError
            If runs cannot be scored, or there is no such slice.
        """
        columns = self._known.get_or_compute(self._key(form), lambda: self._make(form))
        slices = columns.slices
        if form.slice and form.slice not in slices:
            raise MismatchError(f"no query is in the slice {form.slice!r}")
        found = columns.detection(form, form.slice)
        if form.sd is not None:
            return Spread(found, "as entered", tuple(slices), ())
        largest = sorted(slices, key=lambda name: -len(slices[name]))[:_MAX_PARTS]
        parts = [(name, columns.detection(form, name)) for name in largest]
        parts.sort(key=lambda part: (-(part[1].smallest_drop or math.inf), part[0]))
        return Spread(found, columns.source, tuple(slices), parts)

    def _key(self, form: PowerForm) -> tuple[object, ...]:
        a, b = (find_run(self._archive, one).run_id for one in (form.a, form.b))
        state = self._archive.judgments.revision(), self._archive.queries.stamp()
        if form.source in ("assumed", "given"):
            return "assumed", a, form.measure, state
        newest = self._series(b)[:1] if form.source == "series" else ()
        return form.source, a, b, form.measure, state, *(run.run_id for run in newest)

    def _make(self, form: PowerForm) -> Columns:
        reference = find_run(self._archive, form.a)
        first = self._scoring.evaluation(reference.run_id)
        # Not those of the evaluation, which is not updated when only labels change.
        known = first.scores.query_ids, self._scoring.queries()
        measure = first[form.measure].measure
        if form.source in ("assumed", "given"):
            scores = f"the scores of {_name(reference)}"
            source = f"assumed: {scores}, and a correlation of {ASSUMED_CORRELATION:g}"
            [alone] = find_pairs(first, {"": first}, [measure], [*known[0]])
            return Columns([alone.baseline], first[form.measure], *known, source, is_assumed=True)
        candidate = find_run(self._archive, form.b)
        several = [candidate]
        source = f"measured between {_name(reference)} and {_name(candidate)}"
        if form.source == "series":
            series = self._series(candidate.run_id)
            several = [run for run in series if run.content_hash != reference.content_hash]
            several = several[:N_SERIES]
            runs = "run" if len(several) == 1 else f"{len(several)} runs"
            source = f"measured over the last {runs} of {candidate.facts.name}"
        scored = {run.run_id: self._scoring.evaluation(run.run_id) for run in several}
        pairs = find_pairs(first, scored, [measure], [*known[0]])
        columns = [pair.differences for pair in pairs]
        return Columns(columns, first[form.measure], *known, source)

    def _series(self, run_id: str) -> tuple[StoredRun, ...]:
        name = find_run(self._archive, run_id).facts.name
        return self._archive.runs.page(name=name, limit=N_SERIES + 1, newest_first=True).items


def _name(run: StoredRun) -> str:
    return f"{run.facts.name} {(run.facts.commit or run.run_id)[:7]}"
