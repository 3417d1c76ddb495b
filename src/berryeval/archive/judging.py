"""How an archive is judged: which of several grades counts, and what the grades mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from sqlalchemy import Connection, select

from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.judgment_rows import read_history
from berryeval.archive.opinion_rows import apply_rule, pairs_with_opinions
from berryeval.archive.opinions import counted_state, saying_of
from berryeval.archive.records import JudgingPolicy
from berryeval.archive.tables import settings
from berryeval.core.judging import JUDGES, Judges

__all__ = ["ArchivedJudging", "read_policy"]

_NAME = "judging"
_CONTENT = select(settings.c.content).where(settings.c.name == _NAME)


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
        row = {"name": _NAME, "content": asdict(policy), "updated_at": now()}
        with self._database.writing(alone="judgments") as connection:
            self._database.upsert(connection, settings, "name", [row])
            return apply_rule(connection, pairs_with_opinions(connection), policy.rule)

    def preview(self) -> Mapping[Judges, int]:
        """Return for how many pairs another grade than now would count by each rule."""
        changed = dict.fromkeys(JUDGES, 0)
        with self._database.reading(repeatable=True) as connection:
            for pair in pairs_with_opinions(connection):
                states = read_history(connection, pair)
                current, saying = counted_state(states), saying_of(states)
                for rule in JUDGES:
                    counted = saying.counted(rule)
                    if counted is not None and current is not None:
                        changed[rule] += counted.grade != current.grade
        return changed


def read_policy(connection: Connection) -> JudgingPolicy:
    """Return the policy, within a transaction."""
    content = connection.scalar(_CONTENT)
    return JudgingPolicy() if content is None else JudgingPolicy(**content)
