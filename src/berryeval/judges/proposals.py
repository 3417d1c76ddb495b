"""Proposed queries in a golden set: ``query-proposals.jsonl``, one JSON object per line.

People decide about each of them; nothing else moves a proposal into the queries of the set. The
file keeps where every query comes from, also of those that were rejected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from berryeval.core.files import write_whole
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, FormatError
from berryeval.judges.protocol import hash_of

__all__ = ["PROPOSALS", "Proposal", "Status", "proposal_of", "read_proposals", "write_proposals"]

PROPOSALS = "query-proposals.jsonl"

Status = Literal["proposed", "accepted", "added", "rejected", "duplicate", "unanswered"]
"""Waiting for a person; accepted by one, and then added to the set; rejected by one; almost the
same as another query; and not answered by its own document, as the judge says."""


@dataclass(frozen=True)
class Proposal:
    """A proposed query, and where it comes from."""

    query_id: str
    status: Status
    query: str
    """Empty if the model wrote no query for the document."""
    intent: str
    category: str | None
    difficulty: str | None
    doc_id: str
    """The document that it was written for."""
    content: str
    """A hash of the document, the model, its settings and the template."""
    model: str | None
    template: str
    proposed_at: str
    why: str = ""
    """Why it was set aside, or what a person wrote."""
    judge: str | None = None
    """The judge of the round trip."""
    grade: float | None = None
    """The judge's grade of the document."""
    system: str | None = None
    """The system of the round trip."""
    rank: int | None = None
    """The rank of the document; None if the system did not return it."""
    original: str | None = None
    """The query as the model wrote it, if a person changed it."""
    reviewed_by: str | None = None
    reviewed_at: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it waits for a person, or to be added: it was neither rejected nor set aside."""
        return self.status in ("proposed", "accepted")

    @staticmethod
    def id_of(query: str, doc_id: str) -> str:
        """Return the id of a proposal, which the query keeps in the set."""
        return f"P{hash_of([query, doc_id])[:8]}"

    def to_query(self) -> Query:
        """Return it as a query of the set; the intent is its description."""
        return Query(
            self.query_id,
            self.query,
            category=self.category,
            difficulty=self.difficulty,
            description=self.intent,
        )

    def accepted(self, reviewer: str, when: str, **changed: str | None) -> Proposal:
        """Return it as a person accepted it, with other texts if some are given.

        The query as the model wrote it is kept as `original`.
        """
        new: dict[str, Any] = {name: value for name, value in changed.items() if value is not None}
        if new.get("query", self.query) != self.query:
            new["original"] = self.original or self.query
        return replace(self, status="accepted", reviewed_by=reviewer, reviewed_at=when, **new)

    def rejected(self, reviewer: str, when: str, why: str = "") -> Proposal:
        """Return it as a person rejected it."""
        return replace(self, status="rejected", reviewed_by=reviewer, reviewed_at=when, why=why)


_NAMES = tuple(one.name for one in fields(Proposal))
_REQUIRED = ("query_id", "status", "query", "intent", "doc_id")


def read_proposals(folder: str | os.PathLike[str]) -> list[Proposal]:
    """Read the proposals of a golden set; none if it has no such file.

    The file may be edited by hand: status, query, intent, category and difficulty.

    Raises
    ------
    FormatError
        If a line is invalid.
    """
    path = Path(folder) / PROPOSALS
    if not path.exists():
        return []
    found = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found.append(_proposal(line, str(path), number))
    return found


def _proposal(line: bytes, path: str, number: int) -> Proposal:
    try:
        record = json.loads(line)
        return proposal_of(record)
    except ArgumentError as error:
        message = f"expected {error.expected} as {error.argument}, found {error.got}"
        raise FormatError(message, path, number) from None
    except (ValueError, AttributeError, RecursionError):
        raise FormatError("expected a JSON object", path, number) from None


def proposal_of(record: Mapping[str, Any]) -> Proposal:
    """Return the proposal of a record, whose other fields are ignored.

    Raises
    ------
    ArgumentError
        If a field has another type, or the status is unknown.
    """
    values: dict[str, Any] = {name: record.get(name) for name in _NAMES}
    for name in _REQUIRED:
        if not isinstance(values[name], str):
            raise ArgumentError(name, "text", repr(values[name])[:40])
    if values["status"] not in get_args(Status):
        expected = f"one of {', '.join(get_args(Status))}"
        raise ArgumentError("status", expected, repr(values["status"])[:40])
    return Proposal(**values | {"why": values["why"] or ""})


def write_proposals(folder: str | os.PathLike[str], proposals: Iterable[Proposal]) -> None:
    """Write all proposals, completely or not at all."""
    lines = (
        json.dumps(asdict(one), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        for one in proposals
    )
    write_whole(Path(folder) / PROPOSALS, lines)
