"""How often the gate is wrong: simulate it where the truth is known.

``make simulate`` runs it and writes docs/explanation/error-rates.md. Each cell of its table is
10,000 gates over random differences whose true mean is exactly minus the margin: the worst case,
in which a verdict of pass and a verdict of fail are both wrong.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

from berryeval.evaluation.margins import (
    FEWEST_CHANGED,
    correct_failing,
    judge_margin,
    margin_p_values,
)

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "error-rates.md"
ALPHA = 0.05
MARGIN = 0.05
ALLOWED = ALPHA + 0.015
QUERIES = (20, 40, 50, 200)
GUARDS = (1, 8)
CORRELATIONS = (0.0, 0.8)
N_GATES = 10_000
BLOCK = 400
"""Columns that are resampled at once: enough to share the draw, few enough for memory."""

Floats = NDArray[np.float64]
Shape = Callable[[Floats], Floats]
"""Turns standard normal numbers into differences whose true mean is -MARGIN."""


@dataclass(frozen=True)
class Rates:
    """How often gates passed and failed."""

    passed: float
    failed: float


def normal(z: Floats) -> Floats:
    """Differences of many documents: a bell."""
    return 0.1 * z - MARGIN


def mostly_zero(z: Floats) -> Floats:
    """Seven of ten queries do not change."""
    changed = 0.3
    place = special.ndtr(z) / changed
    inner = special.ndtri(np.clip(place, 1e-12, 1 - 1e-12))
    return np.where(place < 1, 0.15 * inner - MARGIN / changed, 0.0)


def discrete(values: list[float], weights: list[float]) -> Shape:
    """Return a shape of few values; the weight of the lowest and of 0 makes its mean -MARGIN."""
    points, shares = np.array(values), np.array(weights) / np.sum(weights)
    # Move weight between the lowest value and 0 until the mean is right.
    lowest, zero = int(np.argmin(points)), int(np.flatnonzero(points == 0)[0])
    moved = (float(points @ shares) + MARGIN) / (points[zero] - points[lowest])
    shares[lowest] += moved
    shares[zero] -= moved
    assert (shares >= 0).all()
    assert math.isclose(float(points @ shares), -MARGIN)
    order = np.argsort(points)
    edges = special.ndtri(np.cumsum(shares[order])[:-1])
    return lambda z: points[order][np.searchsorted(edges, z)]


def reciprocal_ranks() -> Shape:
    """Differences of reciprocal ranks: 1, 1/2, 1/3, 1/5, 0."""
    ranks, weights = [1.0, 1 / 2, 1 / 3, 1 / 5, 0.0], [4.0, 2.0, 1.0, 1.0, 2.0]
    found: dict[float, float] = {}
    for before, share_before in zip(ranks, weights, strict=True):
        for after, share_after in zip(ranks, weights, strict=True):
            stays = 20.0 if before == after else 1.0
            d = round(after - before, 12)
            found[d] = found.get(d, 0.0) + share_before * share_after * stays
    return discrete([*found], [*found.values()])


SHAPES: dict[str, Shape] = {
    "normal": normal,
    "70 % zeros": mostly_zero,
    "RR steps": reciprocal_ranks(),
    "P@5 steps": discrete([-0.4, -0.2, 0.0, 0.2, 0.4], [2.0, 6.0, 12.0, 4.0, 1.0]),
    "rare ±1": discrete([-1.0, 0.0, 1.0], [0.05, 0.925, 0.025]),
    "rare -1": discrete([-1.0, 0.0], [0.05, 0.95]),
}


def simulate(
    shape: Shape,
    n_queries: int,
    n_guards: int,
    correlation: float,
    *,
    n_gates: int = N_GATES,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Rates:
    """Return how often gates pass and fail whose guards all see differences of this shape."""
    random = np.random.default_rng(seed)
    passed = failed = 0
    for n_block in _blocks(n_gates, max(1, BLOCK // n_guards)):
        own = random.standard_normal((n_queries, n_block, n_guards))
        shared = random.standard_normal((n_queries, n_block, 1))
        z = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
        differences = shape(z).reshape(n_queries, n_block * n_guards)
        for verdicts in judge_gates(differences, n_guards, n_resamples):
            passed += all(verdict == "pass" for verdict in verdicts)
            failed += any(verdict == "fail" for verdict in verdicts)
    return Rates(passed / n_gates, failed / n_gates)


def judge_gates(differences: Floats, n_guards: int, n_resamples: int) -> Iterator[list[str]]:
    """Judge gates whose guards are neighbouring columns, as `berryeval.gate` does."""
    n_queries, n_columns = differences.shape
    p = margin_p_values(differences, np.full(n_columns, MARGIN), n_resamples)
    n_changed = np.count_nonzero(differences, axis=0)
    for first in range(0, n_columns, n_guards):
        columns = range(first, first + n_guards)
        is_testable = [n_changed[i] >= FEWEST_CHANGED for i in columns]
        failing = [
            float(p.failing[i]) if ok else None for i, ok in zip(columns, is_testable, strict=True)
        ]
        yield [
            judge_margin(
                None if p_fail is None else float(p.passing[i]),
                p_fail,
                int(n_changed[i]),
                n_queries,
                MARGIN,
                1.0,
                ALPHA,
            )
            for i, p_fail in zip(columns, correct_failing(failing), strict=True)
        ]


def _blocks(total: int, size: int) -> Iterator[int]:
    for start in range(0, total, size):
        yield min(size, total - start)


def power(n_gates: int = N_GATES, n_resamples: int = 10_000, seed: int = 0) -> tuple[float, float]:
    """Return how often an unchanged system passes, and how often a t-test alone would pass it.

    50 queries, differences with a standard deviation of 0.1 and a mean of 0, the margin of 0.05.
    """
    random = np.random.default_rng(seed)
    passed = by_t = 0
    for n_block in _blocks(n_gates, BLOCK):
        differences = 0.1 * random.standard_normal((50, n_block))
        passed += sum(v == ["pass"] for v in judge_gates(differences, 1, n_resamples))
        error = differences.std(axis=0, ddof=1) / math.sqrt(50)
        t = (differences.mean(axis=0) + MARGIN) / error
        by_t += int(np.count_nonzero(special.stdtr(49, -t) <= ALPHA))
    return passed / n_gates, by_t / n_gates


def cells() -> Iterator[tuple[str, int, int, float]]:
    """Iterate over what is simulated: shape, queries, guards, correlation."""
    for name in SHAPES:
        for n_queries in QUERIES:
            for n_guards in GUARDS:
                for correlation in CORRELATIONS if n_guards > 1 else (0.0,):
                    yield name, n_queries, n_guards, correlation


def main() -> None:
    """Simulate every cell, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gates", type=int, default=N_GATES, help="gates a cell")
    n_gates = parser.parse_args().gates
    rows, worst_pass, worst_fail = [], 0.0, 0.0
    for name, n_queries, n_guards, correlation in cells():
        rates = simulate(SHAPES[name], n_queries, n_guards, correlation, n_gates=n_gates)
        worst_pass, worst_fail = max(worst_pass, rates.passed), max(worst_fail, rates.failed)
        related = f"{correlation:g}" if n_guards > 1 else ""
        rows.append(
            f"| {name} | {n_queries} | {n_guards} | {related} | {rates.passed:.4f} | "
            f"{rates.failed:.4f} |"
        )
        print(rows[-1], flush=True)
    passed, by_t = power(n_gates)
    PAGE.write_text(_page(rows, worst_pass, worst_fail, passed, by_t, n_gates), encoding="utf-8")
    print(f"worst: pass {worst_pass:.4f}, fail {worst_fail:.4f}; power {passed:.4f} ({by_t:.4f})")
    if max(worst_pass, worst_fail) > ALLOWED:
        raise SystemExit(f"an error rate exceeds {ALLOWED:g}")


def _page(
    rows: list[str], worst_pass: float, worst_fail: float, passed: float, by_t: float, n_gates: int
) -> str:
    return "\n".join(
        [
            "# Error rates of the gate",
            "",
            "<!-- Written by `make simulate`; edit scripts/simulate_gate.py instead. -->",
            "",
            "How often is a verdict wrong?",
            f"The differences below have a true mean of exactly minus the margin ({MARGIN:g}), "
            "where a verdict of pass and a verdict of fail are equally wrong.",
            f"Each row is {n_gates:,} gates at alpha {ALPHA:g}, judged by the code that judges "
            "yours, with 10,000 resamples.",
            f"At most {ALLOWED:g} is allowed; the highest rates are {worst_pass:.4f} (pass) and "
            f"{worst_fail:.4f} (fail).",
            "",
            "Nor is the gate merely timid: a system that changed nothing but noise "
            f"(50 queries, standard deviation 0.1) passes in {passed:.3f} of the gates; a "
            f"one-sided t-test alone would pass {by_t:.3f}.",
            "",
            "With eight guards the gate passes only if all of them do, and fails if any does, by "
            "Holm's correction.",
            "*Correlation* is that between the guards, of the normal numbers behind the "
            "differences.",
            "",
            "| differences | queries | guards | correlation | passes | fails |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "- normal: a bell with standard deviation 0.1;",
            "- 70 % zeros: three of ten queries change, by a bell;",
            "- RR steps: differences of reciprocal ranks 1, 1/2, 1/3, 1/5 and 0;",
            "- P@5 steps: multiples of 0.2;",
            "- rare ±1: a query in ten or so is lost or won as a whole;",
            "- rare -1: a query in twenty is lost as a whole, and none is won.",
            "",
        ]
    )


if __name__ == "__main__":
    main()
