"""How good estimates from sampled judgments are, and whether their standard errors can be trusted.

Test sets are invented in which the whole pool is judged. Samples of these judgments are drawn again
and again, and a run is scored with each. ``make simulate`` writes the table.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator

import numpy as np
from simulated_tables import write_table

import berryeval as be
from berryeval.core.judgments import Judgments

ESTIMATES = {"xinfAP": "AP", "infNDCG": "nDCG"}
RATES = (0.25, 0.5)
SEEDS = (1, 2)
N_QUERIES = 12
N_DOCUMENTS = 100
N_TOP = 15
"""Documents at the top of the run that are always judged."""

Grades = dict[str, dict[str, int]]
Strata = dict[str, dict[str, str]]


def make_set(draw: random.Random) -> tuple[Grades, Strata, dict[str, list[str]]]:
    """Return the grade and the stratum of each document in the pool, and a run."""
    grades: Grades = {}
    strata: Strata = {}
    run: dict[str, list[str]] = {}
    for number in range(N_QUERIES):
        query = f"q{number}"
        own = {
            f"d{i}": draw.choice([1, 2]) if draw.random() < 0.15 else 0  # noqa: PLR2004
            for i in range(N_DOCUMENTS)
        }
        scores = {doc_id: 1.2 * grade + draw.gauss(0, 1) for doc_id, grade in own.items()}
        run[query] = [*sorted(own, key=scores.__getitem__, reverse=True)[:80], "outside"]
        first = {*run[query][:N_TOP]}
        grades[query] = own
        strata[query] = {doc_id: "top" if doc_id in first else "rest" for doc_id in own}
    return grades, strata, run


def sample(grades: Grades, strata: Strata, rate: float, draw: random.Random) -> Judgments:
    """Return judgments of all documents of the top, and of a share of the rest."""
    found: Grades = {}
    for query, own in grades.items():
        rest = [doc_id for doc_id in own if strata[query][doc_id] == "rest"]
        unjudged = {*rest} - {*draw.sample(rest, round(rate * len(rest)))}
        found[query] = {d: -1 if d in unjudged else grade for d, grade in own.items()}
    return Judgments.from_dict(found).with_strata(strata)


def rows(n_draws: int) -> Iterator[str]:
    """Return the table."""
    yield "| judged below the top | set | measure | true | bias | error | standard error |"
    yield "|---:|---:|---|---:|---:|---:|---:|"
    for rate in RATES:
        for seed in SEEDS:
            draw = random.Random(seed)  # noqa: S311 - an invented test set
            grades, strata, run = make_set(draw)
            truth = be.evaluate(grades, run, [*ESTIMATES.values()]).to_dict()
            results = [
                be.evaluate(
                    sample(grades, strata, rate, draw), run, [*ESTIMATES], sampling_errors=True
                )
                for _ in range(n_draws)
            ]
            for measure, complete in ESTIMATES.items():
                means = np.array([result[measure].mean for result in results])
                errors = np.array([result[measure].sampling_error for result in results])
                yield (
                    f"| {rate:.0%} | {seed} | {measure} | {truth[complete]:.3f} "
                    f"| {np.mean(means) - truth[complete]:+.3f} | {np.std(means, ddof=1):.4f} "
                    f"| {math.sqrt(np.mean(errors**2)):.4f} |"
                )


def main() -> None:
    """Simulate every row, and write the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--draws", type=int, default=80, help="samples per row")
    chosen = options.parse_args()
    write_table("sampled-judgments.md", "estimates", rows(chosen.draws))


if __name__ == "__main__":
    main()
