"""Golden sets: counts, ceilings, agreement, and errors."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from berryeval.core.judging import COUNTED
from berryeval.evaluation.figures import DASH, finite, record_as_dict, score
from berryeval.reports.layout import Table, json_text
from berryeval.reports.power import power_tables
from berryeval.reports.wording import count

if TYPE_CHECKING:
    from berryeval.golden.agreement import Agreement
    from berryeval.golden.check import GoldenCheck
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.golden.weights import ShareWeights, TrafficWeights
    from berryeval.stats import Interval

__all__ = [
    "check_as_dict",
    "check_tables",
    "check_to_json",
    "shares_table",
    "weights_table",
    "weights_to_json",
]

JSON_VERSION = 1

_SHOWN = 10
"""Number of queries to name in a note."""


def check_tables(found: GoldenCheck) -> list[Table]:
    """Lay out the findings, counts, ceilings, agreement of the passes, and power."""
    tables = [_counts(found)]
    if found.ceilings:
        tables.append(_ceilings(found))
    if found.agreements:
        tables.append(_agreements(found))
    tables += [power_tables([one])[0] for one in found.sensitivities]
    if found.groups:
        tables.append(_groups(found))
    tables.append(_findings(found))
    return tables


def _findings(found: GoldenCheck) -> Table:
    rows = tuple((one.level, one.kind, one.where, one.message) for one in found.findings)
    summary = f"{count(len(found.errors), 'error')}, {count(len(found.warnings), 'warning')}"
    return Table(summary, ("level", "kind", "where", "what"), rows, n_keys=4)


def _groups(found: GoldenCheck) -> Table:
    rows = tuple(
        (group.name, query.query_id, query.text)
        for group in found.groups
        for query in group.queries
    )
    notes = (
        "These queries share most of their words, so they count almost as one.",
        'Remove all but one, or give them a common "group" in the queries.',
    )
    return Table("Near-duplicate queries", ("group", "query", "text"), rows, notes, n_keys=3)


def _counts(found: GoldenCheck) -> Table:
    counts, golden = found.counts, found.golden
    relevant = counts["relevant"]
    names = ["documents", "chunks", "queries", "judgments"]
    if golden.questions:
        names.append("questions")
    rows = [(name, f"{counts[name]:,}") for name in names]
    rows += [(_grade(golden, grade), f"{n:,}") for grade, n in counts["by_grade"].items()]
    for label in ("category", "difficulty"):
        rows += [(f"{label} {name}", f"{n:,}") for name, n in counts[f"by_{label}"].items()]
    spread = f"{relevant['fewest']} to {relevant['most']}, median {relevant['median']:g}"
    rows.append(("relevant per query", spread))
    for system, holes in found.holes.items():
        rows.append((f"unjudged in the top ranks of {system}", f"{len(holes):,}"))
    title = f"{golden.name}, version {golden.version}"
    notes = [f"Hash: {golden.content_hash}"]
    if golden.judges is not None:
        notes.append(f"If judges disagree, {COUNTED[golden.judges]} counts.")
    return Table(title, ("", "number"), tuple(rows), tuple(notes))


def _grade(golden: GoldenSet, grade: str) -> str:
    """Return a grade with its label, where the set declares one."""
    labels = golden.labels or ()
    has_label = grade.isdecimal() and int(grade) < len(labels)
    return f"grade {grade}, {labels[int(grade)]}" if has_label else f"grade {grade}"


def _ceilings(found: GoldenCheck) -> Table:
    rows = tuple((name, f"{value:.4f}") for name, value in found.ceilings.items())
    notes = ("The best mean that any system can reach with these judgments.",)
    return Table("Ceilings", ("measure", "best"), rows, notes)


def _agreements(found: GoldenCheck) -> Table:
    rows = tuple(
        (name, f"{one.n_pairs:,}", _equal(one), score(one.kappa, 3), _interval(one.interval))
        for name, one in found.agreements.items()
    )
    notes = [
        "kappa: Cohen's, with linear weights, between two passes of judging; the interval is over "
        "queries, with the same two passes."
    ]
    if any(one.kappa is None for one in found.agreements.values()):
        notes.append("-: there is only one grade, so agreement by chance is certain.")
    elif any(one.interval is None for one in found.agreements.values()):
        notes.append("-: too few pairs disagree for an interval.")
    header = ("over", "pairs", "equal", "kappa", "95% interval")
    return Table("Agreement", header, rows, tuple(notes))


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return DASH
    return f"[{score(interval.low, 3)}, {score(interval.high, 3)}]"


def _equal(one: Agreement) -> str:
    return f"{one.n_equal / one.n_pairs:.1%}" if one.n_pairs else DASH


def check_to_json(found: GoldenCheck) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    return json_text(check_as_dict(found))


def check_as_dict(found: GoldenCheck) -> dict[str, Any]:
    """Return the JSON object of a check."""
    golden = found.golden
    return {
        "version": JSON_VERSION,
        "kind": "golden",
        "golden": {
            "name": golden.name,
            "version": golden.version,
            "hash": golden.content_hash,
            "scale": golden.scale,
            "labels": None if golden.labels is None else list(golden.labels),
            "judges": golden.judges,
        },
        "counts": dict(found.counts),
        "ceilings": {name: finite(value) for name, value in found.ceilings.items()},
        "agreements": {name: record_as_dict(one) for name, one in found.agreements.items()},
        "unjudged": {
            system: [{"query_id": query_id, "chunk_id": chunk_id} for query_id, chunk_id in holes]
            for system, holes in found.holes.items()
        },
        "power": [
            {
                "measure": str(one.measure),
                "smallest_drops": [
                    {"correlation": s.correlation, "drop": finite(s.smallest_drop)}
                    for s in one.spreads
                ],
            }
            for one in found.sensitivities
        ],
        "groups": [
            {
                "group": group.name,
                "queries": [
                    {"query_id": query.query_id, "query": query.text} for query in group.queries
                ],
            }
            for group in found.groups
        ],
        "findings": [asdict(one) for one in found.findings],
    }


def weights_table(found: TrafficWeights, written: str | None) -> Table:
    """Lay out how much of the traffic a set covers, and how much its queries count."""
    n_asked, n_unasked = len(found.weights), len(found.unasked)
    rows = (
        ("searches in the log", _searches(found.matched + found.unmatched)),
        ("of queries in the set", f"{_searches(found.matched)} ({found.share:.1%})"),
        ("of other queries", _searches(found.unmatched)),
        ("queries with a weight", f"{n_asked:,} of {n_asked + n_unasked:,}"),
        ("effective number of queries", f"{found.effective:.1f}"),
    )
    notes = []
    if found.unasked:
        shown = ", ".join(found.unasked[:_SHOWN]) + (", …" if n_unasked > _SHOWN else "")
        notes.append(f"{count(n_unasked, 'query', 'queries')} not in the log: {shown}.")
        notes.append("Queries that are not in the log have no weight: assign one, or remove them.")
    notes.append(_destination(written))
    return Table("Weights by traffic", ("", "number"), rows, tuple(notes))


def shares_table(found: ShareWeights, written: str | None) -> Table:
    """Lay out the share of each kind of queries, and how much each query of it counts."""
    rows = tuple(
        (one["stratum"], f"{one['share']:.1%}", f"{one['queries']:,}", f"{one['weight']:.4g}")
        for one in _strata(found)
    )
    worth = f"{count(len(found.weights), 'query', 'queries')} are worth {found.effective:,.1f}"
    notes = (f"The {worth} of equal weight (Kish's effective sample size).", _destination(written))
    columns = (found.label, "share", "queries", "weight of each")
    return Table(f"Weights by {found.label}", columns, rows, notes)


def _destination(written: str | None) -> str:
    if written is None:
        return "Nothing was written; see --output and --in-place."
    return f"Written to {written}."


def _strata(found: ShareWeights) -> list[dict[str, Any]]:
    return [
        {
            "stratum": value,
            "share": share,
            "queries": found.counts[value],
            "weight": share / found.counts[value],
        }
        for value, share in found.shares.items()
    ]


def _searches(number: float) -> str:
    return f"{number:,.0f}" if number.is_integer() else f"{number:,.2f}"


def weights_to_json(found: TrafficWeights | ShareWeights, written: str | None) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    from berryeval.golden.weights import ShareWeights

    own: dict[str, Any]
    if isinstance(found, ShareWeights):
        own = {"by": found.label, "strata": _strata(found)}
        own |= {"matched": None, "unmatched": None, "unasked": []}
    else:
        own = {"by": None, "strata": []}
        own |= {"matched": found.matched, "unmatched": found.unmatched}
        own["unasked"] = [*found.unasked]
    record = {
        "version": JSON_VERSION,
        "kind": "weights",
        "output": written,
        **own,
        "effective_queries": found.effective,
        "weights": dict(found.weights),
    }
    return json_text(record)
