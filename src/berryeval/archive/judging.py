"""How an archive is judged: which of several grades counts, and what the grades mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, LargeBinary, Text, select, type_coerce

from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.judgment_rows import iter_opined, of_opined
from berryeval.archive.opinion_rows import apply_rule
from berryeval.archive.opinions import Said, counted_state, saying_of
from berryeval.archive.records import JudgingPolicy
from berryeval.archive.tables import judgments, settings
from berryeval.core.judging import JUDGES, Judges

__all__ = ["NAME", "ArchivedJudging", "policy_of", "read_policy"]

NAME = "judging"
"""What the policy is called among the settings."""

_CONTENT = select(settings.c.content).where(settings.c.name == NAME)
_c = judgments.c
# Ids and authors as they are written: whose they are does not matter to a rule.
_OPINED = of_opined(
    select(
        type_coerce(_c.query_id, LargeBinary), type_coerce(_c.doc_id, LargeBinary),
        type_coerce(_c.author, Text), _c.grade, _c.kind, _c.revision, _c.restores,
    )
)  # fmt: skip


class ArchivedJudging:
    """The policy by which an archive is judged. It is the archive's own, and outlives sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self) -> JudgingPolicy:
        """Return the policy: where none was declared, the first grade counts."""
        with self._database.reading() as connection:
            return read_policy(connection)

    def put(self, policy: JudgingPolicy) -> int:
        """Declare the policy, and return for how many pairs another grade counts from now on.

        Their histories show it: the rule is the author of the grades that it makes of several.
        """
        row = {"name": NAME, "content": asdict(policy), "updated_at": now()}
        with self._database.writing(alone="judgments") as connection:
            self._database.upsert(connection, settings, "name", [row])
            return apply_rule(connection, iter_opined(connection), policy.rule)

    def preview(self) -> Mapping[Judges, int]:
        """Return for how many pairs another grade than now would count by each rule."""
        changed = dict.fromkeys(JUDGES, 0)
        with self._database.reading(repeatable=True) as connection:
            rows = connection.execute(_OPINED)
            for _, same in groupby(rows, itemgetter(0, 1)):
                states = [
                    Said(author, grade, None, kind, revision, restores)
                    for _, _, author, grade, kind, revision, restores in same
                ]
                current, saying = counted_state(states), saying_of(states)
                for rule in JUDGES:
                    counted = saying.counted(rule)
                    if counted is not None and current is not None:
                        changed[rule] += counted.grade != current.grade
        return changed


def read_policy(connection: Connection) -> JudgingPolicy:
    """Return the policy, within a transaction."""
    return policy_of(connection.scalar(_CONTENT))


def policy_of(content: Mapping[str, Any] | None) -> JudgingPolicy:
    """Return the policy that JSON holds; where there is none, the first grade counts."""
    return JudgingPolicy(**content or {})
