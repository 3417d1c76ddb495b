"""Sessions of browsers, and the documents of stores, which used to be in a file of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; the service moves the documents of stores when it starts."""
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("token_hash", sa.String(64), sa.ForeignKey("tokens.hash"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("sessions_of_token", "sessions", ["token_hash"])
    op.add_column(
        "stores", sa.Column("version", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.create_table(
        "store_documents",
        sa.Column(
            "store",
            sa.LargeBinary(),
            sa.ForeignKey("stores.name", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("doc_id", sa.LargeBinary(), primary_key=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
    )
    op.create_index("store_documents_by_position", "store_documents", ["store", "position"])
