"""Scores of sessions: tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import score
from berryeval.reports.layout import Table, csv_text, json_text, tables_to_text

if TYPE_CHECKING:
    from berryeval.evaluation.sessions import SessionScores

__all__ = ["render_sessions", "sessions_tables"]

JSON_VERSION = 1


def render_sessions(
    found: Mapping[str, SessionScores], format: str, *, per_session: bool = False
) -> str:
    """Return the scores of sessions as table, csv, json or markdown."""
    if format == "json":
        return json_text(_as_dict(found))
    if format == "csv":
        columns = ("run", "session", "turns", "sDCG", "nsDCG", *_measures(found))
        return csv_text(columns, _rows(found))
    tables = sessions_tables(found, per_session=per_session)
    if format == "markdown":
        from berryeval.reports.markdown import tables_to_markdown

        return tables_to_markdown(tables)
    return tables_to_text(tables)


def sessions_tables(
    found: Mapping[str, SessionScores], *, per_session: bool = False
) -> list[Table]:
    """Lay out the means of each run, and every session if requested."""
    measures = _measures(found)
    tables = [
        Table(
            "Sessions",
            ("run", "sessions", "turns", "sDCG", "nsDCG", *measures),
            tuple(
                (
                    name,
                    f"{len(scores):,}",
                    f"{len([turn for one in scores.values() for turn in one.query_ids]):,}",
                    score(scores.sdcg),
                    score(scores.nsdcg),
                    *(score(scores.means[measure]) for measure in measures),
                )
                for name, scores in found.items()
            ),
            ("Means over sessions; measures are first averaged over each session's judged turns.",),
        )
    ]
    if per_session:
        tables.append(
            Table(
                "Every session",
                ("run", "session", "turns", "sDCG", "nsDCG", *measures),
                tuple(
                    (
                        name,
                        session,
                        str(len(one.query_ids)),
                        score(one.sdcg),
                        score(one.nsdcg),
                        *(score(one.means[m]) if m in one.means else "" for m in measures),
                    )
                    for name, scores in found.items()
                    for session, one in scores.items()
                ),
                n_keys=2,
            )
        )
    return tables


def _measures(found: Mapping[str, SessionScores]) -> list[str]:
    return [*dict.fromkeys(name for scores in found.values() for name in scores.means)]


def _rows(found: Mapping[str, SessionScores]) -> Iterator[list[object]]:
    measures = _measures(found)
    for name, scores in found.items():
        for session, one in scores.items():
            means = [one.means.get(measure) for measure in measures]
            yield [name, session, len(one.query_ids), one.sdcg, one.nsdcg, *means]


def _as_dict(found: Mapping[str, SessionScores]) -> dict[str, Any]:
    return {
        "version": JSON_VERSION,
        "kind": "sessions",
        "runs": [
            {
                "run": name,
                "sdcg": scores.sdcg,
                "nsdcg": scores.nsdcg,
                "means": scores.means,
                "sessions": [
                    {
                        "session": session,
                        "queries": list(one.query_ids),
                        "sdcg": one.sdcg,
                        "nsdcg": one.nsdcg,
                        "means": dict(one.means),
                    }
                    for session, one in scores.items()
                ],
            }
            for name, scores in found.items()
        ],
    }
