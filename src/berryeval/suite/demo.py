"""The demonstration: three systems on the bundled golden set, a comparison and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import DEFAULT_MARGIN
from berryeval.evaluation.verdict import GateResult
from berryeval.golden import GoldenSet, handbook
from berryeval.search.opening import open_system
from berryeval.suite.quality import QualityResult, run_quality

__all__ = ["SYSTEMS", "Demo", "run_demo"]

SYSTEMS = ("bm25", "vector", "hybrid")
"""The systems; the first is the baseline, and the gate decides on the last."""

DEMO_MEASURES = ("nDCG@10", "RR@10", "P@5", "R@10")

GUARDED, MARGIN = "nDCG@10", DEFAULT_MARGIN
"""The guard of the gate: this measure must drop by less than the margin."""


@dataclass(frozen=True, eq=False)
class Demo:
    """The result of the demonstration."""

    golden: GoldenSet
    results: Mapping[str, QualityResult]
    comparison: Comparison
    gate: GateResult
    """Whether the last system can replace the first."""


def run_demo(
    golden: GoldenSet | None = None,
    *,
    report: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Demo:
    """Run three embedded systems on a golden set, compare them, and decide on the last.

    The golden set is the bundled one by default. `report` is called with the current step, and
    `progress` with the number of answers and the total, once per system. Raises `MissingExtraError`
    if the libraries of the embedded engine are not installed.
    """
    report = report or (lambda _text: None)
    known = golden or handbook()
    results = {}
    for name in SYSTEMS:
        report(f"{name}: indexing {len(known.chunks)} chunks, sending {len(known.queries)} queries")
        with open_system(name) as system:
            results[name] = run_quality(system, known, progress=progress)
    report("Comparing")
    comparison = compare(
        known.judgments,
        {name: result.run for name, result in results.items()},
        known.at_level(DEMO_MEASURES),
        baseline=SYSTEMS[0],
        queries=known.queries,
        slices=["difficulty"] if any(query.difficulty for query in known.queries) else [],
        bounds=True,
        max_grade=known.scale,
    )
    decided = gate(
        comparison, margin={GUARDED: MARGIN}, candidate=SYSTEMS[-1], pool_depth=known.pool_depth
    )
    return Demo(known, results, comparison, decided)
