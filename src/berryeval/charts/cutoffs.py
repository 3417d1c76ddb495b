"""One measure at several cutoffs: how it grows with k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, joined, number, ticks
from berryeval.charts.theme import SERIES
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["cutoff_families", "cutoff_lines", "measure_by_k", "number_lines"]

_HEIGHT, _BOTTOM, _INSET = 260, 42, 16


def cutoff_families(measures: Iterable[Measure]) -> list[tuple[Measure, ...]]:
    """Return the measures that differ only in k, by rising k; families of one are left out."""
    families: dict[tuple[object, ...], list[Measure]] = {}
    for measure in measures:
        if measure.k is not None:
            others = (getattr(measure, field.name) for field in fields(measure)
                      if field.name != "k")  # fmt: skip
            families.setdefault((type(measure), *others), []).append(measure)
    return [
        tuple(sorted(family, key=lambda measure: measure.k or 0))
        for family in families.values()
        if len(family) > 1
    ]


def measure_by_k(comparison: Comparison, family: tuple[Measure, ...], *, width: int = 640) -> Chart:
    """Draw the means of one measure against its cutoff, one line per system.

    Parameters
    ----------
    comparison : Comparison
    family : tuple of Measure
        One of the families that `cutoff_families` returns.
    width : int
        Width in pixels.
    """
    lines = {
        system: [(measure.k or 0, run[str(measure)].mean) for measure in family]
        for system, run in comparison.evaluations.items()
    }
    name = str(family[0]).rpartition("@")[0]
    return cutoff_lines(lines, name, baseline=comparison.baseline, width=width)


def cutoff_lines(
    lines: Mapping[str, Sequence[tuple[int, float]]], measure: str, *, baseline: str, width: int
) -> Chart:
    """Draw pairs of a cutoff and a mean, by rising cutoff, one line per system.

    `measure` is the name without a cutoff; the baseline is drawn differently.
    """
    candidates = [system for system in lines if system != baseline]
    kinds = {system: f"s-{SERIES[i % len(SERIES)]}" for i, system in enumerate(candidates)}
    kinds[baseline] = "s-baseline"
    return number_lines(
        lines, kinds, f"mean {measure}@k", along="k", title=f"Mean {measure}@k by k", width=width
    )


def number_lines(
    lines: Mapping[str, Sequence[tuple[int, float]]],
    kinds: Mapping[str, str],
    axis: str,
    *,
    along: str,
    title: str,
    width: int,
    place: Callable[[float], float] = float,
) -> Chart:
    """Draw pairs of a number and a mean, by rising number, one line per system.

    Parameters
    ----------
    lines : mapping of str to pairs
        The pairs of each system.
    kinds : mapping of str to str
        The style of each system.
    axis, along : str
        The titles of the vertical and the horizontal axis.
    title : str
        The title of the chart.
    width : int
        Width in pixels.
    place : callable
        Returns the place of a number on the axis: the number itself, or its logarithm.
    """
    keys = [Key(system, kinds[system]) for system in lines]
    heading, top = header(keys, axis, width)
    means = [mean for line in lines.values() for _, mean in line]
    low, high = min(0.0, *means), max(0.0, *means)
    levels = ticks(low, high if high > low else low + 1.0)
    y = Scale(low, max(high, levels[-1]), _HEIGHT - _BOTTOM, top)
    left = y_label_room(levels)
    cutoffs = sorted({k for line in lines.values() for k, _ in line})
    x = Scale(place(cutoffs[0]), place(cutoffs[-1]), left + _INSET, width - _INSET)
    parts = [
        *heading,
        *y_axis(y, left, width, levels),
        *labels_along(((x.at(place(k)), f"{k:,}") for k in cutoffs), y.start + 18, width),
        el("text", along, x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
        *(
            _line(f"{system}, {along} = ", line, kinds[system], lambda k: x.at(place(k)), y)
            for system, line in lines.items()
        ),
    ]
    ends = [
        f"{system} {line[0][1]:.3f} at {line[0][0]:,}, {line[-1][1]:.3f} at {line[-1][0]:,}"
        for system, line in lines.items()
    ]
    return Chart(title, summary(ends), width, _HEIGHT, joined(parts), "cutoffs")


def _line(
    label: str,
    line: Sequence[tuple[int, float]],
    kind: str,
    across_of: Callable[[int], float],
    y: Scale,
) -> Svg:
    places = [(across_of(k), y.at(mean)) for k, mean in line]
    path = "L".join(f"{number(across)} {number(up)}" for across, up in places)
    dots = (
        el("circle", el("title", f"{label}{k:,}: {mean:.4f}"), cx=place[0], cy=place[1],
           r=4.5, class_="dot")
        for (k, mean), place in zip(line, places, strict=True)
    )  # fmt: skip
    return el("g", el("path", d=f"M{path}", class_="line"), *dots, class_=kind)
