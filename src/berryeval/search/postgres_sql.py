"""The statements with which PostgreSQL indexes and searches.

A table has ``doc_id`` as bytes, so that any id has a place and ids sort as they do elsewhere,
``title``, ``body``, ``words`` (made of both, with the title labelled A and the text B) and, where
vectors are wanted, ``embedding``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg.sql import Composed, Identifier

__all__ = ["SEARCH", "copy", "create", "drop", "finish"]

_CREATE = """
CREATE TABLE {new} (
    doc_id bytea PRIMARY KEY,
    title text NOT NULL,
    body text NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A') ||
        setweight(to_tsvector('english', body), 'B')
    ) STORED{embedding}
)
"""

_TEXT = """
SELECT doc_id,
    ts_rank_cd(%(rank_weights)s::real[], words, query, %(normalization)s)::float8 AS score
FROM {table}, websearch_to_tsquery('english', %(query)s) AS query
WHERE words @@ query
ORDER BY score DESC, doc_id DESC
LIMIT %(depth)s
"""

# The inner order is the one that an HNSW index knows.
_VECTOR = """
SELECT doc_id, score
FROM (
    SELECT doc_id, 1 - (embedding <=> %(vector)s::vector) AS score
    FROM {table}
    WHERE %(vector)s::vector IS NOT NULL AND embedding IS NOT NULL
    ORDER BY embedding <=> %(vector)s::vector
    LIMIT %(depth)s
) AS nearest
ORDER BY score DESC, doc_id DESC
"""

_HYBRID = """
WITH by_text AS (
    SELECT doc_id, row_number() OVER (ORDER BY score DESC, doc_id DESC) AS rank
    FROM ({text}) AS found
), by_vector AS (
    SELECT doc_id, row_number() OVER (ORDER BY score DESC, doc_id DESC) AS rank
    FROM ({vector}) AS found
), fused AS (
    SELECT doc_id,
        coalesce(%(text_weight)s::float8 / (%(constant)s::float8 + by_text.rank), 0) +
        coalesce(%(vector_weight)s::float8 / (%(constant)s::float8 + by_vector.rank), 0) AS score
    FROM by_text FULL JOIN by_vector USING (doc_id)
)
SELECT doc_id, score FROM fused WHERE score > 0 ORDER BY score DESC, doc_id DESC LIMIT %(k)s
"""


def create(table: str, dimensions: int | None) -> Iterator[Composed]:
    """Make an empty table beside the one that is searched; with vectors, of so many numbers."""
    from psycopg.sql import SQL, Literal

    embedding = SQL("")
    yield SQL("DROP TABLE IF EXISTS {new}").format(new=_new(table))
    if dimensions is not None:
        column = SQL(",\n    embedding vector({n})").format(n=Literal(dimensions))
        yield SQL(_CREATE).format(new=_new(table), embedding=column)
    else:
        yield SQL(_CREATE).format(new=_new(table), embedding=embedding)


def copy(table: str, *, with_vectors: bool) -> Composed:
    """Fill the new table."""
    from psycopg.sql import SQL

    columns = "doc_id, title, body, embedding" if with_vectors else "doc_id, title, body"
    return SQL("COPY {new} (" + columns + ") FROM STDIN").format(new=_new(table))


def finish(table: str, *, with_graph: bool) -> Iterator[Composed]:
    """Index the new table, and let it take the place of the old one."""
    from psycopg.sql import SQL, Identifier

    new = _new(table)
    yield SQL("CREATE INDEX ON {new} USING gin (words)").format(new=new)
    if with_graph:
        yield SQL("CREATE INDEX ON {new} USING hnsw (embedding vector_cosine_ops)").format(new=new)
    yield SQL("DROP TABLE IF EXISTS {table}").format(table=_named(table))
    name = Identifier(table.rsplit(".", maxsplit=1)[-1])
    yield SQL("ALTER TABLE {new} RENAME TO {name}").format(new=new, name=name)
    yield SQL("ANALYZE {table}").format(table=_named(table))


def drop(table: str) -> Composed:
    """Remove the table."""
    from psycopg.sql import SQL

    return SQL("DROP TABLE IF EXISTS {table}").format(table=_named(table))


def _text(table: str) -> Composed:
    from psycopg.sql import SQL

    return SQL(_TEXT).format(table=_named(table))


def _vector(table: str) -> Composed:
    from psycopg.sql import SQL

    return SQL(_VECTOR).format(table=_named(table))


def _hybrid(table: str) -> Composed:
    from psycopg.sql import SQL

    return SQL(_HYBRID).format(text=_text(table), vector=_vector(table))


SEARCH: dict[str, Callable[[str], Composed]] = {
    "text": _text,
    "vector": _vector,
    "hybrid": _hybrid,
}
"""How to search, by mode."""


def _named(table: str) -> Identifier:
    from psycopg.sql import Identifier

    return Identifier(*table.split("."))


def _new(table: str) -> Identifier:
    from psycopg.sql import Identifier

    *schema, name = table.split(".")
    return Identifier(*schema, f"{name}_new")
