"""Charts on the page: drawn once, in the page's colours, for wide and for narrow screens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from berryeval.charts import (
    Chart,
    cutoff_families,
    forest_plot,
    measure_by_k,
    per_query_chart,
    score_distribution,
    wins_by_slice,
)
from berryeval.reports.comparison import has_many
from berryeval.reports.html.focus import Focus
from berryeval.reports.html.markup import escaped

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["by_measure", "differences_figure", "figure", "growth_figures", "slices_figures"]

MAX_FIGURES = 8
"""Maximum number of pairs of a system and a measure that have charts of their own."""

_WIDTHS = (960, 320)
_HALF = (440, 320)
"""Width of a chart in pixels, on wide and on narrow screens."""


class _Drawing(Protocol):
    def __call__(self, *, width: int) -> Chart: ...


def figure(
    caption: str,
    about: str,
    draw: _Drawing,
    widths: tuple[int, int] = _WIDTHS,
    attributes: str = "",
) -> str:
    """Return a figure with one drawing for wide and one for narrow screens."""
    wide, narrow = (draw(width=width).to_svg("page") for width in widths)
    small = f"<small>{escaped(about)}</small>" if about else ""
    return (
        f'<figure class="card"{attributes}><figcaption>{escaped(caption)}{small}</figcaption>'
        f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div></figure>'
    )


def differences_figure(comparison: Comparison, margins: Mapping[str, float], focus: Focus) -> str:
    """Return the forest plot: of all measures, or of one measure of many systems."""
    measure = focus.measure if has_many(comparison) else None
    return figure(
        f"{f'{measure}: d' if measure else 'D'}ifferences from {comparison.baseline}",
        "Each point is a mean difference, the line its interval. Right of 0 is higher.",
        partial(forest_plot, comparison, margins, measure=measure),
    )


def slices_figures(comparison: Comparison, focus: Focus) -> str:
    """Return losses, ties and wins in one measure, of all candidates or of one if many."""
    systems = (focus.system,) if has_many(comparison) else comparison.candidates
    return "".join(
        figure(
            f"{focus.measure}: {system} against {comparison.baseline}",
            "Queries that are worse, equal and better.",
            partial(wins_by_slice, comparison, system, focus.measure),
        )
        for system in systems
    )


def growth_figures(comparison: Comparison) -> str:
    """Return a chart for each measure that was computed at several cutoffs."""
    figures = [
        figure(
            f"{str(family[0]).rpartition('@')[0]} by cutoff",
            "",
            partial(measure_by_k, comparison, family),
            _HALF,
        )
        for family in cutoff_families(comparison.measures)
    ]
    return f'<div class="pair">{"".join(figures)}</div>' if figures else ""


def by_measure(comparison: Comparison, focus: Focus) -> str:
    """Return the charts of queries: sorted differences and scores, by system and measure."""
    return "".join(_by_measure(comparison, focus))


def _by_measure(comparison: Comparison, focus: Focus) -> Iterator[str]:
    pairs = [
        (i_system, i_measure)
        for i_measure in range(len(comparison.measures))
        for i_system in range(len(comparison.candidates))
    ]
    pairs.sort(key=lambda pair: comparison.measures[pair[1]] != focus.measure)
    for i_system, i_measure in pairs[:MAX_FIGURES]:
        system, measure = comparison.candidates[i_system], comparison.measures[i_measure]
        attributes = f' data-system="{i_system}" data-measure="{i_measure}"'
        yield figure(
            f"{measure}, query by query",
            f"{system} minus {comparison.baseline}, from the greatest loss to the greatest gain.",
            partial(per_query_chart, comparison, system, measure),
            attributes=attributes,
        )
        yield figure(
            f"How {measure} is spread",
            "Queries by their score.",
            partial(score_distribution, comparison, system, measure),
            attributes=attributes,
        )
    if len(pairs) > MAX_FIGURES:
        yield (
            '<p class="note" data-undrawn hidden>Charts are drawn for the first '
            f"{MAX_FIGURES} pairs of a system and a measure.</p>"
        )
