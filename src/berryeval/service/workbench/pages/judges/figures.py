"""The charts of a judge's page, from the figures of its last check."""

from __future__ import annotations

from typing import Any

from berryeval.charts.calibration import calibration
from berryeval.charts.chart import Chart
from berryeval.charts.forest import ForestRow, forest
from berryeval.evaluation.figures import percent
from berryeval.evaluation.findings import NO_LIMIT, Finding, limit_finding_of
from berryeval.reports.check_figures import CheckFigures
from berryeval.reports.judge_check import KINDS

__all__ = ["charts_of"]

_WIDE, _NARROW = 720, 340
_CALIBRATION = 420

_WORDS: dict[Finding, str] = {
    "better": "within the limit",
    "worse": "beyond the limit",
    "unclear": "may be beyond the limit",
    "untested": "no limit",
}


def charts_of(figures: CheckFigures | None) -> dict[str, Any]:
    """Return the charts of a check; None where there is nothing to draw."""
    if figures is None:
        return {"calibration": None, "bias": None, "narrow_bias": None, "level": ""}
    drawn = None
    if figures.calibration:
        drawn = calibration(
            figures.calibration, figures.confusion, figures.scale, figures.level,
            width=_CALIBRATION,
        )  # fmt: skip
    return {
        "calibration": drawn,
        "bias": _bias(figures, _WIDE),
        "narrow_bias": _bias(figures, _NARROW),
        "level": percent(figures.level),
    }


def _bias(figures: CheckFigures, width: int) -> Chart | None:
    if not figures.biases:
        return None
    most = figures.max_favour * figures.scale
    rows = [
        ForestRow(
            f"{KINDS[one.kind]} {one.group}",
            one.favour,
            one.interval,
            limit_finding_of(one.interval, most) if one.kind == "system" else NO_LIMIT,
            digits=2,
        )
        for one in figures.biases
    ]
    return forest(rows, "all other documents", figures.level, width=width, words=_WORDS)
