"""Evaluations of one or more runs, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from berryeval.reports.layout import Table, table_to_text

if TYPE_CHECKING:
    from berryeval.core.id_column import IdColumn
    from berryeval.evaluation import Evaluation

__all__ = ["evaluations_table", "evaluations_to_csv", "evaluations_to_json", "per_query_table"]

JSON_VERSION = 1

Evaluations = Mapping[str, "Evaluation"]


def evaluations_table(runs: Evaluations) -> Table:
    """Lay out a row for each measure and a column for each run, with notes on the queries."""
    first = next(iter(runs.values()))
    return Table(
        title="",
        header=("", *runs),
        rows=tuple((name, *(f"{run[name].mean:.4f}" for run in runs.values())) for name in first),
        notes=_notes(runs),
    )


def per_query_table(runs: Evaluations) -> Table:
    """Lay out a row for each query and run, and a column for each measure."""
    first = next(iter(runs.values()))
    rows = [
        (query_id, name, *(f"{run[measure].by_query[query_id]:.4f}" for measure in first))
        for name, run in runs.items()
        for query_id in run[next(iter(first))].by_query
    ]
    means = [(f"all {run.n_queries}", name, *(f"{run[m].mean:.4f}" for m in first))
             for name, run in runs.items()]  # fmt: skip
    header = ("query", "run", *first)
    return Table("", header, tuple(rows + means), _notes(runs), n_keys=2)


def evaluations_to_json(runs: Evaluations, *, per_query: bool) -> str:
    """Return one JSON object: version, and for each run its queries, counts and means."""
    import json  # slow to import, and a table does without

    return json.dumps(
        {
            "version": JSON_VERSION,
            "runs": [
                {
                    "run": name,
                    "queries": run.n_queries,
                    "counts": vars(run.counts),
                    "means": run.to_dict(),
                    **({"per_query": _by_query(run)} if per_query else {}),
                }
                for name, run in runs.items()
            ],
        },
        indent=2,
    )


def evaluations_to_csv(runs: Evaluations, *, per_query: bool) -> str:
    """Return lines of run, query, measure and value; the query ``all`` has the means."""
    import csv  # as above
    import io

    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(["run", "query", "measure", "value"])
    for name, run in runs.items():
        for measure, result in run.items():
            if per_query:
                writer.writerows([name, q, measure, repr(v)] for q, v in result.by_query.items())
            writer.writerow([name, "all", measure, repr(result.mean)])
    return output.getvalue()


def evaluations_to_text(runs: Evaluations, *, per_query: bool) -> str:
    """Return the table in plain characters."""
    return table_to_text(per_query_table(runs) if per_query else evaluations_table(runs)) + "\n"


def _by_query(run: Evaluation) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for measure, result in run.items():
        for query_id, value in result.by_query.items():
            found.setdefault(query_id, {})[measure] = value
    return found


def _notes(runs: Evaluations) -> tuple[str, ...]:
    first = next(iter(runs.values()))
    judged = f"{_queries(first.counts.judged)} judged"
    if all(_scored_ids(run) == _scored_ids(first) for run in runs.values()):
        notes = [f"{judged}, {first.n_queries} scored."]
    else:
        notes = [f"{name}: {judged}, {run.n_queries} scored." for name, run in runs.items()]
        notes.append("Caution: means over different queries cannot be compared.")
    if first.counts.no_relevant:
        notes.append(f"{_queries(first.counts.no_relevant)} without a relevant document.")
    for name, run in runs.items():
        if run.counts.missing:
            notes.append(f"{name}: {_queries(run.counts.missing)} missing from the run.")
        if run.counts.ignored:
            notes.append(f"{name}: {_queries(run.counts.ignored)} not judged, ignored.")
    return tuple(notes)


def _scored_ids(run: Evaluation) -> IdColumn:
    return next(iter(run.values())).scores.query_ids


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"
