"""Gates: the verdict, and the figures of each guard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import (
    DASH,
    finite,
    interval_text,
    json_value,
    p_text,
    record_as_dict,
    score,
    shown_interval,
    signed,
)
from berryeval.evaluation.guards import MarginGuard, written
from berryeval.reports.comparison import comparison_as_dict
from berryeval.reports.layout import Table, csv_text, json_text
from berryeval.reports.wording import count, gate_note

if TYPE_CHECKING:
    from berryeval.evaluation.holes import Hole
    from berryeval.evaluation.reserve import Opening
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = [
    "candidate_of",
    "gate_as_dict",
    "gate_rows",
    "gate_table",
    "gate_to_csv",
    "gate_to_json",
    "guard_figures",
    "guard_kind",
]

JSON_VERSION = 2
N_HOLES = 5

_KINDS = {"ThresholdGuard": "threshold", "MarginGuard": "margin", "LatencyGuard": "latency"}


def guard_kind(guard: GuardResult) -> str:
    """Return ``"threshold"``, ``"margin"``, ``"equivalence"`` or ``"latency"``."""
    if getattr(guard.guard, "is_equivalence", False):
        return "equivalence"
    return _KINDS[type(guard.guard).__name__]


def candidate_of(result: GateResult) -> str | None:
    """Return the name of the run that was judged; None if nothing was compared."""
    if result.comparison is None:
        return None
    runs = result.comparison.evaluations
    return next(name for name, run in runs.items() if run is result.evaluation)


def guard_figures(guard: GuardResult) -> tuple[str, str, str]:
    """Return value, limit and interval as text, depending on the kind of guard."""
    kind = guard_kind(guard)
    if kind == "latency":
        return f"{guard.value:.1f} ms", f"{written(guard.limit)} ms", DASH
    if kind in ("margin", "equivalence"):
        limit = f"±{score(abs(guard.limit))}" if kind == "equivalence" else signed(guard.limit)
        return signed(guard.value), limit, interval_text(guard.interval)
    return score(guard.value), score(guard.limit), shown_interval(guard.interval)


def gate_table(result: GateResult) -> tuple[Table, ...]:
    """Lay out the guards under the verdict, and the unjudged documents that could change it."""
    header = ("guard", "verdict", "value", "limit", "interval", "p pass", "p fail", "queries")
    rows = tuple(
        (
            guard.name,
            _verdict(guard),
            *guard_figures(guard),
            p_text(guard.p_pass),
            p_text(guard.p_fail),
            str(guard.n_queries),
        )
        for guard in result.guards
    )
    title = f"{result.verdict.upper()}: {result.sentence}"
    tables = [Table(title, header, rows, _notes(result))]
    if result.holes:
        tables.append(_holes(result))
    return tuple(tables)


def _verdict(guard: GuardResult) -> str:
    marks = "*" if guard.depends_on_holes else ""
    marks += " (unchanged)" if guard.is_unchanged else ""
    return f"{guard.verdict}{marks}" + (" (watched)" if guard.is_watched else "")


def _notes(result: GateResult) -> tuple[str, ...]:
    # The sentence above the table already gives the reason of the guard that decided.
    notes = [
        f"{guard.name}: {guard.reason}"
        for guard in result.guards
        if guard.verdict != "pass" and guard.reason not in result.sentence
    ]
    notes += filter(None, [result.losses_note, gate_note(result), _p_values(result)])
    notes += _noise(result)
    if any(guard.is_watched for guard in result.guards):
        notes.append("Watched guards are reported but do not affect the verdict.")
    if any(guard.depends_on_holes for guard in result.guards):
        notes.append("*: extreme grades for unjudged documents could change it.")
    if result.next_step:
        notes.append(result.next_step)
    return tuple(notes)


def _p_values(result: GateResult) -> str | None:
    """Return what the p-values of the table are; None if it has none."""
    if all(guard.p_pass is None for guard in result.guards):
        return None
    return (
        "p pass: p-value of the hypothesis that the drop is the margin or more; p fail: that it is "
        "the margin or less, adjusted by Holm over all margin guards (`berryeval gate --help`)."
    )


def _noise(result: GateResult) -> Iterator[str]:
    """Note the noise that is included; the reasons of guards that do not pass mention it, too."""
    known = {
        str(guard.guard.measure): guard.noise_sd
        for guard in result.guards
        if isinstance(guard.guard, MarginGuard) and guard.noise_sd and guard.p_pass is not None
    }
    if known:
        deviations = ", ".join(f"{measure} {sd:.4f}" for measure, sd in known.items())
        yield (
            "Intervals and p-values include the noise that all queries of a run share (standard "
            f"deviation of the mean difference): {deviations}."
        )


def _holes(result: GateResult) -> Table:
    shown = result.holes[:N_HOLES]
    left_out = len(result.holes) - len(shown)
    return Table(
        title="Unjudged documents with the largest effect",
        header=("query", "document", "ranks", "effect"),
        rows=tuple((h.query_id, h.doc_id, ranks_text(h), score(h.effect)) for h in shown),
        notes=(f"{count(left_out, 'more document')}{_way_to_list(result)}.",) if left_out else (),
        n_keys=2,
    )


def _way_to_list(result: GateResult) -> str:
    if result.files is None or result.holes_command is None:
        return ""
    return f"; to list them, run {result.files.with_run_kept(result.holes_command)}"


def ranks_text(hole: Hole) -> str:
    """Return the rank of an unjudged document in each run."""
    return ", ".join(f"{name} {rank}" for name, rank in hole.ranks.items())


def gate_to_json(result: GateResult) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    return json_text(gate_as_dict(result))


def gate_as_dict(result: GateResult) -> dict[str, Any]:
    """Return the JSON object of a gate."""
    comparison = result.comparison
    found: dict[str, Any] = json_value({
        "version": JSON_VERSION,
        "kind": "gate",
        "verdict": result.verdict,
        "sentence": result.sentence,
        "alpha": result.alpha,
        "level": result.level,
        "memory": _memory_as_dict(result),
        "opening": _opening_as_dict(result.opening),
        "inference": result.inference,
        "candidate": candidate_of(result),
        "suggestion": result.suggestion,
        "suggested_command": result.suggested_command,
        "lost_most": _losses_as_dicts(result),
        "explain_command": result.explain_command,
        "holes_command": result.holes_command,
        "rests_on": result.rests_on and vars(result.rests_on),
        "missing": result.missing,
        "common": result.common,
        "guards": [_guard_as_dict(guard) for guard in result.guards],
        "holes": result.holes,
        "means": result.evaluation.to_dict(),
    })  # fmt: skip
    return found | {"comparison": comparison and comparison_as_dict(comparison)}


def _losses_as_dicts(result: GateResult) -> list[dict[str, Any]]:
    if result.losses is None:
        return []
    return [
        {
            "query_id": one.query_id,
            "measure": result.losses.measure,
            "baseline": one.baseline,
            "candidate": one.candidate,
            "difference": one.difference,
        }
        for one in result.losses.queries
    ]


def _memory_as_dict(result: GateResult) -> dict[str, Any] | None:
    memory = result.memory
    if memory is None:
        return None
    return {
        "looks": memory.looks,
        "tries": memory.tries,
        "queries": memory.sizes,
        "n_max": result.rules.n_max,
    }


def _opening_as_dict(opening: Opening | None) -> dict[str, Any] | None:
    if opening is None:
        return None
    drift = opening.drift
    return record_as_dict(opening) | {
        "drift": drift
        and {
            "mean": drift.mean,
            "interval": drift.interval,
            "p": drift.p_value,
            "has_drifted": opening.has_drifted,
        },
    }


def _guard_as_dict(guard: GuardResult) -> dict[str, Any]:
    baseline, candidate = guard.means or (None, None)
    return {
        "name": guard.name,
        "kind": guard_kind(guard),
        "measure": getattr(guard.guard, "measure", None),
        "slice": guard.slice,
        "baseline": guard.baseline,
        "verdict": guard.verdict,
        "reason": guard.reason,
        "is_watched": guard.is_watched,
        "queries": guard.n_queries,
        "effective_queries": guard.effective_queries,
        "value": guard.value,
        "limit": guard.limit,
        "interval": guard.interval,
        "p_pass": guard.p_pass,
        "p_fail": guard.p_fail,
        "noise_sd": guard.noise_sd,
        "baseline_mean": baseline,
        "candidate_mean": candidate,
        "changed": guard.n_changed,
        "groups": guard.n_groups,
        "rests_on": guard.rests_on and vars(guard.rests_on),
        "queries_needed": guard.queries_needed,
        "queries_needed_range": guard.queries_needed_range,
        "depends_on_holes": guard.depends_on_holes,
        "verdicts_by_holes": guard.verdicts_by_holes,
    }


def gate_to_csv(result: GateResult) -> str:
    """Return a line for each guard, with all digits; undefined figures are empty."""
    return csv_text(*gate_rows(result))


def gate_rows(result: GateResult) -> tuple[tuple[str, ...], list[list[object]]]:
    """Return columns, and a row for each guard."""
    header = ("guard", "kind", "slice", "verdict", "watched", "queries", "value", "limit", "low",
              "high", "p_pass", "p_fail", "reason")  # fmt: skip
    return header, [
        [
            guard.name,
            guard_kind(guard),
            None if guard.slice is None else str(guard.slice),
            guard.verdict,
            str(guard.is_watched).lower(),
            guard.n_queries,
            finite(guard.value),
            finite(guard.limit),
            guard.interval and guard.interval.low,
            guard.interval and guard.interval.high,
            finite(guard.p_pass),
            finite(guard.p_fail),
            guard.reason,
        ]
        for guard in result.guards
    ]
