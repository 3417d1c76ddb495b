"""The response to a ``_rank_eval`` request: scores, and the hits that they were computed from.

::

    {"metric_score": 0.4, "failures": {},
     "details": {"q1": {
       "metric_score": 0.6, "unrated_docs": [{"_index": "tvs", "_id": "d4"}],
       "hits": [{"hit": {"_index": "tvs", "_id": "d7", "_score": 7.05}, "rating": 1}],
       "metric_details": {"precision": {"relevant_docs_retrieved": 6, "docs_retrieved": 10}}}}}

It is read as scores, one for each query and named after the metric, or as a run or the judgments
of the hits. Queries that failed are left out. Written files have scores of one measure, without
hits.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from functools import reduce

from berryeval.core.column_names import Kind
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.errors import InputError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._json import Node, dump, load
from berryeval.formats.rows import Row

__all__ = ["HOLDS", "iter_judged", "iter_rows", "read_scores", "scores_to_lines", "sniff"]

HOLDS = Capabilities(("scores", "run", "judgments"), ("scores",))

_SCORE = "metric_score"


def sniff(beginning: Beginning) -> bool:
    """Whether it is an object with a score and its details."""
    return beginning.has_keys(_SCORE, "details")


def read_scores(path: PathLike) -> dict[str, dict[str, float]]:
    """Return the score of each query under the name of the metric."""
    name, found = _SCORE, {}
    for query_id, detail in _iter_details(path):
        found[decode_id(query_id)] = detail[_SCORE].number("run")
        metrics = detail.get("metric_details")
        if metrics is not None:
            name = next((key for key, _ in metrics.items()), name)
    return {name: found}


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the hits."""
    assert kind == "run"
    for query_id, hit, _ in _iter_hits(path):
        yield None, query_id, hit["_id"].id(), hit["_score"].number("run")


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the hits with a rating."""
    for query_id, hit, rating in _iter_hits(path):
        if rating is None:
            note_loss(Loss.UNRATED)
        else:
            yield JudgedRow(None, query_id, hit["_id"].id(), rating.number("judgments"))


def _iter_hits(path: PathLike) -> Iterator[tuple[bytes, Node, Node | None]]:
    for query_id, detail in _iter_details(path):
        hits = detail.get("hits")
        for one in [] if hits is None else hits.entries():
            yield query_id, one["hit"], one.get("rating")


def _iter_details(path: PathLike) -> Iterator[tuple[bytes, Node]]:
    content = load(path)
    failures = content.get("failures")
    note_loss(Loss.FAILED, 0 if failures is None else len([*failures.items()]))
    yield from content["details"].ids()


def scores_to_lines(scores: Mapping[str, Mapping[str, float]]) -> Iterator[bytes]:
    """Iterate over the lines of a file, which also contains the mean.

    Raises `InputError` unless there is exactly one measure, with at least one query.
    """
    if len(scores) != 1 or not all(scores.values()):
        shown = ", ".join(scores) or "none"
        message = f"a _rank_eval response holds the scores of one measure, not of {shown}"
        raise InputError(f"{message}; leave out the others")
    ((name, by_query),) = scores.items()
    mean = reduce(operator.add, by_query.values()) / len(by_query)
    yield b'{"metric_score": %s,\n "details": {' % dump(mean)
    for number, (query, score) in enumerate(by_query.items()):
        detail = {_SCORE: score, "unrated_docs": [], "hits": [], "metric_details": {name: {}}}
        entry = b"%s: %s" % (dump(query), dump(detail))
        yield (b",\n  " if number else b"\n  ") + entry
    yield b'\n},\n "failures": {}}\n'
