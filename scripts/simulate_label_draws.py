"""How often a verdict is wrong if labels are drawn by stratum, with unequal probabilities.

Every draw runs the code that decides: 1,000 queries are drawn from a population, the judge's
differences set the spreads of the strata, Neyman's allocation sets the number of labels of each,
and the gate decides with the labels that are drawn. Labels in proportion to the size of strata
stand beside it. As in ``simulate_judges``, the margin is the true drop.

Populations are pairs of our own systems, with the difficulty of queries as stratum, and invented
ones in which the judge sees the spread of strata, or sees it where it is not. ``make simulate``
writes the table of docs/explanation/model-judgments.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import astuple, dataclass

import numpy as np
from judged_populations import JUDGES, Atoms, Floats, handbook, judged_atoms
from numpy.typing import NDArray
from simulate_gate import ALPHA
from simulated_tables import write_table

from berryeval.evaluation.label_spreads import spreads_of
from berryeval.evaluation.margins import margin_p_values
from berryeval.golden import handbook as bundled
from berryeval.stats import allocate_labels, powered_mean, smallest_drop

LABELS = (50, 100, 200)
N_QUERIES = 1000
_FEWEST_CHANGED = 10
_MORE = 4


@dataclass(frozen=True)
class Strata:
    """A population whose queries belong to strata."""

    atoms: Atoms
    stratum: NDArray[np.str_]
    """Of each query."""


@dataclass
class Rates:
    """Sums over draws of one population."""

    wrong_pass: float = 0.0
    right_pass: float = 0.0
    wrong_fail: float = 0.0
    right_fail: float = 0.0
    covered: float = 0.0
    variance: float = 0.0
    """Of the mean, as it is estimated."""

    def divided(self, n_draws: int) -> Rates:
        """Return shares of the draws."""
        return Rates(*(total / n_draws for total in astuple(self)))


def populations(n_pairs: int) -> Iterator[tuple[str, Strata]]:
    """Iterate over titles and populations."""
    own = handbook()
    difficulty = {query.query_id: query.difficulty for query in bundled().queries}
    strata = np.tile([difficulty[query_id] for query_id in own.by_people], own.n_copies)
    for judge, atoms in judged_atoms(own, n_pairs, np.random.default_rng(0)):
        yield f"our own, {judge}", Strata(atoms, strata)
    yield from invented()


def invented(size: int = 20_000) -> Iterator[tuple[str, Strata]]:
    """Iterate over populations in which a tenth of the queries lose much, and most hardly change.

    The judge sees which stratum varies; does not see it; or sees it where nothing changes.
    """
    random = np.random.default_rng(0)
    stratum = random.choice(["stable", "usual", "volatile"], size, p=[0.6, 0.3, 0.1])
    spread = np.select([stratum == "stable", stratum == "usual"], [0.03, 0.12], 0.3)
    people = random.normal(-0.02, 1.0, size) * spread
    people -= np.where(stratum == "volatile", random.exponential(0.3, size), 0.0)
    noise = random.normal(0, 0.05, size)
    yield "sees the spread", Strata(Atoms(people, people + noise, 0.8), stratum)
    dull = np.where(stratum == "volatile", noise, people + noise)
    yield "blind where most is lost", Strata(Atoms(people, dull, 0.8), stratum)
    loud = random.normal(0, 0.3, size) * (stratum == "stable")
    yield "spread where nothing changes", Strata(Atoms(people, people + loud + noise, 0.8), stratum)


def simulate(
    population: Strata, n_labels: int, n_draws: int, random: np.random.Generator
) -> tuple[Rates, Rates]:
    """Return the rates of Neyman's and of proportional allocation, on the same queries."""
    atoms = population.atoms
    drop = float(atoms.people.mean())
    margin = smallest_drop(float(atoms.people.std()), n_labels, ALPHA)
    assert margin is not None
    by_spread, by_size = Rates(), Rates()
    for _ in range(n_draws):
        drawn = random.integers(0, len(atoms.people), N_QUERIES)
        people, judge = atoms.people[drawn], atoms.judge[drawn]
        strata = population.stratum[drawn].tolist()
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(strata):
            rows.setdefault(name, []).append(row)
        sizes = {name: len(own) for name, own in rows.items()}
        for rates, spreads in ((by_spread, spreads_of([judge], strata)), (by_size, None)):
            counts = allocate_labels(sizes, n_labels, spreads=spreads)
            labels = np.full(N_QUERIES, np.nan)
            for name, own in rows.items():
                labelled = random.permutation(own)[: counts[name]]
                labels[labelled] = people[labelled]
            _add(rates, labels, judge, strata, (drop, margin, atoms.loss))
    return by_spread.divided(n_draws), by_size.divided(n_draws)


def _add(
    rates: Rates,
    labels: Floats,
    judge: Floats,
    strata: list[str],
    truth: tuple[float, float, float],
) -> None:
    drop, margin, loss = truth
    found = powered_mean(labels, judge, strata=strata)
    assert found is not None
    sample = found.sample
    interval = sample.interval()
    rates.covered += interval.low <= drop <= interval.high
    rates.variance += sample.standard_error**2
    if np.count_nonzero(np.nan_to_num(labels)) < _FEWEST_CHANGED:
        return
    # Raising the threshold is the same as lowering the differences.
    at_drop = margin_p_values(sample, -drop, loss)
    rates.wrong_pass += at_drop.passing <= ALPHA
    rates.wrong_fail += at_drop.failing <= ALPHA
    rates.right_fail += margin_p_values(sample, -drop - margin, loss).failing <= ALPHA
    rates.right_pass += margin_p_values(sample, margin - drop, loss).passing <= ALPHA


HEADER = (
    "| judge | pairs | labels | passes, Neyman | passes, in proportion "
    "| fails, Neyman | fails, in proportion | covered | covered, in proportion | variance |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def row(title: str, n_labels: int, found: list[tuple[Rates, Rates]]) -> str:
    """Return a row of the table: mean and worst population, and the power in brackets."""

    def figures(wrong: str, right: str, place: int) -> str:
        rates = np.array([getattr(both[place], wrong) for both in found])
        power = np.mean([getattr(both[place], right) for both in found])
        return f"{rates.mean():.3f} / {rates.max():.3f} ({power:.2f})"

    covered = [np.mean([both[place].covered for both in found]) for place in (0, 1)]
    ratio = np.mean([both[0].variance / both[1].variance for both in found])
    cells = [
        title,
        str(len(found)),
        str(n_labels),
        *(figures("wrong_pass", "right_pass", place) for place in (0, 1)),
        *(figures("wrong_fail", "right_fail", place) for place in (0, 1)),
        *(f"{one:.3f}" for one in covered),
        f"{ratio:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Simulate every population, and write the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--draws", type=int, default=1_000, help="samples per population")
    options.add_argument("--pairs", type=int, default=1, help="pairs of runs per measure")
    chosen = options.parse_args()
    random = np.random.default_rng(1)
    found: dict[str, dict[int, list[tuple[Rates, Rates]]]] = {}
    every = "**our own, all judges**"
    titles = [every, *(f"our own, {judge}" for judge in JUDGES)]
    for title in titles:
        found[title] = {n: [] for n in LABELS}
    for title, population in populations(chosen.pairs):
        print(title, flush=True)
        for n_labels in LABELS:
            # The rate of one population requires more draws than the mean of many.
            n_draws = chosen.draws if title in titles else _MORE * chosen.draws
            rates = simulate(population, n_labels, n_draws, random)
            found.setdefault(title, {n: [] for n in LABELS})[n_labels].append(rates)
            if title in titles:
                found[every][n_labels].append(rates)
    rows = [
        row(title, n_labels, rates)
        for title, by_labels in found.items()
        for n_labels, rates in by_labels.items()
    ]
    write_table("model-judgments.md", "label draws", [HEADER, *rows])


if __name__ == "__main__":
    main()
