"""The result of an evaluation."""

from __future__ import annotations

import importlib
import math
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, Literal

from berryeval.core.notes import caution_notes
from berryeval.core.scores import QueryCounts, Scores
from berryeval.errors import ArgumentError
from berryeval.evaluation.figures import shown_interval
from berryeval.evaluation.weighting import effective_number, mean_over, weights_of
from berryeval.measures import GEOMETRIC_FLOOR, Holes, Measure, parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from berryeval.core.judging import Judges
    from berryeval.core.query import Query
    from berryeval.evaluation.labelled import Labelled, RestsOn
    from berryeval.evaluation.sampled import Variances
    from berryeval.evaluation.sampling import Sampling
    from berryeval.stats import Interval

__all__ = [
    "Displayed",
    "Evaluation",
    "MeasureResult",
    "aggregated",
    "averaged",
    "change_of_mean",
    "holes_measure",
    "interval_of",
]

_NOTEBOOK = "berryeval.reports.notebook"
_REPORTS = "berryeval.reports.results"


class Displayed:
    """A result that notebooks show, and that can be saved, drawn and converted to a data frame.

    `berryeval.reports`, which renders it, is above this package; it is imported by name.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints: see the reference of JSON."""
        found: dict[str, Any] = importlib.import_module(_REPORTS).to_dict(self)
        return found

    def to_frame(self, *, per_query: bool = False) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas frame: a row per measure, difference or guard, or one per query.

        Undefined figures are missing values. Polars takes it with ``polars.from_pandas``.

        Raises
        ------
        BerryEvalError
            If pandas is not installed.
        """
        return importlib.import_module(_REPORTS).to_frame(self, per_query=per_query)

    def to_latex(self) -> str:
        """Return a table for a paper, with 95% intervals; it needs ``\\usepackage{booktabs}``."""
        table: str = importlib.import_module(_REPORTS).to_latex(self)
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a report in the format of the file's extension.

        It can be ``.html``, ``.json``, ``.md``, ``.csv``, ``.tex`` or ``.txt``; ``.svg`` or
        ``.png`` for the chart of `plot`; ``.xml`` (JUnit) for a gate. An existing file is replaced
        as a whole, or not at all.

        Raises
        ------
        ArgumentError
            If the extension is that of another format.
        FormatError
            If the file cannot be written.
        """
        importlib.import_module(_REPORTS).save(self, path)

    def plot(self) -> Any:  # noqa: ANN401 - a Chart; charts are above this package
        """Return a `Chart` of the differences with their intervals.

        A notebook shows it; ``to_svg`` and ``to_png`` return it as a picture. Without a comparison
        it shows how the scores of the first measure are spread over the queries.
        """
        return importlib.import_module(_REPORTS).plot(self)

    def _repr_html_(self) -> str:
        shown: str = importlib.import_module(_NOTEBOOK).to_html(self)
        return shown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return everything; a notebook takes what it can show."""
        del include, exclude
        bundle: dict[str, Any] = importlib.import_module(_NOTEBOOK).to_mimebundle(self)
        return bundle


def holes_measure(measure: Measure) -> Holes:
    """Return the measure that counts unjudged documents within the cutoff of a measure.

    There are none if it looks at judged documents only.
    """
    return Holes(measure.k, judged_only=measure.judged_only)


@dataclass(frozen=True)
class MeasureResult:
    """One measure of one run."""

    measure: Measure
    mean: float
    """Over all scored queries: the arithmetic mean, the sum of counts, the geometric mean or a
    percentile, depending on the measure. Means are weighted if queries have weights; sums and
    percentiles never are. 0 if no query was scored."""
    scores: Scores = field(repr=False)
    """The scores of this and other measures."""
    queries: Mapping[str, Query] = field(default_factory=dict, repr=False)
    """Known queries by id, with weights, groups and strata."""
    variances: Variances | None = field(default=None, repr=False)
    """The sampling variance of each query; None unless requested from `evaluate`."""
    labelled: Labelled | None = field(default=None, repr=False)
    """Scores of each query by people and by a model, if the result is based on both. The mean is
    then corrected by the queries that people labelled, and the interval takes the others into
    account."""

    @cached_property
    def by_query(self) -> Mapping[str, float]:
        """One number per query, in byte order of the ids."""
        return dict(zip(self.scores.query_ids, self.values, strict=True))

    @property
    def values(self) -> array[float]:
        """One number per query, without the ids."""
        return self.scores.values[str(self.measure)]

    @property
    def n_queries(self) -> int:
        """The number of queries scored."""
        return len(self.scores.query_ids)

    @property
    def holes(self) -> int:
        """Unjudged documents in the first k, or in whole rankings, of all queries."""
        return int(reduce(add, self.scores.values[str(holes_measure(self.measure))], 0.0))

    @cached_property
    def sampling_error(self) -> float | None:
        """The standard error of the mean that is due to judging a sample of the documents.

        None unless sampling errors were requested from `evaluate` and the measure is an estimate
        from a sample, and if a stratum of a query has no judged document. How much queries differ
        is not part of it, but of the interval, which includes both.
        """
        if self.variances is None:
            return None
        from berryeval.evaluation.sampled import standard_error

        weights = weights_of(self.queries, self.scores.query_ids)
        return standard_error(self.variances, self.scores.query_ids, weights)

    @property
    def sampling_errors(self) -> Mapping[str, float | None]:
        """The standard error of each query's estimate; empty unless requested from `evaluate`."""
        if self.variances is None:
            return {}
        found = {query_id: self.variances[query_id] for query_id in self.scores.query_ids}
        return {
            query_id: None if variance is None else math.sqrt(variance)
            for query_id, variance in found.items()
        }

    @cached_property
    def interval(self) -> Interval | None:
        """The 95% interval of the mean."""
        return self.interval_at()

    def interval_at(self, level: float = 0.95) -> Interval | None:
        """Return a two-sided interval of the mean over all queries that users might ask.

        It is Student's and Hall's, taken together and cut to the measure's range. Hall's takes
        skewness into account. That of a percentile is found by resampling queries.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.

        Returns
        -------
        Interval or None
            None for fewer than two queries, for sums, and for a percentile of too few queries.
        """
        sampling = self.sampling  # imports numpy; not needed for means
        if self.labelled is not None and self.measure.aggregate != "sum":
            found = self.labelled.powered(sampling)
            return None if found is None else _in_range(self.measure, found.sample.interval(level))
        return interval_of(self.measure, self.values, level, sampling=sampling)

    @cached_property
    def sampling(self) -> Sampling:
        """The groups, weights and strata of the queries."""
        from berryeval.evaluation.sampling import sampling_of

        return sampling_of(self.queries, self.scores.query_ids)

    def estimate(self, inference: Literal["population", "set"]) -> MeasureResult:
        """Return the same with a model that counts as much as its own errors allow.

        In a comparison the model counts as much as it does for the difference.
        """
        assert self.labelled is not None
        labelled = replace(self.labelled, weight=None, inference=inference)
        mean = _corrected(self.measure, labelled, self.queries, self.scores)
        return replace(self, mean=mean, labelled=labelled)

    @cached_property
    def rests_on(self) -> RestsOn | None:
        """The judgments that the mean is based on; None if all are by people."""
        if self.labelled is None:
            return None
        return self.labelled.rests_on(self.labelled.powered(self.sampling))

    @cached_property
    def quartiles(self) -> tuple[float, float, float]:
        """The scores that a quarter, half and three quarters of the queries do not exceed.

        0 if no query was scored.
        """
        if not self.values:
            return 0.0, 0.0, 0.0
        import numpy as np  # slow to import, and not needed for means

        low, middle, high = np.quantile(self.values, (0.25, 0.5, 0.75)).tolist()
        return low, middle, high

    def __repr__(self) -> str:
        queries = "1 query" if self.n_queries == 1 else f"{self.n_queries} queries"
        return f"<{self.measure}: {self._figures} over {queries}>"

    @property
    def _figures(self) -> str:
        mean = f"{self.mean:.4f}"
        return mean if self.interval is None else f"{mean} {shown_interval(self.interval)}"


class Evaluation(Displayed, Mapping[str, MeasureResult]):
    """The result of `evaluate`: a `MeasureResult` for each measure, by name.

    Any name of a measure works: ``result["ndcg_cut_10"]`` is ``result["nDCG@10"]``.

    Attributes
    ----------
    cautions : tuple of str
        Suspicions about the scores of the run, such as distances in place of scores; empty for
        almost every run.
    reduced : tuple of (str, int), optional
        The rule that chose among the grades of several judges, and the number of documents.
    weights : tuple of float or None
        How much each scored query counts, in relation to the others; None if all count equally.
    """

    def __init__(
        self,
        scores: Scores,
        measures: Sequence[Measure],
        queries: Mapping[str, Query] | None = None,
        *,
        cautions: Sequence[str] = (),
        reduced: tuple[Judges, int] | None = None,
        variances: Mapping[str, Variances] | None = None,
        labelled: Mapping[str, Labelled] | None = None,
    ) -> None:
        known: Mapping[str, Query] = queries or {}
        self.weights = weights_of(known, scores.query_ids)
        self._results = {
            str(measure): MeasureResult(
                measure,
                aggregated(measure, scores.values[str(measure)], self.weights)
                if labelled is None or str(measure) not in labelled
                else _corrected(measure, labelled[str(measure)], known, scores),
                scores,
                known,
                (variances or {}).get(str(measure)),
                (labelled or {}).get(str(measure)),
            )
            for measure in measures
        }
        self.scores = scores
        self.n_queries = len(scores.query_ids)
        self.counts: QueryCounts = scores.counts
        self.queries = known
        self.cautions = tuple(cautions)
        self.reduced = reduced
        self._variances = variances
        self._labelled = labelled

    def labelled_at(self, positions: Sequence[int]) -> Mapping[str, Labelled] | None:
        """Return scores of some queries by people and by a model; None without a model."""
        if self._labelled is None:
            return None
        return {name: own.take(positions) for name, own in self._labelled.items()}

    def with_weights(self, weights: Mapping[str, float]) -> Evaluation:
        """Return the same with the given weights of the model, by measure."""
        if self._labelled is None:
            return self
        labelled = {
            name: replace(own, weight=weights.get(name)) for name, own in self._labelled.items()
        }
        return Evaluation(
            self.scores,
            self.measures,
            self.queries,
            cautions=self.cautions,
            reduced=self.reduced,
            labelled=labelled,
        )

    @property
    def rests_on(self) -> RestsOn | None:
        """The judgments that the first measure is based on; None if all are by people."""
        return next((one.rests_on for one in self._results.values() if one.labelled), None)

    @property
    def effective_queries(self) -> float | None:
        """Equivalent number of queries of equal weight (Kish); None without weights."""
        return None if self.weights is None else effective_number(self.weights)

    @property
    def missing_note(self) -> str:
        """How many judged queries are missing from the run, and how they count; empty for none."""
        number = self.counts.missing
        treated = "scored as 0" if any(self.scores.is_missing) else "left out"
        queries = "1 query" if number == 1 else f"{number:,} queries"
        return f"{queries} missing from the run, {treated}." if number else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader has to know: missing queries, and `cautions`; empty for most runs."""
        missing = filter(None, [self.missing_note])
        return (*missing, *map(str, caution_notes(self.cautions)))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order of the call."""
        return tuple(result.measure for result in self._results.values())

    def by(self, label: str) -> dict[str, Evaluation]:
        """Return the same figures for each slice: the queries that share a label.

        Queries that were skipped (``missing="skip"``) are in no slice, and queries without
        judgments are not counted.

        Parameters
        ----------
        label : {"category", "difficulty", "tag", "traffic", "turn"}
            Traffic is head, torso or tail: each about a third of all weight, the most asked
            queries first. The turn is the place of a query in its session.

        Raises
        ------
        ArgumentError
            If there is no such label.
        MismatchError
            If no query has it, or `evaluate` was given no queries.
        """
        from berryeval.evaluation.slices import find_slices

        found = find_slices(self.queries, label, self.scores.query_ids)
        return {
            part.value: Evaluation(
                self.scores.take(positions),
                self.measures,
                self.queries,
                variances=self._variances,
                labelled=self.labelled_at(positions),
            )
            for part, positions in found.items()
        }

    def __getitem__(self, name: str) -> MeasureResult:
        if name in self._results:
            return self._results[name]
        return self._results[str(parse_measure(name))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, float]:
        """Return the mean of each measure, by name."""
        return {name: result.mean for name, result in self._results.items()}

    def plot(self, measure: str | Measure | None = None) -> Any:  # noqa: ANN401 - a Chart
        """Return a `Chart` of how the scores of a measure, by default the first, are spread."""
        return importlib.import_module(_REPORTS).plot(self, measure)

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        queries = "1 query" if self.n_queries == 1 else f"{self.n_queries} queries"
        lines = [f"{name:<{width}}  {result._figures}" for name, result in self._results.items()]  # noqa: SLF001 - of this module
        lines += self.notes
        return "\n".join([f"<Evaluation over {queries}", *lines]) + ">"


def averaged(measure: Measure, values: array[float]) -> array[float]:
    """Return the values that are averaged: scores, or their logarithms for a geometric mean."""
    if measure.aggregate == "geometric":
        return array("d", (math.log(max(value, GEOMETRIC_FLOOR)) for value in values))
    return values


def aggregated(
    measure: Measure, values: array[float], weights: Sequence[float] | None = None
) -> float:
    """Return the mean, sum or percentile over all queries; only means are weighted."""
    if measure.aggregate == "sum" or not values:
        return reduce(add, values, 0.0)
    if measure.aggregate == "percentile":
        # It imports NumPy, which computing means does not require.
        from berryeval.evaluation.percentiles import percentile_in, percentile_of

        return percentile_of(values, percentile_in(measure))
    mean = mean_over(averaged(measure, values), weights)
    return math.exp(mean) if measure.aggregate == "geometric" else mean


def interval_of(
    measure: Measure, scores: array[float], level: float = 0.95, *, sampling: Sampling
) -> Interval | None:
    """Return an interval of the mean of scores, as `MeasureResult.interval_at` describes it."""
    import numpy as np  # slow to import, and not needed for means

    if measure.aggregate == "sum":
        return None
    if measure.aggregate == "percentile":
        return _percentile_interval(measure, np.fromiter(scores, np.float64), level, sampling)
    sample = sampling.mean_of(np.fromiter(averaged(measure, scores), np.float64))
    return None if sample is None else _in_range(measure, sample.interval(level))


def _corrected(
    measure: Measure, labelled: Labelled, queries: Mapping[str, Query], scores: Scores
) -> float:
    """Return the mean or sum that is based on people's and a model's grades."""
    from berryeval.evaluation.sampling import sampling_of

    found = labelled.powered(sampling_of(queries, scores.query_ids))
    if found is None:
        raise ArgumentError("labelled", "at least two labelled queries", "fewer")
    if measure.aggregate == "sum":
        return found.sample.mean * len(labelled.model)
    return math.exp(found.sample.mean) if measure.aggregate == "geometric" else found.sample.mean


def _in_range(measure: Measure, found: Interval) -> Interval:
    """Return an interval of what is averaged as one of the measure."""
    low, high = found.low, found.high
    if measure.aggregate == "geometric":
        low, high = math.exp(low), math.exp(high)
    # No mean is outside the measure's range, which neither construction takes into account.
    lowest, highest = measure.bounds
    return replace(found, low=max(low, lowest), high=min(high, highest))


def _percentile_interval(
    measure: Measure, values: NDArray[np.float64], level: float, sampling: Sampling
) -> Interval | None:
    from berryeval.evaluation.percentiles import Spread, few_queries, percentile_in, resampled

    percentile = percentile_in(measure)
    n_units = sampling.count(values >= 0.0) if len(values) else 0
    if few_queries(percentile, n_units) is not None:
        return None
    [found] = resampled([values], percentile, sampling)
    return Spread(found).interval(level)


def change_of_mean(measure: Measure, change: float, before: float) -> float:
    """Return how far a mean moves from `before` if the mean of averaged values moves by `change`.

    They differ for a geometric mean only, where logarithms are averaged. It moves at most to the
    highest value of the measure: an interval of few queries reaches beyond any number.
    """
    if measure.aggregate != "geometric":
        return change
    most = measure.bounds[1] - before
    try:
        return min(before * math.expm1(change), most)
    except OverflowError:
        return most
