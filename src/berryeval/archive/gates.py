"""The gates of an archive, and their verdicts, which are permanent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Text,
    delete,
    func,
    insert,
    select,
    type_coerce,
)

from berryeval.archive.checks import check_count, check_id, check_settings
from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Check, Page, StoredGate, StoredVerdict, VerdictSummary
from berryeval.archive.tables import gates, verdicts
from berryeval.errors import ArgumentError
from berryeval.evaluation.gate_rules import Verdict
from berryeval.evaluation.memory import Decision

__all__ = ["ArchivedGates", "ArchivedVerdicts"]

_VERDICTS: tuple[str, ...] = get_args(Verdict)
_SENTENCE = '"sentence":'
_WITHIN = 4096
"""Characters of a report that are searched for its sentence, which comes first."""

_STORED = [column for column in verdicts.c if column is not verdicts.c.decision]
"""The columns of a `StoredVerdict`."""


class ArchivedGates(ArchivePart):
    """The settings of gates by name, as JSON, which the archive does not interpret."""

    def put(
        self, name: str, settings: Mapping[str, Any], *, check: Check[StoredGate] | None = None
    ) -> StoredGate:
        """Write a gate; one of the same name is replaced, and its verdicts are kept.

        Parameters
        ----------
        check : callable, optional
            Called with the current state, or None, in the same transaction. If it raises, nothing
            is changed.
        """
        stored = StoredGate(check_id(name, "name"), check_settings(settings, "settings"), now())
        with self._database.writing(alone="gates") as connection:
            if check is not None:
                check(_get(connection, name))
            self._database.upsert(connection, gates, "name", [asdict(stored)])
        return stored

    def get(self, name: str) -> StoredGate | None:
        """Return a gate; None if it does not exist."""
        check_id(name, "name")
        with self._database.reading() as connection:
            return _get(connection, name)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredGate]:
        """Return gates in the order of their names' bytes."""
        keys = (gates.c.name,)
        return self._page(select(gates), keys, _gate, after=after, limit=limit)

    def remove(self, name: str, *, check: Check[StoredGate] | None = None) -> bool:
        """Remove a gate, and return whether it existed; `check` as for `put`. Verdicts are kept."""
        rows = delete(gates).where(gates.c.name == check_id(name, "name"))
        with self._database.writing(alone="gates") as connection:
            if check is not None:
                check(_get(connection, name))
            return connection.execute(rows).rowcount > 0


def _get(connection: Connection, name: str) -> StoredGate | None:
    row = connection.execute(select(gates).where(gates.c.name == name)).one_or_none()
    return None if row is None else _gate(row)


def _gate(row: Row[Any]) -> StoredGate:
    return StoredGate(row.name, row.settings, row.updated_at)


class ArchivedVerdicts(ArchivePart):
    """Verdicts by number, from 1. They are never changed or removed."""

    def put(
        self,
        *,
        gate: str,
        run_id: str,
        verdict: str,
        judgments_hash: str,
        baseline_id: str | None = None,
        report: Mapping[str, Any] | None = None,
        decision: Decision | None = None,
    ) -> StoredVerdict:
        """Write the verdict of a gate on a run, compared with a baseline.

        Parameters
        ----------
        verdict : {"pass", "fail", "inconclusive"}
        report : mapping, optional
            The report, as JSON: guards, figures, a sentence.
        decision : Decision, optional
            The decision, for counting looks and tries of later verdicts.
        """
        if verdict not in _VERDICTS:
            raise ArgumentError("verdict", " or ".join(map(repr, _VERDICTS)), repr(verdict))
        row = {
            "gate": check_id(gate, "gate"),
            "run_id": _check_hash(run_id, "run_id"),
            "baseline_id": None if baseline_id is None else _check_hash(baseline_id, "baseline_id"),
            "judgments_hash": _check_hash(judgments_hash, "judgments_hash"),
            "verdict": verdict,
            "report": check_settings(report or {}, "report"),
            "created_at": now(),
        }
        with self._database.writing(alone="verdicts") as connection:
            number = (connection.scalar(select(func.max(verdicts.c.verdict_id))) or 0) + 1
            kept = None if decision is None else decision.to_dict()
            connection.execute(insert(verdicts).values(verdict_id=number, decision=kept, **row))
        return StoredVerdict(verdict_id=number, **row)  # type: ignore[arg-type]

    def get(self, verdict_id: int) -> StoredVerdict | None:
        """Return a verdict; None if it does not exist."""
        number = check_count(verdict_id, "verdict_id")
        return self._one(select(*_STORED).where(verdicts.c.verdict_id == number), _verdict)

    def decisions(self, gate: str) -> list[Decision]:
        """Return the known decisions behind the verdicts of a gate, oldest first."""
        rows = (
            select(verdicts.c.decision)
            .where(*_wanted(gate, None), verdicts.c.decision.is_not(None))
            .order_by(verdicts.c.verdict_id)
        )
        with self._database.reading() as connection:
            return [Decision.from_dict(fields) for fields in connection.scalars(rows)]

    def page(
        self,
        *,
        gate: str | None = None,
        run_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[StoredVerdict]:
        """Return verdicts, newest first: all, those of a gate, or those of a run."""
        rows = select(*_STORED).where(*_wanted(gate, run_id))
        keys = (verdicts.c.verdict_id,)
        return self._page(rows, keys, _verdict, after=after, limit=limit, descending=True)

    def summaries(
        self,
        *,
        gate: str | None = None,
        run_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[VerdictSummary]:
        """Return the same verdicts without their reports, which are not read."""
        report = func.substr(type_coerce(verdicts.c.report, Text), 1, _WITHIN)
        columns = [column for column in _STORED if column is not verdicts.c.report]
        rows = select(*columns, report.label("beginning")).where(*_wanted(gate, run_id))
        keys = (verdicts.c.verdict_id,)
        return self._page(rows, keys, _summary, after=after, limit=limit, descending=True)


def _wanted(gate: str | None, run_id: str | None) -> list[ColumnElement[bool]]:
    found = []
    if gate is not None:
        found.append(verdicts.c.gate == check_id(gate, "gate"))
    if run_id is not None:
        found.append(verdicts.c.run_id == check_id(run_id, "run_id"))
    return found


def _check_hash(value: str, argument: str) -> str:
    longest = 64
    check_id(value, argument)
    if len(value) > longest or not value.isascii():
        raise ArgumentError(argument, "a hash", repr(value[:80]))
    return value


def _verdict(row: Row[Any]) -> StoredVerdict:
    return StoredVerdict(**row._mapping)  # noqa: SLF001 - public, but for its name


def _summary(row: Row[Any]) -> VerdictSummary:
    known = dict(row._mapping)  # noqa: SLF001 - public, but for its name
    return VerdictSummary(sentence=_sentence(known.pop("beginning")), **known)


def _sentence(beginning: str) -> str:
    """Return the sentence of a report from its first characters."""
    place = beginning.find(_SENTENCE)
    try:
        found, _ = json.JSONDecoder().raw_decode(beginning, place + len(_SENTENCE))
    except ValueError:
        return ""
    return found if place >= 0 and isinstance(found, str) else ""
