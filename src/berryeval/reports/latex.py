"""LaTeX tables for a paper: booktabs, and the best of several runs in bold.

The document needs ``\\usepackage{booktabs}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from berryeval.evaluation.evaluate import DEFAULT_MEASURES
from berryeval.evaluation.figures import (
    interval_text,
    p_text,
    percent,
    score,
    shown_interval,
    signed,
)
from berryeval.evaluation.findings import WORDS
from berryeval.evaluation.headline import listing
from berryeval.evaluation.notes import missing_counts, weights_note
from berryeval.measures import Measure
from berryeval.reports.all_pairs import pairs_table
from berryeval.reports.evaluation import Evaluations, Shown, evaluations_tables
from berryeval.reports.wording import count, policy_note

if TYPE_CHECKING:
    from berryeval.evaluation import Evaluation
    from berryeval.evaluation.comparison import Comparison

__all__ = ["comparison_to_latex", "evaluations_to_latex"]

_BETTER, _WORSE = r"$^{\dagger}$", r"$^{\ddagger}$"
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def comparison_to_latex(comparison: Comparison) -> str:
    """Return a table of means, with marks for differences, one of differences, and one of pairs.

    The first has one row per system. If no measure was named, there are too many columns for that:
    it then has one row per measure and one column per system.
    """
    tables = [_means(comparison), _differences(comparison)]
    if comparison.pairs:
        tables.append(_pairs(comparison))
    return "\n".join(tables)


def _means(comparison: Comparison) -> str:
    marks = {
        (d.system, str(d.measure)): {"better": _BETTER, "worse": _WORSE}.get(d.finding, "")
        for d in comparison.differences
    }
    queries = count(comparison.n_queries, "query", "queries")
    notes = [
        f"{_BETTER} better and {_WORSE} worse than {escape(comparison.baseline)}.",
        escape(policy_note(comparison)),
        f"Best in bold. Means over {queries}.",
    ]
    worth = comparison.sampling.effective_queries
    if worth is not None:
        notes.append(escape(weights_note(comparison.n_queries, worth)))
    if missing_counts(comparison.evaluations):
        notes.insert(0, escape(comparison.sentence))
    runs = comparison.evaluations
    if comparison.shown == comparison.measures:
        return _table(*_by_system(runs, comparison.measures, marks), " ".join(notes))
    best = {measure: _best(runs, measure) for measure in comparison.shown}
    rows = [
        [escape(str(measure)), *(_cell(run, measure, best, marks.get((name, str(measure)), ""))
                         for name, run in runs.items())]
        for measure in comparison.shown
    ]  # fmt: skip
    tested = listing([str(measure) for measure in comparison.measures])
    notes.insert(0, f"Measures tested: {escape(tested)}.")
    return _table(["Measure", *map(escape, runs)], rows, " ".join(notes))


def _differences(comparison: Comparison) -> str:
    level = escape(percent(comparison.statistics.level))
    rows = [
        [
            escape(d.system),
            escape(str(d.measure)),
            signed(d.mean),
            interval_text(d.interval),
            _p_value(d.p_value),
            WORDS[d.finding],
        ]
        for d in comparison.differences
    ]
    header = ["System", "Measure", "Difference", f"{level} interval", "$p$", "Result"]
    return _table(header, rows, f"Differences from {escape(comparison.baseline)}.")


def _pairs(comparison: Comparison) -> str:
    """Return the table of all pairs that other formats show, too."""
    found = pairs_table(comparison)
    p_column = found.header.index("p")
    rows = [
        [_p_text(cell) if i == p_column else escape(cell) for i, cell in enumerate(row)]
        for row in found.rows
    ]
    header = ["$p$" if name == "p" else escape(name.capitalize()) for name in found.header]
    return _table(header, rows, escape(" ".join(found.notes)))


def _p_value(value: float | None) -> str:
    return _p_text(p_text(value))


def _p_text(text: str) -> str:
    return f"${text}$" if text.startswith("<") else text


def evaluations_to_latex(runs: Evaluations, shown: Shown = Shown()) -> str:  # noqa: B008 - frozen
    """Return a table with one row per run and one column per measure, with intervals if requested.

    If no measure was named, it is the table of `evaluations_tables`, with one row per cutoff.
    """
    first = next(iter(runs.values()))
    note = f"Means over {count(first.n_queries, 'query', 'queries')}."
    for name, run in runs.items():
        note += "".join(f" {escape(f'{name}: {one}')}" for one in run.notes)
    if first.effective_queries is not None:
        note += " " + escape(weights_note(first.n_queries, first.effective_queries))
    if first.measures == DEFAULT_MEASURES:
        return "\n".join(
            _table([*map(escape, table.header)], table.rows, note, title=table.title)
            for table in evaluations_tables(runs, Shown(intervals=shown.intervals))
        )
    if shown.intervals:
        note += r" In brackets: 95\% intervals."
    if len(runs) > 1:
        note = f"Best in bold. {note}"
    return _table(*_by_system(runs, first.measures, {}, intervals=shown.intervals), note)


def _by_system(
    runs: Evaluations,
    measures: Sequence[Measure],
    marks: Mapping[tuple[str, str], str],
    *,
    intervals: bool = False,
) -> tuple[list[str], list[list[str]]]:
    best = {measure: _best(runs, measure) for measure in measures}
    rows = [
        [escape(name), *(_cell(run, measure, best, marks.get((name, str(measure)), ""),
                               intervals=intervals) for measure in measures)]
        for name, run in runs.items()
    ]  # fmt: skip
    return ["System", *(escape(str(measure)) for measure in measures)], rows


def _cell(
    run: Evaluation,
    measure: Measure,
    best: Mapping[Measure, str | None],
    mark: str,
    *,
    intervals: bool = False,
) -> str:
    result = run[str(measure)]
    shown = score(result.mean)
    text = (rf"\textbf{{{shown}}}" if shown == best[measure] else shown) + mark
    return f"{text} {shown_interval(result.interval)}" if intervals else text


def _table(
    header: Sequence[str], rows: Iterable[Sequence[str]], note: str, *, title: str = ""
) -> str:
    """Return a table of cells that are already LaTeX, with a title above it."""
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            *([f"  \\textbf{{{escape(title)}}}\\par\\smallskip"] if title else []),
            f"  \\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
            r"    \toprule",
            f"    {' & '.join(header)} \\\\",
            r"    \midrule",
            *(f"    {' & '.join(row)} \\\\" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            f"  \\par\\smallskip\\footnotesize {note}",
            r"\end{table}",
            "",
        ]
    )


def _best(runs: Evaluations, measure: Measure) -> str | None:
    """Return the best mean as it is written; None if there is nothing to choose from."""
    if len(runs) == 1:
        return None
    means = [run[str(measure)].mean for run in runs.values()]
    return score(max(means) if measure.higher_is_better else min(means))


def escape(text: str) -> str:
    """Return text escaped for LaTeX; control characters become spaces."""
    line = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]+", " ", text)
    return "".join(_SPECIAL.get(character, character) for character in line)
