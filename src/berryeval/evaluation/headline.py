"""Comparisons in one sentence: how candidates compare with the baseline, by the lead measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from berryeval.core.notes import caution_notes
from berryeval.evaluation.notes import count_queries, missing_queries

if TYPE_CHECKING:
    from berryeval.evaluation.differences import Difference
    from berryeval.evaluation.findings import Finding
    from berryeval.evaluation.result import Evaluation

__all__ = ["MAX_NAMED", "difference_sentence", "listing", "result_sentence"]

MAX_NAMED = 4
"""Candidates that a sentence names; more than these are counted."""


class _Clause(NamedTuple):
    """Phrases for one system, and for several, compared with the baseline."""

    singular: str
    plural: str
    preposition: str
    end: str = ""

    def text(self, n_systems: int, baseline: str | None) -> str:
        """Return the words, without the baseline if it is clear from the rest of the sentence."""
        verb = self.singular if n_systems == 1 else self.plural
        return f"{verb}{f' {self.preposition} {baseline}' if baseline else ''}{self.end}"


_CLAUSES: dict[Finding, _Clause] = {
    "better": _Clause("is better", "are better", "than"),
    "worse": _Clause("is worse", "are worse", "than"),
    "unclear": _Clause("is not clearly different", "are not clearly different", "from"),
    "untested": _Clause("differs", "differ", "from", " in too few queries to decide"),
}


def result_sentence(
    whole: Sequence[Difference],
    common: Sequence[Difference],
    baseline: str,
    runs: Sequence[tuple[str, Evaluation]],
) -> str:
    """Return how candidates compare with the baseline, in one measure.

    `whole` has the differences over all queries; `common` those over the queries that every run
    has, empty if these are the same; if both agree, only the latter are written. `runs` are the
    baseline and the candidates by name; two may have the same name. If every score is 0, cautions
    that explain it come first.
    """
    if whole and all(map(_scores_nothing, whole)):
        cautions = dict.fromkeys(caution for _, run in runs for caution in run.cautions)
        notes = [str(note) for note in caution_notes(cautions)]
        return " ".join([*notes, _capitalised(_sentence(whole, baseline))])
    missing = missing_queries(runs)
    if not missing:
        return _capitalised(_sentence(whole, baseline))
    if not any(any(run.scores.is_missing) for _, run in runs):
        return f"{missing}, and left out. {_capitalised(_sentence(whole, baseline))}"
    scored = f"With missing queries scored as 0, {_sentence(whole, baseline)}"
    if not common:
        return f"{missing}. No query is in every run. {scored}"
    over = f"Over the {count_queries(common[0].n_queries)} in every run"
    if [(one.finding, one.is_same) for one in whole] == [
        (one.finding, one.is_same) for one in common
    ]:
        scored = "With missing queries scored as 0, this holds, too."
    return f"{missing}. {over}, {_sentence(common, baseline)} {scored}"


def _sentence(differences: Sequence[Difference], baseline: str) -> str:
    if len(differences) == 1:
        return difference_sentence(differences[0], baseline)
    if len(differences) > MAX_NAMED:
        return _counting_sentence(differences, baseline)
    parts = []
    for wanted, clause in _CLAUSES.items():
        names = [d.system for d in differences if d.finding == wanted]
        if names:
            parts.append(f"{listing(names)} {clause.text(len(names), baseline)}")
    return f"by {differences[0].measure}, {'; '.join(parts)}."


def _counting_sentence(differences: Sequence[Difference], baseline: str) -> str:
    """Return how many are better, worse and so on, and which is the best if any is better."""
    parts: list[str] = []
    for wanted, clause in _CLAUSES.items():
        n_found = sum(d.finding == wanted for d in differences)
        if n_found and not parts:
            parts.append(f"{n_found:,} of {len(differences):,} {clause.text(n_found, baseline)}")
        elif n_found:
            parts.append(f"{n_found:,} {clause.text(n_found, None)}")
    sentence = f"by {differences[0].measure}, {', '.join(parts)}"
    better = [d for d in differences if d.finding == "better"]
    if better:
        sentence += f"; the best is {max(better, key=lambda d: abs(d.mean)).system}"
    return f"{sentence}."


def _capitalised(sentence: str) -> str:
    """Start a sentence with a capital letter, unless it starts with the name of a system."""
    return f"B{sentence[1:]}" if sentence.startswith("by ") else sentence


def difference_sentence(difference: Difference, baseline: str) -> str:
    """Return the result of one candidate in one measure."""
    system, measure, found = difference.system, difference.measure, difference.finding
    if difference.is_same and _scores_nothing(difference):
        return f"{system} and {baseline} score 0 in {measure} for every query."
    if difference.is_same:
        return f"{system} and {baseline} score the same {measure} for every query."
    before, after = f"{difference.baseline_mean:.4f}", f"{difference.candidate_mean:.4f}"
    start = f"{system} {_CLAUSES[found].text(1, baseline)}: {measure}"
    if found == "unclear":
        return f"{start} is {after}, compared with {before}."
    if found == "untested":
        n_changed, n_queries = difference.wins + difference.losses, difference.n_queries
        changed = f"only {n_changed:,} of {count_queries(n_queries)} changed"
        if n_changed == n_queries:
            changed = f"the set has only {count_queries(n_queries)}"
        if difference.sampling.weights is not None:
            worth = difference.column_of(difference.values).worth_changed
            changed += f", worth {worth:,.1f} of equal weight"
        return f"{start} is {after}, compared with {before}, and {changed}."
    verb = "rises" if difference.mean > 0 else "falls"
    return f"{start} {verb} from {before} to {after}."


def _scores_nothing(difference: Difference) -> bool:
    """Return whether every score is 0, the lowest there is."""
    measure = difference.measure
    is_lowest = measure.higher_is_better and measure.bounds[0] == 0
    return is_lowest and difference.baseline_mean == difference.candidate_mean == 0


def listing(words: Sequence[str]) -> str:
    """Write words as a list: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
