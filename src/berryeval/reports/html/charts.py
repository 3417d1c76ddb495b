"""Charts on the page: drawn once, in the page's colours, for wide and for narrow screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from berryeval.reports.charts import (
    cutoff_families,
    forest_plot,
    measure_by_k,
    per_query_chart,
    score_distribution,
    to_svg,
    wins_by_slice,
)
from berryeval.reports.charts.drawing import can_draw
from berryeval.reports.charts.theme import Spec
from berryeval.reports.html.focus import Focus
from berryeval.reports.html.markup import escaped

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["by_measure", "differences_figure", "growth_figures", "slices_figures"]

MOST_FIGURES = 8
"""Of pairs of a system and a measure that have charts of their own."""

_UNDRAWN = (
    '<p class="note">Charts are left out: the library that draws them is not installed '
    "(<code>pip install 'berryeval[charts]'</code>).</p>"
)
_WIDE, _NARROW, _HALF = 640, 230, 380


def _figure(
    caption: str,
    about: str,
    draw: Callable[[int], Spec],
    widths: tuple[int, ...],
    attributes: str = "",
) -> str:
    """Return a figure with one drawing, or with one for wide and one for narrow screens."""
    drawings = [to_svg(draw(width), "page") for width in widths]
    if len(drawings) > 1:
        wide, narrow = drawings
        shown = f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
    else:
        shown = drawings[0]
    small = f"<small>{escaped(about)}</small>" if about else ""
    return (
        f'<figure class="card"{attributes}><figcaption>{escaped(caption)}{small}</figcaption>'
        f"{shown}</figure>"
    )


def differences_figure(comparison: Comparison, margins: Mapping[str, float]) -> str:
    """Return the forest plot."""
    if not can_draw():
        return _UNDRAWN
    about = "Each point is a mean difference, the line its interval. Right of 0 is higher."
    return _figure(
        f"Differences from {comparison.baseline}",
        about,
        lambda width: forest_plot(comparison, margins, width=width),
        (_WIDE, _NARROW),
    )


def slices_figures(comparison: Comparison, focus: Focus) -> str:
    """Return wins, ties and losses of each candidate in one measure."""
    if not can_draw():
        return ""
    measure = focus.measure
    return "".join(
        _figure(
            f"{measure}: {system} against {comparison.baseline}",
            "Queries that are worse, equal and better.",
            lambda width, system=system: wins_by_slice(  # type: ignore[misc]
                comparison, system, measure, width=width
            ),
            (_WIDE + 120, _NARROW - 56),
        )
        for system in comparison.candidates
    )


def growth_figures(comparison: Comparison) -> str:
    """Return a chart for each measure that was asked for at several cutoffs."""
    if not can_draw():
        return ""
    figures = [
        _figure(
            f"{str(family[0]).rpartition('@')[0]} by cutoff",
            "",
            lambda width, family=family: measure_by_k(  # type: ignore[misc]
                comparison, family, width=width
            ),
            (_HALF,),
        )
        for family in cutoff_families(comparison.measures)
    ]
    return f'<div class="pair">{"".join(figures)}</div>' if figures else ""


def by_measure(comparison: Comparison, focus: Focus) -> str:
    """Return the charts of queries: sorted differences and scores, by system and measure."""
    return "".join(_by_measure(comparison, focus)) if can_draw() else ""


def _by_measure(comparison: Comparison, focus: Focus) -> Iterator[str]:
    pairs = [
        (i_system, i_measure)
        for i_measure in range(len(comparison.measures))
        for i_system in range(len(comparison.candidates))
    ]
    pairs.sort(key=lambda pair: comparison.measures[pair[1]] != focus.measure)
    for i_system, i_measure in pairs[:MOST_FIGURES]:
        system, measure = comparison.candidates[i_system], comparison.measures[i_measure]
        attributes = f' data-system="{i_system}" data-measure="{i_measure}"'

        def sorted_differences(width: int) -> Spec:
            return per_query_chart(comparison, system, measure, width=width)  # noqa: B023

        def scores(width: int) -> Spec:
            return score_distribution(comparison, system, measure, width=width)  # noqa: B023

        yield _figure(
            f"{measure}, query by query",
            f"{system} minus {comparison.baseline}, from the greatest loss to the greatest gain.",
            sorted_differences,
            (_WIDE + 270, _NARROW + 26),
            attributes,
        )
        yield _figure(
            f"How {measure} is spread",
            "Queries by their score.",
            scores,
            (_WIDE + 270, _NARROW + 26),
            attributes,
        )
    if len(pairs) > MOST_FIGURES:
        yield (
            '<p class="note" data-undrawn hidden>Charts are drawn for the first '
            f"{MOST_FIGURES} pairs of a system and a measure.</p>"
        )
