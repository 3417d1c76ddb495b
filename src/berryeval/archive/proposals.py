"""Proposed queries. They become queries of the archive when a person accepts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, get_args

from sqlalchemy import Connection, Row, func, select, update

from berryeval.archive.checks import check_id, check_text, json_value
from berryeval.archive.clock import now
from berryeval.archive.database import Database, batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.queries import ArchivedQueries
from berryeval.archive.records import Page
from berryeval.archive.tables import query_proposals
from berryeval.errors import ArgumentError, ConflictError, NotFoundError
from berryeval.judges.proposals import Proposal, Status, proposal_of

__all__ = ["ArchivedProposals", "check_proposal_row"]

_c = query_proposals.c
_TEXTS = ("query", "intent", "category", "difficulty")


class ArchivedProposals(ArchivePart):
    """Proposals by the id that the query will have."""

    def __init__(self, database: Database, queries: ArchivedQueries) -> None:
        super().__init__(database)
        self._queries = queries

    def put(self, proposals: Iterable[Proposal]) -> int:
        """Store proposals, all or none, and return the number of new ones.

        Existing proposals and decisions are kept. One that a file calls accepted waits here like
        any other, and no reviewer is taken from a file: no one has reviewed it in this archive.

        Raises
        ------
        ArgumentError, InputTypeError
            If a field of a proposal is invalid.
        """
        rows = [check_proposal_row(_row(_unseen(one))) for one in proposals]
        statement = self._database.insert(query_proposals).on_conflict_do_nothing()
        n_rows = select(func.count()).select_from(query_proposals)
        with self._database.writing(alone="queries") as connection:
            before = connection.scalar(n_rows) or 0
            for some in batches_of(rows):
                connection.execute(statement, some)
            return (connection.scalar(n_rows) or 0) - before

    def get(self, query_id: str) -> Proposal | None:
        """Return a proposal; None if it does not exist."""
        return self._one(
            select(query_proposals).where(_c.query_id == check_id(query_id, "query_id")), _proposal
        )

    def page(
        self, *, status: Status | None = None, after: str | None = None, limit: int = 100
    ) -> Page[Proposal]:
        """Return proposals, of one status or all, in the order of the bytes of their ids."""
        rows = select(query_proposals)
        if status is not None:
            rows = rows.where(_c.status == status)
        return self._page(rows, (_c.query_id,), _proposal, after=after, limit=limit)

    def counts(self) -> Mapping[str, int]:
        """Return the number of proposals by status."""
        rows = select(_c.status, func.count().label("n")).group_by(_c.status)
        with self._database.reading() as connection:
            return Counter({row.status: row.n for row in connection.execute(rows)})

    def accept(self, query_id: str, *, reviewer: str, **changed: str | None) -> Proposal:
        """Accept a proposal as it is or with other texts, and add it to the queries.

        Parameters
        ----------
        query_id : str
            The proposal.
        reviewer : str
            The person who decides.
        **changed : str or None
            Other values of ``query``, ``intent``, ``category`` and ``difficulty``.

        Raises
        ------
        NotFoundError
            If there is no such proposal.
        ConflictError
            If it was decided before, or the archive has another query of this id.
        """
        accepted = self._decide(query_id, lambda one: one.accepted(reviewer, _now(), **changed))
        query = accepted.to_query()

        def check(known: object) -> None:
            if known is not None and known != query:
                found = "another query"
                raise ConflictError(f"query {query_id!r}", "none", found)

        self._queries.put([query], check=check)
        # As it was added: another reviewer may since have accepted it with other texts.
        return self._decide(query_id, lambda _: replace(accepted, status="added"))

    def reject(self, query_id: str, *, reviewer: str, why: str = "") -> Proposal:
        """Reject a proposal. Raises like `accept`."""
        return self._decide(query_id, lambda one: one.rejected(reviewer, _now(), why))

    def _decide(self, query_id: str, decide: Callable[[Proposal], Proposal]) -> Proposal:
        with self._database.writing(alone="queries") as connection:
            before = _get(connection, query_id)
            if before.status in ("added", "rejected"):
                found = f"{before.status} by {before.reviewed_by}"
                raise ConflictError(f"proposal {query_id!r}", "one without a decision", found)
            after = decide(before)
            row = check_proposal_row(_row(after))
            key = row.pop("query_id")
            connection.execute(update(query_proposals).where(_c.query_id == key).values(row))
        return after


def _now() -> str:
    return now().isoformat(timespec="seconds")


def check_proposal_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a proposal, or raise if a value is invalid."""
    check_id(row["query_id"], "query_id")
    facts = row["facts"] = json_value(row["facts"], "facts")
    found = proposal_of({**facts, "query_id": row["query_id"], "status": row["status"]})
    for name in _TEXTS:
        value = getattr(found, name)
        is_empty = value == "" and found.status not in ("accepted", "added", "proposed")
        if not is_empty:
            check_text(value, name, optional=name not in ("query", "intent"))
    return row


def _unseen(proposal: Proposal) -> Proposal:
    if proposal.status not in get_args(Status):
        raise ArgumentError("status", f"one of {', '.join(get_args(Status))}", proposal.status)
    status: Status = "proposed" if proposal.status == "accepted" else proposal.status
    return replace(proposal, status=status, reviewed_by=None, reviewed_at=None)


def _row(proposal: Proposal) -> dict[str, Any]:
    facts = asdict(proposal)
    return {"query_id": facts.pop("query_id"), "status": facts.pop("status"), "facts": facts}


def _get(connection: Connection, query_id: str) -> Proposal:
    rows = select(query_proposals).where(_c.query_id == check_id(query_id, "query_id"))
    row = connection.execute(rows).one_or_none()
    if row is None:
        raise NotFoundError("proposal", query_id)
    return _proposal(row)


def _proposal(row: Row[Any]) -> Proposal:
    return Proposal(query_id=row.query_id, status=row.status, **row.facts)
