"""How often a history finds declines that are there, and some that are not.

``make simulate`` runs it, and writes the table and the picture of docs/explanation/declines.md.
Each series has 52 entries. They are neutral, or fall at a step or little by little, and are judged
by the code behind `berryeval history`. *Best before* is the rule of earlier versions: each entry
against the best one before it, by t-tests with Bonferroni's correction.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr
from simulate_gate import handbook_scores
from simulated_tables import write_table

from berryeval.reports.history import trends_chart
from berryeval.suite.history import Entry, History
from berryeval.suite.trends import Trend, trends

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]
"""Makes a neutral series of so many queries: queries x entries."""

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "images" / "declines.svg"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
MEASURE = "nDCG@10"
N_ENTRIES = 52
QUERIES = (50, 100)
SPREAD = 0.05
"""Standard deviation of a query's score from entry to entry."""
ALLOWED = 0.065
RULES = ("best before", "on demand", "daily")


def independent(random: np.random.Generator, n_queries: int) -> Floats:
    """Draw every entry again."""
    return _levels(random, n_queries) + SPREAD * random.normal(size=(n_queries, N_ENTRIES))


def connected(random: np.random.Generator, n_queries: int) -> Floats:
    """Make entries that resemble the one before, with a correlation of 0.8."""
    scores = random.normal(size=(n_queries, N_ENTRIES))
    for entry in range(1, N_ENTRIES):
        scores[:, entry] = 0.8 * scores[:, entry - 1] + 0.6 * scores[:, entry]
    return _levels(random, n_queries) + SPREAD * scores


def _levels(random: np.random.Generator, n_queries: int) -> Floats:
    return random.uniform(0.3, 0.9, size=(n_queries, 1))


def real(scores: Floats) -> Noise:
    """Have each query keep its score, and now and then take that of another real system."""

    def noise(random: np.random.Generator, n_queries: int) -> Floats:
        drawn = scores[random.integers(0, len(scores), n_queries)]
        systems = random.integers(0, scores.shape[1], size=(n_queries, N_ENTRIES))
        is_kept = random.random((n_queries, N_ENTRIES)) < 0.8  # noqa: PLR2004
        for entry in range(1, N_ENTRIES):
            systems[:, entry] = np.where(
                is_kept[:, entry], systems[:, entry - 1], systems[:, entry]
            )
        return np.take_along_axis(drawn, systems, axis=1)

    return noise


def nothing(scores: Floats, _: np.random.Generator) -> Floats:
    """Leave a series as it is."""
    return scores


def step(scores: Floats, random: np.random.Generator) -> Floats:
    """Take 0.1 from a fifth of the queries, from an entry in the middle half on."""
    fallen = random.permutation(len(scores))[: len(scores) // 5]
    at = int(random.integers(N_ENTRIES // 4, 3 * N_ENTRIES // 4))
    changed = scores.copy()
    changed[fallen, at:] -= 0.1
    return changed


def creep(scores: Floats, _: np.random.Generator) -> Floats:
    """Take 0.02 from every query, a little in every entry."""
    return scores - np.linspace(0, 0.02, N_ENTRIES)


CHANGES: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "neutral": nothing,
    "step": step,
    "creep": creep,
}


def trend_of(scores: Floats, *, daily: bool = False, run: str = "bm25") -> Trend:
    """Return what the product finds in queries x entries."""
    entries = tuple(
        Entry(START + timedelta(days=day), run, None, "judgments", "queries", len(scores),
              {MEASURE: float(column.mean())}, {MEASURE: tuple(column.tolist())})
        for day, column in enumerate(scores.T)
    )  # fmt: skip
    [found] = trends(History("simulated", entries), daily=daily)
    return found


def is_below_best(scores: Floats) -> bool:
    """Whether an entry is worse than the best before it, by t-tests of all looks together."""
    n_queries, n_entries = scores.shape
    means = scores.mean(axis=0)
    best, smallest = 0, 1.0
    for entry in range(1, n_entries):
        differences = scores[:, entry] - scores[:, best]
        error = differences.std(ddof=1) / np.sqrt(n_queries)
        if error > 0 and differences.mean() < 0:
            smallest = min(smallest, 2 * float(stdtr(n_queries - 1, differences.mean() / error)))
        best = entry if means[entry] > means[best] else best
    return smallest * (n_entries - 1) <= 0.05  # noqa: PLR2004


def rates(
    noise: Noise, n_queries: int, change: str, n_series: int, n_daily: int
) -> dict[str, float]:
    """Return the share of series with a decline, by rule."""
    found = dict.fromkeys(RULES, 0)
    for number in range(n_series):
        random = np.random.default_rng([n_queries, number])
        scores = CHANGES[change](noise(random, n_queries), random)
        found["best before"] += is_below_best(scores)
        found["on demand"] += bool(trend_of(scores).declines)
        if number < n_daily:
            found["daily"] += bool(trend_of(scores, daily=True).declines)
    sizes = {"best before": n_series, "on demand": n_series, "daily": n_daily}
    return {rule: found[rule] / sizes[rule] for rule in RULES}


def draw() -> str:
    """Return a picture of a step and of a creep."""
    random = np.random.default_rng(5)
    stepped = independent(random, 50)
    stepped[:10, 30:] -= 0.15
    crept = independent(random, 50) - np.linspace(0, 0.04, N_ENTRIES)
    found = [trend_of(stepped, run="a step"), trend_of(crept - 0.05, run="a creep")]
    return f"{trends_chart(found).to_svg()}\n"


def main() -> None:
    """Simulate every cell, and write the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--series", type=int, default=1000, help="series per cell")
    parser.add_argument("--daily", type=int, default=200, help="series per cell with daily alarms")
    chosen = parser.parse_args()
    scores = next(table for name, table in handbook_scores() if name.endswith(MEASURE))
    noises = {"independent": independent, "connected": connected, "real scores": real(scores)}
    lines = [
        f"Each cell is {chosen.series:,} series of {N_ENTRIES} evaluations, "
        f"{chosen.daily:,} with the daily alarm.",
        "",
        "| series | queries | from day to day | " + " | ".join(RULES) + " |",
        "|---|---:|---|---:|---:|---:|",
    ]
    worst = 0.0
    for change in CHANGES:
        for n_queries in QUERIES:
            for name, noise in noises.items():
                found = rates(noise, n_queries, change, chosen.series, chosen.daily)
                if change == "neutral":
                    worst = max(worst, found["on demand"], found["daily"])
                cells = " | ".join(f"{found[rule]:.3f}" for rule in RULES)
                lines.append(f"| {change} | {n_queries} | {name} | {cells} |")
                print(lines[-1], flush=True)
    write_table("declines.md", "declines", lines)
    PICTURE.write_text(draw(), encoding="utf-8")
    if worst > ALLOWED:
        raise SystemExit(f"an error rate exceeds {ALLOWED:g}")


if __name__ == "__main__":
    main()
