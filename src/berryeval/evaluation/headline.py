"""Comparisons in one sentence: how candidates stand against the baseline, by the lead measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from berryeval.evaluation.notes import count_queries, missing_queries

if TYPE_CHECKING:
    from berryeval.evaluation.differences import Difference
    from berryeval.evaluation.findings import Finding
    from berryeval.evaluation.result import Evaluation

__all__ = ["difference_sentence", "listing", "result_sentence"]

_CLAUSES: dict[Finding, tuple[str, str]] = {
    "better": ("is better than {}", "are better than {}"),
    "worse": ("is worse than {}", "are worse than {}"),
    "unclear": ("is not clearly different from {}", "are not clearly different from {}"),
    "untested": (
        "differs from {} in too few queries to decide",
        "differ from {} in too few queries to decide",
    ),
}
"""What a system is, and several are, compared with the baseline."""


def result_sentence(
    whole: Sequence[Difference],
    common: Sequence[Difference],
    baseline: str,
    runs: Sequence[tuple[str, Evaluation]],
) -> str:
    """Return how candidates compare with the baseline, in one measure.

    `whole` has the differences over all queries; `common` those over the queries that every run
    has, empty if these are the same. `runs` are the baseline and the candidates by name; two may
    have the same name.
    """
    missing = missing_queries(runs)
    if not missing:
        return _capitalised(_sentence(whole, baseline))
    if not any(any(run.scores.is_missing) for _, run in runs):
        return f"{missing}, and left out. {_capitalised(_sentence(whole, baseline))}"
    scored = f"With missing queries scored as 0, {_sentence(whole, baseline)}"
    if not common:
        return f"{missing}. No query is in every run. {scored}"
    over = f"Over the {count_queries(common[0].n_queries)} in every run"
    return f"{missing}. {over}, {_sentence(common, baseline)} {scored}"


def _sentence(differences: Sequence[Difference], baseline: str) -> str:
    if len(differences) == 1:
        return difference_sentence(differences[0], baseline)
    parts = []
    for wanted, (singular, plural) in _CLAUSES.items():
        names = [d.system for d in differences if d.finding == wanted]
        if names:
            clause = singular if len(names) == 1 else plural
            parts.append(f"{listing(names)} {clause.format(baseline)}")
    return f"by {differences[0].measure}, {'; '.join(parts)}."


def _capitalised(sentence: str) -> str:
    """Start a sentence with a capital letter, unless it starts with the name of a system."""
    return f"B{sentence[1:]}" if sentence.startswith("by ") else sentence


def difference_sentence(difference: Difference, baseline: str) -> str:
    """Return the result of one candidate in one measure."""
    system, measure, found = difference.system, difference.measure, difference.finding
    if difference.is_same:
        return f"{system} and {baseline} score the same {measure} for every query."
    before, after = f"{difference.baseline_mean:.4f}", f"{difference.candidate_mean:.4f}"
    start = f"{system} {_CLAUSES[found][0].format(baseline)}: {measure}"
    if found == "unclear":
        return f"{start} is {after}, compared with {before}."
    if found == "untested":
        n_changed, n_queries = difference.wins + difference.losses, difference.n_queries
        changed = f"{n_changed:,} of {count_queries(n_queries)} changed"
        if difference.sampling.weights is not None:
            worth = difference.column_of(difference.values).worth_changed
            changed += f", by their weights worth {worth:,.1f}"
        return f"{start} is {after}, compared with {before}, and only {changed}."
    verb = "rises" if difference.mean > 0 else "falls"
    return f"{start} {verb} from {before} to {after}."


def listing(words: Sequence[str]) -> str:
    """Write words as a list: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
