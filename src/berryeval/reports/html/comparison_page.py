"""The page of a comparison, and of the gate that judged it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from berryeval.evaluation import figures
from berryeval.evaluation.headline import listing
from berryeval.reports.comparison import comparison_table, has_many
from berryeval.reports.html.charts import (
    by_measure,
    differences_figure,
    growth_figures,
    slices_figures,
)
from berryeval.reports.html.document import document
from berryeval.reports.html.focus import Focus, focus_of
from berryeval.reports.html.guards import badge, guards_part, margins_of
from berryeval.reports.html.many import disagreement_figure, pairs_figure
from berryeval.reports.html.markup import escaped, figure_text, notes_to_html, table_to_html
from berryeval.reports.html.queries import queries_part
from berryeval.reports.html.query_data import TitledDocuments
from berryeval.reports.layout import Table
from berryeval.reports.wording import capitalised, count, gate_note, policy_note

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.differences import Difference
    from berryeval.evaluation.verdict import GateResult

__all__ = ["comparison_to_html", "gate_to_html"]

_LONG = 80
"""Number of characters from which a headline is long."""


def comparison_to_html(
    comparison: Comparison,
    gate: GateResult | None = None,
    title: str | None = None,
    notes: Sequence[str] = (),
    documents: TitledDocuments | None = None,
) -> str:
    """Return a page of one file: verdict, charts, tables, and every query.

    Parameters
    ----------
    comparison : Comparison
    gate : GateResult, optional
        The result of a gate; its verdict is shown at the top.
    title : str, optional
        Title of the window. Default: the systems' names.
    notes : sequence of str
        Shown below the first figures.
    documents : mapping of str to Document, or callable, optional
        Titles in rankings come from them, or the beginnings of their texts. A function is called
        with the ids in the rankings, and returns those documents that are known.
    """
    names = f"{_candidates(comparison)} against {comparison.baseline}"
    focus = focus_of(comparison, gate)
    parts = list(_parts(comparison, gate, focus, documents))
    contents = "".join(
        f'<li><a href="#{part_id}">{escaped(heading)}</a></li>' for part_id, heading, _ in parts
    )
    body = "\n".join(
        [
            _hero(comparison, gate, names),
            _numbers(comparison, focus, gate),
            notes_to_html(notes),
            f'<nav aria-label="On this page"><ul class="contents">{contents}</ul></nav>',
            *(
                f'<section class="part" id="{part_id}" aria-labelledby="{part_id}-heading">'
                f'<h2 id="{part_id}-heading">{escaped(heading)}</h2>{content}</section>'
                for part_id, heading, content in parts
            ),
        ]
    )
    return document(title or f"{names} · BerryEval", body)


def gate_to_html(result: GateResult, title: str | None = None) -> str:
    """Return the page of a gate: that of its comparison with the verdict, or only the guards."""
    if result.comparison is not None:
        return comparison_to_html(result.comparison, result, title)
    heading = '<section class="part" id="guards"><h2>Guards</h2>'
    body = (
        f'<div class="hero">{badge(result.verdict)}{_headline(capitalised(result.sentence))}'
        f"{_lead(result)}</div>{heading}{guards_part(result)}"
        f"{notes_to_html(_gate_notes(result))}</section>"
    )
    return document(title or "Gate · BerryEval", body)


def _candidates(comparison: Comparison) -> str:
    names = comparison.candidates
    return f"{len(names)} systems" if has_many(comparison) else listing(names)


def _hero(comparison: Comparison, gate: GateResult | None, names: str) -> str:
    queries = count(comparison.n_queries, "query", "queries")
    if gate is not None:
        verdict, sentence = badge(gate.verdict), capitalised(gate.sentence)
    else:
        found = {difference.finding for difference in comparison.deciding()}
        verdict = badge(found.pop()) if len(found) == 1 else ""
        sentence = comparison.sentence
    return (
        f'<div class="hero"><p class="eyebrow">{escaped(names)} · {queries}</p>'
        f"{verdict}{_headline(sentence)}{_lead(gate)}</div>"
    )


def _headline(sentence: str) -> str:
    """Return the verdict as the heading of the page; a long one in smaller letters."""
    size = ' class="long"' if len(sentence) > _LONG else ""
    return f"<h1{size}>{escaped(figure_text(sentence))}</h1>"


def _gate_notes(gate: GateResult) -> list[str]:
    return [*filter(None, [gate.losses_note, gate_note(gate)])]


def _lead(gate: GateResult | None) -> str:
    if gate is None or not gate.suggestion:
        return ""
    command = gate.suggested_command
    run = "" if command is None else f" Run <code>{escaped(command)}</code>."
    return f'<p class="lead">{escaped(gate.suggestion)}{run}</p>'


def _effect(difference: Difference) -> str:
    """Return the effect size; with a model, which has none, what the difference is based on."""
    if difference.rests_on is not None:
        n_labelled = difference.rests_on.n_labelled
        return f"{count(n_labelled, 'query', 'queries')} labelled by people"
    return f"effect d_z {figures.signed(difference.cohens_dz)}"


def _numbers(comparison: Comparison, focus: Focus, gate: GateResult | None) -> str:
    """Return the four figures behind the headline of the page."""
    first = comparison.difference(focus.system, focus.measure)
    if gate is None:
        deciding = comparison.deciding(focus.measure)
        first = next(one for one in deciding if one.system == focus.system)
    shared = ", those in every run" if first.n_queries < comparison.n_queries else ""
    interval = first.interval
    level = figures.percent(interval.level if interval else comparison.statistics.level)
    tiles = [
        (f"{first.measure}, {first.system}", figures.score(first.candidate_mean),
         f"{comparison.baseline} {figures.score(first.baseline_mean)}"),
        ("Difference", figures.signed(first.mean),
         f"{level} {figures.interval_text(interval)}" if interval else "no interval"),
        ("Better · equal · worse", f"{first.wins:,} · {first.ties:,} · {first.losses:,}",
         count(first.n_queries, "query", "queries") + shared),
        ("p", figures.p_text(first.p_value),
         first.reason or _effect(first)),
    ]  # fmt: skip
    cells = "".join(
        f"<div><dt>{escaped(name)}</dt>"
        f'<dd><div class="figure">{escaped(figure_text(value))}</div>'
        f'<div class="beside">{escaped(figure_text(beside))}</div></dd></div>'
        for name, value, beside in tiles
    )
    return f'<dl class="numbers">{cells}</dl>'


def _parts(
    comparison: Comparison,
    gate: GateResult | None,
    focus: Focus,
    documents: TitledDocuments | None,
) -> Iterator[tuple[str, str, str]]:
    """Return the id, the heading and the content of each part of the page."""
    means, differences, *others = comparison_table(comparison)
    if gate is not None:
        yield "guards", "Guards", guards_part(gate) + notes_to_html(_gate_notes(gate))
    figure = differences_figure(comparison, margins_of(gate), focus)
    if has_many(comparison):
        board = table_to_html(means, with_notes=False)
        every = _folded("Differences in all measures", differences)
        yield "leaderboard", "Leaderboard", f'{board}<div class="under">{figure}</div>{every}'
        yield "pairs", "Pairs", pairs_figure(comparison, focus.measure)
        yield "disagreement", "Disagreement", disagreement_figure(comparison, focus.measure)
    else:
        below = f"<h3 class='under'>Means</h3>{table_to_html(means, with_notes=False)}"
        yield "differences", "Differences", figure + table_to_html(differences) + below
    if comparison.sliced:
        yield (
            "slices",
            "Slices",
            slices_figures(comparison, focus) + _folded("All slices and measures", others.pop(0)),
        )
    if comparison.risks:
        yield "risk", "Risk", table_to_html(others.pop(0))
    if comparison.pairs:
        yield "all-pairs", "All pairs", table_to_html(others.pop(0))
    growth = growth_figures(comparison)
    charts = by_measure(comparison, focus)
    yield "queries", "Queries", queries_part(comparison, focus, charts, documents)
    if growth:
        yield "cutoffs", "Cutoffs", growth
    yield "method", "Method", _method(comparison)


def _folded(summary: str, table: Table) -> str:
    return f"<details><summary>{escaped(summary)}</summary>{table_to_html(table)}</details>"


def _method(comparison: Comparison) -> str:
    notes = [policy_note(comparison), *comparison.notes]
    return "".join(f'<p class="about">{escaped(note)}</p>' for note in notes)
