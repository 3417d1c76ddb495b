"""Whether judgments, or measures, rank systems in the same order: tables, Markdown, CSV, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.agreeing import (
    Agreement,
    MeasureAgreement,
    MeasurePair,
    MeasuresAgreement,
)
from berryeval.evaluation.figures import finite, json_value, score, signed
from berryeval.evaluation.findings import WORDS
from berryeval.reports.layout import Table, csv_text, json_text, tables_to_text

if TYPE_CHECKING:
    from berryeval.stats import Interval

__all__ = ["agreement_tables", "render_agreement"]

JSON_VERSION = 1
N_SWAPS = 20
"""Number of pairs in the table; those that both sets establish come first."""

_COLUMNS = ("measure", "first", "second", "order", "difference_1", "finding_1", "p_value_1",
            "difference_2", "finding_2", "p_value_2", "tau", "tau_ap")  # fmt: skip


_MEASURE_COLUMNS = ("measure_1", "measure_2", *_COLUMNS[1:])

_TAUS = "tau: Kendall's tau-b; tau_AP: the same, with more weight at the top. "
_RESAMPLED = "In brackets: intervals by resampling queries. "


def render_agreement(found: Agreement | MeasuresAgreement, format: str) -> str:
    """Return an agreement as table, csv, json or markdown."""
    if format == "json":
        return json_text(json_value(_as_dict(found)))
    if format == "csv":
        columns = _COLUMNS if isinstance(found, Agreement) else _MEASURE_COLUMNS
        return csv_text(columns, _rows(found))
    if format == "markdown":
        from berryeval.reports.markdown import tables_to_markdown

        return tables_to_markdown(agreement_tables(found))
    return tables_to_text(agreement_tables(found))


def agreement_tables(found: Agreement | MeasuresAgreement) -> list[Table]:
    """Lay out the ranks of the systems, the correlations, and the swaps."""
    if isinstance(found, Agreement):
        tables = [_systems(found, one) for one in found.measures]
        compared: list[MeasureAgreement | MeasurePair] = [*found.measures]
    else:
        tables = [_systems_by_measure(found)]
        compared = [*found.pairs]
    tables.append(_correlations(found, compared))
    if any(one.swaps for one in compared):
        tables.append(_swaps(found, compared))
    return tables


def _name(one: MeasureAgreement | MeasurePair) -> str:
    """Return what was compared: a measure, or two of them."""
    pair = getattr(one, "measures", None)
    return str(getattr(one, "measure", "")) if pair is None else " and ".join(map(str, pair))


def _correlations(
    found: Agreement | MeasuresAgreement, compared: Sequence[MeasureAgreement | MeasurePair]
) -> Table:
    return Table(
        "Agreement",
        ("measure" if isinstance(found, Agreement) else "measures",
         "tau", "tau_AP", "same order", "swapped", "tied"),
        tuple(
            (
                _name(one),
                _with_interval(one.tau, one.tau_interval),
                _with_interval(one.tau_ap, one.tau_ap_interval),
                str(one.count("same")),
                str(one.count("swapped")),
                str(one.count("tied")),
            )
            for one in compared
        ),
        (
            *(one.sentence for one in compared),
            _TAUS
            + _RESAMPLED * any(one.tau_interval is not None for one in compared)
            + "The other columns count pairs of systems.",
            *found.notes,
        ),
    )  # fmt: skip


def _with_interval(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return signed(value)
    return f"{signed(value)} [{signed(interval.low)}, {signed(interval.high)}]"


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


def _systems_by_measure(found: MeasuresAgreement) -> Table:
    """Lay out all measures side by side, ordered by rank in the first one."""
    figures: dict[str, dict[str, tuple[str, str]]] = {}
    for pair in found.pairs:
        for one in pair.systems:
            own = figures.setdefault(one.system, {})
            for measure, mean, rank in zip(pair.measures, one.means, one.ranks, strict=True):
                own[str(measure)] = score(mean), str(rank)
    names = [str(measure) for measure in found.measures]
    return Table(
        "Systems",
        ("system", *(cell for name in names for cell in (name, "rank"))),
        tuple(
            (system, *(cell for name in names for cell in own[name]))
            for system, own in figures.items()
        ),
    )


def _swaps(
    found: Agreement | MeasuresAgreement, compared: Sequence[MeasureAgreement | MeasurePair]
) -> Table:
    is_of_judgments = isinstance(found, Agreement)
    swaps = [(_name(one), swap) for one in compared for swap in one.swaps]
    swaps.sort(key=lambda one: one[1].is_established.count(True), reverse=True)
    family = " under each set of judgments" * is_of_judgments
    notes = [f"The pairs of a measure form one family{family}."]
    if len(swaps) > N_SWAPS:
        notes.append(f"{len(swaps) - N_SWAPS:,} more are in CSV and JSON.")
    first, second = found.sets if isinstance(found, Agreement) else ("first", "second")
    return Table(
        "Pairs whose order changes",
        ("measure" if is_of_judgments else "measures", "first", "second",
         f"difference, {first}", "second is", f"difference, {second}", "second is"),
        tuple(
            (name, swap.first, swap.second,
             *(cell for d in swap.differences for cell in (signed(d.mean), WORDS[d.finding])))
            for name, swap in swaps[:N_SWAPS]
        ),
        tuple(notes),
        n_keys=3,
    )  # fmt: skip


def _as_dict(found: Agreement | MeasuresAgreement) -> dict[str, Any]:
    if isinstance(found, Agreement):
        head: dict[str, Any] = {
            "version": JSON_VERSION,
            "kind": "agreement",
            "judgments": found.sets,
            "queries": found.n_queries,
        }
        entries = {"measures": [{"measure": one.measure, **_entry(one)} for one in found.measures]}
    else:
        head = {
            "version": JSON_VERSION,
            "kind": "measures_agreement",
            "measures": found.measures,
            "queries": found.n_queries,
        }
        entries = {"pairs": [{"measures": one.measures, **_entry(one)} for one in found.pairs]}
    return {**head, **entries, "notes": found.notes}


def _entry(one: MeasureAgreement | MeasurePair) -> dict[str, Any]:
    return {
        "tau": one.tau,
        "tau_interval": one.tau_interval,
        "tau_ap": one.tau_ap,
        "tau_ap_interval": one.tau_ap_interval,
        "sentence": one.sentence,
        "systems": one.systems,
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "order": pair.order,
                "differences": [
                    {
                        "difference": difference.mean,
                        "interval": difference.interval,
                        "p_value": difference.p_value,
                        "finding": difference.finding,
                    }
                    for difference in pair.differences
                ],
            }
            for pair in one.pairs
        ],
    }


def _rows(found: Agreement | MeasuresAgreement) -> Iterator[list[object]]:
    compared: Iterable[tuple[list[str], MeasureAgreement | MeasurePair]]
    if isinstance(found, Agreement):
        compared = (([str(one.measure)], one) for one in found.measures)
    else:
        compared = (([str(measure) for measure in one.measures], one) for one in found.pairs)
    for names, one in compared:
        for pair in one.pairs:
            figures = [
                figure
                for d in pair.differences
                for figure in (finite(d.mean), d.finding, finite(d.p_value))
            ]
            yield [*names, pair.first, pair.second, pair.order, *figures, one.tau, one.tau_ap]
