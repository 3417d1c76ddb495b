"""The figures of a stored check, as `berryeval judge check --json` wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from berryeval.stats import Interval
from berryeval.stats.admission import Agreement
from berryeval.stats.calibration import CalibrationPoint
from berryeval.stats.confusion import ConfusionCell
from berryeval.stats.judge_bias import Bias, BiasKind

__all__ = ["CheckFigures", "read_figures"]


@dataclass(frozen=True)
class CheckFigures:
    """The results of a check, to be shown again."""

    n_pairs: int
    n_queries: int | None
    n_unanswered: int
    n_judged: int
    """Pairs that people had judged when the sample was drawn."""
    systems: tuple[str, ...]
    kappa: Agreement
    alpha: Agreement
    tau_ap: Agreement
    same: Agreement
    """The share of repeated pairs that got the same grade; no value without any."""
    n_repeated: int
    confusion: tuple[ConfusionCell, ...]
    calibration: tuple[CalibrationPoint, ...]
    """Empty if the check was made by a version that did not compute it."""
    biases: tuple[Bias, ...]
    scale: float
    min_kappa: float
    max_favour: float
    """Largest accepted bias, as a share of the scale."""
    level: float
    """Confidence level of all intervals."""

    @property
    def rows(self) -> list[tuple[float, list[ConfusionCell]]]:
        """The rows of the confusion matrix, by the grade of people."""
        found: dict[float, list[ConfusionCell]] = {}
        for cell in self.confusion:
            found.setdefault(cell.people, []).append(cell)
        return [*found.items()]


def read_figures(result: Mapping[str, Any]) -> CheckFigures | None:
    """Return the figures of a check; None if they are missing or invalid."""
    try:
        return _read(result)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def _read(result: Mapping[str, Any]) -> CheckFigures:
    confusion = tuple(
        ConfusionCell(_number(one["people"]), _optional(one["judge"]), int(one["pairs"]),
                      _number(one["share"]), _required(one["interval"]))
        for one in result["confusion"]
    )  # fmt: skip
    kinds = {one["kind"] for one in result["biases"]}
    if not confusion or not kinds <= {*get_args(BiasKind)}:
        raise ValueError("no confusion matrix, or an unknown kind of bias")
    repeats = result["repeats"] or {"pairs": 0, "same": None, "interval": None}
    grades = [cell.people for cell in confusion] + [cell.judge or 0.0 for cell in confusion]
    return CheckFigures(
        int(result["pairs"]),
        None if result["queries"] is None else int(result["queries"]),
        int(result["unanswered"]),
        int(result["sample"]["judged"]),
        tuple(map(str, result["sample"]["systems"])),
        _agreement(result["kappa"]),
        _agreement(result["alpha"]),
        _agreement(result["tau_ap"]),
        Agreement(_optional(repeats["same"]), _interval(repeats["interval"])),
        int(repeats["pairs"]),
        confusion,
        tuple(
            CalibrationPoint(_number(one["people"]), int(one["pairs"]), _number(one["mean"]),
                             _interval(one["interval"]))
            for one in result.get("calibration", ())
        ),
        tuple(
            Bias(one["kind"], str(one["group"]), int(one["pairs"]), _number(one["error"]),
                 _number(one["favour"]), _interval(one["interval"]))
            for one in result["biases"]
        ),
        _number(result.get("scale", max(grades, default=1.0))),
        _number(result["rule"]["min_kappa"]),
        _number(result["rule"]["max_favour"]),
        _number(result["rule"]["confidence"]),
    )  # fmt: skip


def _number(value: float) -> float:
    return float(value)


def _optional(value: float | None) -> float | None:
    return None if value is None else float(value)


def _interval(value: Mapping[str, Any] | None) -> Interval | None:
    return None if value is None else _required(value)


def _required(value: Mapping[str, Any]) -> Interval:
    return Interval(
        float(value["low"]), float(value["high"]), float(value["level"]), str(value["method"])
    )


def _agreement(value: Mapping[str, Any]) -> Agreement:
    return Agreement(_optional(value["value"]), _interval(value["interval"]), value.get("reason"))
