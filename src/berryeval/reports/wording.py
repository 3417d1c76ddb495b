"""Results in words: notes on the figures of comparisons and gates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.evaluation.figures import percent
from berryeval.evaluation.headline import listing

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = [
    "beginning",
    "capitalised",
    "count",
    "gate_note",
    "pairs_note",
    "policy_note",
    "query_label",
    "reason_of",
    "undefined_notes",
]

TEXT_WIDTH = 50

_FIRST_WORDS = {"all", "both", "latency", "there"}


def policy_note(comparison: Comparison) -> str:
    """Return a note on which differences decide, and how intervals and p-values are computed."""
    n_leading = len(comparison.candidates)
    n_others = len(comparison.differences) - n_leading
    notes = [
        f"Intervals: {comparison.statistics.level * 100:.4g}%, Student's t and Hall's correction "
        "for skewness, whichever reaches further; p-values come from the same construction. A "
        "difference is better or worse if its interval excludes 0.",
        f"{comparison.lead} decides"
        + (" alone." if n_leading == 1 else f"; its {n_leading} candidates form one family."),
    ]
    if comparison.common:
        queries = count(comparison.n_queries, "query", "queries")
        notes.insert(1, f"Differences are over all {queries}, with missing ones scored as 0.")
    if n_others == 1:
        notes.append("The other difference is reported with it.")
    elif n_others > 1:
        notes.append(f"The other {n_others} differences form one family.")
    if comparison.sliced:
        notes.append("The slices of a label form one family per measure.")
    if max(n_leading, n_others) > 1 or comparison.sliced:
        notes.append(
            "Within a family intervals are simultaneous and p-values adjusted: single-step max-t."
        )
    if comparison.statistics.tests:
        tests = listing(comparison.statistics.tests)
        notes.append(f"The p-values of {tests} are not adjusted and do not affect the result.")
    return " ".join(notes)


def pairs_note(comparison: Comparison) -> str:
    """Return why a pair can have another result than the comparison with the baseline."""
    n_leading = len(comparison.candidates)
    queries = ""
    if comparison.common:
        whole = count(comparison.n_queries, "query", "queries")
        n_common = comparison.common[0].n_queries
        queries = (
            f" All are over {whole}; the result in words is over the {n_common:,} in every run."
        )
    note = "The pairs of a measure form one family: intervals and p-values are simultaneous"
    if n_leading == 1:
        return f"{note}.{queries}"
    n_others = len(comparison.differences) - n_leading
    others = f", and over {n_others:,} in the other measures" if n_others else ""
    n_pairs = n_leading * (n_leading + 1) // 2
    return (
        f"{note} over {n_pairs:,} comparisons. Those of the differences from "
        f"{comparison.baseline} are simultaneous over {n_leading:,} in {comparison.lead}{others}. "
        "So their intervals differ, and a difference that is clear there may be unclear here. "
        "Whether a candidate is better than the baseline is decided there; pairs of candidates "
        f"are decided here.{queries}"
    )


def gate_note(result: GateResult) -> str:
    """Return a note on how a gate decides, and on the figures that it shows; empty without any."""
    from berryeval.evaluation.guards import MarginGuard  # where there is a result, it is loaded

    guards = result.guards
    if not any(isinstance(guard.guard, MarginGuard) or guard.interval for guard in guards):
        return "Limits are compared with the figures of these queries; nothing is tested."
    if result.inference == "set":
        return "Verdicts are on the point difference: these queries are all that matters."
    notes = []
    if result.memory is not None:
        looks, tries = result.memory.looks, result.memory.tries
        notes.append(
            f"Looks at this set: {looks}; comparisons tried on it: {tries:,}. This look is tested "
            f"at {result.level:.3g} of alpha {result.alpha:g}."
        )
    if any(guard.interval for guard in guards):
        level = percent(1 - 2 * result.level)
        notes.append(
            f"Intervals: {level}, two-sided and unadjusted, since a margin is tested on one side; "
            "a comparison tests both sides, and shows 95%."
        )
    return " ".join(notes)


def query_label(query_id: str, text: str | None) -> str:
    """Return the id of a query and the beginning of its text, if it is known."""
    if text is None:
        return query_id
    return f"{query_id}  {beginning(text)}"


def beginning(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= TEXT_WIDTH else line[: TEXT_WIDTH - 1].rstrip() + "…"


def undefined_notes(differences: Iterable[Difference]) -> list[str]:
    """Return why differences have neither interval nor p-value, each reason once."""
    found: dict[str, list[str]] = {}
    for difference in differences:
        if difference.reason is not None:
            where = str(difference.measure)
            if difference.slice is not None:
                where += f" ({difference.slice})"
            found.setdefault(difference.reason, []).append(where)
    return [
        f"No interval for {listing(list(dict.fromkeys(names)))}: {reason}."
        for reason, names in found.items()
    ]


def reason_of(guard: GuardResult) -> str:
    """Return the reason for a guard's verdict as a sentence, with caveats."""
    measure = getattr(guard.guard, "measure", "Latency")
    is_whole = guard.reason[:1].isupper()
    reason = guard.reason if is_whole else f"{measure} {guard.reason}"
    if guard.is_watched:
        reason += " Watched only."
    if guard.depends_on_holes:
        reason += " Extreme grades for unjudged documents could change this."
    return reason


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital; names such as nDCG@10 or bpref stay unchanged."""
    is_word = sentence.partition(" ")[0] in _FIRST_WORDS
    return sentence[:1].upper() + sentence[1:] if is_word else sentence


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things: ``1 query``, ``7,000 queries``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
