"""One measure at several cutoffs: how it grows with k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, joined, number, ticks
from berryeval.charts.theme import SERIES
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["cutoff_families", "cutoff_lines", "measure_by_k"]

_HEIGHT, _BOTTOM, _INSET = 260, 42, 16


def cutoff_families(measures: Iterable[Measure]) -> list[tuple[Measure, ...]]:
    """Return the measures that differ in k only, by rising k; those with one k are left out."""
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
        One of `cutoff_families`.
    width : int
        In pixels.
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
    keys = [Key(system, kinds[system]) for system in lines]
    heading, top = header(keys, f"mean {measure}@k", width)
    means = [mean for line in lines.values() for _, mean in line]
    low, high = min(0.0, *means), max(0.0, *means)
    levels = ticks(low, high if high > low else low + 1.0)
    y = Scale(low, max(high, levels[-1]), _HEIGHT - _BOTTOM, top)
    left = y_label_room(levels)
    cutoffs = sorted({k for line in lines.values() for k, _ in line})
    x = Scale(cutoffs[0], cutoffs[-1], left + _INSET, width - _INSET)
    parts = [
        *heading,
        *y_axis(y, left, width, levels),
        *labels_along(((x.at(k), f"{k:,}") for k in cutoffs), y.start + 18, width),
        el("text", "k", x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
        *(_line(system, line, kinds[system], x, y) for system, line in lines.items()),
    ]
    ends = [
        f"{system} {line[0][1]:.3f} at {line[0][0]:,}, {line[-1][1]:.3f} at {line[-1][0]:,}"
        for system, line in lines.items()
    ]
    title = f"Mean {measure}@k by k"
    return Chart(title, summary(ends), width, _HEIGHT, joined(parts), "cutoffs")


def _line(system: str, line: Sequence[tuple[int, float]], kind: str, x: Scale, y: Scale) -> Svg:
    places = [(x.at(k), y.at(mean)) for k, mean in line]
    path = "L".join(f"{number(across)} {number(up)}" for across, up in places)
    dots = (
        el("circle", el("title", f"{system}, k = {k:,}: {mean:.4f}"), cx=place[0], cy=place[1],
           r=4.5, class_="dot")
        for (k, mean), place in zip(line, places, strict=True)
    )  # fmt: skip
    return el("g", el("path", d=f"M{path}", class_="line"), *dots, class_=kind)
