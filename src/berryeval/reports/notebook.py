"""Results in a notebook: tables and, where charts can be shown, one chart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from berryeval.reports.html.markup import escaped, notes_to_html, table_to_html
from berryeval.reports.layout import Table

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.result import Evaluation
    from berryeval.evaluation.verdict import GateResult

__all__ = ["to_html", "to_mimebundle"]

_STYLE = (
    "<style>.berryeval table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".berryeval caption,.berryeval .unseen{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%)}.berryeval .n{text-align:right}"
    ".berryeval th,.berryeval td{padding:.3em .8em;text-align:left}"
    ".berryeval .note{opacity:.75;font-size:.9em;margin:.4em 0}"
    ".berryeval .scroll{overflow-x:auto}</style>"
)
_VEGA_LITE = "application/vnd.vegalite.v5+json"


def to_html(result: Evaluation | Comparison | GateResult) -> str:
    """Return what a notebook shows of a result."""
    heading, tables = _laid_out(result)
    shown = f"<p><strong>{escaped(heading)}</strong></p>" if heading else ""
    shown += "".join(table_to_html(table, with_notes=False) + notes_to_html(table.notes)
                     for table in tables)  # fmt: skip
    return f'{_STYLE}<div class="berryeval">{shown}</div>'


def to_mimebundle(result: Evaluation | Comparison | GateResult) -> dict[str, Any]:
    """Return the plain text, the HTML, and for a comparison its forest plot."""
    bundle: dict[str, Any] = {"text/plain": repr(result), "text/html": to_html(result)}
    comparison: Any = (
        result if _kind(result) == "Comparison" else getattr(result, "comparison", None)
    )
    if comparison is not None:
        from berryeval.reports.charts import forest_plot
        from berryeval.reports.charts.drawing import can_draw, to_svg

        spec = forest_plot(comparison, _margins(result), width=420)
        if can_draw():  # a picture in the HTML: every notebook shows that, a dark one on white
            bundle["text/html"] += to_svg({**spec, "background": "white"})
        else:
            bundle[_VEGA_LITE] = spec
    return bundle


def _kind(result: object) -> str:
    return type(result).__name__


def _margins(result: Any) -> dict[str, float]:  # noqa: ANN401 - any of the results
    if _kind(result) != "GateResult":
        return {}
    from berryeval.reports.html.guards import margins_of

    return margins_of(result)


def _laid_out(result: Any) -> tuple[str, tuple[Table, ...]]:  # noqa: ANN401 - as above
    if _kind(result) == "Comparison":
        from berryeval.reports.comparison import comparison_table

        return result.sentence, comparison_table(result)[:2]
    if _kind(result) == "GateResult":
        from berryeval.reports.gate import gate_table

        first, *others = gate_table(result)
        return first.title, (replace(first, title="Guards"), *others)
    from berryeval.reports.evaluation import evaluations_tables

    means, *_ = evaluations_tables({"this run": result})
    return means.title, (replace(means, title="Means"),)
