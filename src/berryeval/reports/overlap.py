"""How similar two runs are: tables, Markdown, CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import score, signed
from berryeval.evaluation.notes import count_queries
from berryeval.reports.layout import Table, csv_text, json_text, tables_to_text

if TYPE_CHECKING:
    from berryeval.evaluation.overlap import Overlap

__all__ = ["overlap_tables", "render_overlap"]

JSON_VERSION = 1
N_SHOWN = 5
"""Queries whose rankings differ most."""

_COLUMNS = ("query", "overlap", "low", "high", "tau", "common", "first", "second")


def render_overlap(found: Overlap, names: tuple[str, str], format: str) -> str:
    """Return an overlap as table, csv, json or markdown; csv and json have every query."""
    if format == "json":
        return json_text(_as_dict(found, names))
    if format == "csv":
        rows = ((query_id, *asdict(one).values()) for query_id, one in found.by_query.items())
        return csv_text(_COLUMNS, rows)
    if format == "markdown":
        from berryeval.reports.markdown import tables_to_markdown

        return tables_to_markdown(overlap_tables(found, names))
    return tables_to_text(overlap_tables(found, names))


def overlap_tables(found: Overlap, names: tuple[str, str]) -> list[Table]:
    """Lay out the means, and the queries whose rankings differ most."""
    low, high = found.bounds
    ranks = "whole rankings" if found.depth is None else f"the first {found.depth} ranks"
    n_queries = len(found.by_query)
    notes = [
        f"Means over {count_queries(n_queries)}, for {ranks}; "
        f"{found.n_identical:,} of them with identical rankings.",
        f"overlap: rank-biased overlap, p {found.p:g}, extrapolated; bounds: its range over all "
        "ways in which the rankings may continue; tau: Kendall's, over documents in both.",
    ]
    alone = [
        f"{count_queries(n)} of {name} only"
        for name, n in zip(names, found.n_unmatched, strict=True)
        if n
    ]
    if alone:
        notes.append(f"Left out: {', '.join(alone)}.")
    means = Table(
        "Similarity of rankings",
        ("first", "second", "overlap", "bounds", "tau"),
        ((*names, score(found.mean), f"[{score(low)}, {score(high)}]", signed(found.tau)),),
        tuple(notes),
        n_keys=2,
    )
    least = Table(
        "Queries whose rankings differ most",
        ("query", "overlap", "tau", "documents in both"),
        tuple(
            (query_id, score(one.overlap), signed(one.tau), f"{one.n_common:,}")
            for query_id, one in found.most_different(N_SHOWN)
            if one.overlap < 1.0
        ),
    )
    return [means, least] if least.rows else [means]


def _as_dict(found: Overlap, names: tuple[str, str]) -> dict[str, Any]:
    low, high = found.bounds
    return {
        "version": JSON_VERSION,
        "kind": "overlap",
        "runs": list(names),
        "p": found.p,
        "depth": found.depth,
        "queries": len(found.by_query),
        "unmatched": list(found.n_unmatched),
        "identical": found.n_identical,
        "overlap": found.mean,
        "low": low,
        "high": high,
        "tau": found.tau,
        "per_query": [
            {
                "query_id": query_id,
                "overlap": one.overlap,
                "low": one.low,
                "high": one.high,
                "tau": one.tau,
                "common": one.n_common,
                "documents": [one.n_first, one.n_second],
            }
            for query_id, one in found.by_query.items()
        ],
    }
