"""The statements with which PostgreSQL indexes and searches.

A table has ``doc_id`` as bytes, so that it can store any id and sorts ids like the other systems,
``number``, ``title``, ``body``, ``words`` (from both, with the title labelled A and the text B),
``embedding`` if vectors are searched, and ``tokens``, two bytes each, if tokens are matched.
``words`` has an index only if ``ts_rank_cd`` searches it.

For BM25, ``…_postings`` has one row per word: the numbers of its documents, and the contribution of
the word to the score of each, so that a query only adds them up. One row per word and document
would take six times the space. With pgvector, these lists are split: ``…_rare`` has those of most
words, and ``…_frequent`` those of words in many documents, as vectors with one element for every
document, which pgvector adds up much faster than PostgreSQL adds up rows. Decision 0033 has the
measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg.sql import Composed

__all__ = [
    "FREQUENT",
    "LONGEST_NAME",
    "QUERY_WORDS",
    "are_split",
    "copy",
    "create",
    "create_postings",
    "drop",
    "find_vectors",
    "find_words",
    "finish",
    "read",
    "search",
    "split_postings",
]

FREQUENT = 8
"""Words in at least one of this many documents are frequent, and have vectors."""

LONGEST_NAME = 50
"""Maximum length of a table name: PostgreSQL allows 63 bytes, and suffixes are added."""

_K1, _B = 1.2, 0.75  # the same as in tantivy
_LONGEST_VECTOR = 16_000  # pgvector's maximum
_SPARE = 100  # documents beyond the requested ones, which may tie with the last

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

_RARE = """
CREATE TABLE {new_rare} AS
SELECT * FROM {new_postings} WHERE cardinality(numbers) * {frequent_from} < {n_documents}
"""

# Every word has all parts, including those without any of its documents.
_FREQUENT = """
CREATE TABLE {new_frequent} AS
WITH word AS (
    SELECT * FROM {new_postings} WHERE cardinality(numbers) * {frequent_from} >= {n_documents}
)
SELECT lexeme, number / {size} * {size} AS first, {size} AS size, ('{{' || coalesce(
    string_agg((number % {size} + 1) || ':' || impact::real, ',') FILTER (WHERE impact > 0), ''
) || '}}/' || {size})::sparsevec::vector AS impacts
FROM (
    SELECT lexeme, unnest(numbers) AS number, unnest(impacts) AS impact FROM word
    UNION ALL SELECT lexeme, generate_series(0, {n_documents} - 1, {size}), 0 FROM word
) AS posting
GROUP BY lexeme, number / {size}
"""

_TEXT = """
SELECT doc_id,
    ts_rank_cd(%(rank_weights)s::real[], words, query, %(normalization)s)::float8 AS score
FROM {table}, websearch_to_tsquery('english', %(query)s) AS query
WHERE words @@ query
ORDER BY score DESC, doc_id DESC
LIMIT %(depth)s
"""

QUERY_WORDS = """
SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector('english', %(words)s))
"""
"""The analysed words of a query, and how often they occur."""

_OF_QUERY = """
SELECT lexeme, 1::float8 AS weight
FROM unnest(tsvector_to_array(to_tsvector('english', %(words)s))) AS lexeme
"""

_WEIGHTED = """
SELECT lexeme, weight
FROM unnest(%(lexemes)s::text[], %(lexeme_weights)s::float8[]) AS given (lexeme, weight)
"""

# Sums have a fixed order, so that the same query returns identical bits: words are sorted first,
# and a materialised query keeps PostgreSQL from distributing them among processes. An order in the
# aggregate would sort every single contribution. Arrays are unnested together in the select list:
# in FROM they would be written to a temporary table first.
_LISTED = """
wanted AS MATERIALIZED ({wanted}),
listed AS (
    SELECT number, sum(impact) AS score, count(*) AS n_words
    FROM (
        SELECT unnest(numbers) AS number, unnest(impacts) * weight AS impact
        FROM (
            SELECT numbers, impacts, weight FROM {lists} JOIN wanted USING (lexeme)
            ORDER BY lexeme COLLATE "C"
        ) AS list
    ) AS posting
    GROUP BY number
)
"""

_SCORED = """
scored AS NOT MATERIALIZED (
    SELECT number, score FROM listed
    WHERE NOT {match_all} OR n_words = (SELECT count(*) FROM wanted)
)
"""

# pgvector multiplies vectors by vectors, not by numbers. The vectors of all documents are several
# rows per word, since pgvector limits their length; `first` is the document of the first element.
_ADDED = """
scales AS MATERIALIZED (
    SELECT lexeme, array_fill(weight::real, ARRAY[size])::vector AS scale
    FROM {frequent} JOIN wanted USING (lexeme) WHERE first = 0
),
added AS MATERIALIZED (
    SELECT first, size, (
        SELECT sum(impacts * scale)
        FROM (
            SELECT impacts, scale FROM {frequent} AS one JOIN scales USING (lexeme)
            WHERE one.first = part.first
            ORDER BY lexeme COLLATE "C"
        ) AS scaled
    )::real[] AS sums
    FROM {frequent} AS part WHERE lexeme = (SELECT min(lexeme) FROM scales)
)
"""

# A document with rare and frequent words occurs twice, the second time with its whole score:
# joining all documents with the few that have rare words would take longer.
_SPLIT_ANY = """
scored AS NOT MATERIALIZED (
    SELECT first + generate_series(0, size - 1) AS number, unnest(sums)::float8 AS score FROM added
    UNION ALL
    SELECT number, score + coalesce(sums[number - first + 1], 0)
    FROM listed LEFT JOIN added
        ON first = number / (SELECT min(size) FROM added) * (SELECT min(size) FROM added)
)
"""

_SPLIT_ALL = """
complete AS (
    SELECT first, (
        SELECT bit_and(binary_quantize(impacts)) FROM {frequent} AS one JOIN scales USING (lexeme)
        WHERE one.first = added.first
    ) AS have_all
    FROM added
),
dense AS (
    SELECT first + place AS number, score
    FROM (
        SELECT first, generate_series(0, size - 1) AS place, unnest(sums)::float8 AS score, have_all
        FROM added JOIN complete USING (first)
    ) AS summed
    WHERE get_bit(have_all, place) = 1
),
scored AS NOT MATERIALIZED (
    SELECT number, coalesce(dense.score, 0) + coalesce(listed.score, 0) AS score
    FROM dense FULL JOIN listed USING (number)
    WHERE (dense.number IS NOT NULL OR NOT EXISTS (SELECT FROM scales)) AND
        coalesce(n_words, 0) = (SELECT count(*) FROM wanted) - (SELECT count(*) FROM scales)
)
"""

# WITH TIES would sort all documents, and keeping the scores of all takes longer than computing
# them again in the rare case that more documents tie than are spare. Ids, which break ties, are
# looked up for the best documents only.
_BEST = """
best AS MATERIALIZED (
    SELECT number, max(score) AS score, count(*) AS n
    FROM (
        SELECT number, score FROM scored WHERE score > 0
        ORDER BY score DESC LIMIT 2 * %(depth)s + {spare}
    ) AS top
    GROUP BY number
),
cut AS MATERIALIZED (
    SELECT least, least = (SELECT min(score) FROM best) AND
        (SELECT sum(n) FROM best) = 2 * %(depth)s + {spare} AS are_missing
    FROM (
        SELECT min(score) AS least
        FROM (SELECT score FROM best ORDER BY score DESC LIMIT %(depth)s) AS first
    ) AS last
)
SELECT {columns}
FROM (
    SELECT number, score FROM best WHERE NOT (SELECT are_missing FROM cut)
    UNION ALL
    SELECT number, max(score) FROM scored
    WHERE (SELECT are_missing FROM cut) AND score >= (SELECT least FROM cut)
    GROUP BY number
) AS chosen, LATERAL (
    SELECT doc_id FROM {table} WHERE {table}.number = chosen.number LIMIT 1
) AS id
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
    yield _filled("DROP TABLE IF EXISTS {new}, {new_postings}, {new_rare}, {new_frequent}", table)
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


def split_postings(table: str, n_documents: int) -> Iterator[Composed]:
    """Replace the new postings by lists for rare words, and vectors for frequent ones."""
    n_parts = math.ceil(n_documents / _LONGEST_VECTOR)
    numbers = {"n_documents": n_documents, "frequent_from": FREQUENT}
    yield _filled(_RARE, table, **numbers)
    yield _filled(_FREQUENT, table, size=math.ceil(n_documents / n_parts), **numbers)
    yield _filled("DROP TABLE {new_postings}", table)
    yield _filled("CREATE UNIQUE INDEX ON {new_rare} (lexeme)", table)
    yield _filled("CREATE UNIQUE INDEX ON {new_frequent} (lexeme, first)", table)


def finish(
    table: str, *, with_word_index: bool, with_graph: bool, postings: Sequence[str]
) -> Iterator[Composed]:
    """Index the new table, and replace the old one with it, and with `postings`, by suffix."""
    if with_word_index:
        yield _filled("CREATE INDEX ON {new} USING gin (words)", table)
    if with_graph:
        yield _filled("CREATE INDEX ON {new} USING hnsw (embedding vector_cosine_ops)", table)
    yield drop(table)
    yield _filled("ALTER TABLE {new} RENAME TO {name}", table)
    yield _filled("ANALYZE {table}", table)
    for kind in postings:
        yield _filled(f"ALTER TABLE {{new_{kind}}} RENAME TO {{{kind}_name}}", table)
        yield _filled(f"ANALYZE {{{kind}}}", table)


def drop(table: str) -> Composed:
    """Remove the table and its postings."""
    return _filled("DROP TABLE IF EXISTS {table}, {postings}, {rare}, {frequent}", table)


def search(table: str, mode: str, rank: str, match: str, *, are_split: bool) -> Composed:
    """Search by words, by vectors, or by both."""
    scored = _scored(match, are_split=are_split)
    text = _bm25("doc_id, score", _OF_QUERY, scored) if rank == "bm25" else _TEXT
    if mode == "hybrid":
        return _filled(_HYBRID.replace("{text}", text).replace("{vector}", _VECTOR), table)
    return _filled(text if mode == "text" else _VECTOR, table)


def find_words(table: str, rank: str, match: str, *, are_split: bool) -> Composed:
    """Search by words, and also return numbers; words have weights if BM25 matches any."""
    if rank != "bm25":
        return _filled(_NUMBERED.replace("{found}", _TEXT), table)
    wanted = _WEIGHTED if match == "any" else _OF_QUERY
    scored = _scored(match, are_split=are_split)
    return _filled(_bm25("number, doc_id, score", wanted, scored), table)


def are_split(table: str) -> Composed:
    """Ask whether the postings are split into those of rare and of frequent words."""
    from psycopg.sql import SQL, Literal

    name = _filled("{frequent}", table).as_string(None)
    return SQL("SELECT to_regclass({}) IS NOT NULL").format(Literal(name))


def _scored(match: str, *, are_split: bool) -> str:
    if are_split:
        listed = _LISTED.replace("{lists}", "{rare}")
        return f"{listed}, {_ADDED}, {_SPLIT_ANY if match == 'any' else _SPLIT_ALL}"
    listed = _LISTED.replace("{lists}", "{postings}")
    return f"{listed}, {_SCORED.replace('{match_all}', str(match == 'all'))}"


def _bm25(columns: str, wanted: str, scored: str) -> str:
    best = _BEST.replace("{columns}", columns).replace("{spare}", str(_SPARE))
    return f"WITH {scored.replace('{wanted}', wanted)}, {best}"


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
    names = {"table": Identifier(*schema, name), "new": Identifier(*schema, f"{name}_new")}
    names["name"] = Identifier(name)
    for kind in ("postings", "rare", "frequent"):
        names[kind] = Identifier(*schema, f"{name}_{kind}")
        names[f"new_{kind}"] = Identifier(*schema, f"{name}_{kind}_new")
        names[f"{kind}_name"] = Identifier(f"{name}_{kind}")
    return SQL(template).format(**names, **{key: Literal(one) for key, one in values.items()})
