"""How often a verdict that rests on model judgments is wrong, for judges from perfect to hostile.

Populations are pairs of runs of our own systems on the golden set that ships, judged by people, and
invented ones; see ``judged_populations``. Queries are drawn from them: all of them with the judge's
grades, and some with those of people, too. As in ``simulate_gate``, the margin is the true drop, so
every pass is wrong, and power is that of the same differences moved to 0.

``make simulate`` writes the tables of docs/explanation/model-judgments.md. Those of other
collections stay as they are without a folder of them: ``--collections`` has the files that
``study_hybrid.py`` reads, and ``--runs`` one folder per collection, with ``qrels.txt`` and files
``*.run``:

    make simulate COLLECTIONS=FOLDER RUNS=FOLDER
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from judged_populations import (
    BLIND,
    JUDGES,
    Atoms,
    Judged,
    PairAtoms,
    handbook,
    invented_atoms,
    judged_atoms,
    judged_pairs,
    public_collections,
    stored_runs,
)
from numpy.typing import NDArray
from scipy.special import stdtrit
from simulate_gate import ALPHA
from simulated_tables import write_table

from berryeval.evaluation.margins import AGREEING, margin_interval
from berryeval.stats import mean_of, powered_mean, smallest_drop
from berryeval.stats.hall import hall_inverse
from berryeval.stats.prediction_powered import MIN_DIFFERING
from berryeval.stats.sample_mean import FLOOR, UNSEEN

Floats = NDArray[np.float64]

LABELS = (50, 100, 200, 500)
N_QUERIES = 1000
PAIR_LABELS = (500, 1000)
_BLOCK = 1000  # draws at a time
_SMALL_BLOCK = 200  # draws at a time, if every document counts
_MIN_CHANGED = 10


@dataclass
class Rates:
    """How often each rule passes a drop of the margin, and a neutral candidate."""

    wrong: dict[str, float] = field(default_factory=dict)
    power: dict[str, float] = field(default_factory=dict)
    wrong_fail: float = 0.0
    right_fail: float = 0.0
    """Share of the draws that fail if the drop is twice the margin."""
    covered: float = 0.0
    used: float = 0.0
    """Share of the draws in which the judge counts."""

    def add_fails(self, found: Estimates, drop: float, margin: float, n_draws: int) -> None:
        """Count the fails, and the covered differences, among some of the draws."""
        self.wrong_fail += np.count_nonzero(found.fails(drop)) / n_draws
        self.right_fail += np.count_nonzero(found.fails(drop + margin)) / n_draws
        self.covered += np.count_nonzero(found.covers(drop)) / n_draws

    def add(
        self, name: str, found: Estimates, drop: float, loss: float, margin: float, n_draws: int
    ) -> None:
        """Count the passes of a rule among some of the draws."""
        passes = found.is_tested & (found.lower_bounds(loss) > drop)
        neutral = found.is_tested & (found.moved(-drop).lower_bounds(loss) > -margin)
        for rates, hits in ((self.wrong, passes), (self.power, neutral)):
            rates[name] = rates.get(name, 0.0) + np.count_nonzero(hits) / n_draws


@dataclass(frozen=True)
class Estimates:
    """Means of many draws, with what is known of their errors; one number per draw."""

    mean: Floats
    error: Floats
    skewness: Floats
    freedom: Floats
    n: int
    is_tested: NDArray[np.bool_]
    by_people: Floats
    """What a fail has to stay below, too: upper bounds by people's labels alone where the judge
    counts; else minus infinity."""

    def moved(self, by: float) -> Estimates:
        """Return the same for differences that are all larger."""
        return replace(self, mean=self.mean + by, by_people=self.by_people + by)

    def lower_bounds(self, loss: float) -> Floats:
        """Return what the gate compares with minus the margin; a loss of 0 leaves it unbounded."""
        quantile = -stdtrit(self.freedom, ALPHA)
        cautious = np.minimum(self.skewness - _skewness_error(self.n), FLOOR)
        reach = np.maximum(quantile, hall_inverse(quantile, cautious, self.n))
        bounds: Floats = self.mean - self.error * reach
        if loss > 0:
            after_losses = (self.n * self.mean - UNSEEN * loss) / (self.n + UNSEEN)
            bounds = np.minimum(bounds, after_losses)
        return bounds

    def upper_bounds(self, alpha: float) -> Floats:
        """Return the upper ends of intervals."""
        quantile = stdtrit(self.freedom, alpha)
        transformed = hall_inverse(quantile, self.skewness, self.n)
        bounds: Floats = self.mean - self.error * np.minimum(quantile, transformed)
        return bounds

    def fails(self, drop: float) -> NDArray[np.bool_]:
        """Return where the gate fails a margin of this size: people's labels have to agree."""
        found: NDArray[np.bool_] = self.is_tested & (
            np.maximum(self.upper_bounds(ALPHA), self.by_people) < drop
        )
        return found

    def covers(self, truth: float) -> NDArray[np.bool_]:
        """Return whether the 95% interval of a comparison contains the truth."""
        turned = replace(self, mean=-self.mean, skewness=-self.skewness)
        low, high = -turned.upper_bounds(0.025), self.upper_bounds(0.025)
        covers: NDArray[np.bool_] = (low <= truth) & (truth <= high)
        return covers


def _skewness_error(n: int) -> float:
    return float(np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))))


def plain(values: Floats) -> Estimates:
    """Return what `mean_of` returns, row by row."""
    n = values.shape[1]
    mean = values.mean(axis=1)
    around = values - mean[:, None]
    squares = (around**2).mean(axis=1)
    has_spread = squares > np.finfo(float).tiny
    third = (around * around * around).mean(axis=1) / np.where(has_spread, squares, 1.0) ** 1.5
    skewness = np.where(has_spread, third * np.sqrt(n * (n - 1)) / (n - 2), 0.0)
    is_tested = (np.count_nonzero(values, axis=1) >= _MIN_CHANGED) & has_spread
    freedom = np.full(len(values), n - 1.0)
    nobody = np.full(len(values), -np.inf)
    return Estimates(mean, np.sqrt(squares / (n - 1)), skewness, freedom, n, is_tested, nobody)


@dataclass(frozen=True)
class Rest:
    """The judge's scores of the queries that people did not label, by their moments."""

    n: int
    mean: Floats
    variance: Floats | float
    third: Floats | float


def powered(people: Floats, judge: Floats, rest: Rest) -> tuple[Estimates, NDArray[np.bool_]]:
    """Return what `powered_mean` returns, row by row, and whether the judge counts."""
    n = people.shape[1]
    n_queries = n + rest.n
    y, f = (part - part.mean(axis=1)[:, None] for part in (people, judge))
    spread = (f * f).sum(axis=1)
    weight = (f * y).sum(axis=1) / np.where(spread > 0, spread, 1.0)
    weight = np.clip(np.where(spread > 0, weight, 0.0), 0.0, 1.0)
    is_used = np.count_nonzero(np.abs(people - judge) > 1e-12, axis=1) >= MIN_DIFFERING  # noqa: PLR2004 - rounding
    weight = np.where(is_used, weight, 0.0)
    is_fitted = weight > 0
    residuals = y - weight[:, None] * f
    mean_f = (n * judge.mean(axis=1) + rest.n * rest.mean) / n_queries
    correction = (people - weight[:, None] * judge).mean(axis=1)
    mean = weight * mean_f + correction
    of_residuals = (residuals**2).sum(axis=1) / np.where(is_fitted, n - 2, n - 1)
    of_people = (y * y).sum(axis=1) / (n - 1)
    variance = of_people / n_queries + (1 / n - 1 / n_queries) * of_residuals
    expected = weight[:, None] * judge + (correction - mean)[:, None]
    of_labelled = expected + n_queries / n * residuals
    cubes = (of_labelled * of_labelled * of_labelled).sum(axis=1)  # ** is slow
    cubes *= n * n / ((n - 1) * (n - 2))
    away = weight * rest.mean + correction - mean
    cubes += rest.n * (weight**3 * rest.third + 3 * away * weight**2 * rest.variance + away**3)
    has_spread = variance > np.finfo(float).tiny
    safe = np.where(has_spread, variance, 1.0)
    skewness = np.where(has_spread, cubes / n_queries**3 / safe**1.5 * np.sqrt(n), 0.0)
    is_tested = (np.count_nonzero(people, axis=1) >= _MIN_CHANGED) & has_spread
    freedom = np.where(is_fitted, n - 2.0, n - 1.0)
    by_people = np.where(is_fitted, plain(people).upper_bounds(AGREEING), -np.inf)
    found = Estimates(mean, np.sqrt(variance), skewness, freedom, n, is_tested, by_people)
    return found, is_used


def _check(people: Floats, judge: Floats, rest: Floats) -> None:
    """Assert that a row of `powered` is what the code that decides returns."""
    moments = Rest(
        len(rest),
        np.array([rest.mean()]),
        rest.var(),
        float(((rest - rest.mean()) ** 3).mean()),
    )
    found, is_used = powered(people[None], judge[None], moments)
    labels = np.concatenate([people, np.full(len(rest), np.nan)])
    expected = powered_mean(labels, np.concatenate([judge, rest]))
    assert expected is not None
    sample = expected.sample
    assert (expected.reason is None) == bool(is_used[0])
    assert np.isclose(found.mean[0], sample.mean)
    assert np.isclose(found.error[0], sample.standard_error)
    assert np.isclose(found.skewness[0], sample.skewness)
    assert np.isclose(found.freedom[0], sample.degrees_of_freedom)
    bound = sample.lower_bound(ALPHA, skewness=sample.cautious_skewness, loss=0.5)
    assert np.isclose(found.lower_bounds(0.5)[0], bound)
    high = np.maximum(found.upper_bounds(ALPHA), found.by_people)[0]
    assert np.isclose(high, margin_interval(sample, ALPHA, 0.5).high)
    alone = mean_of(people)
    assert alone is not None
    assert np.isclose(plain(people[None]).skewness[0], alone.skewness)


def simulate(
    atoms: Atoms,
    n_labels: int,
    n_draws: int,
    random: np.random.Generator,
    n_queries: int = N_QUERIES,
    *,
    naive: Sequence[Estimates] = (),
) -> Rates:
    """Return the rates with so many labels; naive use of the judge's grades stands beside them."""
    size, drop = len(atoms.people), float(atoms.people.mean())
    margin = smallest_drop(float(atoms.people.std()), n_labels, ALPHA)
    assert margin is not None
    n_rest = n_queries - n_labels
    center = float(atoms.judge.mean())
    spread = float(atoms.judge.std())
    third = float(((atoms.judge - center) ** 3).mean())
    some = random.integers(0, size, n_queries)
    _check(
        atoms.people[some[:n_labels]], atoms.judge[some[:n_labels]], atoms.judge[some[n_labels:]]
    )
    found = Rates()
    for start in range(0, n_draws, _BLOCK):
        n_here = min(_BLOCK, n_draws - start)
        drawn = random.integers(0, size, (n_here, n_labels))
        people, judge = atoms.people[drawn], atoms.judge[drawn]
        # The mean of hundreds of unlabelled queries is drawn from its normal limit.
        means = random.normal(center, spread / np.sqrt(n_rest), n_here)
        rest = Rest(n_rest, means, spread**2, third)
        together, is_used = powered(people, judge, rest)
        alone = plain(people)
        for name, one in (("powered", together), ("labels", alone)):
            found.add(name, one, drop, atoms.loss, margin, n_draws)
            found.add(f"{name}, no losses", one, drop, 0.0, margin, n_draws)
        found.add_fails(together, drop, margin, n_draws)
        found.used += np.count_nonzero(is_used) / n_draws
    for one in naive:
        found.add("naive", one, drop, atoms.loss, margin, n_draws)
    return found


def trust(
    atoms: Atoms, n_draws: int, random: np.random.Generator, n_queries: int = N_QUERIES
) -> list[Estimates]:
    """Return what follows if the judge's grades are taken for those of people."""
    sizes = [min(_BLOCK, n_draws - start) for start in range(0, n_draws, _BLOCK)]
    size = len(atoms.judge)
    return [plain(atoms.judge[random.integers(0, size, (n, n_queries))]) for n in sizes]


def simulate_pairs(
    atoms: PairAtoms,
    n_labels: int,
    n_draws: int,
    random: np.random.Generator,
    n_queries: int = 400,
) -> Rates:
    """Return the rates if so many pairs are labelled, on average, whatever their queries."""
    truth = (atoms.amounts * atoms.people).sum(axis=1)
    naive = (atoms.amounts * atoms.judge).sum(axis=1)
    drop = float(truth.mean())
    margin = smallest_drop(float(truth.std()), n_queries, ALPHA)
    assert margin is not None
    chance = min(1.0, n_labels / (n_queries * np.count_nonzero(atoms.amounts, axis=1).mean()))
    found = Rates()
    for start in range(0, n_draws, _SMALL_BLOCK):
        n_here = min(_SMALL_BLOCK, n_draws - start)
        drawn = random.integers(0, len(truth), (n_here, n_queries))
        is_labelled = random.random((*drawn.shape, atoms.amounts.shape[1])) < chance
        amounts, people, judge = (
            column[drawn] for column in (atoms.amounts, atoms.people, atoms.judge)
        )
        labelled = is_labelled * amounts / chance
        by_people = (labelled * people).sum(axis=2)
        n_differing = np.count_nonzero(is_labelled & (amounts * (people - judge) != 0), axis=(1, 2))
        is_used = n_differing >= MIN_DIFFERING
        corrected = naive[drawn] + (labelled * (people - judge)).sum(axis=2)
        values = np.where(is_used[:, None], corrected, by_people)
        together = plain(np.round(values, 12))
        for name, one in (
            ("powered", together),
            ("labels", plain(np.round(by_people, 12))),
            ("naive", plain(np.round(naive[drawn], 12))),
        ):
            found.add(name, one, drop, atoms.loss, margin, n_draws)
        found.add_fails(together, drop, margin, n_draws)
        found.used += np.count_nonzero(is_used) / n_draws
    return found


HEADER = (
    "| judge | pairs | labels | corrected | labels alone | naive | fails | covered | used |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)


ALLOWANCE = (
    "| runs | labels | corrected | labels alone | corrected, no lost queries "
    "| labels alone, no lost queries |\n"
    "|---|---:|---:|---:|---:|---:|"
)

Cells = dict[str, dict[int, list[Rates]]]
"""Rates of many populations, by title and number of labels."""


def _figures(rates: Sequence[Rates], rules: Iterable[str]) -> list[str]:
    """Return mean and worst rate of wrong passes, and the power in brackets, of each rule."""
    found = []
    for rule in rules:
        wrong = np.array([one.wrong[rule] for one in rates])
        power = np.mean([one.power[rule] for one in rates])
        found.append(f"{wrong.mean():.3f} / {wrong.max():.3f} ({power:.2f})")
    return found


def rows(found: Cells) -> Iterator[str]:
    """Iterate over the rows of a table: mean and worst pair, and the power in brackets."""
    for name, cells in found.items():
        for n_labels, rates in cells.items():
            figures = _figures(rates, ("powered", "labels", "naive"))
            failed = np.array([one.wrong_fail for one in rates])
            right = np.mean([one.right_fail for one in rates])
            covered = np.mean([one.covered for one in rates])
            used = np.mean([one.used for one in rates])
            yield (
                f"| {name} | {len(rates)} | {n_labels} | {' | '.join(figures)} "
                f"| {failed.mean():.3f} / {failed.max():.3f} ({right:.2f}) "
                f"| {covered:.3f} | {used:.2f} |"
            )


def allowance_rows(found: Cells) -> Iterator[str]:
    """Iterate over what the two lost queries cost, and prevent."""
    rules = ("powered", "labels", "powered, no losses", "labels, no losses")
    for name, cells in found.items():
        for n_labels, rates in cells.items():
            yield f"| {name} | {n_labels} | {' | '.join(_figures(rates, rules))} |"


def main() -> None:
    """Simulate every judge, and write the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--draws", type=int, default=4_000, help="samples per pair and judge")
    options.add_argument("--pairs", type=int, default=4, help="pairs of runs per measure")
    options.add_argument("--collections", type=Path, help="folder of public collections")
    options.add_argument("--runs", type=Path, help="folder of folders with qrels.txt and *.run")
    chosen = options.parse_args()
    others = [
        *(public_collections(chosen.collections) if chosen.collections else ()),
        *(stored_runs(chosen.runs) if chosen.runs else ()),
    ]
    if others:
        _write_others(others, chosen)
    own = handbook()
    _write_pairs(own, chosen)
    every = "**all judges**"
    found = _simulated(judged_atoms(own, chosen.pairs, np.random.default_rng(0)), chosen.draws)
    together = {every: {n: [one for own in found.values() for one in own[n]] for n in LABELS}}
    write_table("model-judgments.md", "own", [HEADER, *rows(together | found)])
    invented = _simulated(invented_atoms(), chosen.draws)
    write_table("model-judgments.md", "invented", [HEADER, *rows(invented)])
    costs = {"our own": together[every], BLIND: invented[BLIND]}
    write_table("model-judgments.md", "allowance", [ALLOWANCE, *allowance_rows(costs)])


def _simulated(populations: Iterable[tuple[str, Atoms]], n_draws: int) -> Cells:
    """Return the rates of each population, by its name."""
    random = np.random.default_rng(1)
    found: Cells = {}
    for name, atoms in populations:
        print(name, flush=True)
        naive = trust(atoms, n_draws, random)
        cells = found.setdefault(name, {n: [] for n in LABELS})
        for n_labels in LABELS:
            cells[n_labels].append(simulate(atoms, n_labels, n_draws, random, naive=naive))
    return found


def _write_others(others: Iterable[tuple[str, Judged]], chosen: argparse.Namespace) -> None:
    """Write the rates on other collections: all of them, one by one, and judge by judge."""
    random = np.random.default_rng(0)
    by_collection = {
        name: _simulated(judged_atoms(own, chosen.pairs // 2, random), chosen.draws)
        for name, own in others
    }
    found: Cells = {"**all collections**": {n: [] for n in LABELS}}
    for name in (*by_collection, *JUDGES):
        found[name] = {n: [] for n in LABELS}
    for name, cells in by_collection.items():
        for judge, own in cells.items():
            for n_labels, rates in own.items():
                for title in ("**all collections**", name, judge):
                    found[title][n_labels] += rates
    write_table("model-judgments.md", "other", [HEADER, *rows(found)])


def _write_pairs(own: Judged, chosen: argparse.Namespace) -> None:
    random = np.random.default_rng(2)
    found: Cells = {}
    for name, atoms in judged_pairs(own, chosen.pairs, random):
        print("pairs", name, flush=True)
        for n_labels in PAIR_LABELS:
            rates = simulate_pairs(atoms, n_labels, chosen.draws // 2, random)
            for title in ("**all judges**", name):
                found.setdefault(title, {n: [] for n in PAIR_LABELS})[n_labels].append(rates)
    write_table("model-judgments.md", "pairs", [HEADER, *rows(found)])


if __name__ == "__main__":
    main()
