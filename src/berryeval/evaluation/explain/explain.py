"""Explain the change of one query's score from one run to another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from berryeval.core.id_column import as_id, decode_id, encode_id
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.engine import score
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import (
    JudgmentsSource,
    MeasureLike,
    RunSource,
    load_judgments,
    load_run,
    read_measures,
)
from berryeval.evaluation.explain.result import Explanation, Move
from berryeval.evaluation.explain.shares import MovedDocument, share_out
from berryeval.evaluation.findings import difference_of
from berryeval.formats import Duplicates
from berryeval.kernels.relevance import usable_grade
from berryeval.measures import Measure

__all__ = ["explain", "query_that_fell_most", "score_ranking"]


def explain(
    judgments: JudgmentsSource,
    a: RunSource,
    b: RunSource,
    query_id: str | None = None,
    measure: MeasureLike = "nDCG@10",
    *,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
) -> Explanation:
    """Tell which documents moved from one run to the other, and what each move contributed.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
        What is relevant.
    a, b : Run, path, dict of dicts, dict of lists or data frame
        The ranking before and the one after. One that does not have the query is taken to have
        retrieved nothing for it.
    query_id : str, optional
        A judged query. Without it, the one that `query_that_fell_most` finds.
    measure : Measure or str
        What changed. Any measure can be explained, your own as well.
    duplicates : {"error", "keep-best"}
        What to do with a document that a file or frame has twice for one query.
    judges : {"first", "latest", "max", "mean", "majority"}
        Which grade counts where several judges graded a document.

    Returns
    -------
    Explanation
        Its contributions add up to the difference, and nothing is left over.

    Raises
    ------
    MismatchError
        If nobody judged the query; the message has the nearest id.

    Notes
    -----
    Measures that are sums over documents (DCG, nDCG, precision, recall, RBP …) are taken apart
    exactly: a document contributes what it adds at its new rank minus what it added at its old
    one. In the others a move is worth more or less depending on those made before; there it is
    given the average over all orders of moving (its Shapley value), up to 12 documents, and
    beyond that what it changes in one order.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 2, "d2": 1}}
    >>> found = explain(judgments, {"q1": ["d1", "d2"]}, {"q1": ["d9", "d1"]}, "q1", "RR")
    >>> found.difference
    -0.5
    >>> [(move.doc_id, move.rank_before, move.rank_after) for move in found.effective]
    [('d1', 1, 2)]
    """
    chosen = _one_measure(measure)
    loaded = load_judgments(judgments, duplicates, judges)
    before, after = load_run(a, duplicates), load_run(b, duplicates)
    if query_id is None:
        query_id = query_that_fell_most(loaded, before, after, chosen)
    elif query_id not in loaded:
        raise MismatchError(_not_judged(as_id(query_id, "query_id"), loaded.query_ids))
    query_id = as_id(query_id, "query_id")
    key = encode_id(query_id)
    return _explain(chosen, query_id, loaded, before.ranked_ids(key), after.ranked_ids(key))


def query_that_fell_most(
    judgments: JudgmentsSource, a: RunSource, b: RunSource, measure: MeasureLike = "nDCG@10"
) -> str:
    """Return the judged query whose score got worse by most.

    If none got worse it is the one that got better by most; if all are alike, the first in the
    order of bytes, as among equals.
    """
    chosen = _one_measure(measure)
    loaded = load_judgments(judgments)
    before, after = (score(loaded, load_run(run), [chosen]) for run in (a, b))
    sign = 1.0 if chosen.higher_is_better else -1.0
    gains = [
        sign * difference_of(old, new)
        for old, new in zip(before.values[str(chosen)], after.values[str(chosen)], strict=True)
    ]
    wanted = min(gains) if min(gains) < 0.0 else max(gains)
    return before.query_ids[gains.index(wanted)]


def _one_measure(measure: MeasureLike) -> Measure:
    found = read_measures(measure)
    if len(found) > 1:
        raise ArgumentError("measure", "one measure", ", ".join(map(str, found)))
    return found[0]


def _explain(
    measure: Measure,
    query_id: str,
    judgments: Judgments,
    before: Sequence[bytes],
    after: Sequence[bytes],
) -> Explanation:
    grade_of = judgments.grades_of(encode_id(query_id))
    judged = _judged(grade_of)
    scores = [score_ranking(measure, ranking, grade_of) for ranking in (before, after)]
    old, new = ({doc_id: i for i, doc_id in enumerate(ids, start=1)} for ids in (before, after))
    documents = {
        doc_id: MovedDocument(usable_grade(grade_of, doc_id), old.get(doc_id), new.get(doc_id))
        for doc_id in (old | new)
    }
    shares = share_out(measure, list(documents.values()), judged, difference_of(*scores))
    moves = [
        _move(doc_id, document, contribution)
        for (doc_id, document), contribution in zip(
            documents.items(), shares.contributions, strict=True
        )
        if _is_seen_moving(document, measure.k)
    ]
    moves.sort(key=_by_importance)
    return Explanation(
        query_id=query_id,
        measure=measure,
        before=scores[0],
        after=scores[1],
        moves=tuple(moves),
        method=shares.method,
        n_shared=shares.n_shared,
        n_retrieved=(len(before), len(after)),
    )


def score_ranking(
    measure: Measure, ranking: Iterable[bytes], grade_of: Mapping[bytes, float]
) -> float:
    """Return what one ranking of a query scores, by the grades of its judged documents."""
    known = dict(grade_of)
    return measure.score([usable_grade(known, doc_id) for doc_id in ranking], _judged(known))


def _judged(grade_of: Mapping[bytes, float]) -> list[float]:
    return sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)


def _is_seen_moving(document: MovedDocument, k: int | None) -> bool:
    seen = document.within(k)
    return document.before != document.after and (seen.before, seen.after) != (None, None)


def _move(doc_id: bytes, document: MovedDocument, contribution: float) -> Move:
    grade = document.grade if document.grade >= 0 else None
    return Move(decode_id(doc_id), grade, document.before, document.after, contribution)


def _by_importance(move: Move) -> tuple[float, float, float]:
    after, before = (math.inf if r is None else r for r in (move.rank_after, move.rank_before))
    return -abs(move.contribution), after, before


def _not_judged(query_id: str, query_ids: Sequence[str]) -> str:
    import difflib  # slow to import, and most ids are known

    by_lower_case = {known.lower(): known for known in query_ids}
    near = difflib.get_close_matches(query_id.lower(), by_lower_case, n=1)
    hint = (
        f"did you mean {by_lower_case[near[0]]!r}?"
        if near
        else f"judged queries are {_first(query_ids)}"
    )
    return f"query {query_id!r} is not judged: {hint}"


def _first(query_ids: Sequence[str], n_shown: int = 3) -> str:
    shown = ", ".join(map(repr, query_ids[:n_shown]))
    return shown if len(query_ids) <= n_shown else f"{shown} and {len(query_ids) - n_shown} more"
