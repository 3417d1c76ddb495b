"""Scores by a model, corrected by single pairs of query and document that people graded.

It holds for measures that are sums over documents, in which a document adds an amount that depends
on its own grade and rank alone: P@k, DCG@k and RBP. For all others whole queries are drawn
(`berryeval.evaluation.label_draw`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measure
from berryeval.evaluation.labelled import Floats
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import QueriesSource, load_queries
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.measures import DCG, Measure, Precision, RankBiasedPrecision
from berryeval.stats import correct_scores
from berryeval.stats.prediction_powered import MIN_DIFFERING

__all__ = ["LabelledPair", "check_pair_sampling", "evaluate_pairs"]


@dataclass(frozen=True)
class LabelledPair:
    """A pair that people graded, and the probability with which it was drawn."""

    query_id: str
    doc_id: str
    grade: float
    """Judgments by people."""
    probability: float
    """Above 0; 1 for a pair that was chosen, such as a deciding document."""


def check_pair_sampling(measure: Measure) -> None:
    """Reject a measure that single pairs cannot correct, with the reason.

    Raises
    ------
    ArgumentError
        For all measures but P@k, DCG and RBP, and for those of judged documents only.
    """
    if measure.judged_only:
        reason = "leaves out unjudged documents, so each label moves the ranks of others"
    elif isinstance(measure, (DCG, RankBiasedPrecision)) or (
        isinstance(measure, Precision) and measure.k is not None
    ):
        return
    else:
        reason = "is no sum over documents: what one is worth depends on the grades of others"
    way_out = "draw whole queries (draw_labels)"
    raise ArgumentError("measure", "P@k, DCG or RBP", f"{measure}, which {reason}; {way_out}")


def evaluate_pairs(
    model: JudgmentsSource,
    pairs: Iterable[LabelledPair],
    runs: Mapping[str, RunSource],
    measure: MeasureLike,
    *,
    queries: QueriesSource | None = None,
) -> dict[str, Evaluation]:
    """Score runs by a model's grades, corrected by pairs that people graded.

    The score of a query is that of the model plus, for each labelled pair, what people's grade adds
    beyond the model's, divided by the probability of the pair. Scores of single queries may
    therefore lie outside the measure's range; only their mean is meaningful. Pass the result to
    `berryeval.compare_scores`, and that to `berryeval.gate`.

    Parameters
    ----------
    model : Judgments, path, or any other source that `evaluate` takes
        Grades by the model, for all queries and documents that were to be judged.
    pairs : iterable of LabelledPair
        Drawn from these, independently from query to query.
    runs : mapping of str to run
        By name.
    measure : Measure or str
        P@k, DCG or RBP.
    queries : path or Query objects, optional
        As `evaluate` takes them.

    Returns
    -------
    dict of str to Evaluation
        By run. With fewer than ten pairs that were drawn by chance and on which people and model
        differ, scores are by people's grades alone.

    Raises
    ------
    ArgumentError
        For other measures, and for probabilities out of range.
    MismatchError
        For a pair whose query the model did not judge.

    References
    ----------
    Horvitz and Thompson (1952), Journal of the American Statistical Association 47, 663-685.
    """
    chosen = read_measure(measure)
    check_pair_sampling(chosen)
    grades = load_judgments(model)
    labelled = list(pairs)
    known = load_queries(queries)
    loaded = {name: load_run(source) for name, source in runs.items()}
    results = {
        name: evaluate(grades, run, chosen, queries=known.values()) for name, run in loaded.items()
    }
    amounts = {name: _amounts(chosen, grades, run, labelled) for name, run in loaded.items()}
    is_drawn = np.array([pair.probability < 1 for pair in labelled], dtype=bool)
    differs = np.zeros(len(labelled), dtype=bool)
    for people, by_model in amounts.values():
        differs |= people != by_model
    n_differing = int(np.count_nonzero(is_drawn & differs))
    uses_model = n_differing >= MIN_DIFFERING or not is_drawn.any()
    return {
        name: _corrected(result, chosen, labelled, *amounts[name], uses_model=uses_model)
        for name, result in results.items()
    }


def _amounts(
    measure: Measure, grades: Judgments, run: Run, pairs: Sequence[LabelledPair]
) -> tuple[Floats, Floats]:
    """Return what each pair adds to the score of a run, by people and by the model."""
    ranks: dict[str, dict[bytes, int]] = {}
    people: list[float] = []
    by_model: list[float] = []
    for pair in pairs:
        key = encode_id(pair.query_id)
        if pair.query_id not in ranks:
            first = run.ranked_ids(key, measure.k)
            ranks[pair.query_id] = {doc_id: rank for rank, doc_id in enumerate(first)}
        rank = ranks[pair.query_id].get(encode_id(pair.doc_id))
        guess = grades.grades_of(key).get(encode_id(pair.doc_id), 0.0)
        for column, grade in ((people, pair.grade), (by_model, guess)):
            # Alone in the ranking, a document scores what it adds.
            alone = None if rank is None else [*[0.0] * rank, max(0.0, grade)]
            column.append(0.0 if alone is None else measure.score(alone, [max(0.0, grade)]))
    return np.array(people), np.array(by_model)


def _corrected(
    result: Evaluation,
    measure: Measure,
    pairs: Sequence[LabelledPair],
    people: Floats,
    by_model: Floats,
    *,
    uses_model: bool,
) -> Evaluation:
    scores = result.scores
    place_of = {query_id: place for place, query_id in enumerate(scores.query_ids)}
    unknown = next((one.query_id for one in pairs if one.query_id not in place_of), None)
    if unknown is not None:
        raise MismatchError(f"pairs: expected queries that the model judged, found {unknown!r}")
    found = correct_scores(
        scores.values[str(measure)],
        np.array([place_of[pair.query_id] for pair in pairs], dtype=np.intp),
        people,
        by_model,
        [pair.probability for pair in pairs],
        uses_model=uses_model,
    )
    values = {**scores.values, str(measure): array("d", found.values.tolist())}
    return Evaluation(replace(scores, values=values), [measure], result.queries)
