"""Populations to simulate judges on: runs whose documents people judged, and invented ones.

A judge changes the grades of people pair by pair: it errs at random, is lenient, favours one
system, or inverts grades. What each query gains or loses by the grades of people, and by those of
the judge, is one atom of a population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from simulate_gate import DROPS, Columns, Pair
from study_hybrid import read_collections

import berryeval as be
from berryeval.core.documents import Document
from berryeval.golden import handbook as bundled
from berryeval.search import Embedded

Floats = NDArray[np.float64]

MEASURES = ("nDCG@10", "AP", "P@10")
N_ATOMS = 400
"""About so many atoms a population has; where queries are fewer, a judge's errors on each are drawn
several times."""
_DEPTH = 50
_RELEVANT = 2.0  # the grade of a relevant document in a collection without grades


@dataclass(frozen=True)
class Atoms:
    """A population: what each query gains or loses by people and by the judge."""

    people: Floats
    judge: Floats
    loss: float
    """The most that one query can lose."""


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
class Judged:
    """Runs on a collection that people judged."""

    by_people: Grades
    runs: Sequence[Run]
    scores: Mapping[str, Floats]
    """By measure, systems x queries."""

    @property
    def n_copies(self) -> int:
        """How often a judge's errors are drawn on each query."""
        return max(1, round(N_ATOMS / len(self.by_people)))

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


def handbook() -> Judged:
    """Search the golden set that ships with our own systems."""
    golden = bundled()
    by_people: dict[str, dict[str, float]] = {}
    for query_id, doc_id, _, grade in golden.judgments.iter_grades():
        by_people.setdefault(query_id.decode(), {})[doc_id.decode()] = max(0.0, grade)
    queries = {query.query_id: query.text for query in golden.queries}
    return _searched(list(golden.documents(questions=True)), queries, by_people)


def public_collections(folder: Path) -> Iterator[tuple[str, Judged]]:
    """Search the collections of ``study_hybrid.py`` with the same systems."""
    for one in read_collections(folder):
        by_people = {query: dict.fromkeys(ids, _RELEVANT) for query, ids in one.relevant.items()}
        yield one.name, _searched(one.documents, one.queries, by_people)


def stored_runs(folder: Path) -> Iterator[tuple[str, Judged]]:
    """Read folders with ``qrels.txt`` and files ``*.run``, without the worst quarter of the runs.

    Queries without a relevant document, and those that a run does not have, are left out.
    """
    for place in sorted(path.parent for path in folder.glob("*/qrels.txt")):
        grades = be.read_judgments(place / "qrels.txt").to_dict()
        runs = [be.read_run(path).to_dict() for path in sorted(place.glob("*.run"))]
        by_people = {
            query: {doc_id: max(0.0, float(grade)) for doc_id, grade in known.items()}
            for query, known in grades.items()
            if max(known.values()) > 0 and all(query in run for run in runs)
        }
        runs = [{query: run[query] for query in by_people} for run in runs]
        means = [be.evaluate(by_people, run, MEASURES[0])[MEASURES[0]].mean for run in runs]
        best = sorted(np.argsort(means)[len(runs) // 4 :])
        yield place.name, _scored(by_people, [runs[i] for i in best])


def _searched(documents: Sequence[Document], queries: Mapping[str, str], known: Grades) -> Judged:
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
                query_id: {hit.doc_id: hit.score for hit in system.search(text, k=_DEPTH)}
                for query_id, text in queries.items()
            }
        )
    return _scored(known, runs)


def _scored(known: Grades, runs: Sequence[Run]) -> Judged:
    results = [be.evaluate(known, run, list(MEASURES)) for run in runs]
    scores = {one: np.array([result[one].values for result in results]) for one in MEASURES}
    return Judged(known, runs, scores)


def judged_atoms(
    own: Judged, n_pairs: int, random: np.random.Generator
) -> Iterator[tuple[str, Atoms]]:
    """Iterate over judges and populations: pairs of runs, measure by measure.

    Documents that nobody judged have grade 0, as they have for every measure; judges grade those
    among the first ten of either system as well.
    """
    places = own.shuffled(random)
    for measure in MEASURES:
        for worse, better, pair in own.pairs(measure, places, n_pairs):
            for name in JUDGES:
                runs = own.runs[worse], own.runs[better]
                copies = [
                    _judged(name, own.by_people, *runs, measure, random)
                    for _ in range(own.n_copies)
                ]
                people = np.tile(pair.differences, own.n_copies)
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


def judged_pairs(
    own: Judged, n_pairs: int, random: np.random.Generator
) -> Iterator[tuple[str, PairAtoms]]:
    """Iterate over judges and populations whose single pairs are labelled."""
    for worse, better, pair in own.pairs("P@10", own.shuffled(random), n_pairs):
        new, old = own.runs[worse], own.runs[better]
        for name in JUDGES:
            rows = []
            for _ in range(own.n_copies):
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


def _judged(
    judge: str,
    by_people: Grades,
    new: Run,
    old: Run,
    measure: str,
    random: np.random.Generator,
) -> Floats:
    """Return the differences of all queries by the grades of a judge."""
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
    found: Floats = np.asarray(after, dtype=np.float64) - np.asarray(before)
    found[np.abs(found) < 1e-12] = 0.0  # noqa: PLR2004 - rounding
    return found


BLIND = "blind to 4% lost queries"
HARSH = "harsh to the candidate on 10%"


def invented_atoms(size: int = 20_000, seed: int = 0) -> Iterator[tuple[str, Atoms]]:
    """Iterate over invented populations: skewed differences, and judges whose errors are rare."""
    random = np.random.default_rng(seed)
    tail = -random.gamma(1.0, 0.1, size)
    close = random.normal(-0.03, 0.15, size) * (random.random(size) < 0.7)  # noqa: PLR2004
    noise = random.normal(0, 0.08, size)
    yield "good, skewed differences", Atoms(tail, tail + noise, 0.8)
    yield "blind to large losses", Atoms(tail, np.maximum(tail, -0.1) + noise / 4, 0.8)
    yield "good, normal differences", Atoms(close, close + noise, 0.8)
    is_lost = random.random(size) < 0.04  # noqa: PLR2004
    yield BLIND, Atoms(np.where(is_lost, -0.6, close + 0.03), close + 0.03 + noise, 0.8)
    rare = random.random(size) < 0.03  # noqa: PLR2004
    yield "3% of the queries wrong by 0.6", Atoms(close, close + 0.6 * rare, 0.8)
    down = random.normal(-0.09, 0.09, size)
    harm = random.exponential(0.25, size) * (random.random(size) < 0.1)  # noqa: PLR2004
    yield HARSH, Atoms(down, down - harm + noise / 8, 0.8)
