"""The tables of an archive.

Migrations create them; a test checks that both agree. The types of
columns store the same values in both databases.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    and_,
)
from sqlalchemy.types import TypeDecorator

from berryeval.core.id_column import decode_id, encode_id

__all__ = [
    "Json",
    "Name",
    "UtcTime",
    "baselines",
    "collections",
    "documents",
    "evaluations",
    "gates",
    "imports",
    "judge_admissions",
    "judgment_states",
    "judgments",
    "label_draws",
    "metadata",
    "model_grades",
    "project_pairs",
    "project_refusals",
    "projects",
    "queries",
    "query_proposals",
    "run_contents",
    "run_pieces",
    "runs",
    "sessions",
    "settings",
    "store_documents",
    "stores",
    "systems",
    "tokens",
    "verdicts",
]


class Name(TypeDecorator[str]):
    """An id or a name, stored as bytes, which both databases compare and sort alike."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Return the bytes of an id."""
        return None if value is None else encode_id(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002
        """Return an id as text."""
        return None if value is None else decode_id(bytes(value))


class Json(TypeDecorator[Any]):
    """JSON in ASCII, as text in PostgreSQL allows neither NUL nor surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002
        """Return the text of a value."""
        return None if value is None else json.dumps(value, allow_nan=False, separators=(",", ":"))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Return the value of a text."""
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """A moment, to the microsecond."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment in UTC; SQLite's text has no room for a zone."""
        if value is None:
            return None
        moment = value.astimezone(timezone.utc)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ANN401
        """Return the moment with its zone, UTC."""
        if value is None:
            return None
        moment: datetime = value.replace(tzinfo=timezone.utc) if dialect.name == "sqlite" else value
        return moment.astimezone(timezone.utc)


metadata = MetaData()

# SQLite stores a table in the order of an INTEGER key, which saves an index.
_Number = BigInteger().with_variant(Integer(), "sqlite")

# All states of all judgments. The current state of a judgment has no successor; the one at
# revision r was written at r or before, and superseded after r. Opinions are separate chains, one
# per judge (see `opinions`).
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
    Column("subtopics", Json),
    Column("subtopic_weights", Json),
    Column("stratum", Name),
    Column("note", Json),
    Column("given_at", UtcTime),
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
# Few archives have subtopics; with this index, the others find none immediately.
Index(
    "judgments_with_subtopics",
    judgments.c.query_id,
    sqlite_where=judgments.c.subtopics.is_not(None),
    postgresql_where=judgments.c.subtopics.is_not(None),
)
# Few archives have strata, either.
Index(
    "judgments_with_strata",
    judgments.c.query_id,
    sqlite_where=judgments.c.stratum.is_not(None),
    postgresql_where=judgments.c.stratum.is_not(None),
)

# The hash of the judgments at a revision, by which evaluations refer to them.
judgment_states = Table(
    "judgment_states",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("noted_at", UtcTime, nullable=False),
)

# The states that an import of a file wrote are those from its first revision to its last.
imports = Table(
    "imports",
    metadata,
    Column("import_id", _Number, primary_key=True, autoincrement=False),
    Column("file_name", Json, nullable=False),
    Column("author", Json, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("first_revision", BigInteger, nullable=False),
    Column("last_revision", BigInteger, nullable=False),
    Column("n_changed", BigInteger, nullable=False),
    Column("undone_at", UtcTime),
    Column("undone_by", Json),
    Column("n_kept", BigInteger),
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
    Column("length", BigInteger),
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
    Column("collections", Json),
    Column("used_at", UtcTime),
)
Index(
    "tokens_in_use",
    tokens.c.name,
    unique=True,
    sqlite_where=tokens.c.revoked_at.is_(None),
    postgresql_where=tokens.c.revoked_at.is_(None),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("token_hash", String(64), ForeignKey("tokens.hash"), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)
Index("sessions_of_token", sessions.c.token_hash)

# Collections besides the archive's own, each in a database of its own.
collections = Table(
    "collections",
    metadata,
    Column("name", Name, primary_key=True),
    Column("title", Json, nullable=False),
    Column("place", String(64)),
    Column("created_at", UtcTime, nullable=False),
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
    Column("version", BigInteger, nullable=False, server_default="0"),
)

store_documents = Table(
    "store_documents",
    metadata,
    Column("store", Name, ForeignKey("stores.name", ondelete="CASCADE"), primary_key=True),
    Column("doc_id", Name, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("content", Json, nullable=False),
)
Index("store_documents_by_position", store_documents.c.store, store_documents.c.position)

projects = Table(
    "projects",
    metadata,
    Column("name", Name, primary_key=True),
    Column("settings", Json, nullable=False),
    Column("state", String(16), nullable=False),
    Column("created_by", Json, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

# The pairs of a project, in the order of its queue; they never change.
project_pairs = Table(
    "project_pairs",
    metadata,
    Column("project", Name, ForeignKey("projects.name", ondelete="CASCADE"), primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("query_id", Name, nullable=False),
    Column("doc_id", Name, nullable=False),
    Column("effect", Double),
    Column("ranks", Json),
)

# Answers without a grade: a judge cannot judge a document.
project_refusals = Table(
    "project_refusals",
    metadata,
    Column("project", Name, ForeignKey("projects.name", ondelete="CASCADE"), primary_key=True),
    Column("query_id", Name, primary_key=True),
    Column("doc_id", Name, primary_key=True),
    Column("judge", Name, primary_key=True),
    Column("note", Json),
    Column("given_at", UtcTime, nullable=False),
)

# Grades of automated judges. Rows are only added: a pair that is judged again, or whose
# texts changed, has another hash.
model_grades = Table(
    "model_grades",
    metadata,
    Column("query_id", Name, primary_key=True),
    Column("doc_id", Name, primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("identity", String(64), nullable=False),
    Column("judge", Name, nullable=False),
    Column("guideline", String(64), nullable=False),
    Column("grade", Double),
    Column("reason", Json, nullable=False),
    Column("confidence", Double),
    Column("model", Json),
    Column("number", Integer, nullable=False),
    Column("purpose", String(16), nullable=False),
    Column("judged_at", UtcTime, nullable=False),
    Column("n_calls", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
)
Index("model_grades_of_judge", model_grades.c.identity)

# All checks of judges against people; the last one of a judge decides.
judge_admissions = Table(
    "judge_admissions",
    metadata,
    Column("identity", String(64), primary_key=True),
    Column("checked_at", UtcTime, primary_key=True),
    Column("judge", Name, nullable=False),
    Column("facts", Json, nullable=False),
    Column("stored_by", Json, nullable=False),
)

# Which queries people label, by name; a draw never changes.
label_draws = Table(
    "label_draws",
    metadata,
    Column("name", Name, primary_key=True),
    Column("queries", Json, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Json, nullable=False),
    Column("why", Json),
)

query_proposals = Table(
    "query_proposals",
    metadata,
    Column("query_id", Name, primary_key=True),
    Column("status", String(16), nullable=False),
    Column("facts", Json, nullable=False),
)
Index("query_proposals_by_status", query_proposals.c.status)

# Not exported, as it contains credentials.
systems = Table(
    "systems",
    metadata,
    Column("name", Name, primary_key=True),
    Column("place", Json, nullable=False),
    Column("settings", Json, nullable=False),
    Column("secrets", Json, nullable=False),
    Column("author", Json, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)
