"""The tables of an archive.

Migrations create them; a test checks that both agree. Ids and names are bytes, see `column_types`.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    and_,
)

from berryeval.archive.column_types import Json, Name, UtcTime

__all__ = [
    "baselines",
    "documents",
    "evaluations",
    "gates",
    "judgment_states",
    "judgments",
    "metadata",
    "queries",
    "run_contents",
    "run_pieces",
    "runs",
    "settings",
    "stores",
    "tokens",
    "verdicts",
]

metadata = MetaData()

# SQLite stores a table in the order of an INTEGER key, which saves an index.
_Number = BigInteger().with_variant(Integer(), "sqlite")

# All states that a judgment ever had, in one table: the current one has no successor, and what
# was current at revision r are the rows from before r whose successor came after it. Opinions
# stand beside it: one chain for each judge (see `opinions`).
judgments = Table(
    "judgments",
    metadata,
    Column("revision", _Number, primary_key=True, autoincrement=False),
    Column("query_id", Name, nullable=False),
    Column("doc_id", Name, nullable=False),
    Column("grade", Double),
    Column("author", Json, nullable=False),
    Column("source", Json),
    Column("judged_at", UtcTime, nullable=False),
    Column("document_hash", Json),
    Column("superseded_by", BigInteger),
    Column("kind", String(16), nullable=False, server_default="judgment"),
    Column("restores", BigInteger),
)
_IS_COUNTED = and_(judgments.c.superseded_by.is_(None), judgments.c.kind != "opinion")
Index(
    "judgments_current",
    judgments.c.query_id,
    judgments.c.doc_id,
    unique=True,
    sqlite_where=_IS_COUNTED,
    postgresql_where=_IS_COUNTED,
)
Index("judgments_of_pair", judgments.c.query_id, judgments.c.doc_id, judgments.c.revision)
Index("judgments_by_document", judgments.c.doc_id)
Index(
    "judgments_opined",
    judgments.c.query_id,
    judgments.c.doc_id,
    sqlite_where=judgments.c.kind == "opinion",
    postgresql_where=judgments.c.kind == "opinion",
)

# The hash of the judgments at a revision, by which evaluations refer to them.
judgment_states = Table(
    "judgment_states",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("noted_at", UtcTime, nullable=False),
)

queries = Table(
    "queries",
    metadata,
    Column("query_id", Name, primary_key=True),
    Column("content", Json, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("doc_id", Name, primary_key=True),
    Column("hash", Json, nullable=False),
    Column("content", Json),
    Column("updated_at", UtcTime, nullable=False),
)
Index("documents_by_time", documents.c.updated_at)

run_contents = Table(
    "run_contents",
    metadata,
    Column("content_hash", String(64), primary_key=True),
    Column("n_queries", BigInteger, nullable=False),
    Column("n_rows", BigInteger, nullable=False),
)

run_pieces = Table(
    "run_pieces",
    metadata,
    Column(
        "content_hash",
        String(64),
        ForeignKey("run_contents.content_hash", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("position", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("content_hash", String(64), ForeignKey("run_contents.content_hash"), nullable=False),
    Column("name", Name, nullable=False),
    Column("facts", Json, nullable=False),
    Column("durations", Json),
    Column("stored_at", UtcTime, nullable=False),
)
Index("runs_by_time", runs.c.stored_at, runs.c.run_id)
Index("runs_by_name", runs.c.name, runs.c.stored_at, runs.c.run_id)
Index("runs_by_content", runs.c.content_hash)

evaluations = Table(
    "evaluations",
    metadata,
    Column("evaluation_id", String(64), primary_key=True),
    Column("run_id", String(64), ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("judgments_hash", String(64), nullable=False),
    Column("facts", Json, nullable=False),
    Column("scores", LargeBinary, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)
Index("evaluations_by_time", evaluations.c.created_at, evaluations.c.evaluation_id)
Index("evaluations_of_run", evaluations.c.run_id, evaluations.c.judgments_hash)

baselines = Table(
    "baselines",
    metadata,
    Column("name", Name, primary_key=True),
    Column("run_id", String(64), ForeignKey("runs.run_id"), nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("released_at", UtcTime),
)

gates = Table(
    "gates",
    metadata,
    Column("name", Name, primary_key=True),
    Column("settings", Json, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

# Permanent: removing a gate or a run keeps its verdicts.
verdicts = Table(
    "verdicts",
    metadata,
    Column("verdict_id", _Number, primary_key=True, autoincrement=False),
    Column("gate", Name, nullable=False),
    Column("run_id", String(64), nullable=False),
    Column("baseline_id", String(64)),
    Column("judgments_hash", String(64), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("report", Json, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("decision", Json),
)
Index("verdicts_by_gate", verdicts.c.gate, verdicts.c.verdict_id)

tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("name", Name, nullable=False),
    Column("role", String(16), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("revoked_at", UtcTime),
)
Index(
    "tokens_in_use",
    tokens.c.name,
    unique=True,
    sqlite_where=tokens.c.revoked_at.is_(None),
    postgresql_where=tokens.c.revoked_at.is_(None),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Name, primary_key=True),
    Column("content", Json, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

stores = Table(
    "stores",
    metadata,
    Column("name", Name, primary_key=True),
    Column("kind", Json, nullable=False),
    Column("settings", Json, nullable=False),
    Column("n_documents", BigInteger, nullable=False),
    Column("summary", Json),
    Column("evaluated_at", UtcTime),
    Column("created_at", UtcTime, nullable=False),
)
