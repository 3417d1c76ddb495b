"""What results say in words: a comparison in one sentence, and how its figures were found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from berryeval.reports.figures import percent, score

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference, Statistics
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = [
    "CORRECTIONS",
    "INTERVALS",
    "TESTS",
    "Finding",
    "capitalised",
    "comparison_sentence",
    "count",
    "difference_sentence",
    "finding",
    "gate_note",
    "listing",
    "query_label",
    "reason_of",
    "statistics_note",
    "undefined_notes",
]

TEXT_WIDTH = 50

Finding: TypeAlias = Literal["better", "worse", "unclear"]

TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "randomisation": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
}
INTERVALS = {"bca": "BCa bootstrap", "t": "Student's t"}
CORRECTIONS = {
    "holm": "adjusted by Holm",
    "bonferroni": "adjusted by Bonferroni",
    "benjamini-hochberg": "adjusted by Benjamini-Hochberg",
}
_FIRST_WORDS = {"all", "latency"}
_RESAMPLED = {"bca", "randomisation", "bootstrap"}


def finding(difference: Difference, level: float) -> Finding:
    """Tell what a difference says: better or worse if its adjusted p-value is small enough."""
    if difference.p_adjusted is None or difference.p_adjusted > 1 - level:
        return "unclear"
    return "better" if difference.is_better else "worse"


def comparison_sentence(comparison: Comparison) -> str:
    """Say in one sentence how the candidates stand against the baseline, by the first measure."""
    measure, baseline = comparison.measures[0], comparison.baseline
    level = comparison.statistics.level
    found = [d for d in comparison.differences if d.measure == measure]
    if len(found) == 1:
        return difference_sentence(found[0], baseline, level)
    parts = []
    for wanted, words in (
        ("better", "better than"),
        ("worse", "worse than"),
        ("unclear", "not clearly different from"),
    ):
        names = [d.system for d in found if finding(d, level) == wanted]
        if names:
            verb = "is" if len(names) == 1 else "are"
            parts.append(f"{listing(names)} {verb} {words} {baseline}")
    return f"By {measure}, {'; '.join(parts)}."


def difference_sentence(difference: Difference, baseline: str, level: float) -> str:
    """Say in one sentence how one candidate stands against the baseline, by one measure."""
    system, measure = difference.system, difference.measure
    if not difference.values.any():
        return f"{system} and {baseline} score the same {measure} for every query."
    before, after = score(difference.baseline_mean), score(difference.candidate_mean)
    found = finding(difference, level)
    if found == "unclear":
        return (
            f"{system} is not clearly different from {baseline}: "
            f"{measure} is {after}, against {before}."
        )
    verb = "rises" if difference.mean > 0 else "falls"
    return f"{system} is {found} than {baseline}: {measure} {verb} from {before} to {after}."


def statistics_note(statistics: Statistics) -> str:
    """Say which test, correction, level, resamples and seed stand behind the figures."""
    test = TESTS.get(statistics.test, statistics.test)
    method = INTERVALS.get(statistics.interval, statistics.interval)
    correction = CORRECTIONS.get(statistics.correction, "not adjusted")
    if statistics.correction in CORRECTIONS:
        correction += " over all systems, measures and slices"
    note = f"p: two-sided {test}, {correction}. Intervals: {percent(statistics.level)}, {method}"
    if _RESAMPLED & {statistics.test, statistics.interval}:
        note += f"; {statistics.n_resamples:,} resamples, seed {statistics.seed}"
    return note + "."


def gate_note(result: GateResult) -> str:
    """Say how a gate decides, and what its intervals are, if it has any."""
    from berryeval.evaluation.guards import MarginGuard  # where there is a result, it is loaded

    guards = result.guards
    if not any(isinstance(guard.guard, MarginGuard) or guard.interval for guard in guards):
        return "Limits are held against the figures of these queries; nothing is tested."
    if result.inference == "set":
        return "Verdicts are on the point difference: these queries are all that matters."
    level = percent(1 - 2 * result.alpha)
    return (
        f"Intervals are unadjusted two-sided 1 - 2 alpha ({level}); alpha {result.alpha:g}, "
        f"seed {result.seed}. p fail is adjusted by Holm over all margin guards, p pass is not."
    )


def query_label(query_id: str, text: str | None) -> str:
    """Return the id of a query and the beginning of its text, if it is known."""
    if text is None:
        return query_id
    line = " ".join(text.split())
    short = line if len(line) <= TEXT_WIDTH else line[: TEXT_WIDTH - 1].rstrip() + "…"
    return f"{query_id}  {short}"


def undefined_notes(differences: Iterable[Difference]) -> list[str]:
    """Say for each test without a p-value why it has none, each reason once."""
    found: dict[str, list[str]] = {}
    for difference in differences:
        if difference.test.p_value is None:
            where = str(difference.measure)
            if difference.slice is not None:
                where += f" ({difference.slice})"
            found.setdefault(difference.test.reason or "it is not defined", []).append(where)
    return [
        f"No p-value for {listing(list(dict.fromkeys(names)))}: {reason}."
        for reason, names in found.items()
    ]


def reason_of(guard: GuardResult) -> str:
    """Return why a guard decided so, as a sentence with its subject, and what to keep in mind."""
    measure = getattr(guard.guard, "measure", "Latency")
    is_whole = guard.reason[:1].isupper()
    reason = guard.reason if is_whole else f"{measure} {guard.reason}"
    if guard.is_watched:
        reason += " Watched only."
    if guard.depends_on_holes:
        reason += " Depends on unjudged documents."
    return reason


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital; a name such as nDCG@10 or bpref stays as it is."""
    is_word = sentence.partition(" ")[0] in _FIRST_WORDS
    return sentence[:1].upper() + sentence[1:] if is_word else sentence


def listing(words: Sequence[str]) -> str:
    """Write words as a list: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things: ``1 query``, ``7,000 queries``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
