"""Results in a notebook: tables, and the chart of a comparison."""

from __future__ import annotations

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


def to_html(result: Evaluation | Comparison | GateResult) -> str:
    """Return a result as HTML for a notebook."""
    heading, tables = _laid_out(result)
    shown = f"<p><strong>{escaped(heading)}</strong></p>" if heading else ""
    shown += "".join(table_to_html(table, with_notes=False) + notes_to_html(table.notes)
                     for table in tables)  # fmt: skip
    return f'{_STYLE}<div class="berryeval">{shown}</div>'


def to_mimebundle(result: Evaluation | Comparison | GateResult) -> dict[str, Any]:
    """Return the plain text, and the HTML with the forest plot of a comparison."""
    bundle: dict[str, Any] = {"text/plain": repr(result), "text/html": to_html(result)}
    comparison: Any = (
        result if _kind(result) == "Comparison" else getattr(result, "comparison", None)
    )
    if comparison is not None:
        from berryeval.charts import forest_plot

        bundle["text/html"] += forest_plot(comparison, _margins(result)).to_svg()
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
        return first.title, (first._replace(title="Guards"), *others)
    from berryeval.reports.evaluation import evaluations_tables

    means, *_ = evaluations_tables({"this run": result})
    return means.title, (means._replace(title="Means"),)
