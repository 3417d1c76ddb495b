"""Evaluations of one or more runs, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from berryeval.core.cutoff import DEFAULT_KS
from berryeval.evaluation.evaluate import DEFAULT_MEASURES
from berryeval.evaluation.figures import shown_interval
from berryeval.evaluation.notes import holes_notes, judges_notes, query_notes
from berryeval.measures import NDCG, HitRate, Measure, Precision, Recall, ReciprocalRank
from berryeval.reports.layout import Table, csv_text

if TYPE_CHECKING:
    from berryeval.evaluation import Evaluation, MeasureResult

__all__ = [
    "Evaluations",
    "Shown",
    "evaluation_as_dict",
    "evaluation_rows",
    "evaluations_tables",
    "evaluations_to_csv",
    "evaluations_to_json",
]

JSON_VERSION = 1

Evaluations = Mapping[str, "Evaluation"]


class Shown(NamedTuple):
    """What to show of evaluations in addition to means."""

    per_query: bool = False
    label: str | None = None
    """Label whose slices to show."""
    intervals: bool = False
    """Whether to show 95% intervals of means."""
    sampling_errors: bool = False
    """Whether to show standard errors of estimates from a sample of judgments."""


def evaluations_tables(runs: Evaluations, shown: Shown = Shown()) -> list[Table]:  # noqa: B008 - frozen
    """Lay out the means, or every query; then slices, if requested."""
    if shown.per_query:
        tables = [_per_query_table(runs, shown)]
    elif next(iter(runs.values())).measures == DEFAULT_MEASURES:
        tables = _default_tables(runs, shown)
    else:
        tables = [_means_table(runs, shown)]
    if shown.label is not None:
        tables.append(_slices_table(runs, shown.label, shown))
    return tables


def _means_table(runs: Evaluations, shown: Shown) -> Table:
    first = next(iter(runs.values()))
    return Table(
        title="",
        header=("", *runs),
        rows=tuple((name, *(_cell(run[name], shown) for run in runs.values())) for name in first),
        notes=_notes(runs, shown),
    )


_COLUMNS: tuple[tuple[str, type[Measure]], ...] = (
    ("Recall", Recall),
    ("Precision", Precision),
    ("nDCG", NDCG),
    ("Hit rate", HitRate),
)


def _default_tables(runs: Evaluations, shown: Shown) -> list[Table]:
    """Lay out the default measures: MRR, then one row per cutoff (E4)."""
    tables = []
    for name, run in runs.items():
        title = f"MRR {_cell(run[str(ReciprocalRank())], shown)}"
        rows = tuple(
            (str(k), *(_cell(run[str(measure(k))], shown) for _, measure in _COLUMNS))
            for k in DEFAULT_KS
        )
        header = ("k", *(heading for heading, _ in _COLUMNS))
        tables.append(Table(title if len(runs) == 1 else f"{name}: {title}", header, rows))
    tables[-1] = tables[-1]._replace(notes=_notes(runs, shown))
    return tables


def _per_query_table(runs: Evaluations, shown: Shown) -> Table:
    first = next(iter(runs.values()))
    errors = Shown(sampling_errors=shown.sampling_errors)
    rows = [
        (query_id, name, *(_query_cell(run[measure], query_id, errors) for measure in first))
        for name, run in runs.items()
        for query_id in run[next(iter(first))].by_query
    ]
    means = [(f"all {run.n_queries}", name, *(_cell(run[m], errors) for m in first))
             for name, run in runs.items()]  # fmt: skip
    header = ("query", "run", *first)
    return Table("", header, tuple(rows + means), _notes(runs, errors), n_keys=2)


def _query_cell(result: MeasureResult, query_id: str, shown: Shown) -> str:
    value = f"{result.by_query[query_id]:.4f}"
    if not shown.sampling_errors or result.variances is None:
        return value
    return f"{value} {_plus_minus(result.sampling_errors[query_id])}"


def _slices_table(runs: Evaluations, label: str, shown: Shown) -> Table:
    from berryeval.evaluation.slices import in_order  # imports many formats, rarely needed

    first = next(iter(runs.values()))
    rows = [
        (value, name, str(part.n_queries), *(_cell(part[measure], shown) for measure in first))
        for name, run in runs.items()
        for value, part in run.by(label).items()
    ]
    order = in_order({row[0] for row in rows})
    rows.sort(key=lambda row: order.index(row[0]))
    return Table(f"By {label}", (label, "run", "queries", *first), tuple(rows), n_keys=2)


def _cell(result: MeasureResult, shown: Shown) -> str:
    mean = f"{result.mean:.4f}"
    if shown.sampling_errors and result.variances is not None:
        mean = f"{mean} {_plus_minus(result.sampling_error)}"
    return f"{mean} {shown_interval(result.interval)}" if shown.intervals else mean


def _plus_minus(error: float | None) -> str:
    return "± ?" if error is None else f"± {error:.4f}"


def _notes(runs: Evaluations, shown: Shown) -> tuple[str, ...]:
    notes = [*map(str, query_notes(runs)), *holes_notes(runs)]
    if shown.sampling_errors:
        notes.append(
            "±: standard error that is due to judging a sample of the documents, for these queries."
        )
        if any(result.variances is not None and result.sampling_error is None
               for run in runs.values() for result in run.values()):  # fmt: skip
            notes.append("±?: unknown, because a stratum has no judged document.")
    if shown.intervals:
        notes.append(
            "In brackets: 95% intervals, by Student's t and Hall's correction for skewness."
        )
    return tuple(notes)


def evaluations_to_json(runs: Evaluations, shown: Shown = Shown()) -> str:  # noqa: B008 - frozen
    """Return one JSON object: version, and for each run its queries, counts and means."""
    import json  # slow to import, and not needed for a table

    entries = [{"run": name, **evaluation_as_dict(run, shown)} for name, run in runs.items()]
    return json.dumps({"version": JSON_VERSION, "kind": "evaluation", "runs": entries}, indent=2)


def evaluation_as_dict(run: Evaluation, shown: Shown = Shown()) -> dict[str, Any]:  # noqa: B008
    """Return the JSON object of one run."""
    found: dict[str, Any] = {
        "queries": run.n_queries,
        "effective_queries": run.effective_queries,
        "counts": vars(run.counts),
        "means": run.to_dict(),
        "holes": {name: result.holes for name, result in run.items()},
        "notes": [*judges_notes(run.reduced), *run.notes],
    }
    if shown.intervals:
        found["intervals"] = {name: _interval(result) for name, result in run.items()}
    if shown.sampling_errors:
        found["sampling_errors"] = {
            name: result.sampling_error
            for name, result in run.items()
            if result.variances is not None
        }
    if shown.per_query:
        found["per_query"] = _by_query(run)
        if shown.sampling_errors:
            found["sampling_errors_per_query"] = _errors_by_query(run)
    if shown.label is not None:
        part_shown = Shown(intervals=shown.intervals, sampling_errors=shown.sampling_errors)
        parts = {
            value: evaluation_as_dict(part, part_shown)
            for value, part in run.by(shown.label).items()
        }
        found["slices"] = {shown.label: parts}
    return found


def _interval(result: MeasureResult) -> list[float] | None:
    interval = result.interval
    return None if interval is None else [interval.low, interval.high]


def evaluations_to_csv(runs: Evaluations, shown: Shown = Shown()) -> str:  # noqa: B008 - frozen
    """Return lines of run, query, measure and value; the query ``all`` has the means.

    Intervals add the columns low and high, sampling errors the column sampling_error, and slices
    lines whose query is ``category=factual``. If queries are missing from a run, the last column,
    missing, has their number, or 1 for a query that is missing.
    """
    ends = ("low", "high") if shown.intervals else ()
    errors = ("sampling_error",) if shown.sampling_errors else ()
    header = ["run", "query", "measure", "value", *ends, *errors]
    has_missing = any(run.counts.missing for run in runs.values())
    if has_missing:
        header.append("missing")
    rows = (
        [name, *row, *([str(missing)] if has_missing else [])]
        for name, run in runs.items()
        for row, missing in _csv_rows(run, shown)
    )
    return csv_text(header, rows)


def evaluation_rows(
    run: Evaluation, *, per_query: bool = False
) -> tuple[tuple[str, ...], Iterator[list[object]]]:
    """Return columns and rows: one for each measure, or for each query with all its scores."""
    if per_query:
        return ("query", *run), _query_rows(run)
    return ("measure", "mean", "low", "high", "queries", "holes"), _mean_rows(run)


def _query_rows(run: Evaluation) -> Iterator[list[object]]:
    for query_id, values in _by_query(run).items():
        yield [query_id, *(values.get(name) for name in run)]


def _mean_rows(run: Evaluation) -> Iterator[list[object]]:
    for name, result in run.items():
        yield [name, result.mean, *(_interval(result) or (None, None)), result.n_queries,
               result.holes]  # fmt: skip


def _csv_rows(run: Evaluation, shown: Shown) -> Iterator[tuple[list[str], int]]:
    """Iterate over rows, each with how many of its queries are missing from the run."""
    empty = ("", "") if shown.intervals else ()
    missing = dict(zip(run.scores.query_ids, run.scores.is_missing, strict=True))
    for measure, result in run.items():
        if shown.per_query:
            errors = result.sampling_errors if shown.sampling_errors else {}
            for query, value in result.by_query.items():
                error = _shown_error(errors.get(query), shown)
                yield [query, measure, repr(value), *empty, *error], int(missing[query])
        row = ["all", measure, repr(result.mean), *_ends(result, shown)]
        yield row, run.counts.missing
    for name, part in (run.by(shown.label) if shown.label is not None else {}).items():
        for measure, result in part.items():
            row = [f"{shown.label}={name}", measure, repr(result.mean), *_ends(result, shown)]
            yield row, part.counts.missing


def _ends(result: MeasureResult, shown: Shown) -> list[str]:
    ends = [repr(end) for end in _interval(result) or ()] or ["", ""] if shown.intervals else []
    return [*ends, *_shown_error(result.sampling_error, shown)]


def _shown_error(error: float | None, shown: Shown) -> list[str]:
    if not shown.sampling_errors:
        return []
    return ["" if error is None else repr(error)]


def _errors_by_query(run: Evaluation) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for measure, result in run.items():
        for query_id, error in result.sampling_errors.items():
            found.setdefault(query_id, {})[measure] = error
    return found


def _by_query(run: Evaluation) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for measure, result in run.items():
        for query_id, value in result.by_query.items():
            found.setdefault(query_id, {})[measure] = value
    return found
