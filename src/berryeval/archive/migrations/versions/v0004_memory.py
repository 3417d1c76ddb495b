"""What verdicts were about, so that looks and tries can be counted, and which runs are releases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; earlier verdicts are not counted, and no baseline is a release yet."""
    op.add_column("verdicts", sa.Column("decision", sa.Text()))
    op.add_column("baselines", sa.Column("released_at", sa.DateTime(timezone=True)))
