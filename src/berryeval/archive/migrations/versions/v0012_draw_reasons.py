"""How the number of queries of each stratum of a draw was determined."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; it is not known of earlier draws."""
    op.add_column("label_draws", sa.Column("why", sa.Text()))
