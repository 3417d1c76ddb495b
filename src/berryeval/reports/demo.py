"""The demonstration, for newcomers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.evaluation.figures import interval_text, percent, score, signed
from berryeval.golden.golden_set import name_in_suite
from berryeval.measures import parse_measure
from berryeval.reports.gate import guard_figures
from berryeval.reports.layout import Table
from berryeval.reports.wording import count, query_label

if TYPE_CHECKING:
    from berryeval.suite.demo import Demo

__all__ = ["demo_tables", "questions_note"]

N_CHANGED = 3


def demo_tables(found: Demo) -> list[Table]:
    """Lay out four questions and their answers: means, differences, queries and the verdict."""
    return [_means(found), _differences(found), _queries(found), _verdict(found)]


def _means(found: Demo) -> Table:
    golden, measures = found.golden, found.comparison.measures
    rows = []
    for name, result in found.results.items():
        rows.append((name, result.gate.evaluation))
        if result.without_questions is not None:
            rows.append((f"{name}, without questions", result.without_questions))
    best = next(iter(found.results.values())).ceilings
    figures = [
        *((name, *(score(one[str(measure)].mean) for measure in measures)) for name, one in rows),
        ("best possible", *(score(best.get(str(measure))) for measure in measures)),
    ]
    notes = [
        f"{count(len(golden.queries), 'query', 'queries')}, {len(golden.chunks):,} chunks from "
        f"{count(len(golden.sources), 'document')}, {golden.n_judgments:,} judgments; a perfect "
        "score is 1."
    ]
    if golden.relevant_from != 1:
        notes.append(
            f"A chunk counts as relevant from grade {golden.relevant_from:g} on; nDCG uses every "
            "grade."
        )
    notes += questions_note(found)
    header = ("", *(name_in_suite(measure, golden) for measure in measures))
    return Table("1. How well does each system find relevant chunks?", header, tuple(figures),
                 tuple(notes))  # fmt: skip


def questions_note(found: Demo) -> list[str]:
    """Return a note about the indexed questions; empty without any."""
    last, result = list(found.results.items())[-1]
    plain, measure = result.without_questions, str(found.comparison.measures[0])
    if plain is None:
        return []
    figures = [score(one[measure].mean) for one in (result.gate.evaluation, plain)]
    return [
        f"Chunks are indexed together with {found.golden.n_questions:,} questions that they "
        f"answer, which raises the scores: {last} has {measure} {figures[0]} with questions and "
        f"{figures[1]} without. Unless stated otherwise, scores are with questions."
    ]


def _differences(found: Demo) -> Table:
    comparison = found.comparison
    guarded = comparison.measures[0]
    rows = tuple(
        (one.system, signed(one.mean), interval_text(one.interval), str(one.wins), str(one.ties),
         str(one.losses))
        for one in comparison.differences
        if one.measure == guarded
    )  # fmt: skip
    level = percent(comparison.statistics.level)
    header = ("", "difference", f"{level} interval", "better", "equal", "worse")
    notes = (
        comparison.sentence,
        "If the interval contains 0, other queries could reverse the order.",
        "better, equal, worse: the number of queries.",
    )
    title = f"2. Is the difference more than chance? {guarded}, compared with {comparison.baseline}"
    return Table(title, header, rows, notes)


def _queries(found: Demo) -> Table:
    comparison, system = found.comparison, list(found.results)[-1]
    guarded = comparison.measures[0]
    changes = comparison.changed_most(system, guarded, N_CHANGED)
    rows = tuple(
        (query_label(one.query_id, one.text), score(one.baseline), score(one.candidate))
        for one in changes
    )
    return Table(
        f"3. Which queries does {system} win and lose most? {guarded}",
        ("", comparison.baseline, system),
        rows,
    )


_CAUTIOUS = (
    "This interval assumes more skewness than was observed, since a set may miss the queries that "
    "lose most; so it can reach lower than the 95% interval above."
)


def _verdict(found: Demo) -> Table:
    gate, system = found.gate, list(found.results)[-1]
    rows = tuple((guard.name, guard.verdict, *guard_figures(guard)) for guard in gate.guards)
    title = f"4. Can {system} replace {found.comparison.baseline}? {gate.verdict.upper()}"
    header = ("requirement", "verdict", "value", "limit", "interval")
    reasons = (f"{guard.guard}: {guard.reason}" for guard in gate.guards)
    notes = (*reasons, _CAUTIOUS, _thresholds(found))
    return Table(title, header, rows, notes)


def _thresholds(found: Demo) -> str:
    """Compare the last system with the thresholds of the suite, independently of the gate."""
    name, result = list(found.results.items())[-1]
    missed = [
        f"{_named(found, measure)} is {score(guard.value)}, below {guard.limit:.2f}"
        for measure, guard in result.thresholds.items()
        if guard.verdict != "pass"
    ]
    asked = "The gate only compares. `berryeval quality` also requires minimum means"
    if not missed:
        return f"{asked}, and {name} reaches all of them."
    return f"{asked}, and {name} falls short: {'; '.join(missed)}."


def _named(found: Demo, measure: str) -> str:
    return name_in_suite(parse_measure(measure), found.golden)
