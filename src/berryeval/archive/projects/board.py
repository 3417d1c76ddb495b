"""Reads projects, and their pairs with the answers of their judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, select

from berryeval.archive.judgments.opinions import SETTLED, counted_state, history_of
from berryeval.archive.judgments.rows import STATES, Pair, stored_judgment
from berryeval.archive.projects.records import (
    AskedPair,
    ProjectAnswer,
    ProjectBoard,
    ProjectPair,
    ProjectPlan,
    StoredProject,
    plan_of,
)
from berryeval.archive.records import StoredJudgment
from berryeval.archive.tables import judgments, project_pairs, project_refusals, projects
from berryeval.errors import NotFoundError

__all__ = [
    "PROJECTS",
    "asked_pair",
    "read_board",
    "read_refusals",
    "required_project",
    "stored_pair",
    "stored_project",
]

_p = project_pairs.c
_c = judgments.c

# Positions start at 0 and have no gaps: the last one is found without counting.
_N_PAIRS = (
    select(func.coalesce(func.max(_p.position) + 1, 0))
    .where(_p.project == projects.c.name)
    .correlate(projects)
    .scalar_subquery()
)
PROJECTS: Select[Any] = select(projects, _N_PAIRS.label("n_pairs"))


def required_project(connection: Connection, name: str) -> StoredProject:
    """Return a project, or raise `NotFoundError`."""
    row = connection.execute(PROJECTS.where(projects.c.name == name)).one_or_none()
    if row is None:
        raise NotFoundError("project", name)
    return stored_project(row)


def stored_project(row: Row[Any]) -> StoredProject:
    """Return the project of a row of `PROJECTS`."""
    return StoredProject(
        row.name, plan_of(row.settings), row.state, row.created_by, row.created_at,
        row.updated_at, row.n_pairs,
    )  # fmt: skip


def read_board(
    connection: Connection,
    project: StoredProject,
    refused: Mapping[Pair, Mapping[str, ProjectAnswer]],
) -> ProjectBoard:
    """Return a project with all its pairs and answers."""
    pairs = select(project_pairs).where(_p.project == project.name).order_by(_p.position)
    is_of_pair = and_(_p.query_id == _c.query_id, _p.doc_id == _c.doc_id)
    states: dict[Pair, list[StoredJudgment]] = {}
    rows = STATES.join(project_pairs, is_of_pair).where(_p.project == project.name)
    for row in connection.execute(rows.order_by(_c.revision)):
        states.setdefault((row.query_id, row.doc_id), []).append(stored_judgment(row))
    return ProjectBoard(
        project,
        [
            asked_pair(project.plan, one, states.get(one.pair, ()), refused.get(one.pair, {}))
            for one in map(stored_pair, connection.execute(pairs))
        ],
    )


def read_refusals(connection: Connection, name: str) -> dict[Pair, dict[str, ProjectAnswer]]:
    """Return which judges of a project cannot judge a pair."""
    refused: dict[Pair, dict[str, ProjectAnswer]] = {}
    rows = select(project_refusals).where(project_refusals.c.project == name)
    for row in connection.execute(rows.order_by(project_refusals.c.given_at)):
        answer = ProjectAnswer(row.judge, None, row.note, row.given_at)
        refused.setdefault((row.query_id, row.doc_id), {})[row.judge] = answer
    return refused


def asked_pair(
    plan: ProjectPlan,
    asked: ProjectPair,
    states: Sequence[StoredJudgment],
    refused: Mapping[str, ProjectAnswer],
) -> AskedPair:
    """Return a pair with the answers that count for a plan: those of its judges."""
    found, counted = history_of(states), counted_state(states)
    answers = {name: one for name, one in refused.items() if plan.includes(name)}
    for name, grade in found.independent.items():
        if plan.includes(name):
            answers.pop(name, None)
            answers[name] = _answer(states, name, grade)
    judgment = found.judgment
    is_settled = judgment is not None and judgment.source == SETTLED
    return AskedPair(
        asked,
        dict(sorted(answers.items(), key=lambda item: item[1].given_at)),
        found.is_conflict,
        judgment.author if is_settled and judgment is not None else None,
        None if counted is None else counted.grade,
        0 if counted is None else counted.revision,
    )


def _answer(states: Sequence[StoredJudgment], judge: str, grade: float) -> ProjectAnswer:
    own = (one for one in reversed(states) if (one.author, one.grade) == (judge, grade))
    state = next(one for one in own if one.kind != "rule" and one.source != SETTLED)
    return ProjectAnswer(judge, grade, state.note, state.given_at or state.judged_at)


def stored_pair(row: Row[Any]) -> ProjectPair:
    """Return the pair of a row."""
    return ProjectPair(row.query_id, row.doc_id, row.effect, row.ranks or {})
