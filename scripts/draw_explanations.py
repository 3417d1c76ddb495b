"""Draw the pictures of docs/explanation: what verdicts, skewness, looks, tries and creep look like.

``make simulate`` runs it. Each picture is drawn from the code that decides, or from one of the
simulations, so that it cannot show what the product does not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import simulate_practices as practices
from numpy.typing import NDArray
from simulate_gate import handbook_scores, pairs_of

from berryeval.charts.axes import Key, header, padded_range, x_axis, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, joined, text_width, ticks
from berryeval.evaluation.margins import judge_margin, margin_interval, margin_p_values
from berryeval.evaluation.memory import Memory
from berryeval.stats import mean_of

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 700.0
ALPHA = 0.05

Points = Sequence[tuple[float, float]]


def lines(
    title: str,
    series: dict[Key, Points],
    labels: tuple[str, str],
    *,
    limit: float | None = None,
    height: float = 260.0,
) -> Chart:
    """Draw several lines over the same axis, and a dashed one at a limit."""
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points] + [limit or 0.0]
    marks, top = header([*series], labels[1], WIDTH)
    low, high = padded_range(ys)
    y_values = ticks(low, high, 4)
    left = y_label_room(y_values)
    x = Scale(min(xs), max(xs), left, WIDTH - 12)
    y = Scale(low, high, top + height, top)
    marks += y_axis(y, left, WIDTH - 12, y_values)
    marks += x_axis(x, top, top + height, ticks(min(xs), max(xs), 6), WIDTH)
    if limit is not None:
        place = y.at(limit)
        marks.append(
            el("line", x1=left, x2=WIDTH - 12, y1=place, y2=place, class_="stroke dashed s-margin")
        )
    for key, points in series.items():
        path = "M" + "L".join(f"{x.at(one):.1f},{y.at(other):.1f}" for one, other in points)
        marks.append(el("path", d=path, class_=f"line {key.kind}"))
    bottom = top + height + 40
    marks.append(el("text", labels[0], x=WIDTH / 2, y=bottom, text_anchor="middle"))
    ends = [f"{key.name} ends at {points[-1][1]:.3g}" for key, points in series.items()]
    return Chart(title, summary(ends), WIDTH, bottom + 8, joined(marks))


def verdicts() -> Chart:
    """Draw the intervals of four candidates next to a margin, each with its verdict."""
    margin = 0.05
    random = np.random.default_rng(4)
    shapes = {
        "equal, many queries": (0.0, 200),
        "equal, few queries": (0.0, 30),
        "slightly worse": (-0.045, 200),
        "much worse": (-0.13, 200),
    }
    rows = []
    for name, (mean, n) in shapes.items():
        values = mean + 0.15 * _standardised(random.normal(size=n))
        sample = mean_of(values)
        assert sample is not None
        p = margin_p_values(sample, margin, 1.0)
        interval = margin_interval(sample, ALPHA, 1.0)
        verdict = judge_margin(p.passing, p.failing, n, n, margin, 1.0, ALPHA)
        rows.append((name, sample.mean, interval, verdict))
    left, right = 190.0, WIDTH - 110
    ends = [end for _, _, interval, _ in rows for end in (interval.low, interval.high)]
    low, high = padded_range([*ends, -margin, 0.0])
    x, top, row = Scale(low, high, left, right), 34.0, 40.0
    bottom = top + row * len(rows)
    marks = [*x_axis(x, top, bottom, ticks(low, high, 6), WIDTH)]
    for value, name, kind in (
        (0.0, "no change", "rule"),
        (-margin, "margin", "stroke dashed s-margin"),
    ):
        place = x.at(value)
        marks += [
            el("line", x1=place, x2=place, y1=top - 8, y2=bottom, class_=kind),
            el("text", name, x=place, y=top - 14, text_anchor="middle", class_="ink"),
        ]
    colours = {"pass": "s-better", "fail": "s-worse", "inconclusive": "s-baseline"}
    for place, (name, mean, interval, verdict) in enumerate(rows):
        y = top + row * (place + 0.5)
        marks += [
            el("text", name, x=0, y=y + 4, class_="ink"),
            el("line", x1=x.at(interval.low), x2=x.at(interval.high), y1=y, y2=y,
               class_=f"line {colours[verdict]}"),
            el("circle", cx=x.at(mean), cy=y, r=5, class_=f"dot {colours[verdict]}"),
            el("text", verdict, x=right + 16, y=y + 4, class_="ink strong"),
        ]  # fmt: skip
    marks.append(el("text", "change of the mean, with its interval", x=(left + right) / 2,
                    y=bottom + 40, text_anchor="middle"))  # fmt: skip
    description = [f"{name}: {verdict}" for name, _, _, verdict in rows]
    return Chart(
        "Verdicts by where the interval lies",
        summary(description),
        WIDTH,
        bottom + 48,
        joined(marks),
    )


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return (values - values.mean()) / values.std(ddof=1)


def skewness() -> Chart:
    """Draw the changes of a real pair of systems, and a sample that misses their tail."""
    random = np.random.default_rng(0)
    scores = next(table for name, table in handbook_scores() if name.endswith("nDCG@10"))
    changes = min(
        (one.pair.differences for one in pairs_of(scores, random, 30)),
        key=lambda values: float(_standardised(values) ** 3 @ np.ones(len(values))) / len(values),
    )
    low, high = padded_range(changes.tolist())
    edges = np.linspace(low, high, 41)
    counts, _ = np.histogram(changes, edges)
    samples = (random.choice(changes, 20) for _ in range(10_000))
    lucky = next(one for one in samples if one.min() > np.quantile(changes, 0.1))
    marks, top = header(
        [Key("all queries", "s-baseline", "square"), Key("a sample of 20", "s-candidate")],
        "queries",
        WIDTH,
    )
    height, values = 200.0, ticks(0, float(counts.max()), 4)
    left = y_label_room(values)
    x, y = Scale(low, high, left, WIDTH - 12), Scale(0, float(counts.max()), top + height, top)
    marks += y_axis(y, left, WIDTH - 12, values)
    for start, end, count in zip(edges, edges[1:], counts, strict=False):
        if count:
            marks.append(el("rect", x=x.at(start) + 0.5, width=x.at(end) - x.at(start) - 1,
                            y=y.at(count), height=top + height - y.at(count),
                            class_="area soft s-baseline"))  # fmt: skip
    for change in lucky:
        marks.append(el("circle", cx=x.at(change), cy=top + height + 14, r=4.5,
                        class_="dots s-candidate"))  # fmt: skip
    for mean, name, kind, place in (
        (float(changes.mean()), "true mean", "s-baseline", top + 2),
        (float(lucky.mean()), "mean of the sample", "s-candidate", top + 20),
    ):
        at = x.at(mean)
        is_left = kind == "s-baseline"
        marks += [
            el("line", x1=at, x2=at, y1=top - 6, y2=top + height + 22,
               class_=f"stroke dashed {kind}"),
            el("text", name, x=at - 6 if is_left else at + 6, y=place,
               text_anchor="end" if is_left else None, class_="ink halo"),
        ]  # fmt: skip
    bottom = top + height + 28
    marks += x_axis(x, top, bottom, ticks(low, high, 6), WIDTH)
    marks.append(el("text", "change of nDCG@10", x=WIDTH / 2, y=bottom + 38, text_anchor="middle"))
    description = (
        f"The mean change of all queries is {changes.mean():+.3f}, "
        f"that of the sample {lucky.mean():+.3f}."
    )
    return Chart(
        "A sample that misses the queries that lost much",
        description,
        WIDTH,
        bottom + 46,
        joined(marks),
    )


def tries() -> Chart:
    """Draw what a team believes that keeps every higher mean, on average over many teams."""

    def believed(affected: float) -> list[tuple[float, float]]:
        random = np.random.default_rng(1)
        n_queries, n_teams = 100, 200
        gains = np.zeros((n_teams, practices.N_CHANGES + 1))
        for team in range(n_teams):
            first = present = practices.version(random, n_queries)
            for number in range(1, practices.N_CHANGES + 1):
                variant = practices.changed(random, present, affected)
                present = variant if variant.mean() > present.mean() else present
                gains[team, number] = (present - first).mean()
        return [*enumerate(gains.mean(axis=0).tolist())]

    all_queries, some_queries = practices.AFFECTED
    return lines(
        "What 200 changes seem to gain, none of which does anything",
        {
            Key("each affects 20% of the queries", "s-margin", "line"): believed(some_queries),
            Key("each affects all queries", "s-candidate", "line"): believed(all_queries),
            Key("the truth", "s-baseline", "line"): [(0, 0.0), (practices.N_CHANGES, 0.0)],
        },
        ("changes tried", "gain of the mean"),
    )


def creeping() -> Chart:
    """Draw what is lost while a baseline moves along, with and without an anchor."""

    def path(*, has_anchor: bool) -> list[tuple[float, float]]:
        random = np.random.default_rng(3)
        release = baseline = practices.version(random, 1000)
        n_shipped, points = 0, [(0.0, 0.0)]
        for number in range(1, practices.N_CREEPING + 1):
            candidate = practices.version(random, 1000, practices.CREEP * (n_shipped + 1))
            references = [baseline, release] if has_anchor else [baseline]
            if all(
                practices.passes(candidate - one, practices.MARGIN, ALPHA) for one in references
            ):
                baseline = candidate
                n_shipped += 1
            points.append((number, practices.CREEP * n_shipped))
        return points

    return lines(
        "Fifty changes that each lose 0.004",
        {
            Key("compared with the last version", "s-worse", "line"): path(has_anchor=False),
            Key("and with the last release", "s-better", "line"): path(has_anchor=True),
            Key("margin", "s-margin", "line"): [(0, -practices.MARGIN)],
        },
        ("changes proposed", "true change of the mean since the release"),
        limit=-practices.MARGIN,
    )


def looks() -> Chart:
    """Draw the level of each look at a growing set."""
    sizes = practices.SIZES
    marks, top = header(
        [
            Key("always alpha", "s-worse", "square"),
            Key("counted looks", "s-series-2", "square"),
            Key("counted looks, n_max declared", "s-better", "square"),
        ],
        "level",
        WIDTH,
    )
    height, values = 180.0, ticks(0, ALPHA, 5)
    left = y_label_room(values)
    y = Scale(0, ALPHA, top + height, top)
    marks += y_axis(y, left, WIDTH - 12, values)
    room = (WIDTH - 12 - left) / len(sizes)
    for place, size in enumerate(sizes):
        memory = Memory(sizes[: place + 1], 1)
        levels = (ALPHA, memory.level(ALPHA), memory.level(ALPHA, sizes[-1]))
        for bar, (level, kind) in enumerate(
            zip(levels, ("s-worse", "s-series-2", "s-better"), strict=True)
        ):
            at = left + room * (place + 0.5) + (bar - 1.5) * 26
            marks.append(el("rect", x=at, width=22, y=y.at(level), rx=2,
                            height=top + height - y.at(level), class_=f"area {kind}"))  # fmt: skip
        marks.append(el("text", f"look {place + 1}", x=left + room * (place + 0.5),
                        y=top + height + 18, text_anchor="middle", class_="ink"))  # fmt: skip
        marks.append(el("text", f"{size} queries", x=left + room * (place + 0.5),
                        y=top + height + 35, text_anchor="middle"))  # fmt: skip
    description = summary([f"look {i + 1} of {size} queries" for i, size in enumerate(sizes)])
    return Chart(
        "How much of alpha each look may use", description, WIDTH, top + height + 42, joined(marks)
    )


def groups() -> Chart:
    """Draw differences of queries in groups, and what an interval takes them for."""
    random = np.random.default_rng(7)
    centres = random.normal(0.02, 0.12, 24)
    sizes = random.integers(1, 9, 24)
    values = np.concatenate(
        [c + random.normal(0, 0.03, n) for c, n in zip(centres, sizes, strict=True)]
    )
    labels = [str(i) for i, n in enumerate(sizes) for _ in range(n)]
    alone, grouped = mean_of(values), mean_of(values, groups=labels)
    assert alone is not None
    assert grouped is not None
    low, high = padded_range(values.tolist())
    name_room = text_width("24 groups") + 24
    x = Scale(low, high, name_room, WIDTH - 12)
    rows = (
        (f"{len(values)} queries", values, alone),
        (
            "24 groups",
            np.array([values[np.array(labels) == str(i)].mean() for i in range(24)]),
            grouped,
        ),
    )
    marks: list[Svg] = []
    top, row = 8.0, 74.0
    bottom = top + row * len(rows)
    marks += x_axis(x, top, bottom, ticks(low, high, 6), WIDTH)
    zero = x.at(0.0)
    marks.append(el("line", x1=zero, x2=zero, y1=top, y2=bottom, class_="rule"))
    for place, (name, dots, sample) in enumerate(rows):
        y = top + row * place + 26
        interval = sample.interval()
        kind = "s-baseline" if interval.low <= 0 <= interval.high else "s-candidate"
        marks.append(el("text", name, x=0, y=y + 4, class_="ink"))
        marks += [
            el("circle", cx=x.at(value), cy=y, r=4, class_="dots s-series-2") for value in dots
        ]
        marks += [
            el("line", x1=x.at(interval.low), x2=x.at(interval.high), y1=y + 24, y2=y + 24,
               class_=f"line thick {kind}"),
            el("circle", cx=x.at(sample.mean), cy=y + 24, r=5, class_=f"dot {kind}"),
        ]  # fmt: skip
    marks.append(el("text", "change, and the interval of its mean", x=WIDTH / 2, y=bottom + 38,
                    text_anchor="middle"))  # fmt: skip
    description = (
        f"Taken as single queries the interval is {alone.interval().low:+.3f} to "
        f"{alone.interval().high:+.3f}; by groups {grouped.interval().low:+.3f} to "
        f"{grouped.interval().high:+.3f}."
    )
    return Chart(
        "The same changes, as queries and as groups", description, WIDTH, bottom + 46, joined(marks)
    )


PICTURES = {
    "verdicts": verdicts,
    "skewness": skewness,
    "groups": groups,
    "tries": tries,
    "creep": creeping,
    "looks": looks,
}


def main() -> None:
    """Write every picture."""
    for name, draw in PICTURES.items():
        (IMAGES / f"{name}.svg").write_text(draw().to_svg() + "\n", encoding="utf-8")
        print(f"wrote docs/images/{name}.svg", flush=True)


if __name__ == "__main__":
    main()
