"""The report that ranx's ``compare`` returns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from berryeval.reports.latex import escape

__all__ = ["Comparisons", "Report"]

_LABELS = {
    "hits": "Hits",
    "hit_rate": "Hit Rate",
    "precision": "P",
    "recall": "Recall",
    "f1": "F1",
    "r-precision": "R-Prec",
    "mrr": "MRR",
    "map": "MAP",
    "dcg": "DCG",
    "dcg_burges": "DCG Burges",
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG Burges",
    "bpref": "BPref",
    "rbp": "RBP",
}
_TESTS = {
    "student": "a paired t-test",
    "fisher": "a paired randomisation test",
    "tukey": "Tukey's HSD test",
}
_RAISED = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))


class Comparisons(dict[frozenset[str], dict[str, dict[str, Any]]]):
    """P-values by pair of runs and by metric; the order of the pair does not matter."""

    def __getitem__(self, pair: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401 - any set of two
        return super().__getitem__(frozenset(pair))


@dataclass(frozen=True, repr=False)
class Report:
    """Scores of several runs, and which of them differ significantly.

    Attributes
    ----------
    model_names : list of str
        The runs, in the order of the table, which calls them a, b, c.
    results : dict of dicts
        Run, metric, mean.
    comparisons : Comparisons
        Pair of runs, metric, ``{"p_value": …, "significant": …}``.
    metrics : list of str
        The metrics.
    max_p : float
        Highest p-value of a significant difference.
    win_tie_loss : dict
        Two runs in order, metric, ``{"W": …, "T": …, "L": …}``: numbers of queries.
    rounding_digits, show_percentages, stat_test
        As for `compare`.
    """

    model_names: list[str]
    results: Mapping[str, Mapping[str, float]]
    comparisons: Comparisons
    metrics: list[str]
    max_p: float
    win_tie_loss: Mapping[tuple[str, str], Mapping[str, Mapping[str, int]]]
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def to_table(self) -> str:
        """Return a text table; letters after a score name the runs that it is better than."""
        headers = ["#", "Model", *map(_label, self.metrics)]
        rows = [[f"{header}  " for header in headers]]
        for letter, model in zip(self._letters(), self.model_names, strict=True):
            cells = [self._shown(model, metric) for metric in self.metrics]
            rows.append([letter, model, *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def _shown(self, model: str, metric: str) -> str:
        raised = "".join(_RAISED[letter] for letter in self._beaten(model, metric))
        return f"{self._score(model, metric)}{raised}"

    def _score(self, model: str, metric: str) -> str:
        value = self.results[model][metric]
        if self.show_percentages:
            return f"{100 * value:.{max(self.rounding_digits - 2, 0)}f}"
        return f"{value:.{self.rounding_digits}f}"

    def _letters(self) -> list[str]:
        """Return a letter for each run; after z follow aa, ab and so on."""
        letters = list(_RAISED)
        while len(letters) < len(self.model_names):
            letters += [before + letter for before in letters for letter in _RAISED]
        return letters[: len(self.model_names)]

    def _beaten(self, model: str, metric: str) -> str:
        """Return the letters of the runs that a run is significantly better than."""
        return "".join(
            letter
            for letter, other in zip(self._letters(), self.model_names, strict=True)
            if other != model
            and self.results[model][metric] > self.results[other][metric]
            and self.comparisons[model, other][metric]["significant"]
        )

    def to_latex(self) -> str:
        """Return a LaTeX table, the best score of each metric in bold; it needs booktabs."""
        head = " & ".join(("\\#", "Model", *(escape(_label(metric)) for metric in self.metrics)))
        rows = []
        for letter, model in zip(self._letters(), self.model_names, strict=True):
            cells = [letter, escape(model)]
            for metric in self.metrics:
                score, beaten = self._score(model, metric), self._beaten(model, metric)
                shown = f"\\textbf{{{score}}}" if self._is_best(model, metric) else score
                cells.append(shown + (f"$^{{{beaten}}}$" if beaten else ""))
            rows.append(" & ".join(cells))
        caption = (
            "The best score of each metric is bold. Letters mark the runs that a score is "
            f"significantly better than, by {_TESTS[self.stat_test]} with $p \\le {self.max_p}$."
        )
        lines = [
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{caption}}}",
            f"\\begin{{tabular}}{{ll{'l' * len(self.metrics)}}}",
            "\\toprule",
            f"{head} \\\\",
            "\\midrule",
            *(f"{row} \\\\" for row in rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _is_best(self, model: str, metric: str) -> bool:
        return self.results[model][metric] == max(own[metric] for own in self.results.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts, p-values and counts by run and other run."""
        report: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            report[model] = {
                "scores": dict(self.results[model]),
                "comparisons": {
                    other: {
                        metric: self.comparisons[model, other][metric]["p_value"]
                        for metric in self.metrics
                    }
                    for other in others
                },
                "win_tie_loss": {other: dict(self.win_tie_loss[model, other]) for other in others},
            }
        return report

    def to_dataframe(self) -> Any:  # noqa: ANN401 - of pandas
        """Return a pandas frame with one row per run and one column per metric."""
        import pandas as pd

        rows = [{"model_names": model, **self.results[model]} for model in self.model_names]
        return pd.DataFrame(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=4), encoding="utf-8")

    def print_results(self) -> None:
        """Print the scores as JSON."""
        print(json.dumps(self.results, indent=4))  # noqa: T201 - as in ranx

    def __repr__(self) -> str:
        return self.to_table()


def _label(metric: str) -> str:
    """Return the heading of a column: ``NDCG@10-l2``, ``RBP.95``."""
    name = max((name for name in _LABELS if metric.startswith(name)), key=len)
    return _LABELS[name] + metric[len(name) :]
