"""Metrics of one ranked list, for a REPL, a notebook or a unit test.

A ranked list is document ids, best first. Judgments are a set of relevant ids, a mapping from
id to grade, or `RelevanceJudgment` records. Ids may be anything hashable.

Everywhere in this module:

- a document is relevant when its grade is at least `level`, by default 1; the
  members of a set have grade 1. The level does not matter to DCG and nDCG;
- documents without a judgment are not relevant and gain nothing; grades below 0 likewise;
- an id that stands twice in a list counts once, at its first place; the repeat keeps its rank;
- a list shorter than k is treated as if nothing relevant followed: precision divides by k;
- nothing relevant, nothing retrieved or nothing judged gives 0.0, never an error.

These are trec_eval's definitions; whole test sets of integer ids are faster in
`berryeval.metrics`.

Examples
--------
>>> from berryeval.ranking import ndcg_at_k, recall_at_k
>>> recall_at_k(["a", "b", "c"], {"a", "d"}, k=3)
0.5
>>> round(ndcg_at_k(["a", "c", "b"], {"a": 2, "b": 1, "c": 0}, k=3), 4)
0.9502
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from berryeval.core.cutoff import DEFAULT_KS, AtK, check_k, check_ks
from berryeval.core.grade import check_level
from berryeval.core.judged_list import JudgedList, JudgmentsLike, iterate, read_ranked_ids
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.kernels.average_precision import average_precision as _average_precision
from berryeval.kernels.f1 import f1 as _f1
from berryeval.kernels.f1 import harmonic_mean
from berryeval.kernels.hit_rate import hit_rate as _hit_rate
from berryeval.kernels.ndcg import dcg as _dcg
from berryeval.kernels.ndcg import ndcg as _ndcg
from berryeval.kernels.precision import precision as _precision
from berryeval.kernels.recall import recall as _recall
from berryeval.kernels.reciprocal_rank import reciprocal_rank as _reciprocal_rank

__all__ = [
    "AtK",
    "JudgmentsLike",
    "MeanMetrics",
    "RankingMetrics",
    "average_precision",
    "compute_all",
    "dcg_at_k",
    "f1_at_k",
    "hit_rate_at_k",
    "mean_metrics",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
]


def recall_at_k(
    retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int, *, level: float = 1
) -> float:
    """Return the share of the relevant documents that is in the first k.

    Parameters
    ----------
    retrieved : iterable of hashable
        Document ids, best first.
    judgments : set, mapping or records
        What is relevant, see the module's docstring.
    k : int
        How many ranks to look at, at least 1.
    level : float
        The lowest grade that is relevant, at least 0.

    Returns
    -------
    float
        From 0 to 1; 0 if nothing is relevant.

    Raises
    ------
    InputError
        (a ValueError) for k < 1, and for grades that are NaN or infinite.
    InputTypeError
        (a TypeError) for an argument of the wrong type.

    Examples
    --------
    >>> recall_at_k(["a", "b", "c"], {"a": 2, "b": 1, "d": 2}, k=3)
    0.6666666666666666
    """
    case = JudgedList.of(retrieved, judgments)
    return _recall(case.grades, case.judged, check_k(k), check_level(level))


def precision_at_k(
    retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int, *, level: float = 1
) -> float:
    """Return the share of the first k ranks with a relevant document.

    Lists shorter than k are also divided by k. The parameters are those of `recall_at_k`.

    Examples
    --------
    >>> precision_at_k(["a", "b", "c"], {"a", "b"}, k=5)
    0.4
    """
    case = JudgedList.of(retrieved, judgments)
    return _precision(case.grades, case.judged, check_k(k), check_level(level))


def f1_at_k(
    retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int, *, level: float = 1
) -> float:
    """Return the harmonic mean of precision and recall at k; 0 if both are 0.

    The parameters are those of `recall_at_k`.

    Examples
    --------
    >>> f1_at_k(["a", "x"], {"a", "b", "c"}, k=2)
    0.4
    """
    case = JudgedList.of(retrieved, judgments)
    return _f1(case.grades, case.judged, check_k(k), check_level(level))


def hit_rate_at_k(
    retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int, *, level: float = 1
) -> float:
    """Return 1.0 if a relevant document is in the first k, else 0.0. Also called success.

    The parameters are those of `recall_at_k`.

    Examples
    --------
    >>> hit_rate_at_k(["x", "a"], {"a"}, k=2)
    1.0
    """
    case = JudgedList.of(retrieved, judgments)
    return _hit_rate(case.grades, case.judged, check_k(k), check_level(level))


def reciprocal_rank(
    retrieved: Iterable[Hashable],
    judgments: JudgmentsLike,
    k: int | None = None,
    *,
    level: float = 1,
) -> float:
    """Return 1 / rank of the first relevant document; 0 if there is none.

    The parameters are those of `recall_at_k`. With k, only the first k ranks count. The mean over
    queries is the mean reciprocal rank, MRR.

    Examples
    --------
    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"})
    0.5
    """
    case = JudgedList.of(retrieved, judgments)
    return _reciprocal_rank(case.grades, case.judged, _check_k_or_none(k), check_level(level))


def average_precision(
    retrieved: Iterable[Hashable],
    judgments: JudgmentsLike,
    k: int | None = None,
    *,
    level: float = 1,
) -> float:
    """Return the precision at each relevant document, averaged over all relevant documents.

    The parameters are those of `recall_at_k`. Relevant documents that were not retrieved count 0.
    With k, only the first k ranks count, and the sum is still divided by all relevant documents.
    The mean over queries is the mean average precision, MAP.

    Examples
    --------
    >>> average_precision(["a", "x", "b", "y"], {"a", "b"})
    0.8333333333333333
    """
    case = JudgedList.of(retrieved, judgments)
    return _average_precision(case.grades, case.judged, _check_k_or_none(k), check_level(level))


def dcg_at_k(retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int) -> float:
    """Return the discounted cumulative gain: grade / log2(rank + 1), added up over k ranks.

    The parameters are those of `recall_at_k`, without a level: every grade above 0 is a gain.

    Examples
    --------
    >>> dcg_at_k(["a", "c", "b"], {"a": 2, "b": 1, "c": 0}, k=3)
    2.5
    """
    case = JudgedList.of(retrieved, judgments)
    return _dcg(case.grades, case.judged, check_k(k))


def ndcg_at_k(retrieved: Iterable[Hashable], judgments: JudgmentsLike, k: int) -> float:
    """Return DCG@k divided by that of the ideal order of all judged documents.

    The parameters are those of `dcg_at_k`. The value is from 0 to 1; 0 without any gain.

    Examples
    --------
    >>> round(ndcg_at_k(["c", "a", "d", "b", "e"], {"a": 3, "b": 2, "c": 1, "e": 1}, k=5), 4)
    0.7975
    """
    case = JudgedList.of(retrieved, judgments)
    return _ndcg(case.grades, case.judged, check_k(k))


@dataclass(frozen=True, repr=False)
class RankingMetrics:
    """Every metric of one ranked list, as `compute_all` returns them.

    Examples
    --------
    >>> metrics = compute_all(["a", "x", "b"], {"a", "b"}, ks=(1, 3))
    >>> metrics.recall[3]
    1.0
    >>> metrics
    <RankingMetrics: reciprocal rank 1.0000, average precision 0.8333
         k  recall  precision      f1  hit_rate     dcg    ndcg      rr      ap
         1  0.5000     1.0000  0.6667    1.0000  1.0000  1.0000  1.0000  0.5000
         3  1.0000     0.6667  0.8000    1.0000  1.5000  0.9197  1.0000  0.8333>
    """

    reciprocal_rank: float
    """The value over the whole list."""
    average_precision: float
    """The value over the whole list."""
    recall: AtK[float]
    precision: AtK[float]
    f1: AtK[float]
    hit_rate: AtK[float]
    dcg: AtK[float]
    ndcg: AtK[float]
    rr: AtK[float]
    """Reciprocal rank, by k."""
    ap: AtK[float]
    """Average precision, by k."""

    def __repr__(self) -> str:
        names = [field.name for field in fields(self)[2:]]
        widths = [max(6, len(name)) for name in names]
        uncut = (
            f"reciprocal rank {self.reciprocal_rank:.4f}, "
            f"average precision {self.average_precision:.4f}"
        )
        lines = [
            f"<RankingMetrics: {uncut}",
            "  ".join(["     k", *(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))]),
        ]
        for k in self.recall:
            values = (
                f"{getattr(self, name)[k]:{width}.4f}"
                for name, width in zip(names, widths, strict=True)
            )
            lines.append("  ".join([f"{k:6}", *values]))
        return "\n".join(lines) + ">"

    def to_dict(self) -> dict[str, float | dict[int, float]]:
        """Return plain types that JSON can represent."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: dict(value) if isinstance(value, AtK) else value for name, value in values.items()
        }


def compute_all(
    retrieved: Iterable[Hashable],
    judgments: JudgmentsLike,
    ks: Iterable[int] = DEFAULT_KS,
    *,
    level: float = 1,
) -> RankingMetrics:
    """Compute every metric at every k, looking up each document once.

    The parameters are those of `recall_at_k`, with several k. Reciprocal rank and average
    precision are returned for every k (``rr``, ``ap``) and for the whole list.

    Examples
    --------
    >>> compute_all(["x", "a"], {"a"}, ks=(1, 2)).rr
    {1: 0.0, 2: 0.5}
    """
    case = JudgedList.of(retrieved, judgments)
    return _compute_all(case, case, check_ks(ks), check_level(level))


class MeanMetrics(TypedDict):
    """What `mean_metrics` returns: means over queries, by k where there is one."""

    query_count: int
    mrr: float
    map: float
    recall: dict[int, float]
    precision: dict[int, float]
    f1: dict[int, float]
    hit_rate: dict[int, float]
    dcg: dict[int, float]
    ndcg: dict[int, float]
    mrr_at: dict[int, float]
    map_at: dict[int, float]


def mean_metrics(
    records: Iterable[Mapping[str, Any]], ks: Iterable[int] = DEFAULT_KS, *, level: float = 1
) -> MeanMetrics:
    """Average every metric over many queries. Takes and returns plain types.

    Parameters
    ----------
    records : iterable of mappings
        One a query: ``retrieved``, the ids, best first; ``relevant``, judgments as everywhere
        in this module; and, if you like, ``relevance_scores``, a mapping from id to grade.
        The binary metrics use `relevant`. DCG and nDCG use the scores: a document without one
        gains nothing, and where there are none at all, nothing does. Without that key, or with
        None, they use the grades of `relevant`, 1 for each member of a set. Other keys are
        ignored.
    ks : iterable of int
        The cutoffs, each at least 1.
    level : float
        The lowest grade that is relevant, at least 0.

    Returns
    -------
    dict
        ``query_count``; ``mrr`` and ``map`` over whole lists; by k ``recall``, ``precision``,
        ``f1``, ``hit_rate``, ``dcg``, ``ndcg``, ``mrr_at`` and ``map_at``.
        With no records every value is 0.

    Examples
    --------
    >>> means = mean_metrics(
    ...     [
    ...         {"retrieved": ["a", "b"], "relevant": {"a"}},
    ...         {"retrieved": ["x", "y"], "relevant": {"y"}, "relevance_scores": {"y": 3}},
    ...     ],
    ...     ks=(1, 2),
    ... )
    >>> means["query_count"], means["mrr"], means["recall"]
    (2, 0.75, {1: 0.5, 2: 1.0})
    """
    checked_ks = check_ks(ks)
    checked_level = check_level(level)
    if isinstance(records, Mapping):
        expected = "an iterable of mappings, one per query"
        raise InputTypeError("records", expected, "a mapping (pass its values)")
    results = [
        _compute_record(record, index, checked_ks, checked_level)
        for index, record in enumerate(iterate(records, "records", "an iterable of mappings"))
    ]

    def mean_at(values: Callable[[RankingMetrics], AtK[float]]) -> dict[int, float]:
        return {k: _mean([values(result)[k] for result in results]) for k in checked_ks}

    return {
        "query_count": len(results),
        "mrr": _mean([result.reciprocal_rank for result in results]),
        "map": _mean([result.average_precision for result in results]),
        "recall": mean_at(lambda result: result.recall),
        "precision": mean_at(lambda result: result.precision),
        "f1": mean_at(lambda result: result.f1),
        "hit_rate": mean_at(lambda result: result.hit_rate),
        "dcg": mean_at(lambda result: result.dcg),
        "ndcg": mean_at(lambda result: result.ndcg),
        "mrr_at": mean_at(lambda result: result.rr),
        "map_at": mean_at(lambda result: result.ap),
    }


def _compute_all(
    case: JudgedList, graded_case: JudgedList, ks: tuple[int, ...], level: float
) -> RankingMetrics:
    grades, judged = case.grades, case.judged
    precision = {k: _precision(grades, judged, k, level) for k in ks}
    recall = {k: _recall(grades, judged, k, level) for k in ks}
    return RankingMetrics(
        reciprocal_rank=_reciprocal_rank(grades, judged, None, level),
        average_precision=_average_precision(grades, judged, None, level),
        recall=AtK(recall),
        precision=AtK(precision),
        f1=AtK({k: harmonic_mean(precision[k], recall[k]) for k in ks}),
        hit_rate=AtK({k: _hit_rate(grades, judged, k, level) for k in ks}),
        dcg=AtK({k: _dcg(graded_case.grades, graded_case.judged, k) for k in ks}),
        ndcg=AtK({k: _ndcg(graded_case.grades, graded_case.judged, k) for k in ks}),
        rr=AtK({k: _reciprocal_rank(grades, judged, k, level) for k in ks}),
        ap=AtK({k: _average_precision(grades, judged, k, level) for k in ks}),
    )


def _compute_record(
    record: Mapping[str, Any], index: int, ks: tuple[int, ...], level: float
) -> RankingMetrics:
    name = f"records[{index}]"
    if not isinstance(record, Mapping):
        raise InputTypeError(name, "a mapping", type(record).__name__)
    missing = [key for key in ("retrieved", "relevant") if key not in record]
    if missing:
        keys = ", ".join(map(repr, record)) or "none"
        raise ArgumentError(name, f"a key {missing[0]!r}", f"keys {keys}")
    scores = record.get("relevance_scores")
    if scores is not None and not isinstance(scores, Mapping):
        raise InputTypeError(
            f"{name}.relevance_scores", "a mapping from id to grade", type(scores).__name__
        )
    try:
        retrieved = list(read_ranked_ids(record["retrieved"]))
        case = JudgedList.of(retrieved, record["relevant"], "relevant")
        graded_case = (
            case if scores is None else JudgedList.of(retrieved, scores, "relevance_scores")
        )
    except (ArgumentError, InputTypeError) as error:
        raise type(error)(f"{name}: {error.argument}", error.expected, error.got) from None
    return _compute_all(case, graded_case, ks, level)


def _check_k_or_none(k: int | None) -> int | None:
    return None if k is None else check_k(k)


def _mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0.0
