"""Unjudged documents: a table to read, and lists for judges."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from berryeval.core.grouped import Grouping
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.evaluation.figures import record_as_dict
from berryeval.evaluation.notes import weights_note
from berryeval.formats import trec
from berryeval.reports.layout import TEXT_WIDTH, Table, csv_text
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
    "holes_to_trec",
]

JSON_VERSION = 1

_NOT_JUDGED = -1.0


@dataclass(frozen=True)
class HoleList:
    """Holes, and the settings that they were found with."""

    holes: Sequence[Hole]
    """All holes, the most decisive first."""
    n_shown: int | None
    """The number to show; None means all."""
    runs: Sequence[str]
    measures: Sequence[Measure]
    max_grade: float
    """The highest grade that a hole might get."""
    n_queries: int
    """The number of judged queries."""
    depth: int | None = None
    """The number of ranks considered; None means all."""
    means: Sequence[MeanBounds] = ()
    """The bounds of means, or of differences."""
    baseline: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts of queries by id."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""

    @property
    def shown(self) -> Sequence[Hole]:
        """The holes to show."""
        return self.holes[: self.n_shown]

    @property
    def n_queries_with_holes(self) -> int:
        """The number of queries with holes."""
        return len({hole.query_id for hole in self.holes})


def holes_table(found: HoleList) -> Table:
    """Lay out a row for each hole, with its rank in each run, and notes on the figures."""
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


def holes_to_csv(found: HoleList) -> str:
    """Return a table to fill in: query, document, an empty grade, effect, and a rank per run.

    With grades filled in, it is a file of judgments. Texts of queries follow the documents.
    """
    text_columns = ["query_text"] if found.texts else []
    ranks = [f"rank in {run}" for run in found.runs]
    rows = (
        [
            hole.query_id,
            hole.doc_id,
            *([found.texts.get(hole.query_id, "")] if found.texts else []),
            "",
            repr(hole.effect),
            *(hole.ranks.get(run, "") for run in found.runs),
        ]
        for hole in found.shown
    )
    return csv_text(["query_id", "doc_id", *text_columns, "grade", "effect", *ranks], rows)


def holes_to_jsonl(found: HoleList) -> str:
    """Return one JSON object per line, to fill in its grade."""
    return "".join(json.dumps(_record(hole, found)) + "\n" for hole in found.shown)


def holes_to_json(found: HoleList) -> str:
    """Return one JSON object: version, settings, counts, and the holes."""
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
                        **record_as_dict(mean.bounds),
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
    """Iterate over lines of judgments with grade -1: in the pool, but not judged.

    Raises `InputError` for an id with white space.
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
    rank = "The column of each run shows the document's rank; - means not " + (
        "retrieved." if found.depth is None else f"in the first {found.depth:,}."
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
            "Means as judged, and their bounds if each unjudged document may have any grade "
            f"from 0 to {found.max_grade:g}:",
        ]
        lines += [f"  {_range(mean, found.baseline)}" for mean in found.means]
        from berryeval.evaluation.headline import listing
        from berryeval.evaluation.mean_bounds import counts_unseen  # loaded before, for means

        unseen = [str(measure) for measure in found.measures if counts_unseen(measure)]
        if found.baseline is None and unseen:
            note = "Relevant documents outside these rankings could also change {}."
            lines.append(note.format(listing(unseen)))
    return tuple(lines)


def _what_changes(found: HoleList) -> str:
    """Name the mean, or means, that the effect is on."""
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
