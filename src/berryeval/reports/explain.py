"""Explanations: a sentence, a table of moves, and how the difference was distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.reports.layout import Table, csv_text, table_to_text
from berryeval.reports.wording import beginning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from berryeval.evaluation.explain import Explanation, Move

__all__ = [
    "explanation_heading",
    "explanation_sentence",
    "explanation_table",
    "explanation_to_csv",
    "explanation_to_json",
    "explanation_to_text",
]

JSON_VERSION = 1

_SMALLEST_SHOWN = 0.00005  # what four decimals round to 0


def explanation_sentence(found: Explanation, names: tuple[str, str]) -> str:
    """Return one sentence on what changed between the runs of these names."""
    what = f"{found.measure} of query {found.query_id}"
    before, after = names
    if found.difference == 0.0:
        changed = f"{what} {found.verb}: {found.before:.4f} in {before} and in {after}."
    else:
        size = _plain(abs(found.difference))
        changed = (
            f"{what} {found.verb} by {size}, from {found.before:.4f} in {before} "
            f"to {found.after:.4f} in {after}."
        )
    empty = [name for name, number in zip(names, found.n_retrieved, strict=True) if not number]
    return " ".join([changed, *(f"{name} has no documents for it." for name in empty)])


def explanation_heading(
    found: Explanation,
    names: tuple[str, str],
    *,
    query_text: str | None = None,
    is_chosen: bool = False,
) -> str:
    """Return the lines above the table: the sentence, and remarks on the query.

    `is_chosen` means that the query was chosen by its difference.
    """
    lines = [explanation_sentence(found, names)]
    if is_chosen:
        lines.append(_why_chosen(found))
    if query_text is not None:
        lines.append(f"Query: {query_text}")
    return "\n".join(lines)


def _why_chosen(found: Explanation) -> str:
    if found.outcome == "equal":
        return "No query changed; this is the first one."
    if found.outcome == "worse":
        return "This query lost the most."
    return "No query got worse; this one gained the most."


def explanation_table(
    found: Explanation, *, every_move: bool = False, titles: Mapping[str, str] | None = None
) -> Table:
    """Lay out a row for each document whose move had an effect, or for every document.

    `titles` adds a column of titles, by document.
    """
    moves = _shown(found, every_move=every_move)
    titled = titles is not None
    return Table(
        title="",
        header=(
            "document",
            *["title"] * titled,
            "grade",
            "rank before",
            "rank after",
            *(f"in {name}" for name in found.source_ranks),
            "contribution",
        ),
        rows=tuple(
            (
                move.doc_id,
                *_title(move, titles),
                "-" if move.grade is None else f"{move.grade:g}",
                _rank(move.rank_before),
                _rank(move.rank_after),
                *(_rank(ranks.get(move.doc_id)) for ranks in found.source_ranks.values()),
                _signed(move.contribution),
            )
            for move in moves
        ),
        notes=_notes(found, moves),
        n_keys=1 + titled,
    )


def _title(move: Move, titles: Mapping[str, str] | None) -> list[str]:
    return [] if titles is None else [beginning(titles.get(move.doc_id, ""))]


def explanation_to_text(heading: str, table: Table) -> str:
    """Return heading and table in plain characters; for a table without rows, only its notes."""
    below = table_to_text(table) if table.rows else "\n".join(table.notes)
    return f"{heading}\n\n{below}\n"


def explanation_to_json(
    found: Explanation,
    names: tuple[str, str],
    *,
    query_text: str | None = None,
    every_move: bool = False,
    titles: Mapping[str, str] | None = None,
) -> str:
    """Return one JSON object: version, query, scores, method, and the moves."""
    import json  # slow to import, and not needed for a table

    moves = _shown(found, every_move=every_move)
    return json.dumps(
        {
            "version": JSON_VERSION,
            "kind": "explanation",
            "query_id": found.query_id,
            "query": query_text,
            "measure": str(found.measure),
            "before": {"run": names[0], "score": found.before, "retrieved": found.n_retrieved[0]},
            "after": {"run": names[1], "score": found.after, "retrieved": found.n_retrieved[1]},
            "difference": found.difference,
            "method": found.method,
            "n_shared": found.n_shared,
            "n_without_effect": len(found.moves) - len(found.effective),
            "moves": [
                vars(move)
                | ({} if titles is None else {"title": titles.get(move.doc_id)})
                | _sources(found, move)
                for move in moves
            ],
        },
        indent=2,
    )


def explanation_to_csv(found: Explanation, *, every_move: bool = False) -> str:
    """Return a line per move; an unjudged grade and a missing rank are empty."""
    rows = (
        [
            move.doc_id,
            None if move.grade is None else f"{move.grade:g}",
            move.rank_before,
            move.rank_after,
            *(ranks.get(move.doc_id) for ranks in found.source_ranks.values()),
            repr(move.contribution),
        ]
        for move in _shown(found, every_move=every_move)
    )
    sources = (f"rank_in_{name}" for name in found.source_ranks)
    header = ["doc_id", "grade", "rank_before", "rank_after", *sources, "contribution"]
    return csv_text(header, rows)


def _sources(found: Explanation, move: Move) -> dict[str, dict[str, int | None]]:
    """Return the ranks in the runs that were fused, if they are known."""
    if not found.source_ranks:
        return {}
    return {"source_ranks": {name: r.get(move.doc_id) for name, r in found.source_ranks.items()}}


def _shown(found: Explanation, *, every_move: bool) -> Sequence[Move]:
    return found.moves if every_move else found.effective


def _notes(found: Explanation, shown: Sequence[Move]) -> tuple[str, ...]:
    notes = []
    if not found.moves:
        notes.append("No document moved within the ranks that the measure covers.")
    hidden = len(found.moves) - len(shown)
    if hidden:
        more = " more" if shown else ""
        documents = "document" if hidden == 1 else "documents"
        notes.append(f"{hidden}{more} {documents} moved without effect; --all shows them.")
    if any(move.grade is None for move in shown):
        notes.append("Grade -: the document is unjudged.")
    if any(_is_missing(found, move) for move in shown):
        notes.append("Rank -: the document is not in the run.")
    if found.effective:
        notes.append(f"Contributions add up to the difference: {_method(found)}.")
    return tuple(notes)


def _is_missing(found: Explanation, move: Move) -> bool:
    ranks = (one.get(move.doc_id) for one in found.source_ranks.values())
    return None in (move.rank_before, move.rank_after, *ranks)


def _method(found: Explanation) -> str:
    n = found.n_shared
    documents = "1 document" if n == 1 else f"{n} documents"
    if found.method == "additive":
        return f"{found.measure} is a sum over documents, each at its rank"
    if found.method == "shapley":
        return f"exact Shapley values over {documents}"
    return (
        f"one path, {n} documents moved, too many for exact Shapley values: "
        "each takes its new rank in the order of the second run, then the others leave"
    )


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _signed(contribution: float) -> str:
    if contribution == 0.0:
        return "0"
    return f"{contribution:+.4f}" if _is_visible(contribution) else f"{contribution:+.0e}"


def _plain(size: float) -> str:
    return f"{size:.4f}" if _is_visible(size) else f"{size:.0e}"


def _is_visible(number: float) -> bool:
    return abs(number) >= _SMALLEST_SHOWN
