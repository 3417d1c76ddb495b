"""What logs and quality reports call measures: MRR, P@5, P@10, R@10."""

from __future__ import annotations

from dataclasses import replace

from berryeval.evaluation.quality import HITS
from berryeval.golden.golden_set import GoldenSet
from berryeval.measures import Measure, ReciprocalRank

__all__ = ["mean_name", "name_in_suite"]


def mean_name(measure: Measure) -> str:
    """Return the name of a measure's mean: MRR for RR, its own name for any other.

    Examples
    --------
    >>> mean_name(ReciprocalRank(10))
    'MRR@10'
    """
    name = str(measure)
    return f"M{name}" if isinstance(measure, ReciprocalRank) else name


def name_in_suite(measure: Measure, golden: GoldenSet) -> str:
    """Return the name of a measure's mean in the quality suite.

    The golden set says from which grade on a chunk is relevant, and the suite looks at ten hits:
    both are left out of the names, so that ``RR(rel=2)@10`` is MRR and ``P(rel=2)@5`` is P@5.
    """
    if getattr(measure, "rel", 1) == golden.relevant_from != 1:
        measure = replace(measure, rel=1.0)  # type: ignore[call-arg]
    return "MRR" if measure == ReciprocalRank(HITS) else mean_name(measure)
