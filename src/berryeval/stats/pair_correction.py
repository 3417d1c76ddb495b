"""Scores by a model's grades, corrected by a sample of pairs that people graded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.prediction_powered import MIN_DIFFERING, n_differing
from berryeval.stats.validation import as_values

__all__ = ["CorrectedScores", "correct_scores"]

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class CorrectedScores:
    """Scores per query by a model's grades, corrected by a sample of pairs that people graded."""

    values: Floats
    """One number per query, unbiased by the draw of pairs. Means and tests are made from these."""
    n_labelled: int
    """Pairs that people graded."""
    n_differing: int
    """Randomly drawn pairs on which people and model differ."""
    uses_model: bool
    """Whether the model counts; otherwise values come from people's grades alone."""


def correct_scores(
    model_scores: ArrayLike,
    queries: ArrayLike,
    people: ArrayLike,
    model: ArrayLike,
    probabilities: ArrayLike,
    *,
    uses_model: bool | None = None,
) -> CorrectedScores:
    """Correct scores that are sums over documents by a sample of pairs that people graded.

    The score of a query is that of the model plus the sum of (people - model) / probability over
    its labelled pairs. It holds for measures in which each document adds an amount that depends on
    its own grade and rank alone. Pairs are drawn independently from query to query.

    Parameters
    ----------
    model_scores : sequence of float
        One number per query: the score, or the difference of two runs, by the model's grades.
    queries : sequence of int
        For each labelled pair, the position of its query in `model_scores`.
    people, model : sequence of float
        What the document of each labelled pair adds to the score by the grade of people, and by
        that of the model.
    probabilities : sequence of float
        The probability with which each pair was drawn, above 0; 1 for a pair that was chosen, such
        as a deciding document.
    uses_model : bool, optional
        Whether the model counts. Default: if at least `MIN_DIFFERING` pairs were drawn by
        chance on which people and model differ.

    Returns
    -------
    CorrectedScores
        From the grades of people alone where the model does not count.

    References
    ----------
    Horvitz and Thompson (1952), Journal of the American Statistical Association 47, 663-685.

    Examples
    --------
    >>> found = correct_scores([0.4, 0.6], [0] * 12, [0.0] * 12, [0.1] * 12, [0.5] * 12)
    >>> [round(score, 4) for score in found.values.tolist()], found.n_differing
    ([-2.0, 0.6], 12)
    """
    scores = as_values(model_scores, "model_scores")
    by_people, by_model = as_values(people, "people"), as_values(model, "model")
    chances = as_values(probabilities, "probabilities")
    places = np.asarray(queries)
    for name, column in (("queries", places), ("model", by_model), ("probabilities", chances)):
        if len(column) != len(by_people):
            raise ArgumentError(name, f"one per pair, {len(by_people)}", str(len(column)))
    if len(places) and not (
        np.issubdtype(places.dtype, np.integer) and 0 <= places.min() <= places.max() < len(scores)
    ):
        raise ArgumentError("queries", f"positions from 0 to {len(scores) - 1}", "others")
    if not ((chances > 0) & (chances <= 1)).all():
        raise ArgumentError("probabilities", "numbers above 0, at most 1", "another number")
    is_drawn = chances < 1
    n_seen = 0
    if is_drawn.any():
        n_seen = n_differing(by_people[is_drawn], by_model[is_drawn])
    if uses_model is None:
        uses_model = n_seen >= MIN_DIFFERING or not bool(is_drawn.any())
    start = scores if uses_model else np.zeros(len(scores))
    change = by_people - by_model if uses_model else by_people
    values = start.copy()
    np.add.at(values, places.astype(np.intp), change / chances)
    return CorrectedScores(values, len(by_people), n_seen, uses_model)
