"""Verdicts in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from berryeval.evaluation.guards import LatencyGuard, MarginGuard, ThresholdGuard
from berryeval.evaluation.notes import count_queries
from berryeval.stats import Interval

if TYPE_CHECKING:
    from berryeval.evaluation.verdict import GuardResult, Inference, Verdict
    from berryeval.measures import Measure

__all__ = ["of_better", "of_gate", "of_latency", "of_margin", "of_threshold"]


def of_gate(verdict: Verdict, guards: Sequence[GuardResult], n_holes: int) -> str:
    """Say what the gate decided, for which guard, and how many unjudged documents could turn it."""
    counted = [guard for guard in guards if not guard.is_watched]
    if verdict == "pass":
        n_queries = max(guard.n_queries for guard in guards)
        hold = "1 guard holds" if len(counted) == 1 else f"all {len(counted)} guards hold"
        return f"{hold} over {count_queries(n_queries)}.{_depends(n_holes)}"
    deciding = [guard for guard in counted if guard.verdict == verdict]
    first = f"{_subject(deciding[0])} {deciding[0].reason}"
    others = len(deciding) - 1
    more = f" {others} more {'guard' if others == 1 else 'guards'} {_ends(verdict, others)}."
    return first + (more if others else "") + _depends(n_holes)


def _ends(verdict: Verdict, count: int) -> str:
    if verdict == "fail":
        return "fails" if count == 1 else "fail"
    return "is inconclusive" if count == 1 else "are inconclusive"


def _subject(guard: GuardResult) -> str:
    what = "latency" if isinstance(guard.guard, LatencyGuard) else str(guard.guard.measure)
    return f"{what} ({guard.slice})" if guard.slice else what


def _depends(n_holes: int) -> str:
    if n_holes == 0:
        return ""
    return f" This depends on {n_holes:,} unjudged document{'s' * (n_holes != 1)}."


def of_latency(guard: LatencyGuard, value: float) -> str:
    """Say how a percentile of times stands to its limit."""
    relation = "within" if value <= guard.at_most_ms else "above"
    return f"is {value:.1f} ms at p{guard.percentile:g}, {relation} {guard.at_most_ms:g} ms."


def of_threshold(guard: ThresholdGuard, mean: float, interval: Interval | None) -> str:
    """Say how a mean stands to its threshold."""
    if mean < guard.at_least:
        return f"is {_figure(mean, guard.at_least)}, below {guard.at_least:g}."
    if interval is not None and interval.low < guard.at_least:
        low = f"{interval.low:.4f}"
        return f"is {mean:.4f}, but may be as low as {low}, below {guard.at_least:g}."
    if guard.is_confident and interval is None:
        return f"is {mean:.4f}, but of too few queries to be confident of {guard.at_least:g}."
    return f"is {mean:.4f}, at least {guard.at_least:g}."


def _figure(value: float, limit: float) -> str:
    """Write a value with as many digits as it takes to tell it from the limit."""
    for digits in range(4, 17):
        text = f"{value:.{digits}f}"
        if float(text) < limit:
            return text
    return repr(value)


def of_margin(result: GuardResult, inference: Inference) -> str:
    """Say how a mean difference stands to its margin."""
    assert isinstance(result.guard, MarginGuard)
    if result.is_unchanged:
        return "is unchanged: the rankings are the same within the cutoff."
    return f"{_change(result)}{_stands(result, f'{-result.limit:.4g}', inference)}"


def _stands(result: GuardResult, margin: str, inference: Inference) -> str:
    if inference == "set":
        relation = "within" if result.verdict == "pass" else "beyond"
        return f", {relation} the margin of {margin} on these queries."
    if result.verdict == "pass":
        return f"; a drop of {margin} is ruled out."
    if result.verdict == "fail":
        return f", by more than the margin of {margin}."
    if result.is_blocked_by_holes:
        return f"; whether that is within {margin} depends on unjudged documents."
    if result.p_pass is None:
        changed = f"{result.n_changed} of {count_queries(result.n_queries)} changed"
        return f"; {changed}, too few to rule out a drop of {margin}."
    return f"; a drop of {margin} is neither ruled out nor shown.{_needed(result)}"


def _change(result: GuardResult) -> str:
    amount = f"{abs(result.value):.4f}"
    if result.value == 0:
        change = "has the same mean"
    else:
        change = f"fell by {amount}" if result.value < 0 else f"rose by {amount}"
    if result.interval is None:
        return change
    level = f"{result.interval.level * 100:.4g}% interval"
    return f"{change} ({level} {result.interval.low:+.4f} to {result.interval.high:+.4f})"


def _needed(result: GuardResult) -> str:
    if result.value < result.limit:
        return " More queries would more likely confirm the drop."
    if result.queries_needed is None:
        return ""
    if result.queries_needed <= result.n_queries:
        return f" Too few of the {count_queries(result.n_queries)} changed to tell."
    return f" About {count_queries(result.queries_needed)} would tell; here are {result.n_queries}."


def of_better(measures: Sequence[tuple[Measure, float]]) -> str | None:
    """Suggest to raise the baseline, if the candidate is better in something."""
    if not measures:
        return None
    told = ", ".join(f"{measure} {mean:+.4f}" for measure, mean in measures)
    return f"The candidate is better ({told}): consider raising the baseline to it."
