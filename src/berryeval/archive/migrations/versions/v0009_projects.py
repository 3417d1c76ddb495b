"""Judging projects, imports that can be undone, and notes and times of grades."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)
_NAME = sa.LargeBinary()


def upgrade() -> None:
    """Add the tables and columns; judgments so far have no notes."""
    op.add_column("judgments", sa.Column("note", sa.Text()))
    op.add_column("judgments", sa.Column("given_at", _TIME))
    op.create_table(
        "imports",
        sa.Column("import_id", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("first_revision", sa.BigInteger(), nullable=False),
        sa.Column("last_revision", sa.BigInteger(), nullable=False),
        sa.Column("n_changed", sa.BigInteger(), nullable=False),
        sa.Column("undone_at", _TIME),
        sa.Column("undone_by", sa.Text()),
        sa.Column("n_kept", sa.BigInteger()),
    )
    op.create_table(
        "projects",
        sa.Column("name", _NAME, primary_key=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
    )
    op.create_table(
        "project_pairs",
        _project(),
        sa.Column("position", sa.BigInteger(), primary_key=True),
        sa.Column("query_id", _NAME, nullable=False),
        sa.Column("doc_id", _NAME, nullable=False),
        sa.Column("effect", sa.Double()),
        sa.Column("ranks", sa.Text()),
    )
    op.create_table(
        "project_refusals",
        _project(),
        sa.Column("query_id", _NAME, primary_key=True),
        sa.Column("doc_id", _NAME, primary_key=True),
        sa.Column("judge", _NAME, primary_key=True),
        sa.Column("note", sa.Text()),
        sa.Column("given_at", _TIME, nullable=False),
    )


def _project() -> sa.Column[bytes]:
    of_project = sa.ForeignKey("projects.name", ondelete="CASCADE")
    return sa.Column("project", _NAME, of_project, primary_key=True)
