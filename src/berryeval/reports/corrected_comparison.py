"""Differences by a judge's grades that people's correct: a table and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.evaluation.figures import DASH, interval_as_dict, signed
from berryeval.reports.layout import Table, json_text

if TYPE_CHECKING:
    from berryeval.stats import Interval
    from berryeval.suite.corrected_comparison import CorrectedComparison

__all__ = ["corrected_table", "corrected_to_json"]

JSON_VERSION = 1


def corrected_table(found: CorrectedComparison, level: float) -> Table:
    """Lay out the corrected difference, and those of people and of the judge alone."""
    powered = found.corrected
    people = None if found.people is None else found.people.interval(level)
    rows = (
        (
            f"corrected, {powered.n_queries:,} queries",
            signed(powered.sample.mean),
            _ends(powered.sample.interval(level)),
        ),
        (
            f"people alone, {powered.n_labelled:,} queries",
            DASH if found.people is None else signed(found.people.mean),
            _ends(people),
        ),
        ("judge alone, not corrected", signed(found.uncorrected), DASH),
    )
    notes = [
        f"{found.rests_on} The judge is {found.judge}; its weight is {powered.weight:.2f}.",
        f"People and judge differ on {powered.n_differing:,} of the drawn queries.",
    ]
    if powered.reason is not None:
        notes.append(f"People's grades count alone: {powered.reason}.")
    return Table(
        f"{found.measure}: {found.candidate} - {found.baseline}",
        ("", "difference", f"{level:.0%} interval"),
        rows,
        tuple(notes),
    )


def _ends(interval: Interval | None) -> str:
    return DASH if interval is None else f"{signed(interval.low)} to {signed(interval.high)}"


def corrected_to_json(found: CorrectedComparison, level: float) -> str:
    """Return a corrected comparison as JSON."""
    powered, people = found.corrected, found.people
    return json_text({
        "version": JSON_VERSION,
        "kind": "corrected_comparison",
        "judge": found.judge,
        "measure": str(found.measure),
        "baseline": found.baseline,
        "candidate": found.candidate,
        "queries": powered.n_queries,
        "drawn": powered.n_labelled,
        "differing": powered.n_differing,
        "weight": powered.weight,
        "reason": powered.reason,
        "difference": powered.sample.mean,
        "interval": interval_as_dict(powered.sample.interval(level)),
        "people": None if people is None else people.mean,
        "people_interval": None if people is None else interval_as_dict(people.interval(level)),
        "uncorrected": found.uncorrected,
        "human_judgments": found.n_human,
        "model_judgments": found.n_model,
        "rests_on": found.rests_on,
    })  # fmt: skip
