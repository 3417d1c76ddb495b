"""Grades of automated judges, their admissions, draws of labels, proposed queries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "model_grades",
        sa.Column("query_id", sa.LargeBinary(), primary_key=True),
        sa.Column("doc_id", sa.LargeBinary(), primary_key=True),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("judge", sa.LargeBinary(), nullable=False),
        sa.Column("guideline", sa.String(64), nullable=False),
        sa.Column("grade", sa.Double()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double()),
        sa.Column("model", sa.Text()),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("judged_at", _TIME, nullable=False),
        sa.Column("n_calls", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
    )
    op.create_index("model_grades_of_judge", "model_grades", ["identity"])
    op.create_table(
        "judge_admissions",
        sa.Column("identity", sa.String(64), primary_key=True),
        sa.Column("checked_at", _TIME, primary_key=True),
        sa.Column("judge", sa.LargeBinary(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("stored_by", sa.Text(), nullable=False),
    )
    op.create_table(
        "label_draws",
        sa.Column("name", sa.LargeBinary(), primary_key=True),
        sa.Column("queries", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
    )
    op.create_table(
        "query_proposals",
        sa.Column("query_id", sa.LargeBinary(), primary_key=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
    )
    op.create_index("query_proposals_by_status", "query_proposals", ["status"])
