"""How often the gate is wrong on real differences: pairs of real runs as populations.

The per-query differences of two runs are the population, and their mean is the true drop. The
margin is set to it, the worst case in which every pass is wrong, and queries are drawn from the
population with replacement. Power is measured on the same differences moved to a mean of 0, at the
margin that a t-test of normal differences passes in 80% of the cases.

Populations are runs of our own systems on the golden set that ships, shapes with long tails, and
the score tables of a folder: CSV files with one row per query, one column per system and a header,
such as those of TREC runs that are published with papers on evaluation. Each real pair is simulated
once more, by queries drawn from distributions that are fitted to it. ``make simulate`` writes the
tables of docs/explanation/error-rates.md; those of the folder stay as they are without one. Names
of files end in the measure, ``adhoc8_ap.csv``, and tables of one measure are summed up together:

    make simulate SCORES=FOLDER
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fitted_scores import draw_like
from numpy.typing import NDArray
from scipy.special import stdtrit
from simulated_tables import write_table

from berryeval.evaluation.deciding import MIN_CHANGED
from berryeval.stats import mean_of, smallest_drop
from berryeval.stats.hall import hall_inverse
from berryeval.stats.sample_mean import FLOOR, UNSEEN

Floats = NDArray[np.float64]

ALPHA = 0.05
QUERIES = (20, 50, 100, 200)
DROPS = (0.005, 0.1)
"""Pairs of runs whose true drop is between these."""
RULES = ("t", "skew-safe", "gate")
"""Student's t alone; with Hall's correction; and with two lost queries, as a gate judges."""
MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@10")
N_FITTED = 20_000
"""Queries of a population that is drawn from a fit."""
_BLOCK = 4000  # draws at a time


@dataclass(frozen=True)
class Pair:
    """A population: what each query loses or gains, and the most that one can lose."""

    differences: Floats
    loss: float


@dataclass(frozen=True)
class Columns:
    """The scores of two systems, query by query."""

    worse: Floats
    better: Floats

    @property
    def pair(self) -> Pair:
        """The differences of these very queries."""
        values = self.worse - self.better
        values[np.abs(values) < 1e-12] = 0.0  # noqa: PLR2004 - rounding
        return Pair(values, float(self.better.max()))

    def fitted(self, random: np.random.Generator) -> Pair | None:
        """Return the differences of new queries like these; None if no drop of that size comes."""
        drawn = draw_like(self.worse, self.better, N_FITTED, random)
        found = Columns(*drawn).pair if drawn else None
        is_drop = found is not None and DROPS[0] <= -found.differences.mean() <= DROPS[1]
        return found if is_drop else None


@dataclass(frozen=True)
class Rates:
    """How often a rule passes a drop of the margin, and a neutral candidate; by rule."""

    false_pass: Mapping[str, float]
    power: Mapping[str, float]
    false_fail: float
    """How often a gate fails a drop of the margin."""
    coverage: float
    """Share of 95% intervals of a comparison that cover the truth."""


def simulate(pair: Pair, n_queries: int, n_draws: int, random: np.random.Generator) -> Rates:
    """Return the rates for samples of so many queries."""
    values = pair.differences
    drop = float(values.mean())
    margin = smallest_drop(float(values.std()), n_queries, ALPHA)
    assert margin is not None
    passed, neutral = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0)
    n_failed = n_covered = 0
    for start in range(0, n_draws, _BLOCK):
        size = min(_BLOCK, n_draws - start)
        sample = values[random.integers(0, len(values), size=(size, n_queries))]
        mean, error, skewness = _moments(sample)
        bounds = _lower_bounds(mean, error, skewness, n_queries, pair.loss)
        if start == 0:
            _check(sample[:5], bounds, pair.loss)
        is_tested = (np.count_nonzero(sample, axis=1) >= MIN_CHANGED) & (error > 0)
        moved = _lower_bounds(mean - drop, error, skewness, n_queries, pair.loss)
        for rule in RULES:
            passed[rule] += int(np.count_nonzero(is_tested & (drop < bounds[rule])))
            neutral[rule] += int(np.count_nonzero(is_tested & (-margin < moved[rule])))
        upper = _upper_bounds(mean, error, skewness, n_queries, ALPHA)
        n_failed += int(np.count_nonzero(is_tested & (upper < drop)))
        n_covered += int(np.count_nonzero(_covers(mean, error, skewness, n_queries, drop)))
    return Rates(
        {rule: passed[rule] / n_draws for rule in RULES},
        {rule: neutral[rule] / n_draws for rule in RULES},
        n_failed / n_draws,
        n_covered / n_draws,
    )


def _moments(sample: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard error and bias-corrected skewness of each row."""
    n = sample.shape[1]
    mean = sample.mean(axis=1)
    around = sample - mean[:, None]
    squares = (around**2).mean(axis=1)
    has_spread = squares > np.finfo(float).tiny
    ratio = (around**3).mean(axis=1) / np.where(has_spread, squares, 1.0) ** 1.5
    skewness = np.where(has_spread, ratio * np.sqrt(n * (n - 1)) / (n - 2), 0.0)
    return mean, np.sqrt(squares / (n - 1)), skewness


def _lower_bounds(
    mean: Floats, error: Floats, skewness: Floats, n: int, loss: float
) -> dict[str, Floats]:
    """Return what `SampleMean.lower_bound` returns, row by row, for each rule."""
    quantile = -float(stdtrit(n - 1, ALPHA))
    skewness_error = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    cautious = np.minimum(skewness - skewness_error, FLOOR)
    reach = np.maximum(quantile, hall_inverse(np.full_like(mean, quantile), cautious, n))
    skew_safe = mean - error * reach
    after_losses = (n * mean - UNSEEN * loss) / (n + UNSEEN)
    found = (mean - error * quantile, skew_safe, np.minimum(skew_safe, after_losses))
    return dict(zip(RULES, found, strict=True))


def _upper_bounds(mean: Floats, error: Floats, skewness: Floats, n: int, alpha: float) -> Floats:
    quantile = np.full_like(mean, float(stdtrit(n - 1, alpha)))
    bounds: Floats = mean - error * np.minimum(quantile, hall_inverse(quantile, skewness, n))
    return bounds


def _covers(
    mean: Floats, error: Floats, skewness: Floats, n: int, truth: float
) -> NDArray[np.bool_]:
    high = _upper_bounds(mean, error, skewness, n, 0.025)
    low = -_upper_bounds(-mean, error, -skewness, n, 0.025)
    covers: NDArray[np.bool_] = (low <= truth) & (truth <= high)
    return covers


def _check(sample: Floats, bounds: Mapping[str, Floats], loss: float) -> None:
    """Assert that the bounds of the first rows are those of the code that judges a gate."""
    for row, values in enumerate(sample):
        found = mean_of(values)
        assert found is not None
        skewness = found.cautious_skewness
        expected = (
            found.lower_bound(ALPHA, skewness=0.0),
            found.lower_bound(ALPHA, skewness=skewness),
            found.lower_bound(ALPHA, skewness=skewness, loss=loss),
        )
        assert np.allclose([bounds[rule][row] for rule in RULES], expected)


def pairs_of(
    scores: Floats, random: np.random.Generator, n_most: int, drops: tuple[float, float] = DROPS
) -> list[Columns]:
    """Return pairs of columns that differ in a fifth of the queries, and are not alike."""
    places = [(i, j) for i in range(scores.shape[1]) for j in range(i)]
    random.shuffle(places)
    found: dict[bytes, Columns] = {}
    for i, j in places:
        worse, better = sorted((i, j), key=lambda column: float(scores[:, column].mean()))
        columns = Columns(scores[:, worse], scores[:, better])
        values = columns.pair.differences
        is_changed = np.count_nonzero(values) >= len(values) / 5
        if is_changed and drops[0] <= -values.mean() <= drops[1]:
            found.setdefault(np.sort(values).round(9).tobytes(), columns)
        if len(found) == n_most:
            break
    return list(found.values())


def read_scores(folder: Path) -> Iterator[tuple[str, Floats]]:
    """Iterate over the tables of a folder, without the worst quarter of the systems."""
    for path in sorted(folder.glob("*.csv")):
        scores = np.genfromtxt(path, delimiter=",", skip_header=1)
        best = np.argsort(-scores.mean(axis=0))[: scores.shape[1] * 3 // 4]
        yield path.stem, scores[:, np.sort(best)]


def handbook_scores() -> Iterator[tuple[str, Floats]]:
    """Iterate over the scores of our own systems on the golden set that ships, by measure."""
    import berryeval as be
    from berryeval.golden import handbook
    from berryeval.search import Embedded

    golden = handbook()
    documents = list(golden.documents(questions=True))
    systems = [
        *(Embedded("bm25", title_weight=weight) for weight in (0.0, 1.0, 5.0)),
        Embedded("vector"),
        *(Embedded("hybrid", feedback=n, late=x) for n in (0, 3, 10, 30) for x in (0.0, 1.0)),
        *(Embedded("hybrid", weights=pair) for pair in ((3.0, 1.0), (1.0, 3.0))),
        *(Embedded("hybrid", fusion="ranks", constant=c) for c in (5.0, 60.0)),
    ]
    found = []
    for system in systems:
        system.index(documents)
        run = {
            query.query_id: {hit.doc_id: hit.score for hit in system.search(query.text, k=100)}
            for query in golden.queries
        }
        found.append(be.evaluate(golden.judgments, run, list(MEASURES)))
    for measure in MEASURES:
        yield f"handbook {measure}", np.array([result[measure].values for result in found]).T


def shapes(random: np.random.Generator, size: int = 5000) -> Iterator[tuple[str, Pair]]:
    """Iterate over invented populations with long tails, and over those in which queries break."""
    yield "normal", Pair(random.normal(-0.05, 0.1, size), 0.5)
    for shape, skewness in ((4.0, -1), (1.0, -2), (0.25, -4)):
        yield f"gamma, skewness {skewness}", Pair(-random.gamma(shape, 0.2 / shape**0.5, size), 0.5)
    for share in (0.01, 0.02, 0.05):
        before = random.beta(2, 2, size)
        noise = random.normal(0, 0.05, size) * (random.random(size) < 0.6)  # noqa: PLR2004
        after = np.where(random.random(size) < share, 0.0, np.clip(before + noise, 0, 1))
        yield f"{share:.0%} of the queries lost", Pair(after - before, float(before.max()))


def rows(title: str, cells: Mapping[int, list[Rates]]) -> Iterator[str]:
    """Iterate over the rates of many pairs, as rows of Markdown."""
    for n_queries, rates in cells.items():
        if not rates:
            continue
        figures = []
        for rule in RULES:
            wrong = np.array([found.false_pass[rule] for found in rates])
            power = np.mean([found.power[rule] for found in rates])
            figures.append(f"{wrong.mean():.3f} / {wrong.max():.3f} ({power:.2f})")
        failed = np.array([found.false_fail for found in rates])
        coverage = np.mean([found.coverage for found in rates])
        yield (
            f"| {title} | {len(rates)} | {n_queries} | {' | '.join(figures)} | "
            f"{failed.mean():.3f} / {failed.max():.3f} | {coverage:.3f} |"
        )


HEADER = (
    "| population | pairs | queries | t | skew-safe | gate | fails | covered |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|"
)


def main() -> None:
    """Simulate every population, and write the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--scores", type=Path, help="folder of score tables")
    options.add_argument("--draws", type=int, default=20_000, help="samples per pair")
    options.add_argument("--pairs", type=int, default=30, help="pairs of runs per table")
    chosen = options.parse_args()
    _write_tables("own", handbook_scores(), "all measures", chosen)
    write_table("error-rates.md", "shapes", [HEADER, *_shape_rows(chosen.draws)])
    if chosen.scores:
        _write_tables("trec", read_scores(chosen.scores), "all tables", chosen)


def _write_tables(
    name: str,
    populations: Iterable[tuple[str, Floats]],
    total: str,
    chosen: argparse.Namespace,
) -> None:
    """Write the rates on real pairs, and those on queries that are drawn from fits of them."""
    random = np.random.default_rng(0)
    found: dict[str, dict[int, list[Rates]]] = {}
    fitted: dict[int, list[Rates]] = {n: [] for n in QUERIES}
    for population, scores in populations:
        columns = pairs_of(scores, random, chosen.pairs)
        cells = _simulate_all([one.pair for one in columns], chosen.draws, random)
        print("\n".join(rows(population, cells)), flush=True)
        for title in (f"**{total}**", population.rpartition("_")[2]):
            _add(found.setdefault(title, {n: [] for n in QUERIES}), cells)
        drawn = [pair for one in columns if (pair := one.fitted(random))]
        _add(fitted, _simulate_all(drawn, chosen.draws, random))
    lines = (line for one in found.items() for line in rows(*one))
    write_table("error-rates.md", name, [HEADER, *lines])
    write_table("error-rates.md", f"{name}, fitted", [HEADER, *rows(f"**{total}**", fitted)])


def _add(together: dict[int, list[Rates]], cells: Mapping[int, list[Rates]]) -> None:
    for n_queries, rates in cells.items():
        together[n_queries] += rates


def _shape_rows(n_draws: int) -> Iterator[str]:
    random = np.random.default_rng(0)
    for name, pair in shapes(random):
        for line in rows(name, _simulate_all([pair], n_draws, random)):
            print(line, flush=True)
            yield line


def _simulate_all(
    pairs: list[Pair], n_draws: int, random: np.random.Generator
) -> dict[int, list[Rates]]:
    return {n: [simulate(pair, n, n_draws, random) for pair in pairs] for n in QUERIES}


if __name__ == "__main__":
    main()
