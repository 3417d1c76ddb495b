"""The statements with which PostgreSQL indexes and searches.

A table has ``doc_id`` as bytes, so that it can store any id and sorts ids like the other systems,
``number``, ``title``, ``body``, ``words`` (from both, with the title labelled A and the text B),
``embedding`` if vectors are searched, and ``tokens``, two bytes each, if tokens are matched. For
BM25, a second table has one row per word: the numbers of its documents, and the contribution of
the word to the score of each, so that a query only adds them up. One row per word and document
would take six times the space. ``words`` has an index only if ``ts_rank_cd`` searches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg.sql import Composed

__all__ = [
    "LONGEST_NAME",
    "QUERY_WORDS",
    "copy",
    "create",
    "create_postings",
    "drop",
    "find_vectors",
    "find_words",
    "finish",
    "read",
    "search",
]

LONGEST_NAME = 50
"""Maximum length of a table name: PostgreSQL allows 63 bytes, and suffixes are added."""

_K1, _B = 1.2, 0.75  # the same as in tantivy

_CREATE = """
CREATE TABLE {new} (
    doc_id bytea PRIMARY KEY,
    number integer NOT NULL UNIQUE,
    title text NOT NULL,
    body text NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A') ||
        setweight(to_tsvector('english', body), 'B')
    ) STORED
)
"""

# Frequencies and lengths count a word in the title `title_weight` times.
_POSTINGS = """
CREATE TABLE {new_postings} AS
WITH terms AS (
    SELECT number, term.lexeme, (
        SELECT sum(CASE label WHEN 'A' THEN {title_weight} ELSE 1 END)
        FROM unnest(term.weights) AS label
    )::float8 AS frequency
    FROM {new}, unnest(words) AS term
), counted AS (
    SELECT *, count(*) OVER (PARTITION BY lexeme) AS n_with,
        sum(frequency) OVER (PARTITION BY number) AS length
    FROM terms WHERE frequency > 0
), whole AS (
    SELECT n_documents, (SELECT sum(frequency) FROM terms) / nullif(n_documents, 0) AS mean_length
    FROM (SELECT count(*) AS n_documents FROM {new}) AS counts
)
SELECT lexeme, array_agg(number ORDER BY number) AS numbers, array_agg(
    ln(1 + (n_documents - n_with + 0.5::float8) / (n_with + 0.5::float8)) *
    frequency * ({k1}::float8 + 1) /
    (frequency + {k1}::float8 * (1 - {b}::float8 + {b}::float8 * length / mean_length))
    ORDER BY number
) AS impacts
FROM counted, whole
GROUP BY lexeme
"""

_TEXT = """
SELECT doc_id,
    ts_rank_cd(%(rank_weights)s::real[], words, query, %(normalization)s)::float8 AS score
FROM {table}, websearch_to_tsquery('english', %(query)s) AS query
WHERE words @@ query
ORDER BY score DESC, doc_id DESC
LIMIT %(depth)s
"""

# The sum has a fixed order, so that the same query returns identical bits. Arrays are unnested
# together in the select list: in FROM they would be written to a temporary table first. Ids,
# which break ties, are looked up for the best documents only.
_BM25 = """
SELECT doc_id, score
FROM (
    SELECT number, sum(impact ORDER BY lexeme COLLATE "C") AS score
    FROM (
        SELECT lexeme, unnest(numbers) AS number, unnest(impacts) AS impact
        FROM {postings}
        WHERE lexeme = ANY (tsvector_to_array(to_tsvector('english', %(words)s)))
    ) AS posting
    GROUP BY number
    HAVING NOT %(match_all)s OR
        count(*) = cardinality(tsvector_to_array(to_tsvector('english', %(words)s)))
    ORDER BY score DESC FETCH FIRST (%(depth)s) ROWS WITH TIES
) AS scored JOIN {table} USING (number)
ORDER BY score DESC, doc_id DESC
LIMIT %(depth)s
"""

QUERY_WORDS = """
SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector('english', %(words)s))
"""
"""The analysed words of a query, and how often they occur."""

_WEIGHTED_BM25 = """
SELECT number, doc_id, score
FROM (
    SELECT number, sum(impact * weight ORDER BY lexeme COLLATE "C") AS score
    FROM (
        SELECT lexeme, weight, unnest(numbers) AS number, unnest(impacts) AS impact
        FROM {postings} JOIN
            unnest(%(lexemes)s::text[], %(lexeme_weights)s::float8[]) AS wanted (lexeme, weight)
            USING (lexeme)
    ) AS posting
    GROUP BY number
    ORDER BY score DESC FETCH FIRST (%(depth)s) ROWS WITH TIES
) AS scored JOIN {table} USING (number)
ORDER BY score DESC, doc_id DESC
LIMIT %(depth)s
"""

_NUMBERED = "SELECT number, doc_id, score FROM ({found}) AS found JOIN {table} USING (doc_id)"

_READ = {
    "words": "SELECT number, lexeme, cardinality(positions) FROM {table}, unnest(words)",
    "vectors": "SELECT number, embedding::real[] FROM {table}",
    "tokens": "SELECT number, tokens FROM {table}",
}

# An HNSW index supports only the inner order.
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


def create(table: str, dimensions: int | None, *, with_tokens: bool) -> Iterator[Composed]:
    """Create an empty table next to the searched one; `dimensions` is None without vectors."""
    yield _filled("DROP TABLE IF EXISTS {new}, {new_postings}", table)
    yield _filled(_CREATE, table)
    if dimensions is not None:
        yield _filled("ALTER TABLE {new} ADD COLUMN embedding vector({n})", table, n=dimensions)
    if with_tokens:
        yield _filled("ALTER TABLE {new} ADD COLUMN tokens bytea NOT NULL", table)


def copy(table: str, *, with_vectors: bool, with_tokens: bool) -> Composed:
    """Fill the new table."""
    columns = "doc_id, number, title, body"
    columns += (", embedding" if with_vectors else "") + (", tokens" if with_tokens else "")
    return _filled(f"COPY {{new}} ({columns}) FROM STDIN", table)


def create_postings(table: str, title_weight: float) -> Iterator[Composed]:
    """Compute the contribution of each word to the BM25 score of each new document."""
    yield _filled(_POSTINGS, table, title_weight=float(title_weight), k1=_K1, b=_B)
    yield _filled("CREATE UNIQUE INDEX ON {new_postings} (lexeme)", table)


def finish(
    table: str, *, with_word_index: bool, with_graph: bool, with_postings: bool
) -> Iterator[Composed]:
    """Index the new table, and replace the old one with it."""
    if with_word_index:
        yield _filled("CREATE INDEX ON {new} USING gin (words)", table)
    if with_graph:
        yield _filled("CREATE INDEX ON {new} USING hnsw (embedding vector_cosine_ops)", table)
    yield drop(table)
    yield _filled("ALTER TABLE {new} RENAME TO {name}", table)
    yield _filled("ANALYZE {table}", table)
    if with_postings:
        yield _filled("ALTER TABLE {new_postings} RENAME TO {postings_name}", table)
        yield _filled("ANALYZE {postings}", table)


def drop(table: str) -> Composed:
    """Remove the table and its postings."""
    return _filled("DROP TABLE IF EXISTS {table}, {postings}", table)


def search(table: str, mode: str, rank: str) -> Composed:
    """Search by words, by vectors, or by both."""
    text = _BM25 if rank == "bm25" else _TEXT
    if mode == "hybrid":
        return _filled(_HYBRID.replace("{text}", text).replace("{vector}", _VECTOR), table)
    return _filled(text if mode == "text" else _VECTOR, table)


def find_words(table: str, rank: str, *, are_weighted: bool) -> Composed:
    """Search by words, and also return numbers; weighted words require BM25."""
    if are_weighted:
        return _filled(_WEIGHTED_BM25, table)
    return _filled(_NUMBERED.replace("{found}", _BM25 if rank == "bm25" else _TEXT), table)


def find_vectors(table: str) -> Composed:
    """Search by vectors, and also return numbers."""
    return _filled(_NUMBERED.replace("{found}", _VECTOR), table)


def read(table: str, what: str) -> Composed:
    """Return ``words``, ``vectors`` or ``tokens`` of some documents."""
    return _filled(f"{_READ[what]} WHERE number = ANY (%(numbers)s::integer[])", table)


def _filled(template: str, table: str, **values: float) -> Composed:
    """Fill table names and numbers into a statement, quoted for PostgreSQL."""
    from psycopg.sql import SQL, Identifier, Literal

    *schema, name = table.split(".")
    return SQL(template).format(
        table=Identifier(*schema, name),
        new=Identifier(*schema, f"{name}_new"),
        name=Identifier(name),
        postings=Identifier(*schema, f"{name}_postings"),
        new_postings=Identifier(*schema, f"{name}_postings_new"),
        postings_name=Identifier(f"{name}_postings"),
        **{key: Literal(value) for key, value in values.items()},
    )
