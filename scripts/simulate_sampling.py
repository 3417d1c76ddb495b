"""How often a gate is wrong where queries have weights, come in groups, or are drawn from strata.

Populations are invented: most queries change a little, one in eight loses much. The margin is the
true drop, so that every pass is wrong. ``make simulate`` writes the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from simulated_tables import write_table

from berryeval.evaluation.deciding import Column
from berryeval.evaluation.margins import margin_p_values
from berryeval.evaluation.sampling import Sampling
from berryeval.evaluation.weighting import scaled

Floats = NDArray[np.float64]
Draw = tuple[Floats, Sampling]

ALPHA = 0.05
LOSS = 1.0
"""The most that a query can lose."""
N_POPULATION = 5000
SIGMAS = (0.0, 0.7, 1.0)
"""Spreads of the logarithm of weights."""
DESIGNS = {
    "3 of 30 to 50 queries, shares 25, 33 and 42%": ((30, 40, 50), (0.25, 1 / 3, 0.42)),
    "10 of 10 queries, equal shares": ((10,) * 10, (0.1,) * 10),
    "50 of 2 queries, equal shares": ((2,) * 50, (0.02,) * 50),
    "20, 20 and 60 queries, shares 60, 30 and 10%": ((20, 20, 60), (0.6, 0.3, 0.1)),
}
"""For each design how many queries of each stratum are drawn, and its share of all searches."""


@dataclass(frozen=True)
class Rates:
    """How often a drop of exactly the margin passes."""

    pooled: float
    worst: float
    """Rate for the population where it passes most often."""
    plain: float
    """If weights, groups and strata are ignored."""
    worth: float
    """How many queries of equal weight the sample is worth, on average."""


def changes(random: np.random.Generator, n: int) -> Floats:
    """Draw changes of queries: most are small, one in eight loses much."""
    values = random.normal(0, 0.05, n)
    is_lost = random.random(n) < 1 / 8
    values[is_lost] -= random.beta(2, 3, np.count_nonzero(is_lost))
    return values


def weighted(random: np.random.Generator, n_queries: int, sigma: float) -> Iterator[Draw | float]:
    """Yield the true mean of a population with weights, then samples of it."""
    values = changes(random, N_POPULATION)
    weights = np.exp(sigma * random.normal(size=N_POPULATION))
    yield float(np.average(values, weights=weights))
    while True:
        drawn = random.integers(0, N_POPULATION, n_queries)
        yield values[drawn], Sampling(weights=scaled(weights[drawn].tolist()))


def grouped(random: np.random.Generator, n_groups: int) -> Iterator[Draw | float]:
    """Yield the true mean of a population in groups of one to eight queries, then samples of it.

    Half of the variance lies between groups.
    """
    shared = changes(random, N_POPULATION)
    sizes = random.integers(1, 9, N_POPULATION)
    values = [
        (base + changes(random, size)) / np.sqrt(2)
        for base, size in zip(shared, sizes, strict=True)
    ]
    yield float(np.concatenate(values).mean())
    while True:
        drawn = random.integers(0, N_POPULATION, n_groups)
        labels = tuple(str(i) for i, group in enumerate(drawn) for _ in range(sizes[group]))
        yield np.concatenate([values[group] for group in drawn]), Sampling(groups=labels)


def stratified(
    random: np.random.Generator, sizes: tuple[int, ...], shares: tuple[float, ...]
) -> Iterator[Draw | float]:
    """Yield the true mean of a population in strata that lie far apart, then samples of it."""
    centres = np.linspace(-0.5, 0.3, len(sizes))
    of_strata = [centre + changes(random, N_POPULATION) for centre in centres]
    parts = np.array(shares) / sum(shares)
    yield float(parts @ [values.mean() for values in of_strata])
    labels = tuple(str(i) for i, size in enumerate(sizes) for _ in range(size))
    weights = scaled([share / size for share, size in zip(parts, sizes, strict=True)
                      for _ in range(size)])  # fmt: skip
    sampling = Sampling(weights=weights, strata=labels)
    while True:
        yield (
            np.concatenate(
                [random.choice(values, size) for values, size in zip(of_strata, sizes, strict=True)]
            ),
            sampling,
        )


def rates(
    population: Callable[[np.random.Generator], Iterator[Draw | float]],
    n_populations: int,
    n_draws: int,
) -> Rates:
    """Run the gate on samples of several populations."""
    shares: list[float] = []
    n_plain, worth = 0, []
    for seed in range(n_populations):
        draws = population(np.random.default_rng(seed))
        drop = -next(draws)  # type: ignore[operator]  # the first is the mean
        n_passed = 0
        for _ in range(n_draws):
            values, sampling = next(draws)  # type: ignore[misc]  # the others are samples
            n_passed += passes(Column(values, sampling=sampling), drop)
            n_plain += passes(Column(values, sampling=Sampling(weights=sampling.weights)), drop)
            worth.append(sampling.effective_queries or len(values))
        shares.append(n_passed / n_draws)
    n_all = n_populations * n_draws
    return Rates(float(np.mean(shares)), max(shares), n_plain / n_all, float(np.mean(worth)))


def passes(column: Column, drop: float) -> bool:
    """Return whether a guard with this margin passes."""
    if not column.is_testable:
        return False
    assert column.sample is not None
    return margin_p_values(column.sample, drop, LOSS).passing <= ALPHA


def weight_rows(n_populations: int, n_draws: int) -> Iterator[str]:
    """Return the table of weights."""
    yield "| weights | queries | worth | false passes, pooled | worst population |"
    yield "|---|---:|---:|---:|---:|"
    for sigma in SIGMAS:
        name = f"sigma {sigma:g}" if sigma else "equal"
        for n in (100, 300):
            found = rates(lambda random: weighted(random, n, sigma), n_populations, n_draws)  # noqa: B023
            yield f"| {name} | {n} | {found.worth:.0f} | {found.pooled:.3f} | {found.worst:.3f} |"


def group_rows(n_populations: int, n_draws: int) -> Iterator[str]:
    """Return the table of groups."""
    yield "| groups of one to eight queries | false passes | worst population | ignoring groups |"
    yield "|---:|---:|---:|---:|"
    for n in (20, 30, 60):
        found = rates(lambda random: grouped(random, n), n_populations, n_draws)  # noqa: B023
        yield f"| {n} | {found.pooled:.3f} | {found.worst:.3f} | {found.plain:.3f} |"


def strata_rows(n_populations: int, n_draws: int) -> Iterator[str]:
    """Return the table of strata."""
    yield "| strata | false passes | worst population | as one sample |"
    yield "|---|---:|---:|---:|"
    for name, (sizes, parts) in DESIGNS.items():
        found = rates(lambda random: stratified(random, sizes, parts), n_populations, n_draws)  # noqa: B023
        yield f"| {name} | {found.pooled:.3f} | {found.worst:.3f} | {found.plain:.3f} |"


def main() -> None:
    """Simulate every row, and write the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--populations", type=int, default=12, help="populations per row")
    options.add_argument("--draws", type=int, default=1000, help="samples per population")
    chosen = options.parse_args()
    write_table("weights.md", "weights", weight_rows(chosen.populations, chosen.draws))
    write_table("weights.md", "strata", strata_rows(chosen.populations, chosen.draws))
    write_table("deciding.md", "groups", group_rows(chosen.populations, chosen.draws))


if __name__ == "__main__":
    main()
