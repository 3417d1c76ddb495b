"""The distribution of a run's scores over queries, next to that of another run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, y_axis, y_label_room
from berryeval.charts.chart import Chart
from berryeval.charts.svg import Scale, Svg, el, figure_text, fixed, joined, number, ticks
from berryeval.evaluation.notes import count_queries
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["distribution", "score_distribution"]

_BOTTOM, _RIGHT, _ABOVE = 26, 8, 12
_N_BINS = 20


def score_distribution(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 640
) -> Chart:
    """Draw the distribution of a candidate's scores, with the baseline's as an outline."""
    difference = comparison.difference(system, measure)
    name = str(difference.measure)
    columns = [comparison.evaluations[run][name].values for run in (system, comparison.baseline)]
    return distribution(
        difference.measure,
        columns[0],
        difference.candidate_mean,
        columns[1],
        names=(system, comparison.baseline),
        width=width,
        height=240,
    )


def distribution(
    measure: Measure,
    scores: Sequence[float],
    mean: float,
    reference: Sequence[float] | None = None,
    *,
    names: tuple[str, str],
    width: int = 680,
    height: int = 260,
) -> Chart:
    """Draw the number of queries per range of scores, and the mean.

    `reference` are the scores of another run, drawn as an outline; `names` are the names of both
    runs, for the legend.
    """
    low, high = _ends(measure, [*scores, *(reference or ())])
    counts = _counts(scores, low, high)
    outline = None if reference is None else _counts(reference, low, high)
    keys = [Key(names[0], "s-candidate soft", "square")]
    if outline is not None:
        keys.append(Key(names[1], "s-baseline", "line"))
    heading, top = header(keys if outline is not None else (), "queries", width)
    most = max(1, *counts, *(outline or ()))
    levels = [value for value in ticks(0, most, 4) if value == int(value)]
    x = Scale(low, high, y_label_room(levels), width - _RIGHT)
    y = Scale(0, most, height - _BOTTOM, top + _ABOVE)
    edges = [x.at(low + (high - low) * i / _N_BINS) for i in range(_N_BINS + 1)]
    parts = [
        *heading,
        *y_axis(y, x.start, x.end, levels),
        *labels_along(
            ((x.at(value), figure_text(value)) for value in ticks(low, high)), y.start + 18, width
        ),
        *_bars(edges, counts, y, (low, high)),
        *([] if outline is None else [_outline(edges, outline, y)]),
        *_mean(x, y, mean),
    ]
    title = f"{measure} of {count_queries(len(scores))}"
    return Chart(title, _description(scores), width, height, joined(parts), "distribution")


def _ends(measure: Measure, scores: Sequence[float]) -> tuple[float, float]:
    """Return the bounds of the measure, or the ends of the scores where it has none."""
    low, high = measure.bounds
    if not math.isfinite(low):
        low = min(scores, default=0.0)
    if not math.isfinite(high):
        high = max(scores, default=low)
    if len(ticks(low, high)) == 1:  # an empty range, or one without round values
        half = max(0.5, abs(low) / 2)
        return low - half, low + half
    return low, high


def _counts(scores: Sequence[float], low: float, high: float) -> list[int]:
    """Count scores in ranges of equal width; the last includes its upper end."""
    place = Scale(low, high, 0, _N_BINS)
    counts = [0] * _N_BINS
    for score in scores:
        counts[min(int(place.at(score)), _N_BINS - 1)] += 1
    return counts


def _bars(
    edges: Sequence[float], counts: Sequence[int], y: Scale, ends: tuple[float, float]
) -> Iterator[Svg]:
    low, high = ends
    for i, count in enumerate(counts):
        if not count:
            continue
        top = y.at(count)
        first, last = (low + (high - low) * (i + j) / _N_BINS for j in (0, 1))
        words = f"{figure_text(first)} to {figure_text(last)}: {count_queries(count)}"
        yield el(
            "rect",
            el("title", words),
            x=edges[i] + 1,
            y=top,
            width=edges[i + 1] - edges[i] - 2,
            height=y.start - top,
            rx=2,
            class_="area soft s-candidate",
        )


def _outline(edges: Sequence[float], counts: Sequence[int], y: Scale) -> Svg:
    path = f"M{number(edges[0])} {number(y.start)}"
    for edge, count in zip(edges[1:], counts, strict=True):
        path += f"V{number(y.at(count))}H{number(edge)}"
    return el("path", d=f"{path}V{number(y.start)}", class_="line s-baseline")


def _mean(x: Scale, y: Scale, mean: float) -> Iterator[Svg]:
    place = x.at(mean)
    yield el("line", x1=place, x2=place, y1=y.start, y2=y.end, class_="stroke dashed s-candidate")
    yield from labels_along([(place, f"mean {fixed(mean, 3)}")], y.end - 6, x.end, "ink")


def _description(scores: Sequence[float]) -> str:
    if not scores:
        return "No query was scored."
    import numpy as np  # scores were computed with it

    ends = np.quantile(scores, (0.25, 0.5, 0.75)).tolist()
    low, middle, high = (fixed(end, 3) for end in ends)
    return (
        f"A quarter of the queries score at most {low}, half at most {middle}, "
        f"three quarters at most {high}."
    )
