"""LaTeX tables for a paper: booktabs, the best of each measure in bold.

The document needs ``\\usepackage{booktabs}``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from berryeval.measures import Measure
from berryeval.reports.evaluation import Evaluations
from berryeval.reports.figures import score
from berryeval.reports.wording import CORRECTIONS, TESTS, count, finding

if TYPE_CHECKING:
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
    """Return a table with a row for each system; marks say what differs from the baseline."""
    level = comparison.statistics.level
    marks = {
        (d.system, str(d.measure)): {"better": _BETTER, "worse": _WORSE}.get(finding(d, level), "")
        for d in comparison.differences
    }
    statistics = comparison.statistics
    test = TESTS.get(statistics.test, statistics.test)
    correction = CORRECTIONS.get(statistics.correction, "not adjusted")
    baseline = escape(comparison.baseline)
    queries = count(comparison.n_queries, "query", "queries")
    note = (
        f"{_BETTER} better and {_WORSE} worse than {baseline}: two-sided {test}, "
        f"$p \\le {1 - level:.3g}$, {escape(correction)}. Best in bold. Means over {queries}."
    )
    return _tabular(comparison.evaluations, comparison.measures, marks, note)


def evaluations_to_latex(runs: Evaluations) -> str:
    """Return a table with a row for each run and a column for each measure."""
    first = next(iter(runs.values()))
    measures = tuple(result.measure for result in first.values())
    queries = count(first.n_queries, "query", "queries")
    return _tabular(runs, measures, {}, f"Best in bold. Means over {queries}.")


def _tabular(
    runs: Evaluations,
    measures: tuple[Measure, ...],
    marks: dict[tuple[str, str], str],
    note: str,
) -> str:
    best = {measure: _best(runs, measure) for measure in measures}
    rows = []
    for name, run in runs.items():
        cells = [escape(name)]
        for measure in measures:
            shown = score(run[str(measure)].mean)
            bold = rf"\textbf{{{shown}}}" if shown == best[measure] else shown
            cells.append(bold + marks.get((name, str(measure)), ""))
        rows.append(f"    {' & '.join(cells)} \\\\")
    head = " & ".join(["System", *(escape(str(measure)) for measure in measures)])
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\begin{{tabular}}{{l{'r' * len(measures)}}}",
            r"    \toprule",
            f"    {head} \\\\",
            r"    \midrule",
            *rows,
            r"    \bottomrule",
            r"  \end{tabular}",
            f"  \\par\\smallskip\\footnotesize {note}",
            r"\end{table}",
            "",
        ]
    )


def _best(runs: Evaluations, measure: Measure) -> str:
    means = [run[str(measure)].mean for run in runs.values()]
    return score(max(means) if measure.higher_is_better else min(means))


def escape(text: str) -> str:
    """Return text that LaTeX sets as it is; control characters become spaces."""
    line = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]+", " ", text)
    return "".join(_SPECIAL.get(character, character) for character in line)
