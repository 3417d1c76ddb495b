"""Compares two runs by the grades of a judge for all queries, corrected by people's for some."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import evaluate, read_measures
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.protocol import hash_of
from berryeval.measures import Measure
from berryeval.stats import PoweredMean, SampleMean, mean_of, powered_mean
from berryeval.stats.prediction_powered import FEWEST_LABELLED
from berryeval.suite.counted_grades import find_counted_grades
from berryeval.suite.judged_pairs import human_pairs, ranks_of

__all__ = ["CorrectedComparison", "compare_corrected", "draw_queries"]

_SHOWN = 3


@dataclass(frozen=True)
class CorrectedComparison:
    """The difference of two runs, and what it rests on."""

    judge: str
    measure: Measure
    baseline: str
    candidate: str
    corrected: PoweredMean
    people: SampleMean | None
    """By people's grades of the drawn queries alone."""
    uncorrected: float
    """By the judge's grades alone: biased by an unknown amount."""
    n_human: int
    """Judgments of people that were used."""
    n_model: int
    """Judgments of the judge that were used."""

    @property
    def rests_on(self) -> str:
        """What the difference rests on, in words."""
        if self.corrected.weight == 0:
            return f"Rests on {self.n_human:,} human judgments and no model judgments."
        return f"Rests on {self.n_human:,} human and {self.n_model:,} model judgments."


def draw_queries(golden: GoldenSet, n: int) -> list[str]:
    """Draw queries for people to judge completely; the set alone decides which.

    A larger number keeps those that a smaller one has drawn.
    """
    keys = {
        query.query_id: hash_of(["drawn for people", query.query_id, query.text])
        for query in golden.queries
    }
    return sorted(keys, key=lambda query_id: keys[query_id])[:n]


def compare_corrected(
    golden: GoldenSet,
    runs: Mapping[str, Run],
    measure: str | Measure,
    drawn: Collection[str],
    *,
    judge: str | None = None,
) -> CorrectedComparison:
    """Return the mean difference of two runs over all queries of a set.

    Parameters
    ----------
    golden : GoldenSet
        The set, with the grades of an admitted judge.
    runs : mapping of str to Run
        The baseline and the candidate, in this order.
    measure : str or Measure
        One measure with a cutoff.
    drawn : collection of str
        The queries that were drawn at random for people, see `draw_queries`. For each of them,
        people judged everything that the two runs return within the cutoff.
    judge : str, optional
        Name of the judge. Default: the only admitted one.

    Raises
    ------
    ArgumentError
        For other than two runs, a measure without a cutoff, unknown queries, and queries with
        weights or groups.
    MismatchError
        If no judge is admitted, or if a judgment is missing.
    """
    [chosen] = read_measures([measure])
    if len(runs) != 2:  # noqa: PLR2004 - a baseline and a candidate
        raise ArgumentError("runs", "a baseline and a candidate", f"{len(runs)} runs")
    if chosen.depth is None:
        raise ArgumentError("measure", "one with a cutoff, such as nDCG@10", str(chosen))
    if any(query.weight is not None or query.group is not None for query in golden.queries):
        raise ArgumentError("queries", "queries without weights and groups", "some with them")
    ids = [query.query_id for query in golden.queries]
    unknown = sorted({*drawn} - {*ids})
    if unknown:
        raise ArgumentError("drawn", "queries of the golden set", repr(unknown[0]))
    fewest = max(2, min(FEWEST_LABELLED, len(ids)))
    if len(drawn) < fewest:
        raise ArgumentError("drawn", f"at least {fewest} queries", str(len(drawn)))
    credited = {name: golden.credit(run) for name, run in runs.items()}
    counted = find_counted_grades(golden, judge)
    people = _people(golden)
    pool = [*ranks_of(golden, credited, chosen.depth)]
    _check_complete(pool, counted.grades, "the judge", "`berryeval judge --pool all`")
    of_drawn = [pair for pair in pool if pair[0] in drawn]
    _check_complete(of_drawn, people, "people", "`berryeval holes`")
    # Other grades, such as those of a check, are left out: they are of drawn queries only, and the
    # judge's score has to be made of the same documents for drawn and other queries.
    of_pool: dict[str, dict[str, float]] = {}
    for query_id, doc_id in pool:
        of_pool.setdefault(query_id, {})[doc_id] = counted.grades[query_id][doc_id]
    model = _differences(of_pool, credited, chosen, ids)
    human = _differences(people, credited, chosen, [one for one in ids if one in drawn])
    found = powered_mean([human.get(one, math.nan) for one in ids], [model[one] for one in ids])
    assert found is not None  # there are two labelled queries
    baseline, candidate = runs
    return CorrectedComparison(
        counted.admission.judge, chosen, baseline, candidate, found,
        mean_of([*human.values()]), math.fsum(model.values()) / len(model),
        sum(len(people.get(one, {})) for one in drawn), len(pool),
    )  # fmt: skip


def _people(golden: GoldenSet) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for one in human_pairs(golden):
        query_id, doc_id = one.pair.key
        found.setdefault(query_id, {})[doc_id] = one.grade
    return found


def _check_complete(
    pool: Sequence[tuple[str, str]],
    grades: Mapping[str, Mapping[str, float]],
    judge: str,
    way_out: str,
) -> None:
    missing = [pair for pair in pool if pair[1] not in grades.get(pair[0], {})]
    if missing:
        shown = ", ".join(f"{query_id} {doc_id}" for query_id, doc_id in missing[:_SHOWN])
        raise MismatchError(
            f"{len(missing):,} of {len(pool):,} pairs have no grade by {judge}, such as {shown}; "
            f"see {way_out}"
        )


def _differences(
    grades: Mapping[str, Mapping[str, float]],
    runs: Mapping[str, Run],
    measure: Measure,
    query_ids: Sequence[str],
) -> dict[str, float]:
    """Return candidate minus baseline for each query."""
    judgments = Judgments.from_dict({one: grades.get(one, {}) for one in query_ids})
    scored = [evaluate(judgments, run, [measure]).scores for run in runs.values()]
    baseline, candidate = (
        dict(zip(one.query_ids, one.values[str(measure)], strict=True)) for one in scored
    )
    return {one: candidate[one] - baseline[one] for one in query_ids}
