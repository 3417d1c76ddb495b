"""The interface of ranx: ``from berryeval.compat.ranx import Qrels, Run, compare, evaluate, fuse``.

Names of metrics have the same meaning as in ranx: ``recall`` without a cutoff covers the whole
ranking, ``rbp.95`` has a persistence of 0.95, and ``ndcg@10-l2`` ignores grades below 2. Values
equal those of ranx to within rounding, except where ranx is wrong:

- Ties break by document id, the higher first, as in trec_eval. ranx keeps the order of a `Run`,
  and reverses that of a dict: the same data has two values.
- Two dicts are matched by query id. ranx matches them by position.
- ``rbp`` counts a relevant document as 1, as ranx documents it. ranx multiplies by the grade.
- ``bpref`` is defined without judged non-relevant documents, and 0 without relevant ones. ranx
  returns NaN.
- Grades can be fractions. ranx truncates them.
- A repeated document in a file or a frame, for the same query, is an error. ranx keeps the last
one.
- ``stat_test="fisher"`` counts the observed difference as one of the permutations, so p is never 0.
- Runs with the same name are an error in `compare`. ranx keeps the last one.
- `optimize_fusion` tries all weights that add up to 1. ranx drops some of them by rounding.
- A ranking of equal scores, or of a single document, has the normalised score 1 by ``min-max``.
  ranx gives it 0, like a document that was not found. The reference of fusion lists all
  differences.

``plot`` and ranxhub are not included.

Examples
--------
>>> from berryeval.compat.ranx import Qrels, Run, evaluate
>>> qrels = Qrels({"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}})
>>> run = Run({"q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7}, "q_2": {"d_12": 0.9, "d_11": 0.8}})
>>> evaluate(qrels, run, ["map@5", "mrr"])
{'map@5': 0.5416666666666666, 'mrr': 0.75}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.compat import _ranx_fusion
from berryeval.compat._ranx_data import Qrels, Run
from berryeval.compat._ranx_fusion import OptimizationReport
from berryeval.compat._ranx_report import Comparisons, Report
from berryeval.engine import score
from berryeval.errors import ArgumentError, InputTypeError, MismatchError, UnknownMeasureError
from berryeval.measures import (
    DCG,
    F1,
    NDCG,
    AveragePrecision,
    Bpref,
    HitRate,
    Measure,
    NumRelevantRetrieved,
    Precision,
    RankBiasedPrecision,
    Recall,
    ReciprocalRank,
    RPrecision,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "OptimizationReport",
    "Qrels",
    "Report",
    "Run",
    "compare",
    "evaluate",
    "fuse",
    "normalize",
    "optimize_fusion",
]

_Dicts: TypeAlias = "Mapping[str, Mapping[str, float]]"
_Scores: TypeAlias = "NDArray[np.float64]"

_METRICS: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "hits": (NumRelevantRetrieved, {}),
    "hit_rate": (HitRate, {}),
    "precision": (Precision, {}),
    "recall": (Recall, {}),
    "f1": (F1, {}),
    "r-precision": (RPrecision, {}),
    "mrr": (ReciprocalRank, {}),
    "map": (AveragePrecision, {}),
    "dcg": (DCG, {}),
    "dcg_burges": (DCG, {"gain": "exp2"}),
    "ndcg": (NDCG, {}),
    "ndcg_burges": (NDCG, {"gain": "exp2"}),
    "bpref": (Bpref, {}),
    "rbp": (RankBiasedPrecision, {}),
}
_SHAPE = re.compile(r"(?P<name>[a-z_0-9-]+?)(?:[@.](?P<number>\d+))?(?:-l(?P<level>\d+))?")


def evaluate(
    qrels: Qrels | _Dicts,
    run: Run | _Dicts,
    metrics: Sequence[str] | str,
    return_mean: bool = True,  # noqa: FBT002 - as in ranx
    return_std: bool = False,  # noqa: FBT002
    threads: int = 0,
    save_results_in_run: bool = True,  # noqa: FBT002
    make_comparable: bool = False,  # noqa: FBT002
) -> Any:  # noqa: ANN401 - one value or several
    """Score a run.

    Parameters
    ----------
    qrels : Qrels or dict of dicts
        Judgments.
    run : Run or dict of dicts
        What was retrieved.
    metrics : str or sequence of str
        Names of ranx, such as ``ndcg@10``, ``map@100-l2``, ``rbp.95``.
    return_mean : bool
        Whether to return the mean over queries instead of one score per query.
    return_std : bool
        Whether to return the standard deviation, too.
    threads : int
        Ignored: the environment variable ``BERRYEVAL_THREADS`` sets the number of threads.
    save_results_in_run : bool
        Whether to store scores in ``run.scores``, ``run.mean_scores`` and ``run.std_scores``.
    make_comparable : bool
        Whether to score judged queries that are missing from the run as 0, and to ignore queries
        without judgments. Unlike in ranx, it works for dicts, too, and does not change the run.

    Returns
    -------
    float, dict or array
        A mean, or ``{"mean": …, "std": …}``, or an array with the queries in the order of `qrels`
        (by id, if it is a `Qrels`); a dict of these by metric for several metrics.

    Raises
    ------
    UnknownMeasureError
        For a metric that ranx does not have.
    MismatchError
        If judgments and run have different queries, unless `make_comparable` is given.
    """
    del threads
    names = _names(metrics)
    found = _scores(qrels, run, names, make_comparable=make_comparable)
    means = {name: _mean(scores) for name, (_, scores) in found.items()}
    spreads = {name: _spread(scores) for name, (_, scores) in found.items()}
    if isinstance(run, Run) and save_results_in_run:
        run.mean_scores |= means
        if return_mean and return_std:
            run.std_scores |= spreads
        for name, (queries, scores) in found.items():
            run.scores[name] = dict(zip(queries, map(float, scores), strict=True))
    results: dict[str, Any]
    if not return_mean:
        results = {name: scores for name, (_, scores) in found.items()}
    elif return_std:
        results = {name: {"mean": means[name], "std": spreads[name]} for name in names}
    else:
        results = means
    return results[names[0]] if len(names) == 1 else results


def _names(metrics: Sequence[str] | str) -> list[str]:
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputTypeError("metrics", "one name or several", repr(metrics))
    return names


def _scores(
    qrels: Qrels | _Dicts, run: Run | _Dicts, names: Iterable[str], *, make_comparable: bool
) -> dict[str, tuple[list[str], _Scores]]:
    """Return, for each metric, the queries and their scores."""
    import numpy as np

    judged = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    ranked = run if isinstance(run, Run) else Run(run)
    measures = {name: as_measure(name) for name in names}
    if not make_comparable:
        _check_queries(judged, ranked)
    found = score(judged.table(), ranked.table(), list(dict.fromkeys(measures.values())))
    queries = list(found.query_ids)
    order = list(range(len(queries)))
    if not isinstance(qrels, Qrels):
        place_of = {query: place for place, query in enumerate(queries)}
        queries = list(judged.table().query_ids)
        order = [place_of[query] for query in queries]
    return {
        name: (queries, np.array(found.values[str(measure)])[order])
        for name, measure in measures.items()
    }


def as_measure(metric: str) -> Measure:
    """Return what ranx means by a name."""
    shape = _SHAPE.fullmatch(metric)
    if shape is None or shape["name"] not in _METRICS:
        import difflib

        near = difflib.get_close_matches(metric.partition("@")[0], _METRICS, n=1)
        raise UnknownMeasureError(metric, next(iter(near), None), tuple(_METRICS))
    kind, given = _METRICS[shape["name"]]
    given = given | {"rel": int(shape["level"] or 1)}
    if kind is RankBiasedPrecision:
        if shape["number"] is None:
            raise ArgumentError("metrics", "a persistence, as in 'rbp.95'", repr(metric))
        return kind(p=float(f"0.{shape['number']}"), **given)
    cutoff = int(shape["number"] or 0)
    # 0 stands for the whole ranking; measures without a cutoff ignore it.
    return kind(k=cutoff, **given) if cutoff and kind.at == "k" else kind(**given)


def _check_queries(qrels: Qrels, run: Run) -> None:
    judged, ranked = (set(one.table().query_ids.iter_bytes()) for one in (qrels, run))
    if judged == ranked:
        return
    missing = f"{len(judged - ranked)} judged queries are missing from the run"
    extra = f"{len(ranked - judged)} queries of the run are not judged"
    way_out = "make_comparable=True scores the former as 0 and ignores the latter"
    raise MismatchError(f"{missing}, and {extra}; {way_out}")


def _mean(scores: _Scores) -> float:
    from berryeval.stats.moments import means_of

    return float(means_of(scores)) if len(scores) else math.nan


def _spread(scores: _Scores) -> float:
    """Return the population standard deviation, as ranx does."""
    from berryeval.stats.moments import variances_of

    n = len(scores)
    return math.sqrt(float(variances_of(scores)) * (n - 1) / n) if n > 1 else 0.0


def compare(
    qrels: Qrels | _Dicts,
    runs: Sequence[Run],
    metrics: Sequence[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,  # noqa: FBT002 - as in ranx
    make_comparable: bool = False,  # noqa: FBT002
) -> Report:
    """Score several runs, and test every pair of them.

    Unlike `berryeval.compare`, it does not correct for multiple testing, as in ranx.

    Parameters
    ----------
    qrels : Qrels or dict of dicts
        Judgments.
    runs : sequence of Run
        What to compare. A run without a name is called ``run_1``, ``run_2`` and so on.
    metrics : str or sequence of str
        Names of ranx.
    stat_test : {"student", "fisher", "tukey"}
        Paired t-test, paired randomisation test, or Tukey's HSD.
    n_permutations : int
        Number of permutations of the randomisation test.
    max_p : float
        Highest p-value of a significant difference.
    random_seed : int
        Random seed for the randomisation test.
    threads : int
        Ignored.
    rounding_digits : int
        Digits in the tables.
    show_percentages : bool
        Whether tables show percentages.
    make_comparable : bool
        As for `evaluate`.

    Returns
    -------
    Report
        ``report.results``, ``report.comparisons``, ``report.win_tie_loss``; prints as a table.
        The p-value of the t-test is NaN where it is not defined, such as for two equal runs.
    """
    names = _names(metrics)
    scores: dict[str, dict[str, _Scores]] = {}
    for number, run in enumerate(runs, start=1):
        model = f"run_{number}" if run.name is None else run.name
        if model in scores:
            raise ArgumentError("runs", "runs with different names", f"{model!r} twice")
        found = evaluate(
            qrels, run, names, return_mean=False, threads=threads, make_comparable=make_comparable
        )
        scores[model] = {names[0]: found} if len(names) == 1 else found
    p_values = _tests(scores, names, stat_test, n_permutations, random_seed)
    comparisons = Comparisons(
        {
            pair: {name: {"p_value": p, "significant": p <= max_p} for name, p in by_metric.items()}
            for pair, by_metric in p_values.items()
        }
    )
    return Report(
        model_names=list(scores),
        results={
            model: {name: _mean(own[name]) for name in names} for model, own in scores.items()
        },
        comparisons=comparisons,
        metrics=names,
        max_p=max_p,
        win_tie_loss={
            (one, other): {name: _wins(scores[one][name], scores[other][name]) for name in names}
            for one, other in permutations(scores, 2)
        },
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _wins(one: _Scores, other: _Scores) -> dict[str, int]:
    counts = {"W": one > other, "T": one == other, "L": one < other}
    return {letter: int(which.nonzero()[0].size) for letter, which in counts.items()}


def _tests(
    scores: Mapping[str, Mapping[str, _Scores]],
    names: Sequence[str],
    stat_test: str,
    n_permutations: int,
    seed: int,
) -> dict[frozenset[str], dict[str, float]]:
    """Return the p-value of each pair and metric."""
    if stat_test not in ("student", "fisher", "tukey"):
        raise ArgumentError("stat_test", "'student', 'fisher' or 'tukey'", repr(stat_test))
    found: dict[frozenset[str], dict[str, float]] = {}
    models = list(scores)
    if stat_test == "tukey":
        from scipy.stats import tukey_hsd

        tables = {name: tukey_hsd(*(scores[model][name] for model in models)) for name in names}
        for i, one in enumerate(models):
            for j, other in enumerate(models[:i]):
                pair = {name: float(table.pvalue[i, j]) for name, table in tables.items()}
                found[frozenset((one, other))] = pair
        return found
    from berryeval.stats import paired_t, randomisation

    for i, one in enumerate(models):
        for other in models[:i]:
            pair = {}
            for name in names:
                differences = scores[one][name] - scores[other][name]
                if stat_test == "student":
                    p_value = paired_t(differences).p_value
                    pair[name] = math.nan if p_value is None else p_value
                else:
                    p_value = randomisation(differences, "two-sided", n_permutations, seed).p_value
                    pair[name] = 1.0 if p_value is None else p_value
            found[frozenset((one, other))] = pair
    return found


def fuse(
    runs: Sequence[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, Any] | None = None,
) -> Run:
    """Fuse several runs into one.

    Parameters
    ----------
    runs : sequence of Run
        At least two, of the same queries. `berryeval.fuse` also fuses runs of different queries.
    norm : str or None
        ``min-max``, ``min-max-inverted``, ``max``, ``sum``, ``zmuv``, ``rank``, ``borda``, or None.
    method : str
        Any of ranx's 25 methods.
    params : mapping, optional
        Parameters of the method, as `optimize_fusion` returns them: ``weights``, ``k``, ``phi``,
        ``gamma``, ``sigma``, ``w``, ``map_scores``, ``probs``, ``log_odds``; and the ``name`` of
        the fused run. Default: weights of 1, a k of 60, and a phi of 0.9.

    Raises
    ------
    MismatchError
        If the runs have different queries.

    Examples
    --------
    >>> words = Run({"q_1": {"d_1": 0.9, "d_2": 0.8, "d_3": 0.1}})
    >>> dense = Run({"q_1": {"d_2": 7.0, "d_3": 3.0}})
    >>> fuse([words, dense], method="wsum", params={"weights": [0.5, 0.5]}).to_dict()["q_1"]
    {'d_2': 0.9375, 'd_1': 0.5, 'd_3': 0.0}
    """
    return _ranx_fusion.fuse(runs, norm, method, {} if params is None else params)


def normalize(run: Run, norm: str = "min-max") -> Run:
    """Normalise the scores of a run; ``borda``, which needs several runs, only works in `fuse`."""
    return _ranx_fusion.normalize(run, norm)


def optimize_fusion(
    qrels: Qrels,
    runs: Sequence[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,  # noqa: FBT002 - as in ranx
    rounding_digits: int = 3,
    show_percentages: bool = False,  # noqa: FBT002
    **kwargs: Any,  # noqa: ANN401 - limits of the grid
) -> Any:  # noqa: ANN401 - one value or two
    """Return the parameters of a fusion that score best on these judgments.

    They are chosen and scored on the same queries, as in ranx, so the score is too optimistic.
    `berryeval.tune_fusion` reports scores on queries that had no part in the choice.

    Parameters
    ----------
    qrels : Qrels
        Judgments.
    runs : sequence of Run
        At least two, with the queries of the judgments.
    norm, method
        As for `fuse`.
    metric : str
        Name of ranx.
    return_optimization_report : bool
        Whether to return an `OptimizationReport`, too.
    rounding_digits : int
        Digits in the report.
    show_percentages : bool
        Whether the report shows percentages.
    **kwargs
        Limits of the grid: ``step``, and ``min_k`` and ``max_k``, or the same for ``gamma``,
        ``sigma``, ``phi``, ``n_segments`` and ``w``.

    Returns
    -------
    dict, or dict and OptimizationReport
        Parameters for `fuse`. If scores are equal, the last configuration counts, as in ranx.
    """
    measure = as_measure(metric)
    best, results = _ranx_fusion.optimize(qrels, runs, norm, method, measure, kwargs)
    if not return_optimization_report:
        return best
    if not results:
        raise ArgumentError("return_optimization_report", f"False for {method!r}", "True")
    report = OptimizationReport(
        method, [*results], [*results.values()], metric, rounding_digits, show_percentages
    )
    return best, report
