"""Evaluations, comparisons, gates and quality suites as text in any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from berryeval.reports.layout import tables_to_text

if TYPE_CHECKING:
    from berryeval.core.documents import Document
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.verdict import GateResult
    from berryeval.reports.evaluation import Evaluations, Shown
    from berryeval.reports.layout import Table
    from berryeval.suite.quality import QualityResult

__all__ = ["render_comparison", "render_evaluations", "render_gate", "render_quality"]


def render_evaluations(runs: Evaluations, shown: Shown, format: str) -> str:
    """Return evaluations as table, csv, json, markdown, latex or html."""
    from berryeval.reports import evaluation as plain

    if format == "json":
        return plain.evaluations_to_json(runs, shown) + "\n"
    if format == "csv":
        return plain.evaluations_to_csv(runs, shown)
    if format == "markdown":
        from berryeval.reports.markdown import tables_to_markdown

        return tables_to_markdown(plain.evaluations_tables(runs, shown))
    if format == "html":
        from berryeval.reports.html import tables_to_html

        return tables_to_html(", ".join(runs), plain.evaluations_tables(runs, shown))
    if format == "latex":
        from berryeval.reports.latex import evaluations_to_latex

        return evaluations_to_latex(runs, shown)
    return tables_to_text(plain.evaluations_tables(runs, shown))


def render_comparison(
    comparison: Comparison,
    format: str,
    more: Sequence[Table] = (),
    *,
    per_query: bool = False,
    documents: Mapping[str, Document] | None = None,
) -> str:
    """Return a comparison as table, csv, json, markdown, latex or html.

    Tables and markdown have `more` tables below; csv and json can have every query; html has the
    titles of documents.
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

        return comparison_to_html(comparison, documents=documents)
    if format == "table":
        tables = (*plain.comparison_table(comparison), *more)
        return f"{comparison.sentence}\n\n{tables_to_text(tables)}"
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
        from berryeval.reports.evaluation import Shown
        from berryeval.reports.latex import comparison_to_latex, escape, evaluations_to_latex

        if result.comparison is not None:
            table = comparison_to_latex(result.comparison)
        else:
            intervals = Shown(intervals=True)
            table = evaluations_to_latex({"candidate": result.evaluation}, intervals)
        end = r"\end{table}"
        verdict = escape(f"Gate: {result.verdict}. {capitalised(result.sentence)}")
        before, _, after = table.rpartition(end)
        return f"{before}  \\par\\smallskip\\footnotesize {verdict}\n{end}{after}"
    if format == "junit":
        from berryeval.reports.junit import gate_to_junit

        return gate_to_junit(result)
    if format == "html":
        from berryeval.reports.html import gate_to_html

        return gate_to_html(result)
    if format == "table":
        return tables_to_text(plain.gate_table(result))
    return plain.gate_to_csv(result) if format == "csv" else plain.gate_to_json(result)


def render_quality(result: QualityResult, format: str) -> str:
    """Return a quality suite as table, csv (one line per query), json, markdown, junit or html."""
    from berryeval.reports import quality as plain

    if format == "json":
        return plain.quality_to_json(result)
    if format == "csv":
        return plain.quality_to_csv(result)
    if format == "junit":
        from berryeval.reports.junit import gate_to_junit

        return gate_to_junit(result.gate)
    if format == "markdown":
        from berryeval.reports.markdown import gate_to_markdown, tables_to_markdown

        tables = [*plain.quality_tables(result), plain.queries_table(result)]
        return f"{gate_to_markdown(result.gate)}\n{tables_to_markdown(tables)}"
    if format == "html":
        from berryeval.reports.html.quality_page import quality_to_html

        return quality_to_html(result)
    return tables_to_text(plain.quality_tables(result))
