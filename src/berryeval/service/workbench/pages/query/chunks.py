"""Both rankings, fifty ranks at a time, with the lines between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from berryeval.archive import Archive
from berryeval.charts.marks import Link, links
from berryeval.charts.svg import Svg
from berryeval.evaluation.findings import Outcome
from berryeval.service.workbench.pages.query.answers import Answers, Ranked, Side
from berryeval.service.workbench.texts import one_line

__all__ = ["AT_ONCE", "Chunk", "Move", "Shown", "chunk_of", "move_of"]

AT_ONCE = 50
"""Number of ranks that are shown at once."""

_TITLE, _BEGINNING = 160, 200


@dataclass(frozen=True)
class Move:
    """A document's move relative to the other run."""

    kind: str
    """``"up"``, ``"down"``, ``"same"``, ``"new"``, ``"gone"``."""
    badge: str
    words: str


@dataclass(frozen=True)
class Shown:
    """A document as a row shows it."""

    result: Ranked
    title: str
    beginning: str
    move: Move | None
    is_last_counted: bool
    """Whether this is the last rank that the measure considers."""
    hash: str | None
    """Hash of the current document; None if it is not in the archive."""


@dataclass(frozen=True)
class Chunk:
    """Some ranks of each list."""

    first: int
    columns: tuple[tuple[Side, tuple[Shown, ...]], ...]
    lines: Svg | None
    """None if there is only one list."""
    next: int | None
    """The first rank of the next chunk; None if this is the last."""


def chunk_of(
    archive: Archive,
    answers: Answers,
    first: int,
    texts: Mapping[str, tuple[str, str]] | None = None,
) -> Chunk:
    """Return fifty ranks of each list, starting at a rank.

    `texts` has titles and texts of documents that the archive may not have.
    """
    results = [answers.results(side, first, AT_ONCE) for side in answers.sides]
    doc_ids = {result.doc_id: None for part in results for result in part}
    # In this order: a document that changes in between is judged as shown, and stale at once.
    hashes = archive.documents.hashes(doc_ids)
    beginnings = {**(texts or {}), **archive.documents.beginnings(doc_ids)}
    columns = tuple(
        (side, tuple(_shown(result, answers, number, beginnings, hashes) for result in part))
        for number, (side, part) in enumerate(zip(answers.sides, results, strict=True))
    )
    end = first + AT_ONCE
    lines = _lines(answers, *results) if len(results) > 1 else None
    return Chunk(first, columns, lines, end if end <= answers.n_ranks else None)


def _shown(
    result: Ranked,
    answers: Answers,
    side: int,
    beginnings: Mapping[str, tuple[str, str]],
    hashes: Mapping[str, str],
) -> Shown:
    title, text = beginnings.get(result.doc_id, ("", ""))
    return Shown(
        result,
        _cut(title, _TITLE),
        _cut(one_line(text), _BEGINNING),
        move_of(result, is_before=side == 0) if len(answers.sides) > 1 else None,
        result.rank == answers.measure.k,
        hashes.get(result.doc_id),
    )


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def move_of(result: Ranked, *, is_before: bool) -> Move:
    """Return how a document moved; for the baseline, where it went."""
    here, there = result.rank, result.other_rank
    if there is None:
        if is_before:
            return Move("gone", "gone", "missing from the candidate")
        return Move("new", "new", "missing from the baseline")
    before, after = (here, there) if is_before else (there, here)
    if before == after:
        return Move("same", "=", "same rank in both")
    kind = "up" if after < before else "down"
    if is_before:
        return Move(kind, f"→ {after}", f"{kind} to rank {after} in the candidate")
    arrow = "↑" if kind == "up" else "↓"
    return Move(kind, f"{arrow} {abs(after - before)}", f"{kind} from rank {before}")


def _lines(answers: Answers, before: list[Ranked], after: list[Ranked]) -> Svg:
    rows: dict[int, list[int | None]] = {}
    worth: dict[int, float] = {}
    for column, part in enumerate((before, after)):
        for row, result in enumerate(part):
            rows.setdefault(result.number, [None, None])[column] = row
            worth[result.number] = result.contribution or 0.0
    most = max((abs(value) for value in worth.values()), default=0.0) or 1.0
    drawn = [
        Link(number, old, new, _effect(answers, worth[number]), abs(worth[number]) / most)
        for number, (old, new) in rows.items()
    ]
    return links(drawn, max(len(before), len(after)))


def _effect(answers: Answers, contribution: float) -> Outcome:
    found = answers.explanation
    return "equal" if found is None else found.outcome_of(contribution)
