"""How often a verdict that rests on model judgments is wrong, for judges from perfect to hostile.

Populations are pairs of runs of our own systems on the golden set that ships, judged by people, and
invented ones. A judge changes the grades of people pair by pair: it errs at random, is lenient,
favours one system, or inverts grades. What each query gains or loses by the grades of people, and
by those of the judge, is one atom of the population. Queries are drawn from it: all of them with
the judge's grades, and some with those of people, too. As in ``simulate_gate``, the margin is the
true drop, so every pass is wrong, and power is that of the same differences moved to 0.

``make simulate`` writes the tables of docs/explanation/model-judgments.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from simulate_gate import ALPHA, DROPS, Columns, Pair
from simulated_tables import write_table

from berryeval.stats import mean_of, powered_mean, smallest_drop
from berryeval.stats.hall import hall_inverse
from berryeval.stats.prediction_powered import FEWEST_DIFFERING
from berryeval.stats.sample_mean import FLOOR, UNSEEN

Floats = NDArray[np.float64]

LABELS = (50, 100, 200, 500)
N_QUERIES = 1000
MEASURES = ("nDCG@10", "AP", "P@10")
N_COPIES = 8
"""Independent draws of a judge's errors on each query."""
PAIR_LABELS = (500, 1000)
_BLOCK = 1000  # draws at a time
_SMALL_BLOCK = 200  # of draws in which every document counts
_FEWEST_CHANGED = 10


@dataclass(frozen=True)
class Atoms:
    """A population: what each query gains or loses by people and by the judge."""

    people: Floats
    judge: Floats
    loss: float
    """The most that one query can lose."""


@dataclass
class Rates:
    """How often each rule passes a drop of the margin, and a neutral candidate."""

    wrong: dict[str, float] = field(default_factory=dict)
    power: dict[str, float] = field(default_factory=dict)
    wrong_fail: float = 0.0
    covered: float = 0.0
    used: float = 0.0
    """Share of the draws in which the judge counts."""

    def add(self, name: str, found: Estimates, atoms: Atoms, margin: float, n_draws: int) -> None:
        """Count the passes of a rule among some of the draws."""
        drop = float(atoms.people.mean())
        passes = found.is_tested & (found.lower_bounds(atoms.loss) > drop)
        neutral = found.is_tested & (found.moved(-drop).lower_bounds(atoms.loss) > -margin)
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

    def moved(self, by: float) -> Estimates:
        """Return the same for differences that are all larger."""
        return Estimates(
            self.mean + by, self.error, self.skewness, self.freedom, self.n, self.is_tested
        )

    def lower_bounds(self, loss: float) -> Floats:
        """Return what the gate compares with minus the margin."""
        quantile = -stdtrit(self.freedom, ALPHA)
        cautious = np.minimum(self.skewness - _skewness_error(self.n), FLOOR)
        reach = np.maximum(quantile, hall_inverse(quantile, cautious, self.n))
        after_losses = (self.n * self.mean - UNSEEN * loss) / (self.n + UNSEEN)
        bounds: Floats = np.minimum(self.mean - self.error * reach, after_losses)
        return bounds

    def upper_bounds(self, alpha: float) -> Floats:
        """Return the upper ends of intervals."""
        quantile = stdtrit(self.freedom, alpha)
        transformed = hall_inverse(quantile, self.skewness, self.n)
        bounds: Floats = self.mean - self.error * np.minimum(quantile, transformed)
        return bounds

    def covers(self, truth: float) -> NDArray[np.bool_]:
        """Return whether the 95% interval of a comparison contains the truth."""
        turned = Estimates(
            -self.mean, self.error, -self.skewness, self.freedom, self.n, self.is_tested
        )
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
    third = (around**3).mean(axis=1) / np.where(has_spread, squares, 1.0) ** 1.5
    skewness = np.where(has_spread, third * np.sqrt(n * (n - 1)) / (n - 2), 0.0)
    is_tested = (np.count_nonzero(values, axis=1) >= _FEWEST_CHANGED) & has_spread
    freedom = np.full(len(values), n - 1.0)
    return Estimates(mean, np.sqrt(squares / (n - 1)), skewness, freedom, n, is_tested)


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
    is_used = np.count_nonzero(np.abs(people - judge) > 1e-12, axis=1) >= FEWEST_DIFFERING  # noqa: PLR2004 - rounding
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
    cubes = ((expected + n_queries / n * residuals) ** 3).sum(axis=1)
    cubes *= n * n / ((n - 1) * (n - 2))
    away = weight * rest.mean + correction - mean
    cubes += rest.n * (weight**3 * rest.third + 3 * away * weight**2 * rest.variance + away**3)
    has_spread = variance > np.finfo(float).tiny
    safe = np.where(has_spread, variance, 1.0)
    skewness = np.where(has_spread, cubes / n_queries**3 / safe**1.5 * np.sqrt(n), 0.0)
    is_tested = (np.count_nonzero(people, axis=1) >= _FEWEST_CHANGED) & has_spread
    freedom = np.where(is_fitted, n - 2.0, n - 1.0)
    return Estimates(mean, np.sqrt(variance), skewness, freedom, n, is_tested), is_used


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
            found.add(name, one, atoms, margin, n_draws)
        fails = together.is_tested & (together.upper_bounds(ALPHA) < drop)
        found.wrong_fail += np.count_nonzero(fails) / n_draws
        found.covered += np.count_nonzero(together.covers(drop)) / n_draws
        found.used += np.count_nonzero(is_used) / n_draws
    for one in naive:
        found.add("naive", one, atoms, margin, n_draws)
    return found


def trust(
    atoms: Atoms, n_draws: int, random: np.random.Generator, n_queries: int = N_QUERIES
) -> list[Estimates]:
    """Return what follows if the judge's grades are taken for those of people."""
    sizes = [min(_BLOCK, n_draws - start) for start in range(0, n_draws, _BLOCK)]
    size = len(atoms.judge)
    return [plain(atoms.judge[random.integers(0, size, (n, n_queries))]) for n in sizes]


Grades = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Documents:
    """Documents of one query, to be graded on a scale from 0 to 3."""

    grades: Floats
    """By people."""
    only_new: NDArray[np.bool_]
    """Which of them the candidate alone has among its first ten."""
    only_old: NDArray[np.bool_]
    """Which of them the baseline alone has."""
    random: np.random.Generator

    def moved(self, by: float, share: float, among: NDArray[np.bool_] | None = None) -> Floats:
        """Return the grades of people, some of them moved; by default, among all documents."""
        is_moved = self.random.random(len(self.grades)) < share
        if among is not None:
            is_moved &= among
        return np.clip(self.grades + np.where(is_moved, by, 0.0), 0, 3)

    def blurred(self, share: float) -> Floats:
        """Return the grades of people, some of them one too high or too low."""
        sign = self.random.choice([-1.0, 1.0], len(self.grades))
        is_moved = self.random.random(len(self.grades)) < share
        return np.clip(self.grades + np.where(is_moved, sign, 0.0), 0, 3)

    def guessed(self, share: float) -> Floats:
        """Return the grades of people, some of them replaced by those of other documents."""
        is_guess = self.random.random(len(self.grades)) < share
        return np.where(is_guess, self.random.permutation(self.grades), self.grades)


JUDGES: dict[str, Callable[[Documents], Floats]] = {
    "nearly perfect": lambda documents: documents.blurred(0.02),
    "good": lambda documents: documents.blurred(0.2),
    "middling": lambda documents: documents.guessed(0.4),
    "lenient": lambda documents: documents.moved(1.0, 0.4),
    "strict": lambda documents: documents.moved(-1.0, 0.4),
    "favours the candidate": lambda one: one.moved(2.0, 0.7, one.only_new),
    "favours the baseline": lambda one: one.moved(2.0, 0.7, one.only_old),
    "random": lambda one: one.random.integers(0, 4, len(one.grades)).astype(np.float64),
    "hostile": lambda one: 3.0 - one.grades,
}
"""How each judge grades."""


Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Handbook:
    """Runs of our own systems on the golden set that ships, which people judged."""

    by_people: Grades
    runs: list[Run]
    scores: Mapping[str, Floats]
    """By measure, systems x queries."""

    def shuffled(self, random: np.random.Generator) -> list[tuple[int, int]]:
        """Return all pairs of runs, in random order."""
        places = [(i, j) for i in range(len(self.runs)) for j in range(i)]
        random.shuffle(places)
        return places

    def pairs(
        self, measure: str, places: Sequence[tuple[int, int]], n_pairs: int
    ) -> Iterator[tuple[int, int, Pair]]:
        """Iterate over the first pairs, the worse run first, whose drop is of the usual size."""
        scores = self.scores[measure]
        n_found = 0
        for i, j in places:
            worse, better = sorted((i, j), key=lambda row: float(scores[row].mean()))
            pair = Columns(scores[worse], scores[better]).pair
            is_changed = np.count_nonzero(pair.differences) >= len(pair.differences) / 5
            is_drop = DROPS[0] <= -pair.differences.mean() <= DROPS[1]
            if is_changed and is_drop and n_found < n_pairs:
                n_found += 1
                yield worse, better, pair


def handbook() -> Handbook:
    """Search with our own systems, and score them by the grades of people."""
    import berryeval as be
    from berryeval.golden import handbook as bundled
    from berryeval.search import Embedded

    golden = bundled()
    documents = list(golden.documents(questions=True))
    systems = [
        *(Embedded("bm25", title_weight=weight) for weight in (0.0, 1.0, 5.0)),
        Embedded("vector"),
        *(Embedded("hybrid", feedback=n) for n in (0, 3, 10)),
        *(Embedded("hybrid", weights=pair) for pair in ((3.0, 1.0), (1.0, 3.0))),
    ]
    runs: list[Run] = []
    for system in systems:
        system.index(documents)
        runs.append(
            {
                query.query_id: {hit.doc_id: hit.score for hit in system.search(query.text, k=50)}
                for query in golden.queries
            }
        )
    by_people: dict[str, dict[str, float]] = {}
    for query_id, doc_id, _, grade in golden.judgments.iter_grades():
        by_people.setdefault(query_id.decode(), {})[doc_id.decode()] = max(0.0, grade)
    results = [be.evaluate(by_people, run, list(MEASURES)) for run in runs]
    scores = {one: np.array([result[one].values for result in results]) for one in MEASURES}
    return Handbook(by_people, runs, scores)


def handbook_atoms(
    own: Handbook, n_pairs: int, random: np.random.Generator
) -> Iterator[tuple[str, Atoms]]:
    """Iterate over judges and populations: pairs of our own systems, measure by measure.

    Documents that nobody judged have grade 0, as they have for every measure; judges grade those
    among the first ten of either system as well.
    """
    places = own.shuffled(random)
    for measure in MEASURES:
        for worse, better, pair in own.pairs(measure, places, n_pairs):
            for name in JUDGES:
                runs = own.runs[worse], own.runs[better]
                copies = [
                    _judged(name, own.by_people, *runs, measure, random) for _ in range(N_COPIES)
                ]
                people = np.tile(pair.differences, N_COPIES)
                yield name, Atoms(people, np.concatenate(copies), pair.loss)


@dataclass(frozen=True)
class PairAtoms:
    """A population of queries by P@10, with all documents that only one of two runs has."""

    amounts: Floats
    """Queries x documents: what a relevant document adds to the difference."""
    people: Floats
    """The same shape: 1 if relevant by people."""
    judge: Floats
    loss: float


def handbook_pairs(
    own: Handbook, n_pairs: int, random: np.random.Generator
) -> Iterator[tuple[str, PairAtoms]]:
    """Iterate over judges and populations whose single pairs are labelled."""
    for worse, better, pair in own.pairs("P@10", own.shuffled(random), n_pairs):
        new, old = own.runs[worse], own.runs[better]
        for name in JUDGES:
            rows = []
            for _ in range(N_COPIES):
                for query_id, known in own.by_people.items():
                    rows.append(_labelled_pairs(name, known, new[query_id], old[query_id], random))
            amounts, people, judge = (np.array(column) for column in zip(*rows, strict=True))
            yield name, PairAtoms(amounts, people, judge, pair.loss)


def _labelled_pairs(
    judge: str,
    known: Mapping[str, float],
    new: Mapping[str, float],
    old: Mapping[str, float],
    random: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Return amounts, and relevance by people and by the judge, of up to 20 documents."""
    tops = [{*sorted(run, key=run.__getitem__, reverse=True)[:10]} for run in (new, old)]
    ids = sorted(tops[0] ^ tops[1])
    is_new = np.array([one in tops[0] for one in ids], dtype=bool)
    grades = np.array([known.get(one, 0.0) for one in ids])
    own = JUDGES[judge](Documents(grades, is_new, ~is_new, random)) if ids else grades
    columns = np.where(is_new, 0.1, -0.1), (grades >= 1) * 1.0, (own >= 1) * 1.0
    amounts, people, by_judge = (np.pad(column, (0, 20 - len(ids))) for column in columns)
    return amounts, people, by_judge


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
    both = Atoms(truth, naive, atoms.loss)
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
        is_used = n_differing >= FEWEST_DIFFERING
        corrected = naive[drawn] + (labelled * (people - judge)).sum(axis=2)
        values = np.where(is_used[:, None], corrected, by_people)
        together = plain(np.round(values, 12))
        for name, one in (
            ("powered", together),
            ("labels", plain(np.round(by_people, 12))),
            ("naive", plain(np.round(naive[drawn], 12))),
        ):
            found.add(name, one, both, margin, n_draws)
        fails = together.is_tested & (together.upper_bounds(ALPHA) < drop)
        found.wrong_fail += np.count_nonzero(fails) / n_draws
        found.covered += np.count_nonzero(together.covers(drop)) / n_draws
        found.used += np.count_nonzero(is_used) / n_draws
    return found


def _judged(
    judge: str,
    by_people: Grades,
    new: Run,
    old: Run,
    measure: str,
    random: np.random.Generator,
) -> Floats:
    """Return the differences of all queries by the grades of a judge."""
    import berryeval as be

    graded = {}
    for query_id, known in by_people.items():
        first = [
            {*sorted(run[query_id], key=run[query_id].__getitem__, reverse=True)[:10]}
            for run in (new, old)
        ]
        ids = sorted({*known, *first[0], *first[1]})
        is_new, is_old = (np.array([one in top for one in ids]) for top in first)
        grades = np.array([known.get(one, 0.0) for one in ids])
        own = JUDGES[judge](Documents(grades, is_new & ~is_old, is_old & ~is_new, random))
        graded[query_id] = dict(zip(ids, own.tolist(), strict=True))
    after, before = (be.evaluate(graded, run, measure)[measure].values for run in (new, old))
    found = np.asarray(after) - np.asarray(before)
    found[np.abs(found) < 1e-12] = 0.0  # noqa: PLR2004 - rounding
    return found


def invented_atoms(size: int = 20_000, seed: int = 0) -> Iterator[tuple[str, Atoms]]:
    """Iterate over invented populations: skewed differences, and judges whose errors are rare."""
    random = np.random.default_rng(seed)
    tail = -random.gamma(1.0, 0.1, size)
    close = random.normal(-0.03, 0.15, size) * (random.random(size) < 0.7)  # noqa: PLR2004
    noise = random.normal(0, 0.08, size)
    yield "good, skewed differences", Atoms(tail, tail + noise, 0.8)
    yield "blind to large losses", Atoms(tail, np.maximum(tail, -0.1) + noise / 4, 0.8)
    yield "good, normal differences", Atoms(close, close + noise, 0.8)
    rare = random.random(size) < 0.03  # noqa: PLR2004
    yield "3% of the queries wrong by 0.6", Atoms(close, close + 0.6 * rare, 0.8)


HEADER = (
    "| judge | pairs | labels | corrected | labels alone | naive | fails | covered | used |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def rows(found: Mapping[str, Mapping[int, list[Rates]]]) -> Iterator[str]:
    """Iterate over the rows of a table: mean and worst pair, and the power in brackets."""
    for name, cells in found.items():
        for n_labels, rates in cells.items():
            figures = []
            for rule in ("powered", "labels", "naive"):
                wrong = np.array([one.wrong[rule] for one in rates])
                power = np.mean([one.power[rule] for one in rates])
                figures.append(f"{wrong.mean():.3f} / {wrong.max():.3f} ({power:.2f})")
            failed = np.array([one.wrong_fail for one in rates])
            covered = np.mean([one.covered for one in rates])
            used = np.mean([one.used for one in rates])
            yield (
                f"| {name} | {len(rates)} | {n_labels} | {' | '.join(figures)} "
                f"| {failed.mean():.3f} / {failed.max():.3f} | {covered:.3f} | {used:.2f} |"
            )


def main() -> None:
    """Simulate every judge, and write the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--draws", type=int, default=10_000, help="samples per pair and judge")
    options.add_argument("--pairs", type=int, default=4, help="pairs of runs per measure")
    chosen = options.parse_args()
    own = handbook()
    _write_pairs(own, chosen)
    sources = {
        "own": handbook_atoms(own, chosen.pairs, np.random.default_rng(0)),
        "invented": invented_atoms(),
    }
    for table, populations in sources.items():
        random = np.random.default_rng(1)
        found: dict[str, dict[int, list[Rates]]] = {}
        for name, atoms in populations:
            print(table, name, flush=True)
            naive = trust(atoms, chosen.draws, random)
            for n_labels in LABELS:
                rates = simulate(atoms, n_labels, chosen.draws, random, naive=naive)
                for title in ("**all judges**", name) if table == "own" else (name,):
                    cells = found.setdefault(title, {n: [] for n in LABELS})
                    cells[n_labels].append(rates)
        write_table("model-judgments.md", table, [HEADER, *rows(found)])


def _write_pairs(own: Handbook, chosen: argparse.Namespace) -> None:
    random = np.random.default_rng(2)
    found: dict[str, dict[int, list[Rates]]] = {}
    for name, atoms in handbook_pairs(own, chosen.pairs, random):
        print("pairs", name, flush=True)
        for n_labels in PAIR_LABELS:
            rates = simulate_pairs(atoms, n_labels, chosen.draws // 5, random)
            for title in ("**all judges**", name):
                found.setdefault(title, {n: [] for n in PAIR_LABELS})[n_labels].append(rates)
    write_table("model-judgments.md", "pairs", [HEADER, *rows(found)])


if __name__ == "__main__":
    main()
