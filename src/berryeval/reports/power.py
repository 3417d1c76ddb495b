"""What a golden set can detect, as tables and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from berryeval.evaluation.notes import count_queries, range_text, weights_note
from berryeval.reports.layout import Table

if TYPE_CHECKING:
    from berryeval.evaluation.power import Sensitivity, Spread

__all__ = ["power_tables", "power_to_json"]

JSON_VERSION = 1


def power_tables(found: Sequence[Sensitivity]) -> list[Table]:
    """Lay out the smallest drops, the queries that margins need, and the curve if any."""
    return [table for one in found for table in (_now(one), _curve(one)) if table.rows]


def _now(found: Sensitivity) -> Table:
    margins = [margin for margin, _ in found.spreads[0].needed]
    rows = tuple(
        (
            _name(spread),
            f"{spread.sd:.4f}",
            "-" if spread.smallest_drop is None else f"{spread.smallest_drop:.4f}",
            *(
                "-" if n is None else f"{n:,}{range_text(ends)}"
                for (_, n), ends in zip(spread.needed, spread.needed_ranges, strict=True)
            ),
        )
        for spread in found.spreads
    )
    header = ("differences", "sd", "smallest drop", *(f"N for {margin:g}" for margin in margins))
    title = f"{found.measure}, {count_queries(found.n_queries)}"
    if found.n_groups is not None:
        title += f" in {found.n_groups:,} groups"
    return Table(title, header, rows, tuple(_notes(found)))


def _name(spread: Spread) -> str:
    if spread.correlation is None:
        return "measured"
    return f"assumed, correlation {spread.correlation:g}"


def _notes(found: Sensitivity) -> list[str]:
    notes = [
        f"smallest drop: the margin at which a candidate equal to the baseline passes in "
        f"{found.power:.0%} of cases, at alpha {found.alpha:g} (one-sided, as the gate tests a "
        "margin). Smaller drops go undetected.",
        f"N: the {_units(found)} that a margin requires"
        + (
            ", with a 95% confidence interval in brackets."
            if any(any(spread.needed_ranges) for spread in found.spreads)
            else "."
        ),
    ]
    if found.effective_queries is not None:
        notes.append(weights_note(found.n_queries, found.effective_queries))
        units = _units(found)
        notes.append(f"Numbers of {units} assume that other weights differ as much.")
    if found.n_missing:
        are = "is" if found.n_missing == 1 else "are"
        missing = f"{count_queries(found.n_missing)} {are} missing from a run and scored as 0"
        notes.append(f"{missing}: this increases the spread, and with it every figure.")
    if any(spread.is_assumed for spread in found.spreads):
        notes.append(
            "assumed: one run shows how scores vary, but not how those of two systems correlate; "
            "measure that with a second run, --against RUN."
        )
    if all(spread.smallest_drop is None for spread in found.spreads):
        notes.append("-: there is no spread between queries, so nothing can be computed.")
    return notes


def _curve(found: Sensitivity) -> Table:
    columns = [dict(spread.curve) for spread in found.spreads]
    here = found.n_queries if found.n_groups is None else found.n_groups
    rows = tuple(
        (f"{n:,}" + (" (now)" if n == here else ""), *(f"{c[n]:.4f}" for c in columns))
        for n in columns[0]
    )
    units = _units(found)
    header = (units, *(_name(spread) for spread in found.spreads))
    return Table(f"{found.measure}: smallest drop by number of {units}", header, rows)


def _units(found: Sensitivity) -> str:
    return "queries" if found.n_groups is None else "groups"


def power_to_json(found: Sequence[Sensitivity]) -> str:
    """Return one JSON object: version, kind, and an entry per measure."""
    entries = [{**asdict(one), "measure": str(one.measure)} for one in found]
    for entry in entries:
        for spread in entry["spreads"]:
            ranges = spread.pop("needed_ranges")
            spread["needed"] = [
                {"margin": m, "queries": n, "range": ends}
                for (m, n), ends in zip(spread["needed"], ranges, strict=True)
            ]
            spread["curve"] = [{"queries": n, "drop": drop} for n, drop in spread["curve"]]
    content = {"version": JSON_VERSION, "kind": "power", "measures": entries}
    return json.dumps(content, indent=2) + "\n"
