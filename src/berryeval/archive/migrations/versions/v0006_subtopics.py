"""Grades by subtopic, and the weights of subtopics."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_NAMED = sa.text("subtopics IS NOT NULL")


def upgrade() -> None:
    """Add the columns; judgments so far have no subtopics."""
    op.add_column("judgments", sa.Column("subtopics", sa.Text()))
    op.add_column("judgments", sa.Column("subtopic_weights", sa.Text()))
    op.create_index(
        "judgments_with_subtopics",
        "judgments",
        ["query_id"],
        sqlite_where=_NAMED,
        postgresql_where=_NAMED,
    )
