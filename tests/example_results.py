"""Comparisons and gates to show: small, made up, and the same every time."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.bounds import Bounds
from berryeval.evaluation.comparison import Comparison, Difference, Statistics
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.holes import Hole
from berryeval.evaluation.slices import find_slices
from berryeval.evaluation.verdict import GateResult, GuardResult, Verdict
from berryeval.measures import Measure, parse_measure
from berryeval.stats import Interval, TestResult

MEASURES = ("nDCG@10", "nDCG@5", "nDCG@1", "P@5", "RR@10")
CATEGORIES = ("navigational", "factual", "procedural", "comparison")
SUBJECTS = (
    "a password",
    "an invoice",
    "two-factor login",
    "a shared folder",
    "the API key",
    "a webhook",
    "offline notes",
    "an export",
)
QUESTIONS = (
    "how do I reset {}",
    "where is {}",
    "{} does not work",
    "difference between {} and sso",
    "cancel {}",
    "share {} with a guest",
)


def example_data(
    n_queries: int = 50, systems: Mapping[str, float] | None = None, *, seed: int = 1
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]], list[Query]]:
    """Make up judgments, runs and queries; a system of quality 1 is never wrong."""
    draw = random.Random(seed)  # noqa: S311 - made up, not secret
    systems = systems or {"bm25": 0.55, "hybrid": 0.66}
    judgments: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in systems}
    queries = []
    for number in range(n_queries):
        query_id = f"q{number + 1:03d}"
        text = draw.choice(QUESTIONS).format(draw.choice(SUBJECTS))
        category = draw.choices(CATEGORIES, (6, 5, 4, 2))[0]
        queries.append(Query(query_id, text, category=category, difficulty=draw.choice("ab")))
        documents = [f"page-{draw.randrange(9000):04d}" for _ in range(30)]
        documents = list(dict.fromkeys(documents))
        judged = documents[: draw.randrange(14, 24)]
        judgments[query_id] = {
            document: max(0, draw.choice((3, 2, 2, 1, 1)) if rank < 5 else 0)
            for rank, document in enumerate(judged)
        }
        ease = draw.random()
        for name, quality in systems.items():
            worth = {
                document: judgments[query_id].get(document, 0) * quality * (0.4 + ease)
                + draw.gauss(0, 1.0)
                for document in documents
            }
            runs[name][query_id] = sorted(documents, key=worth.__getitem__, reverse=True)[:20]
    return judgments, runs, queries


def a_comparison(
    n_queries: int = 50,
    systems: Mapping[str, float] | None = None,
    measures: Sequence[str] = MEASURES,
    slices: Sequence[str] = ("category",),
    *,
    seed: int = 1,
    texts: bool = True,
) -> Comparison:
    """Compare made-up systems, the first of which is the baseline."""
    judgments, runs, queries = example_data(n_queries, systems, seed=seed)
    return compare_these(
        judgments, runs, queries if texts else [], measures, slices if texts else ()
    )


def compare_these(
    judgments: Mapping[str, Mapping[str, int]],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    queries: Sequence[Query] = (),
    measures: Sequence[str] = ("nDCG@10",),
    slices: Sequence[str] = (),
) -> Comparison:
    """Compare lists of documents, best first."""
    chosen = [parse_measure(name) for name in measures]
    found = {name: be.evaluate(judgments, run, chosen) for name, run in runs.items()}
    baseline, *candidates = found
    query_ids = list(judgments)
    by_id = {query.query_id: query for query in queries}
    every = range(len(query_ids))

    def values(system: str, measure: Measure) -> np.ndarray:
        scores = found[system][str(measure)].by_query
        return np.array([scores[query_id] for query_id in query_ids])

    def difference(system, measure, piece, positions):
        before, after = (values(name, measure)[list(positions)] for name in (baseline, system))
        return _difference(system, measure, piece, before, after)

    return Comparison(
        judgments=Judgments.from_dict(judgments),
        runs={name: Run.from_lists(run) for name, run in runs.items()},
        queries=by_id,
        measures=chosen,
        baseline=baseline,
        query_ids=query_ids,
        evaluations=found,
        differences=[difference(s, m, None, every) for s in candidates for m in chosen],
        sliced=[
            difference(system, measure, piece, positions)
            for label in slices
            for piece, positions in find_slices(by_id, label, query_ids).items()
            for system in candidates
            for measure in chosen
        ],
        statistics=Statistics(),
        notes=(f"{len(query_ids)} queries compared.",),
    )


def _difference(system, measure, piece, before, after) -> Difference:
    d = after - before
    n, spread = len(d), float(np.std(d, ddof=1)) if len(d) > 1 else 0.0
    is_defined = spread > 0
    half = 1.96 * spread / n**0.5
    z = abs(float(d.mean())) / (spread / n**0.5) if is_defined else 0.0
    p = float(np.exp(-0.717 * z - 0.416 * z * z)) if is_defined else None
    interval = Interval(float(d.mean()) - half, float(d.mean()) + half, 0.95, "bca")
    return Difference(
        system=system,
        measure=measure,
        slice=piece,
        baseline_mean=float(before.mean()),
        candidate_mean=float(after.mean()),
        values=d,
        interval=interval if n > 1 else None,
        test=TestResult("t", p, z, None) if is_defined
        else TestResult("t", None, None, "all differences are equal"),
        p_adjusted=None if p is None else min(1.0, 3 * p),
        cohens_dz=float(d.mean()) / spread if is_defined else None,
        rank_biserial=0.31 if is_defined else None,
        bounds=Bounds(float(d.mean()) - 0.04, float(d.mean()) + 0.05, is_outer=False),
    )  # fmt: skip


def a_gate(comparison: Comparison | None = None, verdict: Verdict = "fail") -> GateResult:
    """Judge a comparison's first candidate by four guards; the verdict is as told."""
    comparison = comparison or a_comparison()
    system = comparison.candidates[0]
    first = comparison.differences[0]
    interval = first.interval and replace(first.interval, level=0.9)
    margin = MarginGuard(first.measure, Margin(0.05), ("category",))
    guards = [
        GuardResult(ThresholdGuard(parse_measure("RR@10"), 0.5), None, "pass",
                    "The mean 0.6112 reaches 0.5.", first.n_queries, 0.6112, 0.5),
        GuardResult(margin, None, verdict, "The drop may be larger than the margin.",
                    first.n_queries, first.mean, -0.05, interval=interval, p_pass=0.21,
                    p_fail=0.012, n_changed=37, queries_needed=180,
                    verdicts_by_holes=("fail", "inconclusive")),
        GuardResult(LatencyGuard(95, 200), None, "pass", "95 % took 143 ms or less.",
                    first.n_queries, 143.0, 200.0),
    ]  # fmt: skip
    guards += [
        GuardResult(margin, part.slice, "inconclusive", "12 queries are too few to tell.",
                    part.n_queries, part.mean, -0.05, is_watched=part.n_queries < 14,
                    interval=part.interval, p_pass=0.31, p_fail=0.4, n_changed=9)
        for part in comparison.sliced
        if (part.system, part.measure) == (system, first.measure)
    ]  # fmt: skip
    sentences = {
        "pass": f"{system} may ship: no guard sees a drop as large as its margin.",
        "fail": f"{system} must not ship: nDCG@10 drops by more than 0.05 against bm25.",
        "inconclusive": f"{system} is undecided: 50 queries cannot rule out a drop of 0.05.",
    }
    return GateResult(
        verdict=verdict,
        sentence=sentences[verdict],
        guards=tuple(guards),
        evaluation=comparison.evaluations[system],
        comparison=comparison,
        alpha=0.05,
        seed=7,
        inference="population",
        holes=(Hole("q003", "page-0815", {system: 2}, 0.013),
               Hole("q017", "page-4711", {system: 1, comparison.baseline: 7}, 0.011)),
        suggestion="Judge the 2 documents listed: they could turn the verdict.",
    )  # fmt: skip
