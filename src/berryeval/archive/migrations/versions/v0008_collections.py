"""Further collections, and tokens that are limited to some."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the columns; tokens so far may use every collection."""
    op.create_table(
        "collections",
        sa.Column("name", sa.LargeBinary(), primary_key=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("place", sa.String(64)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("tokens", sa.Column("collections", sa.Text()))
    op.add_column("tokens", sa.Column("used_at", sa.DateTime(timezone=True)))
