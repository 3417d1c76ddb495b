"""The judging policy of an archive: which of several grades counts, labels, and the guideline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, LargeBinary, Text, func, select, type_coerce

from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.judgments.opinion_rows import apply_rule
from berryeval.archive.judgments.opinions import PlainState, counted_state, history_of
from berryeval.archive.judgments.rows import IS_CURRENT, iter_with_opinions, select_with_opinions
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import JudgingPolicy
from berryeval.archive.tables import judgments, settings
from berryeval.core.grade import HIGHEST, default_labels
from berryeval.core.judging import JUDGES, Judges
from berryeval.core.judgments import Judgments
from berryeval.judges.protocol import Guideline, Scale, guideline_text

__all__ = ["NAME", "ArchivedJudging", "adopt_policy", "policy_of", "read_policy"]

NAME = "judging"
"""The name of the policy in the settings."""

_CONTENT = select(settings.c.content).where(settings.c.name == NAME)
_c = judgments.c
# Ids and authors are not decoded, since no rule depends on them.
_OPINED = select_with_opinions(
    select(
        type_coerce(_c.query_id, LargeBinary), type_coerce(_c.doc_id, LargeBinary),
        type_coerce(_c.author, Text), _c.grade, _c.kind, _c.revision, _c.restores, _c.subtopics,
    )
)  # fmt: skip


class ArchivedJudging(ArchivePart):
    """The judging policy, which is stored in the archive."""

    def get(self) -> JudgingPolicy:
        """Return the policy; by default, the first grade counts."""
        with self._database.reading() as connection:
            return read_policy(connection)

    def put(self, policy: JudgingPolicy) -> int:
        """Declare the policy, and return the number of pairs whose grade changed.

        Their histories show it: the rule is the author of the grades that it computes.
        """
        with self._database.writing(alone="judgments") as connection:
            return _declare(self._database, connection, policy)

    def to_adopt(self, judgments: Judgments) -> JudgingPolicy | None:
        """Return the policy after adopting what judgments declare; None if it does not change.

        A declared scale or rule of the archive is kept. A scale that grades of the archive or of
        the judgments exceed is not adopted.
        """
        with self._database.reading() as connection:
            return _to_adopt(connection, judgments)

    def guideline(self) -> Guideline | None:
        """Return the guideline and the scale that a check of a judge has to match.

        Without a declared scale, the highest grade of a judgment ends it. None if there is neither
        a text nor a scale, or no judgment that shows the scale.
        """
        with self._database.reading() as connection:
            policy = read_policy(connection)
            highest = policy.highest if policy.highest is not None else _highest(connection)
        if not (policy.guideline or policy.labels) or highest < 1 or highest != int(highest):
            return None
        return Guideline(policy.guideline, Scale(int(highest), policy.labels))

    def adopt_guideline(self, text: str) -> None:
        """Store the text of a guideline, unless the archive has one."""
        with self._database.writing(alone="judgments") as connection:
            content = connection.scalar(_CONTENT)
            found = guideline_text(text)
            if found and not policy_of(content).guideline:
                _write(self._database, connection, {**(content or {}), "guideline": found})

    def preview(self) -> Mapping[Judges, int]:
        """Return for each rule the number of pairs whose grade would change."""
        changed = dict.fromkeys(JUDGES, 0)
        with self._database.reading(repeatable=True) as connection:
            rows = connection.execute(_OPINED)
            for _, same in groupby(rows, itemgetter(0, 1)):
                states = [
                    PlainState(author, grade, None, kind, revision, restores, subtopics)
                    for _, _, author, grade, kind, revision, restores, subtopics in same
                ]
                current, history = counted_state(states), history_of(states)
                for rule in JUDGES:
                    counted = history.counted(rule)
                    if counted is not None and current is not None:
                        changed[rule] += counted.grade != current.grade
        return changed


def read_policy(connection: Connection) -> JudgingPolicy:
    """Return the policy, within a transaction."""
    return policy_of(connection.scalar(_CONTENT))


def adopt_policy(database: Database, connection: Connection, judgments: Judgments) -> None:
    """Adopt what judgments declare, within a transaction; see `ArchivedJudging.to_adopt`."""
    policy = _to_adopt(connection, judgments)
    if policy is not None:
        _declare(database, connection, policy)


def _declare(database: Database, connection: Connection, policy: JudgingPolicy) -> int:
    _write(database, connection, asdict(policy))
    return apply_rule(connection, iter_with_opinions(connection), policy.rule)


def _write(database: Database, connection: Connection, content: Mapping[str, Any]) -> None:
    row = {"name": NAME, "content": content, "updated_at": now()}
    database.upsert(connection, settings, "name", [row])


def _to_adopt(connection: Connection, judgments: Judgments) -> JudgingPolicy | None:
    content = connection.scalar(_CONTENT)
    policy = policy_of(content)
    rule, labels = policy.rule, policy.labels
    if "rule" not in (content or {}) and judgments.judges is not None:
        rule = judgments.judges
    if labels is None:
        labels = _labels(judgments)
    if labels is not None and policy.labels is None:
        highest = max(_highest(connection), max(judgments.grades, default=0))
        labels = None if highest >= len(labels) else labels
    found = replace(policy, rule=rule, labels=labels)
    return None if found == policy else found


def _highest(connection: Connection) -> float:
    """Return the highest grade of a judgment; 0 if there is none."""
    return connection.scalar(select(func.max(_c.grade)).where(IS_CURRENT)) or 0


def _labels(judgments: Judgments) -> tuple[str, ...] | None:
    """Return the labels that judgments declare, or those of their scale; None if there is none."""
    scale = judgments.scale
    if judgments.labels is not None or scale is None:
        return judgments.labels
    return default_labels(int(scale)) if scale == int(scale) <= HIGHEST else None


def policy_of(content: Mapping[str, Any] | None) -> JudgingPolicy:
    """Return the policy from JSON; by default, the first grade counts."""
    return JudgingPolicy(**content or {})
