"""Settings of a hybrid search by the share of words: how much the choice of weights matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from berryeval.charts.axes import Key, header, labels_along, padded_range, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, fixed, joined, ticks
from berryeval.measures import Measure

__all__ = ["SettingsPoint", "settings_chart"]

_BOTTOM, _INSET, _ABOVE = 42, 16, 12
_SMALLEST_SPAN = 0.02
_KINDS = {
    "with feedback": "s-candidate",
    "without feedback": "s-series-2",
    "chosen by a fold, held out": "s-series-3",
}


@dataclass(frozen=True)
class SettingsPoint:
    """The mean of one set of settings, over all queries or over those of a fold."""

    name: str
    share: float
    """Weight of words divided by the sum of all weights."""
    mean: float
    has_feedback: bool
    is_current: bool = False


def settings_chart(
    measure: Measure,
    tried: Sequence[SettingsPoint],
    folds: Sequence[SettingsPoint],
    words: float,
    *,
    width: int = 640,
    height: int = 340,
) -> Chart:
    """Draw the mean of settings by the share of words in their weights.

    Parameters
    ----------
    measure : Measure
        The measure of all means.
    tried : sequence of SettingsPoint
        All settings, each with its mean over all queries.
    folds : sequence of SettingsPoint
        The settings chosen without each fold, with the mean of that fold.
    words : float
        The mean of search by words alone.
    width, height : int
        Size in pixels.
    """
    series = {
        "with feedback": [one for one in tried if one.has_feedback],
        "without feedback": [one for one in tried if not one.has_feedback],
        "chosen by a fold, held out": [*folds],
    }
    series = {name: points for name, points in series.items() if points}
    heading, top = header([Key(name, _KINDS[name]) for name in series], f"mean {measure}", width)
    low, high = padded_range(
        [words, *(one.mean for points in series.values() for one in points)], least=_SMALLEST_SPAN
    )
    marks = [level for level in ticks(low, high) if low <= level <= high]
    x = Scale(0.0, 1.0, y_label_room(marks) + _INSET, width - _INSET)
    y = Scale(low, high, height - _BOTTOM, top + _ABOVE)
    what = "weight of words as a share of all weights"
    parts = [
        *heading,
        *y_axis(y, x.start - _INSET, x.end, marks),
        *labels_along(((x.at(i / 5), f"{i / 5:g}") for i in range(6)), y.start + 18, width),
        el("text", what, x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
        el("line", x1=x.start, x2=x.end, y1=y.at(words), y2=y.at(words),
           class_="stroke dashed s-baseline"),
        el("text", f"words alone: {fixed(words, 3)}", x=x.start + 6, y=y.at(words) - 6,
           class_="halo ink"),
        *(dot for name, points in series.items() for dot in _dots(points, _KINDS[name], x, y)),
    ]  # fmt: skip
    return Chart(
        f"{measure} by the share of words",
        summary([_described(name, points) for name, points in series.items()]),
        width,
        height,
        joined(parts),
        "settings",
    )


def _dots(points: Sequence[SettingsPoint], kind: str, x: Scale, y: Scale) -> Iterator[Svg]:
    for one in points:
        place = {"cx": x.at(one.share), "cy": y.at(one.mean)}
        title = el("title", f"{one.name}: {one.mean:.4f}")
        yield el("circle", title, **place, r=4.5, class_=f"dot {kind}")
        if one.is_current:
            yield el("circle", **place, r=8, class_=f"ring {kind}")


def _described(name: str, points: Sequence[SettingsPoint]) -> str:
    best = max(points, key=lambda one: one.mean)
    return f"{name}: highest mean {best.mean:.3f} at share {best.share:.2f}"
