"""Scores of all queries with the settings of each side, as a job, and their runs to save."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.clock import now
from berryeval.archive.records import RunFacts, StoredRun
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.comparing import compare_evaluations
from berryeval.evaluation.comparison import Difference
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.result import Evaluation
from berryeval.measures import Measure
from berryeval.search.collect import collect
from berryeval.service.answers import Answer
from berryeval.service.dependencies import from_state
from berryeval.service.fields import check_hits
from berryeval.service.jobs import Progress
from berryeval.service.lru_cache import LruCache
from berryeval.service.workbench.pages.try_out.view import Letter, TrySide, TryView
from berryeval.service.workbench.state.scoring import Scoring
from berryeval.suite.evaluate_system import MIN_DEPTH

__all__ = ["Scored", "ScoredDep", "ScoredRow", "TriedRun", "save_runs", "score_all"]


@dataclass(frozen=True)
class TriedRun:
    """The rankings of all queries of one side, which are not stored yet."""

    side: TrySide
    run: Run
    facts: RunFacts


@dataclass(frozen=True)
class ScoredRow:
    """The means of a measure."""

    measure: Measure
    means: tuple[float, ...]
    """One per side."""
    difference: Difference | None
    """Candidate minus baseline, with its interval and finding; None for one side."""


@dataclass(frozen=True)
class Scored:
    """The scores of all queries."""

    runs: Mapping[Letter, TriedRun]
    rows: tuple[ScoredRow, ...]
    sentence: str | None
    """The headline of the comparison; None for one side."""
    n_queries: int
    """Number of queries that were scored."""

    @property
    def n_rows(self) -> int:
        """How much memory it takes, in rows."""
        return sum(one.run.n_rows for one in self.runs.values())


ScoredDep: TypeAlias = Annotated[LruCache[tuple[str, str], Scored], from_state("tried_runs")]
"""Scores that can be saved for half an hour, by their owner and an unguessable name."""


def score_all(
    archive: Archive,
    scoring: Scoring,
    kept: LruCache[tuple[str, str], Scored],
    view: TryView,
    owner: str,
    progress: Progress,
) -> Answer:
    """Run all queries of the golden set on each side, and compare the scores.

    Raises
    ------
    ArgumentError
        If there are no queries with texts, or too many.
    MismatchError
        If none of them is judged, or a side answers none.
    """
    queries = [query for query in scoring.queries().values() if query.text]
    depth = max(view.k, MIN_DEPTH)
    if not queries:
        raise ArgumentError("queries", "some with texts", "none; import them first")
    try:
        check_hits(len(queries), depth)
    except ValueError as error:
        raise ArgumentError("queries", str(error), str(len(queries))) from None
    n_all = len(view.sides) * len(queries)
    runs: dict[Letter, TriedRun] = {}
    for number, side in enumerate(view.sides):
        before = number * len(queries)
        step = f"searching {side.label}"
        progress(before, n_all, f"preparing {side.label}")
        side.store.prepare()

        def report(done: int, _total: int, before: int = before, step: str = step) -> None:
            progress(before + done, n_all, step)

        runs[side.letter] = _collected(side, queries, depth, report)
    progress(n_all, n_all, "comparing")
    found = _scored(archive, scoring, runs)
    name = secrets.token_urlsafe(16)
    kept.put((owner, name), found)
    return Answer({"name": name})


def _collected(
    side: TrySide, queries: Sequence[Query], depth: int, report: Callable[[int, int], None]
) -> TriedRun:
    asked_at = now().isoformat()
    with side.store.tuned(side.changes) as system:
        found = collect(system, queries, depth, progress=report)
        settings = system.fingerprint()
    if not found.durations:
        raise next(iter(found.failures.values()))
    facts = RunFacts(
        side.run_name,
        settings,
        side.store.corpus_hash(),
        ("try",),
        durations={one: 1000 * seconds for one, seconds in found.durations.items()},
        asked_at=asked_at,
        failed=tuple(found.failures),
    )
    return TriedRun(side, found.run, facts)


def _scored(archive: Archive, scoring: Scoring, runs: Mapping[Letter, TriedRun]) -> Scored:
    state = scoring.recent()
    judgments = archive.documents.with_lengths(
        state.judgments, scoring.measures, [one.run for one in runs.values()]
    )
    if not judgments.n_rows:
        raise MismatchError("no query is judged yet; judge some documents first")
    evaluations: dict[str, Evaluation] = {
        one.side.label: evaluate(
            judgments,
            one.run,
            scoring.measures,
            missing=one.facts.missing,
            queries=scoring.queries().values(),
        )
        for one in runs.values()
    }
    means = {
        measure: tuple(one[str(measure)].mean for one in evaluations.values())
        for measure in scoring.measures
    }
    if len(runs) == 1:
        [only] = evaluations.values()
        rows = tuple(ScoredRow(measure, means[measure], None) for measure in scoring.measures)
        return Scored(runs, rows, None, len(only.scores.query_ids))
    comparison = compare_evaluations(
        judgments,
        {one.side.label: one.run for one in runs.values()},
        evaluations,
        queries=scoring.queries(),
    )
    candidate = comparison.candidates[0]
    rows = tuple(
        ScoredRow(measure, means[measure], comparison.difference(candidate, measure))
        for measure in scoring.measures
    )
    return Scored(runs, rows, comparison.sentence, comparison.n_queries)


def save_runs(
    archive: Archive, scored: Scored, names: Mapping[Letter, str]
) -> dict[Letter, StoredRun]:
    """Store the runs of the named sides."""
    found: dict[Letter, StoredRun] = {}
    for letter, name in names.items():
        one = scored.runs[letter]
        found[letter] = archive.runs.put(one.run, replace(one.facts, name=name))
    return found
