"""Verdicts in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from berryeval.core.notes import caution_notes
from berryeval.evaluation.deciding import MIN_CHANGED
from berryeval.evaluation.guards import LatencyGuard, MarginGuard, ThresholdGuard, written
from berryeval.evaluation.margins import SMALL_SET
from berryeval.evaluation.notes import count_queries, range_text
from berryeval.evaluation.sampling import MIN_GROUPS
from berryeval.stats import Interval

if TYPE_CHECKING:
    from berryeval.evaluation.gate_rules import GateRules, Inference
    from berryeval.evaluation.memory import Memory
    from berryeval.evaluation.reserve import Opening
    from berryeval.evaluation.result import Evaluation
    from berryeval.evaluation.verdict import Common, GuardResult, Verdict
    from berryeval.measures import Measure

__all__ = [
    "of_better",
    "of_cautions",
    "of_gate",
    "of_holes",
    "of_latency",
    "of_margin",
    "of_memory",
    "of_missing",
    "of_opening",
    "of_small_set",
    "of_threshold",
]


def of_gate(verdict: Verdict, guards: Sequence[GuardResult], n_holes: int) -> str:
    """Return the decision of the gate, its guard, and how many unjudged documents could change it.

    A search that has collapsed comes first.
    """
    counted = [guard for guard in guards if not guard.is_watched]
    if verdict == "pass":
        n_queries = max(guard.n_queries for guard in guards)
        n = len(counted)
        hold = {1: "1 guard holds", 2: "both guards hold"}.get(n, f"all {n} guards hold")
        same = ", unchanged: the rankings are the same" * all(g.is_unchanged for g in counted)
        groups = max((guard.n_groups or 0 for guard in guards), default=0)
        within = f" in {groups:,} groups" if groups else ""
        within += _worth(max(guards, key=lambda guard: guard.n_queries))
        over = f"over {count_queries(n_queries)}{within}{_against(guards)}{same}."
        message = f"{_happened(counted)}{hold} {over}"
        return f"{_collapse(counted)}{message}{_small(counted)}{_after(of_holes(n_holes))}"
    deciding = sorted(
        (guard for guard in counted if guard.verdict == verdict),
        key=lambda guard: not guard.has_collapsed,
    )
    first = f"{_subject(deciding[0])} {deciding[0].reason}"
    if not deciding[0].has_collapsed:
        first = _collapse(counted) + first
    others = len(deciding) - 1
    more = f" {others} more {'guard' if others == 1 else 'guards'} {_ends(verdict, others)}."
    return first + (more if others else "") + _small(deciding) + _after(of_holes(n_holes))


def _happened(guards: Sequence[GuardResult]) -> str:
    """Return what happened to the first measure; nothing if that is said anyway, or has no mean."""
    if any(guard.has_collapsed for guard in guards) or all(guard.is_unchanged for guard in guards):
        return ""
    for kind in (MarginGuard, ThresholdGuard):
        for guard in guards:
            if not isinstance(guard.guard, kind) or guard.slice is not None:
                continue
            change = f"is {_figure(guard.value, guard.limit)}"
            if isinstance(guard.guard, MarginGuard):
                change = "is unchanged" if guard.is_unchanged else _change_of_mean(guard)
            return f"{_subject(guard)} {change}; "
    return ""


def _against(guards: Sequence[GuardResult]) -> str:
    """Name the baselines, if there are several."""
    phrases = dict.fromkeys(guard.against for guard in guards if guard.against)
    return " and".join(phrases)


def of_missing(missing: str, common: Common | None) -> str:
    """Return, as the first sentence, which queries are missing, and the verdict without them.

    `common` is the verdict over the queries that every run has; None if others are omitted anyway.
    """
    if not missing:
        return ""
    if common is None:
        return f"{missing}, and left out. "
    queries = f"{count_queries(common.n_queries)} that {'is' if common.n_queries == 1 else 'are'}"
    return (
        f"{missing}, and scored as 0; over the {queries} not missing, the verdict is "
        f"{common.verdict}. "
    )


def of_memory(memory: Memory | None, rules: GateRules, guards: Sequence[GuardResult]) -> str:
    """Return which look this is, and its level, if something was tested and looks are counted."""
    is_tested = any(
        isinstance(guard.guard, MarginGuard) or getattr(guard.guard, "is_confident", False)
        for guard in guards
    )
    if memory is None or not is_tested or rules.inference == "set":
        return ""
    level, n_max = memory.level(rules.alpha, rules.n_max), rules.n_max
    look = f" {_ordinal(memory.looks)} check of these runs on this set"
    if n_max is not None and memory.sizes[-1] > n_max:
        more = f"{count_queries(memory.sizes[-1])}, more than the {n_max:,} of n_max"
        return f"{look}, of {more}: no alpha is left, so nothing is tested."
    if n_max is not None and not memory.has_grown:
        return f"{look}, which has not grown: no alpha is left until it grows."
    size = "" if n_max is None else f", {memory.sizes[-1]:,} of {count_queries(n_max)}"
    return f"{look}{size}, at significance level {level:.3g}."


_ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth"
)  # fmt: skip


def _ordinal(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if number // 10 % 10 == 1 else ends.get(number % 10, "th")
    return f"{number:,}{end}"


def of_opening(opening: Opening) -> str:
    """Return the gain of the reserve over the anchor, and whether the seen queries gained more."""
    first = (
        f" Reserve, opening {opening.number} of {opening.openings}: compared with "
        f"{opening.anchor}, {opening.measure} {'lost' if opening.gain < 0 else 'gained'} "
        f"{abs(opening.gain):.4f} on {count_queries(opening.n_reserved)}"
    )
    if opening.interval is None:
        return f"{first}; too few of them changed for an interval."
    interval = opening.interval
    first += f" ({interval.level * 100:.4g}% interval {interval.low:+.4f} to {interval.high:+.4f})."
    drift = opening.drift
    if drift is None:
        return first
    relation = "which is drift" if opening.has_drifted else "no clear drift"
    amount = f"{abs(drift.mean):.4f} {'less' if drift.mean < 0 else 'more'}"
    return f"{first} The seen queries gained {amount}: {relation}."


def of_cautions(runs: Iterable[tuple[str, Evaluation]]) -> str:
    """Return what is suspicious about the scores of the runs, at the end; usually nothing."""
    names: dict[str, list[str]] = {}
    for name, run in runs:
        for caution in run.cautions:
            names.setdefault(caution, []).append(name)
    several = (f"in {' and '.join(named)}, {caution}" for caution, named in names.items())
    return "".join(f" {note}" for note in caution_notes(several))


def _collapse(guards: Sequence[GuardResult]) -> str:
    """Return a sentence that search has collapsed, from the first guard that shows it."""
    for guard in guards:
        if guard.has_collapsed:
            return f"{_subject(guard)} {_collapsed(guard)}. "
    return ""


def _collapsed(guard: GuardResult) -> str:
    assert guard.means is not None
    return "collapsed from {:.4f} to {:.4f}".format(*guard.means)


def _ends(verdict: Verdict, count: int) -> str:
    if verdict == "fail":
        return "fails" if count == 1 else "fail"
    return "is inconclusive" if count == 1 else "are inconclusive"


def _subject(guard: GuardResult) -> str:
    what = "latency" if isinstance(guard.guard, LatencyGuard) else str(guard.guard.measure)
    return f"{what} ({guard.slice}){guard.against}" if guard.slice else what + guard.against


def _small(guards: Sequence[GuardResult]) -> str:
    """Return a warning that there are few queries, if something was tested on them."""
    tested = [guard for guard in guards if guard.p_pass is not None and _n_worth(guard) < SMALL_SET]
    if not tested:
        return ""
    what = "Small set" if any(guard.slice is None for guard in tested) else "Small slice"
    units = tested[0].units + " of equal weight" * (tested[0].n_units >= SMALL_SET)
    return f" {what}: below {SMALL_SET} {units}, verdicts may be wrong more often than alpha."


def _n_worth(guard: GuardResult) -> float:
    """Return how many queries or groups there are; no more than they are worth by weight."""
    worth = guard.effective_queries
    return guard.n_units if worth is None else min(guard.n_units, worth)


def _worth(guard: GuardResult) -> str:
    """Return how many queries of equal weight the weighted queries are worth."""
    if guard.effective_queries is None:
        return ""
    return f", weighted: worth {guard.effective_queries:,.1f} of equal weight"


def of_holes(n_holes: int) -> str:
    """Return how many unjudged documents could change a result; nothing for none.

    It takes the least, or the most, favourable grades for all of them together.
    """
    if n_holes == 0:
        return ""
    return (
        f"Extreme grades for {n_holes:,} unjudged document{'s' * (n_holes != 1)} could change this."
    )


def _after(sentence: str) -> str:
    return f" {sentence}" if sentence else ""


def of_latency(guard: LatencyGuard, value: float) -> str:
    """Return a sentence that compares a percentile of times with its limit."""
    relation = "within" if value <= guard.at_most_ms else "above"
    figure = _figure(value, guard.at_most_ms, n_digits=1)
    return f"is {figure} ms at p{guard.percentile:g}, {relation} {written(guard.at_most_ms)} ms."


def of_threshold(
    guard: ThresholdGuard, verdict: Verdict, mean: float, interval: Interval | None
) -> str:
    """Return a sentence that compares a mean with its threshold."""
    limit = written(guard.at_least)
    figure = _figure(mean, guard.at_least)
    if verdict == "fail":
        return f"is {figure}, below {limit}."
    if verdict == "pass":
        return f"is {figure}, which reaches {limit}."
    if interval is None:
        return f"is {figure}, but with too few queries to be confident of {limit}."
    if mean < guard.at_least:
        high = _figure(interval.high, guard.at_least)
        return f"is {figure}, below {limit}, but may be as high as {high}."
    low = _figure(interval.low, guard.at_least)
    return f"is {figure}, but may be as low as {low}, below {limit}."


def _figure(value: float, limit: float, n_digits: int = 4) -> str:
    """Format a value with enough digits to show on which side of the limit it is."""
    for digits in range(n_digits, 12):
        text = f"{value:.{digits}f}"
        if (float(text) < limit) == (value < limit) and (float(text) > limit) == (value > limit):
            return text
    return f"{value:.{n_digits}f}"


def of_margin(result: GuardResult, inference: Inference, untested: str | None = None) -> str:
    """Return a sentence that compares a mean difference with its margin.

    `untested` is the reason why nothing is tested, other than too few changed queries.
    """
    assert isinstance(result.guard, MarginGuard)
    if result.is_unchanged:
        return "is unchanged: the rankings are the same within the cutoff."
    harm = "drop" if result.guard.measure.higher_is_better else "rise"
    if result.guard.is_equivalence:
        harm = "change"
    margin = f"{abs(result.limit):.4g}"
    first = f"{_collapsed(result)}: it " if result.has_collapsed else ""
    stands = _stands(result, harm, margin, inference, untested)
    return f"{first}{_change(result)}{stands}{_noise(result)}"


def _noise(result: GuardResult) -> str:
    """Return how noisy the systems themselves are, if a test took that into account."""
    if not result.noise_sd or result.p_pass is None:
        return ""
    return f" Noise that all queries of a run share, {result.noise_sd:.4f}, is included."


def _stands(
    result: GuardResult, harm: str, margin: str, inference: Inference, untested: str | None
) -> str:
    if result.is_blocked_by_holes:
        return f"; whether that is within {margin} depends on unjudged documents."
    if inference == "set" and result.rests_on is None:
        relation = "within" if result.verdict == "pass" else "beyond"
        return f", {relation} the margin of {margin} on these queries, which are all that matters."
    if result.p_pass is None:
        return _untested(result, harm, margin) if untested is None else f"; {untested}."
    if result.verdict == "pass":
        return f"; a {harm} of {margin} is ruled out."
    if result.verdict == "fail":
        return f", by more than the margin of {margin}."
    return f"; a {harm} of {margin} is neither ruled out nor shown.{_needed(result, harm)}"


def _same(result: GuardResult, harm: str, margin: str) -> str:
    """Return what equal scores show about other queries."""
    here = _counted(result.n_units, result)
    if result.verdict == "pass":
        return f", and {here} are enough to rule out a {harm} of {margin} on others."
    few = f"{here} {'is' if result.n_units == 1 else 'are'} too few to promise the same for others."
    return f": no score changed on these queries, but {few}{_needed(result, harm)}"


def _untested(result: GuardResult, harm: str, margin: str) -> str:
    """Name the rule by which too few changed queries, or groups, are not tested."""
    if result.n_groups is not None and result.n_groups < MIN_GROUPS:
        rule = f"and groups are tested only if there are {MIN_GROUPS} or more"
        return f"; the queries come in {_counted(result.n_groups, result)}, {rule}."
    if result.n_changed == 0 and result.value == 0:
        return _same(result, harm, margin)
    changed = f"{result.n_changed:,} of {_counted(result.n_units, result)} changed"
    if result.worth_changed is not None:
        changed += f", worth {result.worth_changed:,.1f} of equal weight"
    if result.verdict == "pass":
        return f"; {changed}, so few that a {harm} of {margin} is ruled out."
    rule = f"and a difference is tested only if {MIN_CHANGED} or more changed"
    return f"; {changed}, {rule}.{_needed(result, harm)}"


def _change(result: GuardResult) -> str:
    """Return how the mean changed, with an interval if there is one."""
    change = _change_of_mean(result)
    if result.interval is None or result.p_pass is None:
        return change
    low, high = result.interval.low, result.interval.high
    return f"{change} ({result.interval.level * 100:.4g}% interval {low:+.4f} to {high:+.4f})"


def _change_of_mean(result: GuardResult) -> str:
    amount = _figure(abs(result.value), abs(result.limit))
    if result.value == 0:
        return "is unchanged" if result.n_changed == 0 else "has the same mean"
    return f"fell by {amount}" if result.value < 0 else f"rose by {amount}"


def _needed(result: GuardResult, harm: str) -> str:
    """Return how many queries a verdict needs, and what more of them would probably show."""
    found = ""
    if result.is_beyond:
        found = f" More queries would more likely confirm the {harm}."
        if result.p_pass is not None:  # the number is that for an equally good candidate
            return found
    if result.queries_needed is None:
        return found
    needed = _counted(result.queries_needed, result) + range_text(result.queries_needed_range)
    here = f"this {'slice' if result.slice else 'set'} has {result.n_units:,}"
    if result.queries_needed <= result.n_units:
        return f" About {needed} are usually enough for an equally good candidate to pass; {here}."
    return f" About {needed} {'is' if result.queries_needed == 1 else 'are'} needed; {here}.{found}"


def _counted(number: int, result: GuardResult) -> str:
    """Write a number of queries, or of groups if they come in groups."""
    if result.rests_on is not None:
        return f"{number:,} labelled {'query' if number == 1 else 'queries'}"
    if result.n_groups is None:
        return count_queries(number)
    return "1 group" if number == 1 else f"{number:,} groups"


def of_small_set(guards: Sequence[GuardResult], inference: Inference) -> str | None:
    """Return the way out if a guard is inconclusive for want of queries; None if none is."""
    is_short = any(
        guard.verdict == "inconclusive"
        and not guard.is_watched
        and guard.rests_on is None
        and guard.queries_needed is not None
        and guard.queries_needed > guard.n_units
        for guard in guards
    )
    if not is_short or inference == "set":
        return None
    return (
        "If these queries are all that matters, decide by the difference on them: "
        'inference = "set", or --inference set. '
        "With inconclusive = 0, even large drops would pass."
    )


def of_better(measures: Sequence[tuple[Measure, float]]) -> str | None:
    """Suggest raising the baseline, if the candidate is better in some measure."""
    if not measures:
        return None
    message = ", ".join(f"{measure} {change:+.4f}" for measure, change in measures)
    return f"The candidate is better ({message}): consider making it the baseline."
