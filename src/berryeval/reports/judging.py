"""The plan of a judge's work, and its results: tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.reports.layout import Table, csv_text, json_text

if TYPE_CHECKING:
    from berryeval.judges.admissions import Standing
    from berryeval.judges.drift import Drift
    from berryeval.judges.metering import Meter, Price
    from berryeval.judges.protocol import Pair
    from berryeval.suite.judge_overview import JudgeOverview
    from berryeval.suite.judging import Judged, Plan

__all__ = [
    "judge_as_dict",
    "judged_tables",
    "judged_to_json",
    "judges_table",
    "judges_to_json",
    "pairs_to_csv",
    "plan_table",
    "plan_to_json",
]

JSON_VERSION = 1

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of a formula."""

_COUNTED = {
    "admitted": "These grades count",
    "rejected": "These grades do not count: the judge was not admitted",
    "expired": "These grades do not count: the admission has expired",
    "unchecked": "These grades do not count",
}


def pairs_to_csv(pairs: Sequence[Pair]) -> str:
    """Return a table for people to fill in; with grades, it is a file of judgments."""
    columns = ["query_id", "doc_id", "query_text", "intent", "document_text", "grade"]
    rows = (
        [
            *pair.key,
            _cell(pair.query.text),
            _cell(pair.query.description or ""),
            _cell("\n\n".join(filter(None, (pair.document.title, pair.document.text)))),
            "",
        ]
        for pair in pairs
    )
    return csv_text(columns, rows)


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: documents may be hostile."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _standing_note(standing: Standing) -> str:
    """Return a note that explains whether the grades of a judge count, and why."""
    way_out = "" if standing.state == "admitted" else " Check it with `berryeval judge check`."
    return f"{_COUNTED[standing.state]}: {standing.why}.{way_out}"


def plan_table(plan: Plan, price: Price | None) -> Table:
    """Lay out what would be asked."""
    cost = plan.estimate
    rows = [
        ("pairs in the pool", f"{len(plan.pool):,}"),
        ("with a stored grade", f"{plan.n_stored:,}"),
        ("judged again", f"{len(plan.repeats):,}"),
        ("calls", f"{cost.n_calls:,}"),
        ("input tokens, estimated", f"{cost.input_tokens:,}"),
        ("output tokens, at most", f"{cost.output_tokens:,}"),
    ]
    if price is not None:
        rows.append(("cost, at most", _money(price.of(cost.input_tokens, cost.output_tokens))))
    notes = (
        "Nothing was sent. Retries, and new requests after invalid answers, are not included.",
        "Tokens are estimated as a quarter of the bytes; servers count in their own way.",
    )
    return Table(f"Judge {plan.identity.name}", ("", "number"), tuple(rows), notes)


def plan_to_json(plan: Plan, price: Price | None) -> str:
    """Return a plan as JSON."""
    cost = plan.estimate
    spent = None if price is None else price.of(cost.input_tokens, cost.output_tokens)
    return json_text({
        "version": JSON_VERSION,
        "kind": "judging_plan",
        "judge": plan.identity.name,
        "pairs": len(plan.pool),
        "stored": plan.n_stored,
        "repeats": len(plan.repeats),
        "calls": cost.n_calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "cost": spent,
    })  # fmt: skip


def judged_tables(
    judged: Judged, meter: Meter, price: Price | None, labels: Mapping[int, str]
) -> list[Table]:
    """Lay out the grades of a pool, the calls, and whether the grades count."""
    counts = judged.by_grade
    total = sum(counts.values())
    grades = Table(
        f"Grades by {judged.plan.identity.name}",
        ("grade", "pairs", "share"),
        tuple(
            (_shown_grade(grade, labels), f"{number:,}", f"{number / total:.1%}")
            for grade, number in counts.items()
        ),
        (_spent(judged, meter, price), _standing_note(judged.standing), *_drift_notes(judged)),
    )
    return [grades]


def _spent(judged: Judged, meter: Meter, price: Price | None) -> str:
    text = f"{judged.plan.n_stored:,} grades were stored before; {meter.n_calls:,} calls now"
    if meter.tokens:
        text += f", {meter.input_tokens:,} input and {meter.output_tokens:,} output tokens"
    if price is not None:
        text += f", cost {_money(price.of(meter.input_tokens, meter.output_tokens))}"
    return f"{text}."


def _drift_notes(judged: Judged) -> list[str]:
    drift = judged.drift
    if not drift.n_repeated:
        return []
    text = f"Judged again: {drift.n_repeated:,} pairs, of which {drift.n_changed:,} changed"
    if drift.is_suspicious:
        return [
            f"Warning: {text[0].lower()}{text[1:]}. {drift.expected_rate:.0%} is expected, so the "
            "judge may have changed. Check it again with `berryeval judge check`."
        ]
    return [f"{text}."]


def judged_to_json(judged: Judged, meter: Meter, price: Price | None) -> str:
    """Return the outcome of judging as JSON."""
    collected = judged.collected
    cost = None if price is None else price.of(meter.input_tokens, meter.output_tokens)
    return json_text({
        "version": JSON_VERSION,
        "kind": "judging",
        "judge": judged.plan.identity.name,
        "pairs": len(judged.plan.pool),
        "stored": judged.plan.n_stored,
        "grades": {
            "cannot judge" if grade is None else f"{grade:g}": number
            for grade, number in judged.by_grade.items()
        },
        "failed": len(collected.failures),
        "budget": collected.budget,
        "calls": meter.n_calls,
        "input_tokens": meter.input_tokens,
        "output_tokens": meter.output_tokens,
        "cost": cost,
        "standing": _standing_as_dict(judged.standing),
        "drift": _drift_as_dict(judged.drift),
    })  # fmt: skip


def _standing_as_dict(standing: Standing) -> dict[str, Any]:
    """Return the standing of a judge for JSON."""
    return {"state": standing.state, "counts": standing.is_admitted, "why": standing.why}


def _shown_grade(grade: float | None, labels: Mapping[int, str]) -> str:
    if grade is None:
        return "cannot judge"
    label = labels.get(int(grade))
    return f"{grade:g}" if label is None else f"{grade:g} {label}"


def _money(amount: float) -> str:
    return f"{amount:,.2f}"


def judges_table(judges: Sequence[JudgeOverview], price: Price | None) -> Table:
    """Lay out the judges of a golden set, what they cost so far, and whether they count."""
    cost = () if price is None else ("cost",)
    notes = [f"{one.name}: {one.standing.why}." for one in judges]
    notes += [
        f"Warning: {one.name} changed {one.drift.n_changed:,} of {one.drift.n_repeated:,} grades "
        "when asked again."
        for one in judges
        if one.drift.is_suspicious
    ]
    return Table(
        "Judges",
        ("judge", "grades", "pairs", "cannot judge", "calls", "tokens", *cost),
        tuple(
            (
                one.name,
                "count" if one.standing.is_admitted else "do not count",
                f"{one.n_pairs:,}",
                f"{one.n_unanswered:,}",
                f"{one.n_calls:,}",
                f"{one.input_tokens + one.output_tokens:,}",
                *(() if price is None else (_money(_cost(one, price)),)),
            )
            for one in judges
        ),
        tuple(notes) or ("No judge has graded anything yet.",),
        n_keys=2,
    )


def judges_to_json(judges: Sequence[JudgeOverview], price: Price | None) -> str:
    """Return the judges of a golden set as JSON."""
    return json_text({
        "version": JSON_VERSION,
        "kind": "judges",
        "judges": [judge_as_dict(one, price) for one in judges],
    })  # fmt: skip


def judge_as_dict(judge: JudgeOverview, price: Price | None) -> dict[str, Any]:
    """Return a judge for JSON: what it did, what it cost, and whether it counts."""
    return {
        "judge": judge.name,
        "identity": judge.identity,
        "models": list(judge.models),
        "pairs": judge.n_pairs,
        "unanswered": judge.n_unanswered,
        "calls": judge.n_calls,
        "input_tokens": judge.input_tokens,
        "output_tokens": judge.output_tokens,
        "cost": None if price is None else _cost(judge, price),
        "last_judged_at": judge.last_judged_at,
        "standing": _standing_as_dict(judge.standing),
        "drift": _drift_as_dict(judge.drift),
    }


def _cost(judge: JudgeOverview, price: Price) -> float:
    return price.of(judge.input_tokens, judge.output_tokens)


def _drift_as_dict(drift: Drift) -> dict[str, Any]:
    return {
        "repeated": drift.n_repeated,
        "changed": drift.n_changed,
        "expected_rate": drift.expected_rate,
        "suspicious": drift.is_suspicious,
    }
