"""The demonstration, as somebody reads it who sees all of this for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.reports.comparison import changed_most
from berryeval.reports.figures import interval_text, percent, score, signed
from berryeval.reports.gate import guard_figures
from berryeval.reports.layout import Table
from berryeval.reports.wording import count, query_label

if TYPE_CHECKING:
    from berryeval.suite.demo import Demo

__all__ = ["demo_tables"]

N_CHANGED = 3


def demo_tables(found: Demo) -> list[Table]:
    """Lay out four questions and their answers: means, differences, queries and the verdict."""
    return [_means(found), _differences(found), _queries(found), _verdict(found)]


def _means(found: Demo) -> Table:
    best = next(iter(found.results.values())).ceilings
    runs = found.comparison.evaluations
    rows = tuple(
        (name, *(score(run[name].mean) for run in runs.values()), score(best.get(name)))
        for name in map(str, found.comparison.measures)
    )
    golden = found.golden
    notes = [
        f"{count(len(golden.queries), 'query', 'queries')}, {len(golden.chunks):,} chunks of "
        f"{count(len(golden.sources), 'document')}, {golden.n_judgments:,} grades; 1 is perfect."
    ]
    if golden.relevant_from != 1:
        notes.append(
            f"rel={golden.relevant_from:g}: a chunk counts as relevant from that grade on; "
            "nDCG counts every grade."
        )
    header = ("", *runs, "best possible")
    return Table("1. How much of what is relevant does each system find?", header, rows,
                 tuple(notes))  # fmt: skip


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
        "An interval that has 0 in it: another choice of questions could turn the order around.",
        "better, equal, worse: for how many queries.",
    )
    title = f"2. Is that more than luck? {guarded}, held against {comparison.baseline}"
    return Table(title, header, rows, notes)


def _queries(found: Demo) -> Table:
    comparison, system = found.comparison, list(found.results)[-1]
    guarded = comparison.measures[0]
    changes = changed_most(comparison.changes(system, guarded), N_CHANGED)
    rows = tuple(
        (query_label(one.query_id, one.text), score(one.baseline), score(one.candidate))
        for one in changes
    )
    return Table(
        f"3. Which queries does {system} win and lose most? {guarded}",
        ("", comparison.baseline, system),
        rows,
    )


def _verdict(found: Demo) -> Table:
    gate, system = found.gate, list(found.results)[-1]
    rows = tuple((guard.name, guard.verdict, *guard_figures(guard)) for guard in gate.guards)
    title = f"4. May {system} take the place of {found.comparison.baseline}? {gate.verdict.upper()}"
    header = ("what is asked", "verdict", "value", "limit", "interval")
    notes = (*(f"{guard.guard}: {guard.reason}" for guard in gate.guards), _thresholds(found))
    return Table(title, header, rows, notes)


def _thresholds(found: Demo) -> str:
    """Say how the last system stands to the thresholds of the suite, which are another matter."""
    name, result = list(found.results.items())[-1]
    missed = [
        f"{measure} is {score(guard.value)}, below {guard.limit:.2f}"
        for measure, guard in result.thresholds.items()
        if guard.verdict != "pass"
    ]
    asked = "Not worse is not good: `berryeval quality` asks for means that are high in themselves"
    if not missed:
        return f"{asked}, and {name} reaches all of them."
    return f"{asked}, and {name} falls short: {'; '.join(missed)}."
