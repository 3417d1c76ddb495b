"""Comparisons: systems side by side, and their differences from the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import (
    DASH,
    bounds_text,
    finite,
    interval_text,
    json_value,
    p_text,
    percent,
    score,
    shown_interval,
    signed,
)
from berryeval.evaluation.findings import WORDS
from berryeval.evaluation.headline import MAX_NAMED
from berryeval.evaluation.leaderboard import by_effect, leaderboard
from berryeval.reports.all_pairs import pairs_table
from berryeval.reports.layout import Table, csv_text, json_text
from berryeval.reports.wording import pairs_note, policy_note, query_label, undefined_notes

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference, QueryChange
    from berryeval.evaluation.differences import SystemPair
    from berryeval.measures import Measure

__all__ = [
    "comparison_as_dict",
    "comparison_rows",
    "comparison_table",
    "comparison_to_csv",
    "comparison_to_json",
    "has_many",
]

JSON_VERSION = 3
N_CHANGED = 5


def comparison_table(comparison: Comparison) -> tuple[Table, ...]:
    """Lay out means, differences, slices, pairs, and the queries that changed most.

    If there are many systems, each has a row, best first, and only the best one's queries are
    listed.
    """
    means = _leaderboard(comparison) if has_many(comparison) else _means(comparison)
    tables = [means, _differences(comparison)]
    if comparison.sliced:
        tables.append(_slices(comparison))
    if comparison.risks:
        tables.append(_risks(comparison))
    if comparison.pairs:
        tables.append(pairs_table(comparison))
    tables += _changes(comparison)
    return tuple(tables)


def has_many(comparison: Comparison) -> bool:
    """Whether there are too many candidates for a column each."""
    return len(comparison.candidates) > MAX_NAMED


def _leaderboard(comparison: Comparison) -> Table:
    lead = comparison.lead
    others = [measure for measure in comparison.shown if measure != lead]
    level = percent(comparison.statistics.level)
    return Table(
        title=f"Leaderboard by {lead}",
        header=("system", str(lead), f"{level} interval", "difference", "result",
                *map(str, others)),
        rows=tuple(
            (
                _heading(comparison, place.system),
                score(place.result.mean),
                shown_interval(place.result.interval_at(comparison.statistics.level)),
                DASH if place.difference is None else signed(place.difference.mean),
                "baseline" if place.difference is None else WORDS[place.difference.finding],
                *(score(comparison.evaluations[place.system][str(m)].mean) for m in others),
            )
            for place in leaderboard(comparison)
        ),
        notes=comparison.notes,
    )  # fmt: skip


def _means(comparison: Comparison) -> Table:
    systems = comparison.evaluations
    return Table(
        title="Means",
        header=("", *(_heading(comparison, name) for name in systems)),
        rows=tuple(
            (str(measure), *(score(run[str(measure)].mean) for run in systems.values()))
            for measure in comparison.shown
        ),
        notes=comparison.notes,
    )


def _heading(comparison: Comparison, name: str) -> str:
    says_so = name == "baseline"  # as for a gate
    return f"{name} (baseline)" if name == comparison.baseline and not says_so else name


def _differences(comparison: Comparison) -> Table:
    level = percent(comparison.statistics.level)
    has_bounds = any(d.bounds is not None for d in comparison.differences)
    several = len(comparison.candidates) > 1
    header = ["measure", *(["system"] if several else [])]
    header += ["difference", f"{level} interval", "p", "result"]
    header += [f"p {name}" for name in comparison.statistics.tests]
    header += ["d_z", "r_rb", "W/T/L"]
    notes = [policy_note(comparison), *undefined_notes(comparison.differences)]
    notes.append("d_z: Cohen's d of paired differences; r_rb: matched-pairs rank-biserial; "
                 "W/T/L: queries better, equal, worse.")  # fmt: skip
    if has_bounds:
        header.append("bounds")
        notes.append(
            "bounds: the range of the difference over all possible grades of unjudged documents."
        )
    rows = [
        (
            str(d.measure),
            *([d.system] if several else []),
            signed(d.mean),
            interval_text(d.interval),
            p_text(d.p_value),
            WORDS[d.finding],
            *(p_text(test.p_value) for test in d.tests),
            _effect(d.cohens_dz),
            _effect(d.rank_biserial),
            f"{d.wins}/{d.ties}/{d.losses}",
            *([bounds_text(d.bounds)] if has_bounds else []),
        )
        for measure in comparison.measures
        for d in _in_order(comparison, measure)
    ]
    title = f"Differences from {comparison.baseline}"
    return Table(title, tuple(header), tuple(rows), tuple(notes), n_keys=1 + several)


def _in_order(comparison: Comparison, measure: Measure) -> Sequence[Difference]:
    """Return the differences in one measure: a few in their order, many by effect."""
    if has_many(comparison):
        return by_effect(comparison, measure)
    return [d for d in comparison.differences if d.measure == measure]


def _slices(comparison: Comparison) -> Table:
    several = len(comparison.candidates) > 1
    header = ("slice", "measure", *(["system"] if several else []), "queries", "baseline",
              "candidate", "difference", f"{percent(comparison.statistics.level)} interval",
              "p", "result", "W/T/L")  # fmt: skip
    rows = [
        (
            str(d.slice),
            str(d.measure),
            *([d.system] if several else []),
            str(d.n_queries),
            score(d.baseline_mean),
            score(d.candidate_mean),
            signed(d.mean),
            interval_text(d.interval),
            p_text(d.p_value),
            WORDS[d.finding],
            f"{d.wins}/{d.ties}/{d.losses}",
        )
        for d in comparison.sliced
    ]
    notes = tuple(undefined_notes(comparison.sliced))
    return Table("Slices", header, tuple(rows), notes, n_keys=2 + several)


def _risks(comparison: Comparison) -> Table:
    several = len(comparison.candidates) > 1
    return Table(
        f"Risk relative to {comparison.baseline}",
        ("measure", *(["system"] if several else []), "alpha", "reward", "risk", "U-risk",
         "T-risk", "geo-risk", "RI"),
        tuple(
            (
                str(risk.measure),
                *([risk.system] if several else []),
                f"{risk.alpha:g}",
                score(risk.reward),
                score(risk.risk),
                signed(risk.u_risk),
                _effect(risk.t_risk),
                score(risk.geo_risk),
                signed(risk.robustness_index),
            )
            for risk in comparison.risks
        ),
        (
            "reward, risk: sums of gains and losses per query; U-risk: reward minus 1 + alpha "
            "times risk; T-risk: U-risk in standard errors; geo-risk: among all systems, higher "
            "is better; RI: robustness index, the share of queries that gain minus those that "
            "lose.",
        ),
        n_keys=1 + several,
    )  # fmt: skip


def _changes(comparison: Comparison) -> Iterator[Table]:
    measure = comparison.lead
    systems = comparison.candidates
    if has_many(comparison):
        systems = (by_effect(comparison, measure)[0].system,)
    for system in systems:
        found = comparison.changed_most(system, measure, N_CHANGED)
        if found:
            yield Table(
                title=f"Queries that changed most: {measure}, {system}",
                header=("query", comparison.baseline, system, "difference"),
                rows=tuple(
                    (
                        query_label(c.query_id, c.text),
                        score(c.baseline),
                        score(c.candidate),
                        signed(c.difference),
                    )
                    for c in found
                ),
            )


def _effect(value: float | None) -> str:
    if finite(value) is None:
        return DASH
    text = f"{value:+.2f}"
    return text[1:] if float(text) == 0 else text


def comparison_to_json(comparison: Comparison, *, per_query: bool = False) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    return json_text(comparison_as_dict(comparison, per_query=per_query))


def comparison_as_dict(comparison: Comparison, *, per_query: bool = False) -> dict[str, Any]:
    """Return the JSON object of a comparison."""
    found: dict[str, Any] = json_value({
        "version": JSON_VERSION,
        "kind": "comparison",
        "baseline": comparison.baseline,
        "candidates": comparison.candidates,
        "queries": comparison.n_queries,
        "effective_queries": comparison.sampling.effective_queries,
        "sentence": comparison.sentence,
        "statistics": comparison.statistics,
        "runs": [
            {
                "run": name,
                "queries": run.n_queries,
                "counts": vars(run.counts),
                "means": run.to_dict(),
            }
            for name, run in comparison.evaluations.items()
        ],
        "differences": [_difference_as_dict(one) for one in comparison.differences],
        "common": [_difference_as_dict(one) for one in comparison.common],
        "slices": [_difference_as_dict(one) for one in comparison.sliced],
        "risks": comparison.risks,
        "changed_most": _queries_as_dicts(_changes_of_all(comparison, N_CHANGED)),
        "notes": comparison.notes,
    })  # fmt: skip
    if comparison.pairs:
        found["pairs"] = [_pair_as_dict(pair) for pair in comparison.pairs]
        found["notes"] = [*found["notes"], pairs_note(comparison)]
    if per_query:
        found["per_query"] = _queries_as_dicts(_changes_of_all(comparison))
    return found


def _pair_as_dict(pair: SystemPair) -> dict[str, Any]:
    found: dict[str, Any] = json_value(_difference_as_dict(pair.difference))
    means = {"first_mean": found["baseline"], "second_mean": found["candidate"]}
    kept = ("measure", "queries", "difference", "interval", "p_value", "reason", "finding", "wins",
            "ties", "losses")  # fmt: skip
    return {
        "first": pair.first,
        "second": pair.second,
        **means,
        **{key: found[key] for key in kept},
    }


def _difference_as_dict(difference: Difference) -> dict[str, Any]:
    return {
        "system": difference.system,
        "measure": difference.measure,
        "slice": difference.slice,
        "queries": difference.n_queries,
        "effective_queries": difference.sampling.effective_queries,
        "baseline": difference.baseline_mean,
        "candidate": difference.candidate_mean,
        "difference": difference.mean,
        "noise_sd": difference.noise_sd,
        "interval": difference.interval,
        "p_value": difference.p_value,
        "reason": difference.reason,
        "finding": difference.finding,
        "tests": [
            {
                "name": test.test,
                "statistic": test.statistic,
                "p_value": test.p_value,
                "reason": test.reason,
            }
            for test in difference.tests
        ],
        "cohens_dz": difference.cohens_dz,
        "rank_biserial": difference.rank_biserial,
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
        "rests_on": difference.rests_on and vars(difference.rests_on),
        "bounds": difference.bounds,
    }


def _queries_as_dicts(
    changes_of_all: Iterable[tuple[str, str, list[QueryChange]]],
) -> list[dict[str, Any]]:
    return [
        {
            "system": system,
            "measure": str(measure),
            "query_id": change.query_id,
            "text": change.text,
            "baseline": finite(change.baseline),
            "candidate": finite(change.candidate),
            "difference": finite(change.difference),
        }
        for system, measure, changes in changes_of_all
        for change in changes
    ]


def _changes_of_all(
    comparison: Comparison, n: int | None = None
) -> Iterator[tuple[str, str, list[QueryChange]]]:
    """Iterate over systems and measures, with the changes of all queries, or of `n` per kind."""
    for system in comparison.candidates:
        for measure in comparison.measures:
            if n is None:
                yield system, str(measure), comparison.changes(system, measure)
            else:
                yield system, str(measure), comparison.changed_most(system, measure, n)


def comparison_to_csv(comparison: Comparison, *, per_query: bool = False) -> str:
    """Return a line for each system, measure and slice, or for each query, with all digits.

    The slice of all queries is empty, and so are undefined figures. Pairs of systems, if there are
    any, have the first one in the additional column ``paired_with``, which is otherwise empty.
    """
    return csv_text(*comparison_rows(comparison, per_query=per_query))


def comparison_rows(
    comparison: Comparison, *, per_query: bool = False
) -> tuple[tuple[str, ...], Iterable[list[object]]]:
    """Return columns and rows: one for each system, measure and slice, or for each query."""
    if per_query:
        return _QUERY_COLUMNS, _query_rows(comparison)
    rows = map(_row, comparison.differences + comparison.sliced)
    if not comparison.pairs:
        return _COLUMNS, rows
    paired = [[*_row(pair.difference), pair.first] for pair in comparison.pairs]
    return (*_COLUMNS, "paired_with"), [*([*row, None] for row in rows), *paired]


_COLUMNS = ("system", "measure", "slice", "queries", "baseline", "candidate", "difference", "low",
            "high", "p_value", "finding", "cohens_dz", "rank_biserial", "wins", "ties",
            "losses", "bound_low", "bound_high")  # fmt: skip
_QUERY_COLUMNS = ("system", "measure", "query", "baseline", "candidate", "difference")


def _row(d: Difference) -> list[object]:
    return [
        d.system,
        str(d.measure),
        None if d.slice is None else str(d.slice),
        d.n_queries,
        d.baseline_mean,
        d.candidate_mean,
        d.mean,
        d.interval and d.interval.low,
        d.interval and d.interval.high,
        finite(d.p_value),
        d.finding,
        finite(d.cohens_dz),
        finite(d.rank_biserial),
        d.wins,
        d.ties,
        d.losses,
        d.bounds and d.bounds.low,
        d.bounds and d.bounds.high,
    ]


def _query_rows(comparison: Comparison) -> Iterator[list[object]]:
    for system, measure, changes in _changes_of_all(comparison):
        for c in changes:
            yield [system, measure, c.query_id, c.baseline, c.candidate, c.difference]
