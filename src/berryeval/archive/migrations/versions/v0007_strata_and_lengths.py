"""Strata of judged pools, and lengths of documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_NAMED = sa.text("stratum IS NOT NULL")


def upgrade() -> None:
    """Add the columns; judgments so far have no strata, and documents no lengths."""
    op.add_column("judgments", sa.Column("stratum", sa.LargeBinary()))
    op.create_index(
        "judgments_with_strata",
        "judgments",
        ["query_id"],
        sqlite_where=_NAMED,
        postgresql_where=_NAMED,
    )
    op.add_column("documents", sa.Column("length", sa.BigInteger()))
