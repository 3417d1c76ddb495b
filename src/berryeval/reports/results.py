"""Results in Python: as a dict, a data frame, a LaTeX table, a file or a chart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.core.files import format_of_ending, write_whole
from berryeval.errors import BerryEvalError

if TYPE_CHECKING:
    from berryeval.charts import Chart
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.result import Evaluation
    from berryeval.evaluation.verdict import GateResult

    Result: TypeAlias = Evaluation | Comparison | GateResult

__all__ = ["ENDINGS", "plot", "save", "to_dict", "to_frame", "to_latex"]

ENDINGS = {
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".png": "png",
    ".qrels": "trec",
    ".svg": "svg",
    ".tex": "latex",
    ".xml": "junit",
}
"""The format of reports and lists for each file extension."""

_RUN = "run"
"""The name of a run that was evaluated alone."""
_FORMATS = ("csv", "html", "json", "latex", "markdown", "png", "svg")


def to_dict(result: Comparison | GateResult) -> dict[str, Any]:
    """Return the object of ``docs/reference/json.md``."""
    if _kind(result) == "Comparison":
        from berryeval.reports.comparison import comparison_as_dict

        return comparison_as_dict(result)  # type: ignore[arg-type]
    from berryeval.reports.gate import gate_as_dict

    return gate_as_dict(result)  # type: ignore[arg-type]


def to_frame(result: Result, *, per_query: bool) -> Any:  # noqa: ANN401 - pandas is optional
    """Return a pandas frame with one row per figure, or per query."""
    columns, rows = _rows(result, per_query=per_query)
    try:
        import pandas as pd
    except ImportError:
        raise BerryEvalError(
            "to_frame needs pandas, which is not installed: pip install pandas"
        ) from None
    return pd.DataFrame(list(rows), columns=list(columns))


def _rows(result: Any, *, per_query: bool) -> tuple[Sequence[str], Iterable[Sequence[object]]]:  # noqa: ANN401 - any result
    if _kind(result) == "GateResult" and not per_query:
        from berryeval.reports.gate import gate_rows

        return gate_rows(result)
    compared = _comparison_of(result)
    if compared is not None:
        from berryeval.reports.comparison import comparison_rows

        return comparison_rows(compared, per_query=per_query)
    from berryeval.reports.evaluation import evaluation_rows

    return evaluation_rows(getattr(result, "evaluation", result), per_query=per_query)


def to_latex(result: Result) -> str:
    """Return a table for a paper, with intervals."""
    return _rendered(result, "latex")


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result in the format of the file's extension, completely or not at all."""
    formats = (*_FORMATS, "junit") if _kind(result) == "GateResult" else _FORMATS
    endings = {ending: name for ending, name in ENDINGS.items() if name in formats}
    choice = ".txt for a table"
    wanted = format_of_ending(
        path, endings, "table", argument="path", choice=choice, is_strict=True
    )
    if wanted == "png":
        content = plot(result).to_png()
    else:
        text = f"{plot(result).to_svg()}\n" if wanted == "svg" else _rendered(result, wanted)
        content = text.encode("utf-8", "surrogateescape")
    write_whole(os.fspath(path), [content])


def _rendered(result: Any, format: str) -> str:  # noqa: ANN401 - any result
    from berryeval.reports import rendering

    if _kind(result) == "Comparison":
        return rendering.render_comparison(result, format)
    if _kind(result) == "GateResult":
        return rendering.render_gate(result, format)
    from berryeval.reports.evaluation import Shown

    return rendering.render_evaluations({_RUN: result}, Shown(intervals=True), format)


def plot(result: Result, measure: object = None) -> Chart:
    """Draw the differences of a comparison, or the distribution of the scores of one run."""
    compared = _comparison_of(result)
    if compared is not None:
        return _forest(result, compared)
    from berryeval.charts.distribution import distribution

    evaluation: Any = getattr(result, "evaluation", result)
    shown = evaluation[str(measure or next(iter(evaluation)))]
    return distribution(
        shown.measure, shown.values, shown.mean, names=(_RUN, ""), width=640, height=240
    )


def _forest(result: Any, compared: Comparison) -> Chart:  # noqa: ANN401 - any result
    from berryeval.charts import forest_plot
    from berryeval.reports.html.guards import margins_of

    margins = margins_of(result if _kind(result) == "GateResult" else None)
    return forest_plot(compared, margins)


def _comparison_of(result: Any) -> Comparison | None:  # noqa: ANN401 - any result
    found: Comparison | None = (
        result if _kind(result) == "Comparison" else getattr(result, "comparison", None)
    )
    return found


def _kind(result: object) -> str:
    return type(result).__name__
