"""Unjudged documents: a table to look at, and lists for those who judge."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from berryeval.core.grouped import Grouping
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.evaluation.notes import weights_note
from berryeval.formats import trec
from berryeval.reports.layout import TEXT_WIDTH, Table, table_to_text
from berryeval.reports.wording import query_label

if TYPE_CHECKING:
    from berryeval.evaluation.holes import Hole
    from berryeval.evaluation.mean_bounds import MeanBounds
    from berryeval.measures import Measure

__all__ = [
    "HoleList",
    "holes_table",
    "holes_to_csv",
    "holes_to_json",
    "holes_to_jsonl",
    "holes_to_text",
    "holes_to_trec",
]

JSON_VERSION = 1

_NOT_JUDGED = -1.0


@dataclass(frozen=True)
class HoleList:
    """Holes, and what they were looked for with.

    Parameters
    ----------
    holes : sequence of Hole
        All of them, the most decisive first.
    n_shown : int or None
        How many to show; None means all.
    runs : sequence of str
        The names of the runs.
    measures : sequence of Measure
        What the effects are on.
    max_grade : float
        The grade that a hole might get.
    n_queries : int
        How many queries are judged.
    depth : int or None
        How many ranks were looked at; None means all.
    means : sequence of MeanBounds
        Between what the means, or differences, lie.
    baseline : str, optional
        The run that the others are held against.
    texts : mapping from str to str
        What the queries ask, by their ids.
    effective_queries : float, optional
        How many queries of equal weight are worth as much; None without weights.
    """

    holes: Sequence[Hole]
    n_shown: int | None
    runs: Sequence[str]
    measures: Sequence[Measure]
    max_grade: float
    n_queries: int
    depth: int | None = None
    means: Sequence[MeanBounds] = ()
    baseline: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    effective_queries: float | None = None

    @property
    def shown(self) -> Sequence[Hole]:
        """The holes to show."""
        return self.holes[: self.n_shown]

    @property
    def n_queries_with_holes(self) -> int:
        """How many queries have holes."""
        return len({hole.query_id for hole in self.holes})


def holes_table(found: HoleList) -> Table:
    """Lay out a row for each hole, with its rank in each run, and notes on what it means."""
    rows = tuple(
        (
            query_label(hole.query_id, found.texts.get(hole.query_id)),
            hole.doc_id,
            f"{hole.effect:.4f}",
            *(str(hole.ranks.get(run, "-")) for run in found.runs),
        )
        for hole in found.shown
    )
    header = ("query", "document", "effect", *found.runs)
    return Table("", header, rows, _notes(found), n_keys=2)


def holes_to_text(found: HoleList) -> str:
    """Return the table in plain characters."""
    return table_to_text(holes_table(found)) + "\n"


def holes_to_csv(found: HoleList) -> str:
    """Return a table to fill in: query, document, an empty grade, effect, and a rank a run.

    With grades filled in, it is a file of judgments. Texts of queries stand after the documents.
    """
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    text_columns = ["query_text"] if found.texts else []
    ranks = [f"rank in {run}" for run in found.runs]
    writer.writerow(["query_id", "doc_id", *text_columns, "grade", "effect", *ranks])
    for hole in found.shown:
        writer.writerow(
            [
                hole.query_id,
                hole.doc_id,
                *([found.texts.get(hole.query_id, "")] if found.texts else []),
                "",
                repr(hole.effect),
                *(hole.ranks.get(run, "") for run in found.runs),
            ]
        )
    return output.getvalue()


def holes_to_jsonl(found: HoleList) -> str:
    """Return an object a line, to fill in its grade."""
    return "".join(json.dumps(_record(hole, found)) + "\n" for hole in found.shown)


def holes_to_json(found: HoleList) -> str:
    """Return one JSON object: version, what was looked for, how many there are, and the holes."""
    return (
        json.dumps(
            {
                "version": JSON_VERSION,
                "kind": "holes",
                "runs": list(found.runs),
                "baseline": found.baseline,
                "measures": [str(measure) for measure in found.measures],
                "max_grade": found.max_grade,
                "n_holes": len(found.holes),
                "n_queries": found.n_queries,
                "effective_queries": found.effective_queries,
                "n_queries_with_holes": found.n_queries_with_holes,
                "bounds": [
                    {
                        "run": mean.run,
                        "measure": str(mean.measure),
                        "mean": mean.mean,
                        "low": mean.bounds.low,
                        "high": mean.bounds.high,
                        "is_outer": mean.bounds.is_outer,
                    }
                    for mean in found.means
                ],
                "holes": [_record(hole, found) for hole in found.shown],
            },
            indent=2,
        )
        + "\n"
    )


def holes_to_trec(found: HoleList) -> Iterator[bytes]:
    """Iterate over lines of judgments with grade -1: in the pool, and not judged.

    Raises
    ------
    InputError
        For an id with white space, which a TREC file cannot hold.
    """
    rows = Grouping()
    for hole in found.shown:
        rows.add(encode_id(hole.query_id), encode_id(hole.doc_id), _NOT_JUDGED)
    return trec.to_lines(Judgments.collect(rows))


def _record(hole: Hole, found: HoleList) -> dict[str, object]:
    text = {"query_text": found.texts.get(hole.query_id)} if found.texts else {}
    return {
        "query_id": hole.query_id,
        "doc_id": hole.doc_id,
        **text,
        "grade": None,
        "effect": hole.effect,
        "ranks": dict(hole.ranks),
    }


def _notes(found: HoleList) -> tuple[str, ...]:
    if not found.holes:
        return ("Every document in these ranks is judged.",)
    n_holes, n_shown = len(found.holes), len(found.shown)
    unjudged = "1 unjudged document" if n_holes == 1 else f"{n_holes:,} unjudged documents"
    shown = "" if n_shown == n_holes else f"; the {n_shown:,} most decisive are shown"
    there = f"{found.n_queries_with_holes:,} of {found.n_queries:,} queries"
    rank = "The column of each run shows the document's rank; - means none" + (
        "." if found.depth is None else f" in the first {found.depth:,}."
    )
    notes = [
        f"{unjudged} in {there}{shown}.",
        f"effect: the {_what_changes(found)} if the document gets grade "
        f"{found.max_grade:g} instead of 0, and the other unjudged ones get 0.",
        rank,
    ]
    if found.effective_queries is not None:
        notes.append(weights_note(found.n_queries, found.effective_queries))
    lines = [line for note in notes for line in textwrap.wrap(note, TEXT_WIDTH)]
    if found.means:
        lines += [
            "",
            f"Means as judged, and over all grades from 0 to {found.max_grade:g} of the unjudged:",
        ]
        lines += [f"  {_range(mean, found.baseline)}" for mean in found.means]
        from berryeval.evaluation.headline import listing
        from berryeval.evaluation.mean_bounds import counts_unseen  # which found the means

        unseen = [str(measure) for measure in found.measures if counts_unseen(measure)]
        if found.baseline is None and unseen:
            note = "Relevant documents outside these rankings could also change {}."
            lines.append(note.format(listing(unseen)))
    return tuple(lines)


def _what_changes(found: HoleList) -> str:
    """Say which mean it is, or that it is the one that changes most."""
    is_one_of_many = len(found.measures) > 1 or len(found.runs) - (found.baseline is not None) > 1
    measures = " or ".join(str(measure) for measure in found.measures)
    what = f"mean {measures}"
    if found.baseline is not None:
        what = f"difference from {found.baseline} in {what}"
    return f"{'largest ' * is_one_of_many}change of the {what}"


def _range(mean: MeanBounds, baseline: str | None) -> str:
    sign, name = ("", mean.run) if baseline is None else ("+", f"{mean.run} - {baseline}")
    value, low, high = (f"{x:{sign}.4f}" for x in (mean.mean, mean.bounds.low, mean.bounds.high))
    outer = " (outer bounds)" if mean.bounds.is_outer else ""
    return f"{name}: {mean.measure} {value}, between {low} and {high}{outer}"
