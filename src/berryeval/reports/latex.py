"""LaTeX tables for a paper: booktabs, the best of each measure in bold.

The document needs ``\\usepackage{booktabs}``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from berryeval.evaluation.headline import policy_note
from berryeval.evaluation.notes import missing_counts
from berryeval.measures import Measure
from berryeval.reports.evaluation import Evaluations
from berryeval.reports.figures import score
from berryeval.reports.wording import count

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
    if missing_counts(comparison.evaluations):
        notes.insert(0, escape(comparison.sentence))
    return _tabular(comparison.evaluations, comparison.measures, marks, " ".join(notes))


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
