"""Disagreements that only a judging project may settle.

While a project is not finished, judges who disagree on one of its pairs are not overruled by a
grade from elsewhere: an admin settles it in the project. This holds for every way of writing a
judgment, since all of them end in `write_judgments`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from berryeval.archive.tables import project_pairs, projects

__all__ = ["UNFINISHED_PAIRS", "has_unfinished_project", "unfinished_project_of"]

_c = project_pairs.c

_IS_UNFINISHED = projects.c.state != "finished"
UNFINISHED_PAIRS: Select[Any] = (
    select(_c.project, _c.query_id, _c.doc_id)
    .join(projects, projects.c.name == _c.project)
    .where(_IS_UNFINISHED)
)
"""The pairs of all projects that are not finished."""

_ANY = select(projects.c.name).where(_IS_UNFINISHED).limit(1)
_OF_PAIR = UNFINISHED_PAIRS.where(
    _c.query_id == bindparam("query_id"), _c.doc_id == bindparam("doc_id")
).limit(1)


def has_unfinished_project(connection: Connection) -> bool:
    """Return whether any project is not finished."""
    return connection.scalar(_ANY) is not None


def unfinished_project_of(connection: Connection, query_id: str, doc_id: str) -> str | None:
    """Return the unfinished project that settles disagreements on a pair; None without one."""
    name = connection.scalar(_OF_PAIR, {"query_id": query_id, "doc_id": doc_id})
    return None if name is None else str(name)
