"""The checks of judges against people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, select

from berryeval.archive.checks import check_count, check_id, check_text, json_value
from berryeval.archive.model_grades import time_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.tables import judge_admissions
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.judges.admissions import StoredAdmission

__all__ = ["ArchivedAdmissions", "check_admission_row"]

_LONGEST = {"fingerprint": 20_000, "rule": 20_000, "result": 500_000}
"""Every list of judges reads all checks."""


class ArchivedAdmissions(ArchivePart):
    """Checks by judge. Checks are never changed; the last check of a judge decides."""

    def put(self, admissions: Iterable[StoredAdmission], *, stored_by: str) -> int:
        """Store checks, all or none, and return the number of new ones.

        Raises
        ------
        ArgumentError, InputTypeError
            If a field of a check is invalid.
        """
        check_text(stored_by, "stored_by")
        rows = [check_admission_row({**_row(one), "stored_by": stored_by}) for one in admissions]
        with self._database.writing(alone="judgments") as connection:
            return sum(self._database.insert_new(connection, judge_admissions, row) for row in rows)

    def all(self) -> list[StoredAdmission]:
        """Return all checks, oldest first."""
        c = judge_admissions.c
        with self._database.reading() as connection:
            rows = connection.execute(select(judge_admissions).order_by(c.checked_at, c.identity))
            return [*map(_admission, rows)]


def check_admission_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a check, or raise if a value is invalid."""
    check_id(row["judge"], "judge")
    facts = row["facts"] = json_value(row["facts"], "facts")
    if not isinstance(facts["fingerprint"], dict) or not isinstance(facts["result"], dict):
        raise InputTypeError("fingerprint and result", "objects", "something else")
    for name, most in _LONGEST.items():
        n_characters = len(json.dumps(facts[name]))
        if n_characters > most:
            raise ArgumentError(name, f"at most {most:,} characters of JSON", f"{n_characters:,}")
    if not isinstance(facts["is_admitted"], bool):
        raise InputTypeError("is_admitted", "true or false", repr(facts["is_admitted"])[:40])
    check_text(facts["guideline"], "guideline")
    for name in ("n_pairs", "n_changed", "n_repeated"):
        check_count(facts[name], name)
    for name in ("models", "reasons"):
        for text in facts[name]:
            check_text(text, name)
    found = _stored(row["judge"], row["checked_at"].isoformat(), facts)
    if found.identity.digest != row["identity"]:
        raise ArgumentError("identity", found.identity.digest, repr(row["identity"])[:40])
    return row


def _row(admission: StoredAdmission) -> dict[str, Any]:
    facts = asdict(admission)
    return {
        "identity": admission.identity.digest,
        "judge": facts.pop("judge"),
        "checked_at": time_of(facts.pop("checked_at"), "checked_at"),
        "facts": facts,
    }


def _admission(row: Row[Any]) -> StoredAdmission:
    return _stored(row.judge, row.checked_at.isoformat(), row.facts)


def _stored(judge: str, checked_at: str, facts: Mapping[str, Any]) -> StoredAdmission:
    lists = {name: tuple(facts[name]) for name in ("models", "reasons")}
    return StoredAdmission(judge=judge, checked_at=checked_at, **{**facts, **lists})
