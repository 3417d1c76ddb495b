"""Model judgments in addition to those of people: scores of a run by both."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.evaluation.labelled import Labelled
from berryeval.evaluation.result import Evaluation, averaged
from berryeval.evaluation.sources import JudgmentsSource, load_judgments

if TYPE_CHECKING:
    from berryeval.core.query import Query
    from berryeval.core.run import Run
    from berryeval.engine import MissingQueries
    from berryeval.measures import Measure

__all__ = ["ModelJudgments", "check_options", "combine", "evaluate_with_model", "shared_weights"]

_N_SHOWN = 3


@dataclass(frozen=True, eq=False)
class ModelJudgments:
    """Grades by a model for every query, and which queries people labelled to correct them.

    The model's grades are used only as far as people's labels show how it errs: they make an
    estimate more precise, and never move it in one direction (decision 0037). Whether the model is
    good enough to be asked at all is another question (`berryeval.stats.check_judge`).

    Parameters
    ----------
    grades : Judgments, path, or any other source that `evaluate` takes
        Judgments by the model alone, for all queries of the draw, including labelled ones.
    draw : LabelDraw or path
        Which queries people labelled, and how these were drawn.

    Examples
    --------
    >>> from berryeval.evaluation.label_draw import draw_labels
    >>> grades = {f"q{i}": {"d1": 1, "d2": 0} for i in range(100)}
    >>> model = ModelJudgments(grades, draw_labels(grades, 50))
    >>> len(model.draw.labelled)
    50
    """

    grades: JudgmentsSource
    draw: LabelDraw | str | os.PathLike[str]

    def load(self) -> tuple[Judgments, LabelDraw]:
        """Return the grades of the queries of the draw, and the draw.

        Raises
        ------
        MismatchError
            If the model has no grades for a query of the draw.
        """
        draw = self.draw if isinstance(self.draw, LabelDraw) else LabelDraw.read(self.draw)
        grades = load_judgments(self.grades)
        missing = draw.strata.keys() - {*grades.query_ids}
        if missing:
            raise MismatchError(
                f"model judgments: {_listed(missing)} of the draw not judged; judge them, or draw "
                "labels among the judged queries"
            )
        return grades.of_queries(draw.strata.keys()), draw


def combine(people: Judgments, model: Judgments, draw: LabelDraw) -> Judgments:
    """Return people's grades of the labelled queries and the model's of all others.

    Raises
    ------
    MismatchError
        If people did not judge a query that was drawn. Leaving it out would let people choose.
    """
    missing = draw.labelled - {*people.query_ids}
    if missing:
        raise MismatchError(
            f"judgments: {_listed(missing)} drawn for labelling not judged by people; judge them, "
            "or draw fewer"
        )
    own = people.of_queries(draw.labelled)
    combined = Judgments.from_dict({**model.to_dict(), **own.to_dict()})
    combined.lengths = people.lengths
    combined.scale, combined.labels = people.scale, people.labels
    combined.subtopics = {**model.subtopics, **own.subtopics}
    combined.subtopic_weights = {**model.subtopic_weights, **own.subtopic_weights}
    return combined


def evaluate_with_model(
    judgments: Judgments,
    model: Judgments,
    draw: LabelDraw,
    run: Run,
    measures: Sequence[Measure],
    *,
    queries: Mapping[str, Query],
    missing: MissingQueries = "zero",
) -> Evaluation:
    """Score a run by people and a model: means are corrected by the queries that people labelled.

    `judgments` are what `combine` returned. Scores of single queries come from people if they
    labelled the query, and otherwise from the model. Measures of time, which no judgment changes,
    stay as
    they are.
    """
    if judgments.lengths:
        model = model.of_queries(model.query_ids)  # a copy
        model.lengths = judgments.lengths
    combined, by_model = (
        evaluate(one, run, measures, queries=queries.values(), missing=missing)
        for one in (judgments, model)
    )
    ids = [*combined.scores.query_ids]
    place_of = {query_id: row for row, query_id in enumerate(by_model.scores.query_ids)}
    rows = [place_of[query_id] for query_id in ids]
    is_labelled = np.array([query_id in draw.labelled for query_id in ids])
    strata = tuple(draw.strata[query_id] for query_id in ids)
    n_judgments = np.array(
        [
            (_n_graded(judgments, key) * is_own, _n_graded(model, key))
            for key, is_own in zip(map(encode_id, ids), is_labelled.tolist(), strict=True)
        ],
        dtype=np.float64,
    ).reshape(len(ids), 2)
    found: dict[str, Labelled] = {}
    for measure in combined.measures:
        if not measure.uses_timings:
            name = str(measure)
            both = np.array(averaged(measure, combined.scores.values[name]))
            of_model = np.array(averaged(measure, by_model.scores.values[name]))[rows]
            people = np.where(is_labelled, both, np.nan)
            found[name] = Labelled(people, of_model, strata, n_judgments)
    return Evaluation(
        combined.scores,
        combined.measures,
        combined.queries,
        cautions=combined.cautions,
        reduced=combined.reduced,
        labelled=found,
    )


def shared_weights(
    reference: Evaluation, candidates: Mapping[str, Evaluation], measures: Sequence[Measure]
) -> dict[str, float]:
    """Return how much the model counts for each measure, in means that are shown side by side.

    It is that of the difference between candidate and baseline, so that the means differ by it;
    with several candidates, the mean over these.
    """
    weights: dict[str, float] = {}
    for name in map(str, measures):
        own = reference[name].labelled
        if own is None:
            continue
        each = []
        for candidate in candidates.values():
            other = candidate[name].labelled
            assert other is not None
            found = other.minus(own).powered(reference[name].sampling)
            each.append(0.0 if found is None else found.weight)
        weights[name] = reduce(add, each, 0.0) / len(each)
    return weights


def check_options(**given: object) -> None:
    """Reject options of a comparison that cannot be combined with model judgments."""
    for name, value in given.items():
        if value:
            raise ArgumentError(name, "none with model judgments", repr(value)[:60])


def _n_graded(judgments: Judgments, query_id: bytes) -> int:
    """Return the judged documents of a query, without those that are in the pool but not judged."""
    values = judgments.values
    return sum(values[row] >= 0 for row in judgments.rows_of(query_id))


def _listed(query_ids: set[str] | frozenset[str]) -> str:
    shown = ", ".join(sorted(query_ids)[:_N_SHOWN])
    more = ", …" if len(query_ids) > _N_SHOWN else ""
    n = len(query_ids)
    return f"{n:,} {'query' if n == 1 else 'queries'} ({shown}{more})"
