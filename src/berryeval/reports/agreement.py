"""Whether two sets of judgments order systems alike: tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import finite, interval_as_dict, score, signed
from berryeval.evaluation.findings import WORDS
from berryeval.reports.layout import Table, csv_text, json_text, tables_to_text

if TYPE_CHECKING:
    from berryeval.evaluation.agreeing import Agreement, MeasureAgreement, PairOrders

__all__ = ["agreement_tables", "render_agreement"]

JSON_VERSION = 1
N_SWAPS = 20
"""Pairs in the table: those that both sets establish first."""

_COLUMNS = ("measure", "first", "second", "order", "difference_1", "finding_1", "p_value_1",
            "difference_2", "finding_2", "p_value_2", "tau", "tau_ap")  # fmt: skip


def render_agreement(found: Agreement, format: str) -> str:
    """Return an agreement as table, csv, json or markdown."""
    if format == "json":
        return json_text(_as_dict(found))
    if format == "csv":
        return csv_text(_COLUMNS, _rows(found))
    if format == "markdown":
        from berryeval.reports.markdown import tables_to_markdown

        return tables_to_markdown(agreement_tables(found))
    return tables_to_text(agreement_tables(found))


def agreement_tables(found: Agreement) -> list[Table]:
    """Lay out the ranks of the systems by each measure, the correlations, and the swaps."""
    tables = [_systems(found, one) for one in found.measures]
    tables.append(
        Table(
            "Agreement",
            ("measure", "tau", "tau_AP", "same order", "swapped", "tied"),
            tuple(
                (
                    str(one.measure),
                    signed(one.tau),
                    signed(one.tau_ap),
                    str(one.count("same")),
                    str(one.count("swapped")),
                    str(one.count("tied")),
                )
                for one in found.measures
            ),
            (
                *(one.sentence for one in found.measures),
                "tau: Kendall's tau-b; tau_AP: the same, with more weight at the top. "
                "The other columns count pairs of systems.",
                *found.notes,
            ),
        )
    )
    if any(one.swaps for one in found.measures):
        tables.append(_swaps(found))
    return tables


def _systems(found: Agreement, one: MeasureAgreement) -> Table:
    first, second = found.sets
    return Table(
        f"Systems by {one.measure}",
        ("system", first, "rank", second, "rank"),
        tuple(
            (s.system, score(s.means[0]), str(s.ranks[0]), score(s.means[1]), str(s.ranks[1]))
            for s in one.systems
        ),
    )


def _swaps(found: Agreement) -> Table:
    first, second = found.sets
    swaps = [(one.measure, swap) for one in found.measures for swap in one.swaps]
    swaps.sort(key=lambda one: one[1].is_established.count(True), reverse=True)
    notes = ["The pairs of a measure form one family under each set of judgments."]
    if len(swaps) > N_SWAPS:
        notes.append(f"{len(swaps) - N_SWAPS:,} more are in CSV and JSON.")
    return Table(
        "Pairs whose order changes",
        ("measure", "first", "second", f"difference, {first}", "second is",
         f"difference, {second}", "second is"),
        tuple(
            (str(measure), swap.first, swap.second,
             *(cell for d in swap.differences for cell in (signed(d.mean), WORDS[d.finding])))
            for measure, swap in swaps[:N_SWAPS]
        ),
        tuple(notes),
        n_keys=3,
    )  # fmt: skip


def _as_dict(found: Agreement) -> dict[str, Any]:
    return {
        "version": JSON_VERSION,
        "kind": "agreement",
        "judgments": list(found.sets),
        "queries": list(found.n_queries),
        "measures": [
            {
                "measure": str(one.measure),
                "tau": one.tau,
                "tau_ap": one.tau_ap,
                "sentence": one.sentence,
                "systems": [
                    {"system": s.system, "means": list(s.means), "ranks": list(s.ranks)}
                    for s in one.systems
                ],
                "pairs": [_pair_as_dict(pair) for pair in one.pairs],
            }
            for one in found.measures
        ],
        "notes": list(found.notes),
    }


def _pair_as_dict(pair: PairOrders) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "order": pair.order,
        "differences": [
            {
                "difference": finite(d.mean),
                "interval": interval_as_dict(d.interval),
                "p_value": finite(d.p_value),
                "finding": d.finding,
            }
            for d in pair.differences
        ],
    }


def _rows(found: Agreement) -> Iterator[list[object]]:
    for one in found.measures:
        for pair in one.pairs:
            figures = [
                figure
                for d in pair.differences
                for figure in (finite(d.mean), d.finding, finite(d.p_value))
            ]
            measure = str(one.measure)
            yield [measure, pair.first, pair.second, pair.order, *figures, one.tau, one.tau_ap]
