"""The results of a candidate, and assertions about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, BerryEvalError, SystemUnderTestError
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.comparison import RankedDocument
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measure
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.guards import DEFAULT_MARGIN, Guard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.model_judgments import ModelJudgments, combine
from berryeval.evaluation.result import MeasureResult
from berryeval.evaluation.sources import JudgmentsSource, load_judgments, load_run
from berryeval.evaluation.verdict import GateResult, GuardResult
from berryeval.measures import Measure
from berryeval.pytest_plugin import _failures
from berryeval.pytest_plugin._sources import answers_of, baseline_of, queries_of
from berryeval.suite import history
from berryeval.suite.gate import CANDIDATE, decide, model_of, read_timings
from berryeval.suite.settings import Settings

if TYPE_CHECKING:
    from berryeval.evaluation.memory import Decision, Memory
    from berryeval.evaluation.sources import RunSource
    from berryeval.search.system import System

__all__ = ["QueryResults", "Results"]


class Results:
    """A run and its judgments, as the fixture ``berryeval_results`` returns them.

    Each assertion raises `AssertionError` with the queries and rankings behind it, and returns
    the value that it checked if it holds. If the system under test failed to answer a query,
    every assertion about means fails, since the query has no score.

    If the settings name model judgments, assertions about means are also based on them, corrected
    by people's. Scores and assertions of single queries use only people's judgments.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
        The judgments.
    run : Run, path, dict, data frame, or system
        The rankings. A system, or a function of a query and k, is sent every judged query.
    queries : path, Query objects, or dict of texts, optional
        Texts and labels. A system needs the text of every judged query.
    settings : Settings, optional
        Rules and guards of a gate.
    depth : int
        Number of documents to request from a system.

    Attributes
    ----------
    judgments, run, queries
        The same as `Judgments`, `Run`, and a dict of `Query` by id.
    failures : mapping of str to SystemUnderTestError
        The queries that the system did not answer.

    Examples
    --------
    >>> results = Results({"q1": {"d1": 1}}, {"q1": ["d7", "d1"]}, queries={"q1": "reset password"})
    >>> results.assert_measure("RR", at_least=0.5)
    0.5
    >>> results.assert_rank("q1", "d1", at_most=1)
    Traceback (most recent call last):
    AssertionError: q1 "reset password": expected d1 at rank 1 or better, found it at rank 2.
      rank  document  grade
         1  d7        unjudged
    >    2  d1        1
    """

    def __init__(
        self,
        judgments: JudgmentsSource,
        run: RunSource | System | Any,  # noqa: ANN401 - or any object that can search
        *,
        queries: Any = None,  # noqa: ANN401 - as above
        settings: Settings | None = None,
        depth: int = 100,
    ) -> None:
        self.settings = settings or Settings()
        self.judgments: Judgments = load_judgments(judgments)
        self.queries: Mapping[str, Query] = queries_of(queries)
        self.model: ModelJudgments | None = model_of(self.settings)
        """Model judgments that the settings name."""
        self._judged = self.judgments
        if self.model is not None:
            self._judged = combine(self.judgments, *self.model.load())
        answers = answers_of(run, self._judged, self.queries, depth, self.settings)
        self.run: Run = answers.run
        self.failures: Mapping[str, SystemUnderTestError] = answers.failures
        self._milliseconds: Sequence[float] = answers.milliseconds
        self._measured: dict[Measure, MeasureResult] = {}
        self._scores_before: dict[Measure, tuple[Run, Mapping[str, float]]] = {}
        self.decided: dict[str, GuardResult] = {}
        """Assertions about means, by name, for the report."""
        self.baseline: Run | None = None
        """The first baseline that the run was compared with."""
        self.memory: Memory | None = None
        """How often the set was used before, if the gate counted it."""

    def assert_measure(self, measure: MeasureLike, *, at_least: float) -> float:
        """Assert that the mean of a measure reaches a threshold, and return it.

        Equality passes. A failure shows the queries with the worst scores.
        """
        __tracebackhide__ = True
        self.assert_answered()
        wanted = self._measure(measure)
        decided = self.decide([ThresholdGuard(wanted, at_least)])
        if decided.verdict != "pass":
            worst = _failures.of_worst(self, decided.evaluation, wanted)
            ceiling = _failures.of_ceiling(self, wanted, at_least)
            raise AssertionError("\n".join([decided.sentence, *ceiling, *worst]))
        return decided.evaluation[str(wanted)].mean

    def assert_no_regression(
        self,
        baseline: RunSource | Baseline | None = None,
        measure: MeasureLike = "nDCG@10",
        *,
        margin: float | str = DEFAULT_MARGIN,
        allow_inconclusive: bool = False,
    ) -> GateResult:
        """Assert that the mean has not dropped by the margin or more, and return the verdict.

        Parameters
        ----------
        baseline : path, Baseline, run, or dict, optional
            The baseline. Default: that of the settings.
        measure : Measure or str
        margin : float or str
            The largest drop that is accepted, or its share of the baseline's mean: ``"2%"``.
        allow_inconclusive : bool
            Whether to pass if there are too few queries to decide.
        """
        __tracebackhide__ = True
        self.assert_answered()
        wanted = self._measure(measure)
        against = None if baseline is None else baseline_of(baseline)
        decided = self.decide([MarginGuard(wanted, Margin.parse(margin))], against)
        allowed = ("pass", "inconclusive") if allow_inconclusive else ("pass",)
        if decided.verdict not in allowed:
            assert decided.comparison is not None
            lost = _failures.of_losses(self, decided.comparison, CANDIDATE, wanted)
            raise AssertionError("\n".join([decided.sentence, *lost, *_way_out(decided)]))
        return decided

    def assert_rank(self, query_id: str, doc_id: str, *, at_most: int) -> int:
        """Assert that a document is among the first of a query, and return its rank from 1."""
        __tracebackhide__ = True
        self._check_query(query_id)
        rank = _failures.rank_of(self, query_id, doc_id)
        if rank is None or rank > at_most:
            raise AssertionError(_failures.of_rank(self, query_id, doc_id, at_most))
        return rank

    def assert_answered(self) -> None:
        """Assert that the system under test answered every query."""
        __tracebackhide__ = True
        if self.failures:
            n_queries = self.judgments.n_queries
            raise AssertionError(_failures.of_failed(self.failures, n_queries))

    def query(self, query_id: str) -> QueryResults:
        """Return the results for one query."""
        return QueryResults(self, query_id)

    def measure(self, measure: MeasureLike) -> MeasureResult:
        """Return the scores of a measure by people: ``.mean``, ``.by_query``, ``.interval``."""
        wanted = self._measure(measure)
        if wanted not in self._measured:
            found = evaluate(self.judgments, self.run, wanted, queries=self.queries.values())
            self._measured[wanted] = found[str(wanted)]
        return self._measured[wanted]

    def ranking(self, query_id: str, depth: int = 10) -> list[RankedDocument]:
        """Return the first documents of a query, with their grades."""
        grades = self.grades(query_id)
        return [
            RankedDocument(rank, doc_id, grades.get(doc_id))
            for rank, doc_id in enumerate(self.run.ranking(query_id, depth), start=1)
        ]

    def titles(self, doc_ids: Collection[str]) -> dict[str, str]:
        """Return the titles of the documents in the settings; none if they name no documents."""
        if self.settings.documents is None or not doc_ids:
            return {}
        from berryeval.search.documents import iter_any_documents

        try:
            documents = iter_any_documents(self.settings.documents)
            return {one.doc_id: one.title for one in documents if one.doc_id in doc_ids}
        except BerryEvalError:  # a message about a failed guard is more important
            return {}

    def _against(
        self, baseline: RunSource | Baseline | None, measure: Measure
    ) -> tuple[Run, Mapping[str, float]]:
        """Return the rankings of a baseline, by default that of the settings, and its scores."""
        if baseline is not None:
            found = baseline_of(baseline)
            run = found.to_run() if isinstance(found, Baseline) else found
            return run, evaluate(self.judgments, run, measure)[str(measure)].by_query
        if measure not in self._scores_before:
            if self.settings.baseline is None:
                way_out = "name one in berryeval.toml (baseline = ...), or pass one"
                raise ArgumentError("baseline", "a baseline or a run", f"none; {way_out}")
            self._scores_before[measure] = self._against(self.settings.baseline, measure)
        return self._scores_before[measure]

    def grades(self, query_id: str) -> dict[str, float]:
        """Return the grade of each judged document of a query."""
        found = self.judgments.grades_of(encode_id(query_id))
        return {decode_id(doc_id): grade for doc_id, grade in found.items() if grade >= 0}

    @cached_property
    def gate(self) -> GateResult:
        """The verdict of all guards of the settings together, as in `berryeval gate`.

        Looks and tries are counted among those of the history that the settings name. Nothing is
        appended to it: tests run often, and in several processes at once.
        """
        named = self.settings.history
        past = None if named is None else history.decisions(named)
        return self.decide(self.settings.gate.guards, past=past)

    def decide(
        self,
        guards: Sequence[Guard],
        baseline: Run | Baseline | None = None,
        past: Iterable[Decision] | None = None,
    ) -> GateResult:
        """Return the decision of a gate with these guards, by the rules of the settings."""
        rules = replace(self.settings.gate, guards=tuple(guards))
        timings = self.settings.timings
        run, times = self.run, self._milliseconds
        if timings is not None and not times:
            run = run.with_timings(read_timings(timings))
            times = [*(run.milliseconds or {}).values()]
        decided = decide(
            replace(self.settings, gate=rules),
            self._judged,
            run,
            self.queries,
            milliseconds=times,
            baseline=baseline,
            repeats=self._repeats,
            past=past,
            model=self.model,
        )
        self._remember(decided)
        return decided

    @cached_property
    def _repeats(self) -> tuple[Run, ...]:
        """Further runs of the candidate; none if it is not the run that the settings name."""
        again, named = self.settings.repeats, self.settings.run
        if not again or named is None or load_run(named) != self.run:
            return ()
        return tuple(map(load_run, again))

    def _remember(self, decided: GateResult) -> None:
        """Store verdicts for the report, which compares the run with one baseline only."""
        comparison = decided.comparison
        if comparison is not None:
            against = comparison.runs[comparison.baseline]
            if self.baseline is None:
                self.baseline = against
            elif self.baseline != against:
                return
        self.memory = self.memory or decided.memory
        for guard in decided.guards:
            self.decided.setdefault(guard.name, guard)

    def _measure(self, measure: MeasureLike) -> Measure:
        """Return one measure, of judged documents only if the settings require it."""
        return read_measure(measure, judged_only=self.settings.gate.judged_only)

    def _check_query(self, query_id: str) -> None:
        __tracebackhide__ = True
        if query_id in self.failures:
            raise AssertionError(_failures.of_failed({query_id: self.failures[query_id]}, 1))
        if query_id not in self.judgments and query_id not in self.run:
            raise ArgumentError("query_id", "a query of the judgments or the run", repr(query_id))


class QueryResults:
    """The results of one query, as the fixture ``berryeval_query`` returns them."""

    def __init__(self, results: Results, query_id: str) -> None:
        self.results = results
        self.query_id = query_id

    @property
    def text(self) -> str | None:
        """The text of the query, if known."""
        query = self.results.queries.get(self.query_id)
        return None if query is None else query.text

    def ranking(self, depth: int = 10) -> list[RankedDocument]:
        """Return the first documents, with their grades."""
        return self.results.ranking(self.query_id, depth)

    def score(self, measure: MeasureLike) -> float:
        """Return the score of this query.

        Raises
        ------
        ArgumentError
            If it has no judgments.
        """
        scores = self.results.measure(measure).by_query
        if self.query_id not in scores:
            raise ArgumentError("query_id", "a judged query", repr(self.query_id))
        return scores[self.query_id]

    def assert_measure(self, measure: MeasureLike, *, at_least: float) -> float:
        """Assert that this query reaches a score, and return its score.

        A failure shows the ranking, with grades, and which relevant documents it lacks.
        """
        __tracebackhide__ = True
        self.results._check_query(self.query_id)  # noqa: SLF001 - part of the same thing
        value = self.score(measure)
        if value < at_least - ROUNDING:
            found = self.results.measure(measure)
            raise AssertionError(_failures.of_query(self.results, self.query_id, found, at_least))
        return value

    def assert_no_regression(
        self,
        baseline: RunSource | Baseline | None = None,
        measure: MeasureLike = "nDCG@10",
        *,
        tolerance: float = 0.0,
    ) -> float:
        """Assert that this query scores no lower than with the baseline, and return its score.

        A query that is already bad in the baseline may stay bad. To accept a loss, save a new
        baseline. A failure shows the documents that moved.

        Parameters
        ----------
        baseline : path, Baseline, run, or dict, optional
            The baseline. Default: that of the settings.
        measure : Measure or str
        tolerance : float
            The largest loss of the score that is accepted.
        """
        __tracebackhide__ = True
        self.results._check_query(self.query_id)  # noqa: SLF001 - part of the same thing
        found, value = self.results.measure(measure), self.score(measure)
        against, scores = self.results._against(baseline, found.measure)  # noqa: SLF001 - as above
        before = scores[self.query_id]
        lost = before - value if found.measure.higher_is_better else value - before
        if lost > tolerance + ROUNDING:
            raise AssertionError(
                _failures.of_regression(self.results, against, self.query_id, found, before)
            )
        return value

    def assert_rank(self, doc_id: str, *, at_most: int) -> int:
        """Assert that a document is among the first, and return its rank from 1."""
        __tracebackhide__ = True
        return self.results.assert_rank(self.query_id, doc_id, at_most=at_most)

    def __repr__(self) -> str:
        return f"<QueryResults {self.query_id}>"


def _way_out(decided: GateResult) -> list[str]:
    if decided.verdict != "inconclusive":
        return []
    suggested = [] if decided.suggestion is None else [decided.suggestion]
    return [*suggested, "allow_inconclusive=True lets this pass."]
