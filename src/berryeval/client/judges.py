"""Automated judges, draws of labels, and proposed queries of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from berryeval.client.connection import Record, Resource

if TYPE_CHECKING:
    from berryeval.evaluation.label_draw import LabelDraw
    from berryeval.judges.admissions import StoredAdmission
    from berryeval.judges.model_grades import ModelGrade
    from berryeval.judges.proposals import Proposal

__all__ = ["Judges", "LabelDraws", "Proposals"]

_AT_ONCE = 5000
"""Records per request."""


class Judges(Resource):
    """Automated judges: their grades and their checks."""

    def __iter__(self) -> Iterator[Record]:
        return iter(self._connection.ask("GET", "/v1/judges")["judges"])

    def get(self, identity: str) -> Record:
        """Return a judge with the results of its checks."""
        return self._connection.ask("GET", "/v1/judges/{identity}", {"identity": identity})

    def grades(self, identity: str | None = None) -> Iterator[Record]:
        """Iterate over the grades of a judge, or of all."""
        return self._connection.iter_items("/v1/judges/grades", query={"judge": identity})

    def put_grades(self, grades: Iterable[ModelGrade]) -> Record:
        """Store grades; existing ones are kept. Large numbers are sent in several requests."""
        return _in_parts(self, "/v1/judges/grades", "grades", map(asdict, grades))

    def checks(self) -> Sequence[Record]:
        """Return all checks of judges, oldest first."""
        return self._connection.iter_list("/v1/judges/admissions", {})

    def put_checks(self, checks: Iterable[StoredAdmission]) -> Record:
        """Store results of checks; the last one of a judge decides whether it counts."""
        records = ({**asdict(one), "models": [*one.models]} for one in checks)
        return _in_parts(self, "/v1/judges/admissions", "admissions", records, 100)


class LabelDraws(Resource):
    """Draws of queries that people label."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/label-draws")

    def get(self, name: str) -> Record:
        """Return a draw with its queries."""
        return self._connection.ask("GET", "/v1/label-draws/{name}", {"name": name})

    def put(self, name: str, draw: LabelDraw) -> Record:
        """Store a draw; a different one with the same name is a `ConflictError`."""
        return self._put(name, draw.to_dict())

    def create(
        self,
        name: str,
        n: int,
        *,
        by: str | None = None,
        runs: Sequence[str] | None = None,
        chosen: Iterable[str] = (),
    ) -> Record:
        """Draw queries of the archive; from each value of a label if `by` names one.

        More are drawn where the differences that the judge sees between `runs` vary more; default:
        the two newest. ``why`` in the result states whether that was known. `chosen` are queries to
        label regardless of the draw; they correct no other query.
        """
        return self._put(name, {"n": n, "by": by, "runs": runs, "chosen": [*chosen]})

    def remove(self, name: str) -> None:
        """Remove a draw; judgments are kept."""
        self._connection.ask("DELETE", "/v1/label-draws/{name}", {"name": name})

    def _put(self, name: str, body: Mapping[str, Any]) -> Record:
        return self._connection.ask("PUT", "/v1/label-draws/{name}", {"name": name}, body=body)


class Proposals(Resource):
    """Queries that a model proposed, for people to accept or reject."""

    def __iter__(self) -> Iterator[Record]:
        return self.list()

    def list(self, *, status: str | None = None) -> Iterator[Record]:
        """Iterate over proposals: all, or those of a status."""
        return self._connection.iter_items("/v1/proposals", query={"status": status})

    def get(self, query_id: str) -> Record:
        """Return a proposal."""
        return self._connection.ask("GET", "/v1/proposals/{query_id}", {"query_id": query_id})

    def put(self, proposals: Iterable[Proposal]) -> Record:
        """Store proposals; existing ones are kept."""
        return _in_parts(self, "/v1/proposals", "proposals", map(asdict, proposals))

    def accept(self, query_id: str, **changed: str) -> Record:
        """Accept a proposal, which becomes a query.

        `changed` are other values of query, intent, category and difficulty.
        """
        return self._decide(query_id, {"decision": "accept", **changed})

    def reject(self, query_id: str, why: str = "") -> Record:
        """Reject a proposal."""
        return self._decide(query_id, {"decision": "reject", "why": why})

    def _decide(self, query_id: str, body: Mapping[str, Any]) -> Record:
        path = "/v1/proposals/{query_id}/decision"
        return self._connection.ask("POST", path, {"query_id": query_id}, body=body)


def _in_parts(
    resource: Resource,
    path: str,
    name: str,
    records: Iterable[Mapping[str, Any]],
    at_once: int = _AT_ONCE,
) -> Record:
    """Send records in several requests, and return the totals."""
    total = {"received": 0, "new": 0}
    waiting = iter(records)
    while some := [*islice(waiting, at_once)]:
        answer = resource._connection.ask("POST", path, body={name: some})  # noqa: SLF001
        total = {key: total[key] + answer[key] for key in total}
    return Record(total)
