"""Comparisons and gates as text of the format that somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.verdict import GateResult
    from berryeval.reports.layout import Table

__all__ = ["render_comparison", "render_gate"]


def render_comparison(
    comparison: Comparison, format: str, more: Sequence[Table] = (), *, per_query: bool = False
) -> str:
    """Return a comparison as table, csv, json, markdown, latex or html.

    Tables and markdown have more tables below, if there are some; csv and json can tell of
    every query.
    """
    from berryeval.reports import comparison as plain

    if format == "markdown":
        from berryeval.reports.markdown import comparison_to_markdown, tables_to_markdown

        return comparison_to_markdown(comparison) + (
            "\n" + tables_to_markdown(more) if more else ""
        )
    if format == "latex":
        from berryeval.reports.latex import comparison_to_latex

        return comparison_to_latex(comparison)
    if format == "html":
        from berryeval.reports.html import comparison_to_html

        return comparison_to_html(comparison)
    if format == "table":
        from berryeval.reports.layout import table_to_text

        tables = (*plain.comparison_table(comparison), *more)
        parts = [comparison.sentence, *map(table_to_text, tables)]
        return "\n\n".join(parts) + "\n"
    write = {"csv": plain.comparison_to_csv, "json": plain.comparison_to_json}
    return write[format](comparison, per_query=per_query)


def render_gate(result: GateResult, format: str) -> str:
    """Return a gate's result as table, csv, json, markdown, latex, junit or html.

    LaTeX has the means, with the comparison's marks if there is one, and the verdict below.
    """
    from berryeval.reports import gate as plain
    from berryeval.reports.wording import capitalised

    if format == "markdown":
        from berryeval.reports.markdown import gate_to_markdown

        return gate_to_markdown(result)
    if format == "latex":
        from berryeval.reports.latex import comparison_to_latex, escape, evaluations_to_latex

        if result.comparison is not None:
            table = comparison_to_latex(result.comparison)
        else:
            table = evaluations_to_latex({"candidate": result.evaluation})
        end = r"\end{table}"
        verdict = escape(f"Gate: {result.verdict}. {capitalised(result.sentence)}")
        return table.replace(end, f"  \\par\\smallskip\\footnotesize {verdict}\n{end}")
    if format == "junit":
        from berryeval.reports.junit import gate_to_junit

        return gate_to_junit(result)
    if format == "html":
        from berryeval.reports.html import gate_to_html

        return gate_to_html(result)
    write = {"csv": plain.gate_to_csv, "json": plain.gate_to_json, "table": plain.gate_to_text}
    return write[format](result)
