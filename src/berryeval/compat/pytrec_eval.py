"""The interface of pytrec_eval: ``import berryeval.compat.pytrec_eval as pytrec_eval``.

Values equal those of pytrec_eval, which contains trec_eval 9.0.8, bit for bit: queries in the order
of the run, measures in trec_eval's, and scores that are equal in 32 bits are tied. These differ:

- Scores and grades are numbers of any type, such as ``np.float32``. A grade can be a fraction.
- A query without results scores 0 in every measure. pytrec_eval returns NaN for
  ``iprec_at_recall`` and ``11pt_avg``, and crashes if no query has results.
- A query whose grades are all below 0 has no relevant document and scores 0. pytrec_eval returns
  the values of the previous query, or crashes.
- A NaN among the scores is an error. pytrec_eval sorts it anywhere.
- An evaluator can be used by several threads.

Examples
--------
>>> from berryeval.compat import pytrec_eval
>>> qrel = {"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 1}}
>>> evaluator = pytrec_eval.RelevanceEvaluator(qrel, {"map", "ndcg_cut.5"})
>>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.5}})
{'q1': {'map': 0.5, 'ndcg_cut_5': 0.6309297535714575}}
"""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from berryeval.compat._scoring import read_judgments, read_run, without_unjudged
from berryeval.core.grade import check_grade
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.errors import FormatError, InputTypeError, UnknownMeasureError
from berryeval.measures import GEOMETRIC_FLOOR, Measure
from berryeval.measures.parse import parse_trec_eval
from berryeval.trec_eval import read_names

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_NICKNAMES = ("official", "set", "all_trec", "all_prefs", "prefs", "qrels_jg")
_PARAMETERS = r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)"

supported_measures: set[str] = set(read_names(["all_trec"], "9.0.8"))
"""The measures that can be computed; those with cutoffs also with ``_10`` or ``.5,10`` after it."""

supported_nicknames: dict[str, set[str]] = {
    name: set(read_names([name], "9.0.8")) for name in _NICKNAMES
}
"""Names for several measures at once. Those of the last three are not supported as measures."""


class RelevanceEvaluator:
    """Scores runs against judgments.

    Parameters
    ----------
    query_relevance : dict of dicts
        Query id, document id, grade. Queries without judgments are ignored.
    measures : iterable of str
        Names such as ``map``, ``ndcg_cut``, ``ndcg_cut_10``, ``P.5,10``, and nicknames.
    relevance_level : int
        The lowest relevant grade, at least 1.
    judged_docs_only_flag : bool
        Whether to remove documents without a grade of 0 or more from rankings.

    Raises
    ------
    UnknownMeasureError
        For a measure that is not supported. It is a ValueError, as in pytrec_eval.
    InputTypeError
        For an argument of another type. It is a TypeError, as in pytrec_eval.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT002 - as in pytrec_eval
    ) -> None:
        level = check_grade(relevance_level, "relevance_level")
        if level < 1:
            got = f"{relevance_level}"
            raise InputTypeError("relevance_level", "a number, at least 1", got)
        self._judgments = read_judgments(query_relevance, "query_relevance")
        self._columns = dict(_columns(_combined(_expanded(measures)), level))
        self._judged_only = bool(judged_docs_only_flag)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Score a run.

        Parameters
        ----------
        scores : dict of dicts
            Query id, document id, score. Queries without judgments are ignored.

        Returns
        -------
        dict of dicts
            Query id, measure, value; an empty dict for an empty run. Values of ``gm_map`` and
            ``gm_bpref`` are logarithms, and of ``runid`` and ``relstring`` 0.
        """
        judged = without_unjudged(scores, self._judgments) if self._judged_only else scores
        run = read_run(judged, "scores")
        if not len(run) or not len(self._judgments):
            return {}
        values = self._values(run)
        return {query: values[query] for query in run.query_ids if query in values}

    def _values(self, run: Run) -> dict[str, dict[str, float]]:
        """Return the values of the queries that have both judgments and a ranking."""
        computed = {key: measure for key, measure in self._columns.items() if measure is not None}
        measures = list(dict.fromkeys(computed.values()))
        found = score(self._judgments, run, measures, missing="skip")
        columns = []
        for measure in self._columns.values():
            if measure is None:
                columns.append(array("d", bytes(8 * len(found.query_ids))))
                continue
            column = found.values[str(measure)]
            columns.append(_logarithms(column) if measure.aggregate == "geometric" else column)
        keys = list(self._columns)
        rows = zip(*columns, strict=True) if columns else ((),) * len(found.query_ids)
        return {
            query: dict(zip(keys, row, strict=True))
            for query, row in zip(found.query_ids, rows, strict=True)
        }


def _logarithms(values: array[float]) -> array[float]:
    """Return the logarithms that trec_eval averages for a geometric mean."""
    return array("d", (math.log(max(value, GEOMETRIC_FLOOR)) for value in values))


def _expanded(measures: Iterable[str]) -> set[str]:
    """Return names of measures instead of nicknames."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise InputTypeError(
            "measures", "a set of names", f"{type(measures).__name__} {measures!r}"
        )
    return {
        name
        for measure in measures
        for name in supported_nicknames.get(measure, (measure,))
    }  # fmt: skip


def _combined(measures: set[str]) -> dict[str, str]:
    """Return names with all of their given parameters, in trec_eval's order."""
    parameters: dict[str, set[str]] = defaultdict(set)
    for measure in measures:
        name, text = _split(measure)
        # The coefficients of utility have an order; cutoffs have none.
        parameters[name].update([text] if name == "utility" else text.split(","))
    names = read_names(list(parameters), "9.0.8") if parameters else {}
    return {name: ",".join(sorted(filter(None, parameters[name]))) for name in names}


def _split(measure: str) -> tuple[str, str]:
    if measure in supported_measures:
        return measure, ""
    for name in sorted(supported_measures):
        rest = measure.removeprefix(name)
        if rest != measure and (found := re.fullmatch(_PARAMETERS, rest)):
            return name, found[1]
    import difflib

    near = difflib.get_close_matches(measure, supported_measures, n=1)
    raise UnknownMeasureError(measure, next(iter(near), None), tuple(sorted(supported_measures)))


def _columns(names: dict[str, str], level: float) -> Iterator[tuple[str, Measure | None]]:
    """Yield the name of each value and the measure that computes it; None for a constant 0."""
    for name, parameters in names.items():
        if name in ("runid", "relstring"):
            yield name, None
            continue
        measures = [_at_level(one, level) for one in parse_trec_eval(name, parameters)]
        for measure in sorted(measures, key=lambda one: _cutoff(one) or 0):
            cutoff = _cutoff(measure)
            if cutoff is None:
                yield name, measure
            else:
                yield f"{name}_{cutoff if measure.at == 'k' else f'{cutoff:3.2f}'}", measure


def _at_level(measure: Measure, level: float) -> Measure:
    """Ignore grades below a level, except in measures of gains, which have none in trec_eval."""
    changes: dict[str, Any] = {"rel": level}
    return replace(measure, **changes) if getattr(measure, "rel", 0.0) > 0 else measure


def _cutoff(measure: Measure) -> float | None:
    return None if measure.at is None else getattr(measure, measure.at)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run: query, Q0, document, rank, score, tag.

    Parameters
    ----------
    f_run : iterable of str
        An open file, or lines.

    Returns
    -------
    dict of dicts
        Query id, document id, score.

    Raises
    ------
    FormatError
        For a line without six columns, a score that is not a number, and a document that occurs
        twice for one query, with the number of the line. pytrec_eval raises a ValueError for
        the former, which this is, and an AssertionError for the latter.
    """
    return _parse(f_run, 6, 4, float, "a score")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC judgments: query, iteration, document, grade.

    Parameters
    ----------
    f_qrel : iterable of str
        An open file, or lines.

    Returns
    -------
    dict of dicts
        Query id, document id, grade.

    Raises
    ------
    FormatError
        As `parse_run`, for four columns and a whole number.
    """
    return _parse(f_qrel, 4, 3, int, "a whole number")


def _parse(
    lines: Iterable[str], n_columns: int, place: int, read: type[Any], expected: str
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    path = str(getattr(lines, "name", "lines"))
    for number, line in enumerate(lines, start=1):
        columns = line.split()
        if len(columns) != n_columns:
            raise FormatError.unexpected(f"{n_columns} columns", str(len(columns)), path, number)
        query, document = columns[0], columns[2]
        if document in found[query]:
            raise FormatError(f"document {document!r} twice for query {query!r}", path, number)
        try:
            found[query][document] = read(columns[place])
        except ValueError:
            raise FormatError.unexpected(expected, repr(columns[place]), path, number) from None
    return found


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return one value for all queries: a sum for counts, exp(mean) for ``gm_``, else a mean.

    Parameters
    ----------
    measure : str
        Name of the measure.
    values : iterable of float
        One value per query, as `RelevanceEvaluator.evaluate` returns them.

    Returns
    -------
    float
        NaN without values, unless they are counts.
    """
    import numpy as np

    # NumPy adds pairwise: the last digit is that of pytrec_eval.
    numbers = np.asarray(list(values), dtype=float)
    if measure.startswith("num_"):
        return float(np.sum(numbers))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(numbers) / len(numbers)))
    return float(np.mean(numbers))
