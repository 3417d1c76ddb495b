"""Second opinions beside judgments, and the settings of an archive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COUNTED = sa.text("superseded_by IS NULL AND kind != 'opinion'")
_OPINED = sa.text("kind = 'opinion'")


def upgrade() -> None:
    """Add the columns that distinguish opinions from judgments; earlier states are judgments."""
    op.add_column(
        "judgments", sa.Column("kind", sa.String(16), nullable=False, server_default="judgment")
    )
    op.add_column("judgments", sa.Column("restores", sa.BigInteger()))
    op.drop_index("judgments_current", "judgments")
    op.create_index(
        "judgments_current",
        "judgments",
        ["query_id", "doc_id"],
        unique=True,
        sqlite_where=_COUNTED,
        postgresql_where=_COUNTED,
    )
    op.create_index(
        "judgments_opined",
        "judgments",
        ["query_id", "doc_id"],
        sqlite_where=_OPINED,
        postgresql_where=_OPINED,
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.LargeBinary(), primary_key=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
