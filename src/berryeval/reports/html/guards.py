"""Verdicts on the page: a badge, and the result of each guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.evaluation.findings import WORDS
from berryeval.reports.gate import gate_table, guard_figures, guard_kind
from berryeval.reports.html.markup import escaped, figure_text, scroll_box, table_to_html
from berryeval.reports.wording import reason_of

if TYPE_CHECKING:
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = ["badge", "guards_part", "margins_of"]

_ICONS = {
    "pass": '<path d="M6 10.5l3 3 5.5-6.5"/>',
    "fail": '<path d="M7 7l6 6M13 7l-6 6"/>',
    "inconclusive": '<path d="M8 8a2 2 0 1 1 2.6 1.9c-.5.2-.6.5-.6 1.1M10 13.6v.2"/>',
    "better": '<path d="M10 14V6.5M6.8 9.5L10 6.3l3.2 3.2"/>',
    "worse": '<path d="M10 6v7.5M6.8 10.5l3.2 3.2 3.2-3.2"/>',
    "unclear": '<path d="M6.5 8.4c1.2-1.2 2.3-1.2 3.5 0s2.3 1.2 3.5 0M6.5 12c1.2-1.2 2.3-1.2 '
    '3.5 0s2.3 1.2 3.5 0"/>',
}
_ICONS["untested"] = _ICONS["inconclusive"]
_WORDS = {str(finding): words for finding, words in WORDS.items()}


def badge(verdict: str) -> str:
    """Return a verdict as a colour, a symbol and a word."""
    icon = (
        '<svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" '
        'stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round">'
        f'<circle cx="10" cy="10" r="8.6" stroke-width="1.5"/>{_ICONS[verdict]}</svg>'
    )
    return f'<p class="badge {verdict}">{icon}{_WORDS.get(verdict, verdict).capitalize()}</p>'


def margins_of(gate: GateResult | None) -> dict[str, float]:
    """Return the margin of each guarded measure, over all queries."""
    if gate is None:
        return {}
    return {
        str(guard.guard.measure): abs(guard.limit)  # type: ignore[union-attr]
        for guard in gate.guards
        if guard_kind(guard) in ("margin", "equivalence") and guard.slice is None
    }


def guards_part(gate: GateResult) -> str:
    """Return a row for each guard, and the unjudged documents that could change the verdict."""
    names = ("guard", "verdict", "value", "limit", "interval", "queries")
    head = "".join(
        f'<th scope="col"{" class=n" if i > 1 else ""}>{name}</th>' for i, name in enumerate(names)
    )
    rows = "".join(map(_row, gate.guards))
    holes = "".join(
        f"<h3 class='under'>{escaped(table.title)}</h3>{table_to_html(table)}"
        for table in gate_table(gate)[1:]
    )
    inside = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return scroll_box("Guards", inside, ' class="guards"') + holes


def _row(guard: GuardResult) -> str:
    figures = (*guard_figures(guard), f"{guard.n_queries:,}")
    cells = "".join(f'<td class="n">{escaped(figure_text(cell))}</td>' for cell in figures)
    reason = f'<span class="reason">{escaped(figure_text(reason_of(guard)))}</span>'
    return (
        f"<tr{' class=watched' if guard.is_watched else ''}>"
        f'<th scope="row">{escaped(guard.name)}{reason}</th>'
        f"<td>{badge(guard.verdict)}</td>{cells}</tr>"
    )
