"""A gate from its settings, decided on scores that Spark computed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from berryeval.errors import ArgumentError
from berryeval.evaluation.baseline import is_baseline
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import LatencyGuard, MarginGuard
from berryeval.evaluation.slices import load_queries
from berryeval.evaluation.verdict import GateResult
from berryeval.spark.comparing import compare
from berryeval.spark.scoring import collect, evaluate
from berryeval.spark.session import Cluster, open_session, read_frame
from berryeval.suite.gate import check_guards, guarded_measures
from berryeval.suite.references import CANDIDATE, named_file
from berryeval.suite.settings import Settings

__all__ = ["run_gate"]


def run_gate(settings: Settings, cluster: Cluster) -> GateResult:
    """Decide by the settings, with the verdict of `berryeval.suite.gate.run_gate`.

    Judgments, run and baseline are read as `berryeval.spark.session.read_frame` reads them. What
    requires rankings on one machine is not available: systems, repeats, baselines that are no
    runs, a history, a reserve, and what unjudged documents could change. Thresholds that no run
    could reach are not rejected.

    Raises
    ------
    ArgumentError
        If there is no guard, if judgments, run or baseline are not named, or for a setting that is
        not available.
    """
    rules = settings.gate.resolved()
    check_guards(rules.guards)
    for setting, given in _unavailable(settings):
        if given:
            raise ArgumentError(setting, "none with --engine spark", "some")
    has_margin = any(isinstance(guard, MarginGuard) for guard in rules.guards)
    measures = guarded_measures(rules.guards)
    queries = [*load_queries(settings.queries).values()]
    paths = [named_file(settings.judgments, "judgments"), _run_of(settings)]
    if has_margin:
        paths.append(named_file(settings.baseline, "baseline"))
    with open_session(cluster.master, cluster.settings) as session:
        judgments = read_frame(session, paths[0], "judgments", judges=settings.judges)
        candidate, *baselines = (read_frame(session, path, "run") for path in paths[1:])
        if not has_margin:
            scores = evaluate(
                judgments,
                candidate,
                measures,
                judges=settings.judges,
                partitions=cluster.tasks,
            )
            return gate(collect(scores, measures, queries=queries), rules=rules)
        runs = {"baseline": baselines[0], CANDIDATE: candidate}
        comparison = compare(
            judgments,
            runs,
            measures,
            queries=queries,
            judges=settings.judges,
            partitions=cluster.tasks,
        )
        return gate(comparison, rules=rules)


def _run_of(settings: Settings) -> str:
    if settings.run is None:
        way_out = "name one in berryeval.toml (run = ...), or with --run"
        raise ArgumentError("run", "a file, a folder or a table", f"none; {way_out}")
    return settings.run


def _unavailable(settings: Settings) -> Iterator[tuple[str, object]]:
    """Iterate over settings that are not supported, and whether they are set."""
    rules = settings.gate
    yield "system", settings.system
    yield "repeats", settings.repeats or settings.baseline_repeats
    yield "baseline: several", settings.other_baselines
    yield "timings", settings.timings or settings.baseline_timings
    yield "lengths", settings.lengths
    yield "history", settings.history
    yield "reserve", rules.reserve is not None
    yield "gate.guard: latency", any(isinstance(guard, LatencyGuard) for guard in rules.guards)
    yield (
        'holes = "inconclusive"',
        any(
            isinstance(guard, MarginGuard) and rules.holes_policy(guard.measure) == "inconclusive"
            for guard in rules.guards
        ),
    )
    path = settings.baseline
    is_file = path is not None and os.path.isfile(path)  # noqa: PTH113
    yield "baseline: a file of `berryeval baseline save`", is_file and is_baseline(path or "")
