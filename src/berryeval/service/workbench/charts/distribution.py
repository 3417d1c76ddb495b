"""How the scores of a run's queries are spread, beside those of another run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from berryeval.evaluation.result import MeasureResult
from berryeval.measures import Measure
from berryeval.service.workbench.charts.svg import Scale, el, joined, number, picture, ticks

__all__ = ["distribution_chart"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 14, 26
_N_BINS = 20


def distribution_chart(
    result: MeasureResult,
    reference: Sequence[float] | None = None,
    *,
    width: int = 680,
    height: int = 260,
    class_: str = "chart",
) -> Markup:
    """Draw how many queries have which score, and the mean; the other run as an outline."""
    after = np.asarray(result.values, np.float64)
    before = None if reference is None else np.asarray(reference, np.float64)
    edges = _edges(result.measure, after, before)
    counts = np.histogram(after, edges)[0]
    outline = None if before is None else np.histogram(before, edges)[0]
    most = max(1, int(counts.max()), 0 if outline is None else int(outline.max()))
    x = Scale(float(edges[0]), float(edges[-1]), _LEFT, width - _RIGHT)
    y = Scale(0, most * 1.04, height - _BOTTOM, _TOP)
    parts = [
        *_axes(x, y, edges),
        *_bars(x, y, edges, counts),
        *([] if outline is None else [_outline(x, y, edges, outline)]),
        *_mean(x, y, result.mean),
    ]
    return picture(width, height, _label(result), joined(parts), class_=class_)


def _edges(
    measure: Measure, after: NDArray[np.float64], before: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    low, high = measure.bounds
    values = after if before is None else np.concatenate([after, before])
    if not np.isfinite(low):
        low = float(values.min())
    if not np.isfinite(high):
        high = max(float(values.max()), low + 1.0)
    return np.linspace(low, high, _N_BINS + 1)


def _axes(x: Scale, y: Scale, edges: NDArray[np.float64]) -> Iterator[Markup]:
    for value in ticks(0, y.high, 4):
        if value == int(value):
            place = y.at(value)
            yield el("line", x1=x.start, x2=x.end, y1=place, y2=place, class_="grid")
            yield el("text", f"{int(value):,}", x=x.start - 8, y=place + 4, text_anchor="end")
    for value in ticks(float(edges[0]), float(edges[-1]), 5):
        yield el("text", f"{value:.4g}", x=x.at(value), y=y.start + 18, text_anchor="middle")


def _bars(
    x: Scale, y: Scale, edges: NDArray[np.float64], counts: NDArray[np.int64]
) -> Iterator[Markup]:
    for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
        if not count:
            continue
        start, end, top = x.at(float(low)) + 1, x.at(float(high)) - 1, y.at(count)
        told = f"{low:.2f} to {high:.2f}: {count:,} {'query' if count == 1 else 'queries'}"
        bar = el("rect", x=start, y=top, width=end - start, height=y.start - top, rx=2)
        yield el("g", el("title", told), bar, class_="area s-candidate soft")


def _outline(x: Scale, y: Scale, edges: NDArray[np.float64], counts: NDArray[np.int64]) -> Markup:
    corners = [(float(edges[0]), 0)]
    for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
        corners += [(float(low), count), (float(high), count)]
    corners.append((float(edges[-1]), 0))
    path = "L".join(f"{number(x.at(value))} {number(y.at(count))}" for value, count in corners)
    return el("path", d=f"M{path}", class_="line s-baseline")


def _mean(x: Scale, y: Scale, mean: float) -> Iterator[Markup]:
    place = x.at(mean)
    is_left = place < (x.start + x.end) / 2
    yield el("line", x1=place, x2=place, y1=y.start, y2=y.end, class_="stroke dashed s-candidate")
    yield el("text", f"mean {mean:.3f}", x=place + (6 if is_left else -6), y=y.end + 8,
             text_anchor="start" if is_left else "end", class_="halo ink")  # fmt: skip


def _label(result: MeasureResult) -> str:
    low, middle, high = result.quartiles
    return (
        f"{result.measure} of {result.n_queries:,} queries: a quarter is at most {low:.3f}, "
        f"half at most {middle:.3f}, three quarters at most {high:.3f}."
    )
