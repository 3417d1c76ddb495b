"""Comparisons and gates for demonstration: small, synthetic and deterministic."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import berryeval as be
from berryeval.core.query import Query
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.holes import Hole
from berryeval.evaluation.verdict import Common, GateResult, GuardResult, Verdict
from berryeval.measures import parse_measure

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


_MANY = 500
"""Number of queries from which bounds would take long."""


def example_data(
    n_queries: int = 50, systems: Mapping[str, float] | None = None, *, seed: int = 1
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]], list[Query]]:
    """Generate judgments, runs and queries; a system of quality 1 is never wrong."""
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
    """Compare generated systems, the first of which is the baseline."""
    judgments, runs, queries = example_data(n_queries, systems, seed=seed)
    return compare_these(
        judgments,
        runs,
        queries if texts else [],
        measures,
        slices if texts else (),
        bounds=n_queries < _MANY,
    )


def compare_these(
    judgments: Mapping[str, Mapping[str, int]],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    queries: Sequence[Query] = (),
    measures: Sequence[str] = ("nDCG@10",),
    slices: Sequence[str] = (),
    *,
    bounds: bool = True,
) -> Comparison:
    """Compare lists of documents, best first."""
    return be.compare(
        judgments, runs, measures, queries=queries, slices=slices, bounds=bounds, n_resamples=1000
    )


def a_gate(comparison: Comparison | None = None, verdict: Verdict = "fail") -> GateResult:
    """Gate a comparison's first candidate with four guards; the verdict is as requested."""
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
        GuardResult(LatencyGuard(95, 200), None, "pass", "95% took 143 ms or less.",
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
        rules=GateRules(),
        missing={comparison.baseline: 2},
        common=Common(48, verdict),
        holes=(Hole("q003", "page-0815", {system: 2}, 0.013),
               Hole("q017", "page-4711", {system: 1, comparison.baseline: 7}, 0.011)),
        suggestion="Judge the 2 documents listed: they could turn the verdict.",
    )  # fmt: skip
