"""The first version: judgments, queries, documents, runs, evaluations, gates, tokens, stores."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NAME = sa.LargeBinary()
_HASH = sa.String(64)
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    _judgments()
    _queries_and_documents()
    _runs()
    _evaluations()
    _decisions()
    _access()


def _judgments() -> None:
    op.create_table(
        "judgments",
        sa.Column("revision", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("query_id", _NAME, nullable=False),
        sa.Column("doc_id", _NAME, nullable=False),
        sa.Column("grade", sa.Double()),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("source", sa.Text()),
        sa.Column("judged_at", _TIME, nullable=False),
        sa.Column("document_hash", sa.Text()),
        sa.Column("superseded_by", sa.BigInteger()),
    )
    is_current = sa.text("superseded_by IS NULL")
    op.create_index(
        "judgments_current",
        "judgments",
        ["query_id", "doc_id"],
        unique=True,
        sqlite_where=is_current,
        postgresql_where=is_current,
    )
    op.create_index("judgments_of_pair", "judgments", ["query_id", "doc_id", "revision"])
    op.create_index("judgments_by_document", "judgments", ["doc_id"])
    op.create_table(
        "judgment_states",
        sa.Column("hash", _HASH, primary_key=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("noted_at", _TIME, nullable=False),
    )


def _queries_and_documents() -> None:
    op.create_table(
        "queries",
        sa.Column("query_id", _NAME, primary_key=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
    )
    op.create_table(
        "documents",
        sa.Column("doc_id", _NAME, primary_key=True),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.Text()),
        sa.Column("updated_at", _TIME, nullable=False),
    )


def _runs() -> None:
    op.create_table(
        "run_contents",
        sa.Column("content_hash", _HASH, primary_key=True),
        sa.Column("n_queries", sa.BigInteger(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
    )
    content = "run_contents.content_hash"
    op.create_table(
        "run_pieces",
        sa.Column(
            "content_hash", _HASH, sa.ForeignKey(content, ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer(), primary_key=True),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", _HASH, primary_key=True),
        sa.Column("content_hash", _HASH, sa.ForeignKey(content), nullable=False),
        sa.Column("name", _NAME, nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("durations", sa.Text()),
        sa.Column("stored_at", _TIME, nullable=False),
    )
    op.create_index("runs_by_time", "runs", ["stored_at", "run_id"])
    op.create_index("runs_by_name", "runs", ["name", "stored_at", "run_id"])
    op.create_index("runs_by_content", "runs", ["content_hash"])


def _evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("evaluation_id", _HASH, primary_key=True),
        sa.Column(
            "run_id", _HASH, sa.ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("judgments_hash", _HASH, nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
    )
    op.create_index("evaluations_by_time", "evaluations", ["created_at", "evaluation_id"])
    op.create_index("evaluations_of_run", "evaluations", ["run_id", "judgments_hash"])


def _decisions() -> None:
    op.create_table(
        "baselines",
        sa.Column("name", _NAME, primary_key=True),
        sa.Column("run_id", _HASH, sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
    )
    op.create_table(
        "gates",
        sa.Column("name", _NAME, primary_key=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
    )
    op.create_table(
        "verdicts",
        sa.Column("verdict_id", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("gate", _NAME, nullable=False),
        sa.Column("run_id", _HASH, nullable=False),
        sa.Column("baseline_id", _HASH),
        sa.Column("judgments_hash", _HASH, nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
    )
    op.create_index("verdicts_by_gate", "verdicts", ["gate", "verdict_id"])


def _access() -> None:
    op.create_table(
        "tokens",
        sa.Column("hash", _HASH, primary_key=True),
        sa.Column("name", _NAME, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("revoked_at", _TIME),
    )
    is_in_use = sa.text("revoked_at IS NULL")
    op.create_index(
        "tokens_in_use",
        "tokens",
        ["name"],
        unique=True,
        sqlite_where=is_in_use,
        postgresql_where=is_in_use,
    )
    op.create_table(
        "stores",
        sa.Column("name", _NAME, primary_key=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("n_documents", sa.BigInteger(), nullable=False),
        sa.Column("summary", sa.Text()),
        sa.Column("evaluated_at", _TIME),
        sa.Column("created_at", _TIME, nullable=False),
    )
