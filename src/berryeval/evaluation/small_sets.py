"""Whether a set has enough queries for the margins of a gate, before any candidate is known.

Even a candidate that scores every query the same passes only if the share of queries that could
change elsewhere, by Clopper and Pearson, is so small that the margin holds. In a smaller set, a
margin is inconclusive unless many scores change, and nearly always then, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from berryeval.core.query import Query
from berryeval.evaluation.detection import margin_of_averaged, range_of
from berryeval.evaluation.gate_rules import DEFAULT_RULES, GateRules
from berryeval.evaluation.guards import MarginGuard
from berryeval.evaluation.margins import judge_margin
from berryeval.evaluation.sampling import sampling_of
from berryeval.measures import Measure
from berryeval.stats.power import fewest_queries

__all__ = ["fewest_for_margin", "of_small_set", "small_set_note"]


def fewest_for_margin(
    measure: Measure, margin: float, alpha: float = DEFAULT_RULES.alpha
) -> int | None:
    """Return the fewest queries with which a margin passes if no score changes.

    The margin is in the form that is averaged. None if no number is enough, as for a measure
    without a highest score.

    Examples
    --------
    >>> from berryeval.measures import parse_measure
    >>> fewest_for_margin(parse_measure("nDCG@10"), 0.05)
    59
    """
    score_range = range_of(measure)
    return fewest_queries(
        lambda n: judge_margin(None, None, 0, n, margin, score_range, alpha) == "pass"
    )


def small_set_note(
    rules: GateRules,
    means: Mapping[str, float],
    query_ids: Iterable[str],
    queries: Mapping[str, Query],
) -> str | None:
    """Return a note if the queries are too few for a margin of the rules; None if they are not.

    `means` are those of the baseline, by measure. Rules for which the queries are all that matters
    test nothing, and need no number of queries.
    """
    if rules.inference == "set":
        return None
    ids = [*query_ids]
    sampling = sampling_of(queries, ids)
    n_units = sampling.count(np.ones(len(ids), dtype=bool))
    for guard in rules.guards:
        if not isinstance(guard, MarginGuard) or str(guard.measure) not in means:
            continue
        if guard.measure.aggregate == "percentile":  # tested by another rule
            continue
        mean = means[str(guard.measure)]
        margin = margin_of_averaged(guard.measure, guard.margin.of(mean), mean)
        fewest = fewest_for_margin(guard.measure, margin, rules.alpha)
        if fewest is not None and n_units < fewest:
            return of_small_set(n_units, fewest, str(guard.margin), sampling.units)
    return None


def of_small_set(n_units: int, fewest: int, margin: str, units: str = "queries") -> str:
    """Return a sentence that a set is too small for a margin."""
    return (
        f"Small set: with fewer than {fewest:,} {units}, a margin of {margin} is inconclusive even "
        f"if no score changes; this set has {n_units:,}."
    )
