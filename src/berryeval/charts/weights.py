"""Weights of a fusion against the score: how much the choice of weights matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, padded_range, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, fixed, joined, number, ticks
from berryeval.charts.theme import SERIES
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from berryeval.evaluation.tuning import FusionTuning

__all__ = ["weights_chart"]

_BOTTOM, _INSET, _ABOVE = 42, 16, 12
_SMALLEST_SPAN = 0.02


def weights_chart(tuning: FusionTuning, *, width: int = 640, height: int = 340) -> Chart:
    """Draw the mean score by the share of each run, and the choice and score of each fold.

    A line is the mean over all queries while the other runs keep their proportions; nothing is
    fitted to any query. For two runs, one line shows both, from the first run alone to the second
    alone. Dots are the choices of the folds, each at the mean of the queries
    that it was not fitted to.

    Parameters
    ----------
    tuning : FusionTuning
    width, height : int
        Size in pixels.

    Raises
    ------
    ArgumentError
        If none of the tried configurations has weights.
    """
    if tuning.curve_choice is None:
        raise ArgumentError("tuning", "one with weights, such as those of wsum", "none")
    names = [*tuning.runs]
    drawn = dict([[*tuning.curves.items()][-1]]) if len(names) == 2 else tuning.curves  # noqa: PLR2004
    kinds = {name: f"s-{SERIES[i % len(SERIES)]}" for i, name in enumerate(drawn)}
    dots = {name: [*_choices(tuning, names.index(name))] for name in drawn}
    alone = tuning.singles[tuning.best_single]
    heading, top = header(
        [Key(name, kinds[name], "line") for name in drawn if len(drawn) > 1],
        f"mean {tuning.measure}, {tuning.curve_choice.name}",
        width,
    )
    levels = [mean for line in drawn.values() for _, mean in line] + [alone]
    levels += [mean for several in dots.values() for _, mean in several]
    low, high = padded_range(levels, least=_SMALLEST_SPAN)
    marks = [level for level in ticks(low, high) if low <= level <= high]
    x = Scale(0.0, 1.0, y_label_room(marks) + _INSET, width - _INSET)
    y = Scale(low, high, height - _BOTTOM, top + _ABOVE)
    what = f"weight of {next(iter(drawn))}" if len(drawn) == 1 else "weight of the run"
    parts = [
        *heading,
        *y_axis(y, x.start - _INSET, x.end, marks),
        *labels_along(((x.at(i / 5), f"{i / 5:g}") for i in range(6)), y.start + 18, width),
        el("text", what, x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
        el("line", x1=x.start, x2=x.end, y1=y.at(alone), y2=y.at(alone),
           class_="stroke dashed s-baseline"),
        el("text", f"{tuning.best_single} alone: {fixed(alone, 3)}", x=x.start + 6,
           y=y.at(alone) - 6, class_="halo ink"),
        *(_line(name, line, kinds[name], x, y) for name, line in drawn.items()),
        *(dot for name, several in dots.items() for dot in _dots(name, several, kinds[name], x, y)),
    ]  # fmt: skip
    return Chart(
        f"{tuning.measure} by weight",
        summary(_described(drawn, dots)),
        width,
        height,
        joined(parts),
        "weights",
    )


def _choices(tuning: FusionTuning, run: int) -> Iterator[tuple[float, float]]:
    """Yield weight and held-out mean of the folds that chose weights."""
    for fold in tuning.folds:
        if fold.choice.weights is not None:
            yield fold.choice.weights[run], fold.held_out


def _line(name: str, line: Sequence[tuple[float, float]], kind: str, x: Scale, y: Scale) -> Svg:
    path = "L".join(f"{number(x.at(share))} {number(y.at(mean))}" for share, mean in line)
    title = el("title", f"{name}: mean over all queries at fixed weights")
    return el("g", el("path", title, d=f"M{path}", class_="line"), class_=kind)


def _dots(
    name: str, choices: Sequence[tuple[float, float]], kind: str, x: Scale, y: Scale
) -> Iterator[Svg]:
    for fold, (share, mean) in enumerate(choices, start=1):
        title = f"{name}, fold {fold}: weight {share:.2f}, held-out mean {mean:.4f}"
        yield el("circle", el("title", title), cx=x.at(share), cy=y.at(mean), r=4.5,
                 class_=f"dot {kind}")  # fmt: skip


def _described(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    dots: Mapping[str, Sequence[tuple[float, float]]],
) -> list[str]:
    found = []
    for name, line in lines.items():
        share, mean = max(line, key=lambda point: point[1])
        text = f"{name}: highest mean {mean:.3f} at weight {share:.2f}"
        chosen = ", ".join(f"{weight:.2f}" for weight, _ in dots[name])
        found.append(f"{text}; folds chose {chosen}" if chosen else text)
    return found
