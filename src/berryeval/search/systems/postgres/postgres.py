"""PostgreSQL as a system: its full text search, pgvector, and both in one statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import ArgumentError
from berryeval.search.embedding.embedder import Embedder, Vectors, as_embedder, embed_queries
from berryeval.search.hits import Hit, best_hits, check_k
from berryeval.search.limits import seconds_allowed
from berryeval.search.system import each_once
from berryeval.search.systems.hybrid import (
    HybridSettings,
    default_weights,
    fusion_facts,
    search_hybrid_each,
)
from berryeval.search.systems.late_interaction import tokens_of
from berryeval.search.systems.lexical import words_of
from berryeval.search.systems.postgres import sql
from berryeval.search.systems.postgres.connections import PostgresConnections
from berryeval.search.systems.postgres.index import PostgresIndex, Statements, to_literal
from berryeval.search.systems.rank_fusion import Fusion, check_fusion

if TYPE_CHECKING:
    import psycopg

__all__ = ["Postgres", "PostgresMode"]

PostgresMode: TypeAlias = Literal["text", "vector", "hybrid"]
"""How to search: full text, vectors, or both."""

_AT_ONCE = 1000
_NORMALIZATION = 1  # flag of ts_rank_cd: divide by 1 + log(length)
_MAX_CANDIDATES = 1000  # pgvector's maximum of hnsw.ef_search


class Postgres(PostgresConnections):
    """Full text, pgvector, and both fused, in a separate table.

    Parameters
    ----------
    dsn : str
        Address of the database: ``postgresql://user@host/database``, or libpq's
        ``host=… dbname=…``. Keep passwords in ``PGPASSWORD`` or ``~/.pgpass``.
    mode : {"hybrid", "text", "vector"}
        How to search. Vectors require the extension ``vector``, which `index` creates.
    table : str
        Table of the documents, optionally as ``schema.table``. `index` creates it, or replaces it
        once everything is indexed.
    embedder : Embedder or callable, optional
        Source of the vectors. Default: `WordLlama`.
    rank : {"bm25", "ts_rank_cd"}
        How words are weighted: by BM25, for which `index` creates two more tables, ``…_rare`` and
        ``…_frequent``, or one, ``…_postings``, if the database has no pgvector 0.7 or newer; or by
        PostgreSQL's own ranking, in which rare words count no more than others.
    match : {"any", "all"}
        Whether a document must contain any of the words, or all of them.
    normalization : int
        PostgreSQL's flags for how ``ts_rank_cd`` accounts for lengths: 1 divides by
        1 + log(length), 0 ignores lengths.
    title_weight : float
        Weight of a word in the title relative to the text.
    fusion, weights, depth, late, feedback, constant
        Settings of the fusion, as in `Embedded`: text first, vectors second. Ranks are fused in
        one statement. Feedback by words requires ``rank="bm25"`` and ``match="any"``.
    approximate : bool
        Whether vectors get an HNSW index; without it, every vector is compared.
    timeout : float
        Seconds for a connection, and for a search. The server receives the limit of a search as
        ``statement_timeout``; it is lower if the caller waits less, see `Limits`.

    Raises
    ------
    ArgumentError
        For an invalid setting.
    MissingExtraError
        If psycopg is not installed.
    """

    def __init__(
        self,
        dsn: str,
        mode: PostgresMode = "hybrid",
        *,
        table: str = "berryeval_documents",
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        rank: Literal["bm25", "ts_rank_cd"] = "bm25",
        match: Literal["any", "all"] = "any",
        normalization: int = _NORMALIZATION,
        title_weight: float = 1.0,
        fusion: Fusion = "scores",
        weights: Sequence[float] | None = None,
        depth: int = 100,
        late: float = 1.0,
        feedback: int = 5,
        constant: float = 60.0,
        approximate: bool = True,
        timeout: float = 30.0,
    ) -> None:
        _check_choice("mode", mode, get_args(PostgresMode))
        _check_choice("rank", rank, ("ts_rank_cd", "bm25"))
        _check_choice("match", match, ("any", "all"))
        if weights is None:
            weights = default_weights(fusion)
        check_fusion(weights, constant, depth, fusion)
        if rank == "bm25" and normalization != _NORMALIZATION:
            expected = "rank='ts_rank_cd' with it: BM25 has its own normalization of lengths"
            raise ArgumentError("normalization", expected, f"rank={rank!r}")
        if not title_weight >= 0:
            raise ArgumentError("title_weight", "a number from 0", repr(title_weight))
        names = table.split(".")
        if not all(0 < len(name.encode()) <= sql.LONGEST_NAME for name in names):
            expected = f"a name, or a schema and a name, up to {sql.LONGEST_NAME} bytes"
            raise ArgumentError("table", expected, repr(table))
        super().__init__(dsn, timeout)
        self.mode = mode
        self.table = table
        self.embedder = as_embedder(embedder)
        self.rank = rank
        self.match = match
        self.normalization = normalization
        self.title_weight = title_weight
        self.fusion = fusion
        self.settings = HybridSettings((weights[0], weights[1]), late, feedback, depth)
        self.constant = constant
        self.approximate = approximate

    def index(self, documents: Iterable[Document]) -> int:
        """Replace all documents of the table; return their number.

        Concurrent searches use the old documents until indexing is complete.

        Raises
        ------
        ArgumentError
            For a repeated document.
        SystemUnderTestError
            If the database fails, or has no pgvector.
        """
        has_vectors = self.mode != "text"
        found = each_once(documents)
        n_documents, dimensions = 0, None
        with self._connection() as connection, connection.transaction():
            connection.execute("SET LOCAL statement_timeout = 0")
            # Building a graph that does not fit into memory takes several times as long.
            connection.execute("SET LOCAL maintenance_work_mem = '256MB'")
            if has_vectors:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            while batch := list(islice(found, _AT_ONCE)):
                vectors = self._embed(batch) if has_vectors else None
                if n_documents == 0:
                    dimensions = None if vectors is None else vectors.shape[1]
                    self._run(connection, self._create(dimensions))
                self._copy(connection, batch, vectors, n_documents)
                n_documents += len(batch)
            if n_documents == 0:
                self._run(connection, self._create(1 if has_vectors else None))
            searches_words = self.mode != "vector"
            finish = sql.finish(
                self.table,
                with_word_index=searches_words and not self._needs_postings,
                with_graph=has_vectors and self.approximate,
                postings=self._create_postings(connection, n_documents),
            )
            self._run(connection, finish)
        return n_documents

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first.

        Raises
        ------
        SystemUnderTestError
            If the database fails, or nothing was indexed; `SystemTimeoutError` if it takes too
            long.
        """
        check_k(k)
        if self._is_in_rounds:
            [hits] = self.search_each(query, k, [self.settings])
            return hits
        vector = embed_queries(self.embedder, [query])[0] if self.mode != "text" else None
        with self._connection() as connection:
            seconds = seconds_allowed(self.timeout)
            depth = max(k, self.settings.depth)
            statements = Statements(connection, seconds, self._session(2 * depth))
            are_split = self._needs_postings and statements.ask(sql.are_split(self.table))
            statement = sql.search(
                self.table, self.mode, self.rank, self.match, are_split=are_split
            )
            rows = statements.execute(statement, self._parameters(query, vector, k)).fetchall()
        return [Hit(decode_id(doc_id), score) for doc_id, score in rows]

    def search_each(self, query: str, k: int, several: Sequence[HybridSettings]) -> list[list[Hit]]:
        """Return the hits of hybrid search by scores with each of several settings.

        The table must have what they need: it was made with `late` above 0. The time allowed is
        that of as many searches.

        Raises
        ------
        SystemUnderTestError
            As for `search`.
        """
        check_k(k)
        deep = [replace(one, depth=max(k, one.depth)) for one in several]
        vector = embed_queries(self.embedder, [query])[0]
        with self._connection() as connection:
            seconds = seconds_allowed(self.timeout) * len(deep)
            session = self._session(2 * max(one.depth for one in deep))
            statements = Statements(connection, seconds, session)
            parameters = self._parameters(query, vector, k)
            are_split = self._needs_postings and statements.ask(sql.are_split(self.table))
            index = PostgresIndex(
                statements, self.table, self.rank, self.match, parameters, are_split=are_split
            )
            return [
                best_hits(((index.ids[n], score) for n, score in scores.items()), k)
                for scores in search_hybrid_each(index, query, vector, deep)
            ]

    def _parameters(self, query: str, vector: Vectors | None, k: int) -> dict[str, Any]:
        """Return what statements refer to."""
        settings = self.settings
        return {
            "query": (" or " if self.match == "any" else " ").join(_words(query)),
            "words": " ".join(_words(query)),
            "vector": None if vector is None else to_literal(vector),
            "rank_weights": self._rank_weights(),
            "normalization": self.normalization,
            "text_weight": float(settings.weights[0]),
            "vector_weight": float(settings.weights[1]),
            "constant": float(self.constant),
            "depth": max(k, settings.depth) if self.mode == "hybrid" else k,
            "k": k,
        }

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that affect the results, without the address of the database."""
        facts = {"system": "postgres", "mode": str(self.mode)}
        if self.mode != "vector":
            facts |= {"rank": self.rank, "match": self.match}
            facts["title_weight"] = f"{self.title_weight:g}"
            if self.rank == "ts_rank_cd":
                facts["normalization"] = str(self.normalization)
        if self.mode != "text":
            facts["embedder"] = self.embedder.name
            facts["nearest"] = "approximate" if self.approximate else "exact"
        if self.mode == "hybrid":
            facts |= fusion_facts(self.fusion, self.settings, self.constant)
        return facts

    def drop(self) -> None:
        """Remove the table with all its documents."""
        with self._connection() as connection, connection.transaction():
            # The last search may have set a lower limit.
            connection.execute(f"SET LOCAL statement_timeout = {round(self.timeout * 1000)}")
            connection.execute(sql.drop(self.table))

    def _message_of(self, error: psycopg.Error) -> str:
        errors = self._psycopg.errors
        if isinstance(error, errors.UndefinedTable):
            return _missing_table(self.table, error)
        if isinstance(error, errors.UndefinedColumn):
            return f"table {self.table} has another layout; index documents again"
        return super()._message_of(error)

    @property
    def _needs_postings(self) -> bool:
        return self.mode != "vector" and self.rank == "bm25"

    @property
    def _is_in_rounds(self) -> bool:
        return self.mode == "hybrid" and self.fusion == "scores"

    @property
    def _has_tokens(self) -> bool:
        return self._is_in_rounds and self.settings.late > 0

    def _create(self, dimensions: int | None) -> Iterable[Any]:
        return sql.create(self.table, dimensions, with_tokens=self._has_tokens)

    def _create_postings(
        self, connection: psycopg.Connection[Any], n_documents: int
    ) -> Sequence[str]:
        """Create the postings of the new table; return their kinds."""
        if not self._needs_postings:
            return ()
        self._run(connection, sql.create_postings(self.table, self.title_weight))
        # pgvector has this type since 0.7.
        [[has_pgvector]] = connection.execute("SELECT to_regtype('sparsevec') IS NOT NULL")
        if not has_pgvector or n_documents == 0:
            return ("postings",)
        self._run(connection, sql.split_postings(self.table, n_documents))
        return ("rare", "frequent")

    def _run(self, connection: psycopg.Connection[Any], statements: Iterable[Any]) -> None:
        for statement in statements:
            connection.execute(statement)

    def _copy(
        self,
        connection: psycopg.Connection[Any],
        documents: Sequence[Document],
        vectors: Vectors | None,
        first: int,
    ) -> None:
        tokens = tokens_of([_whole(document) for document in documents]) if self._has_tokens else []
        statement = sql.copy(
            self.table, with_vectors=vectors is not None, with_tokens=self._has_tokens
        )
        with connection.cursor() as cursor, cursor.copy(statement) as rows:
            for number, document in enumerate(documents):
                row = [
                    encode_id(document.doc_id),
                    first + number,
                    _storable(document.title),
                    _storable(document.text),
                ]
                vector = [] if vectors is None else [to_literal(vectors[number])]
                token = [tokens[number].astype("<u2").tobytes()] if self._has_tokens else []
                rows.write_row([*row, *vector, *token])

    def _embed(self, documents: Sequence[Document]) -> Vectors:
        return self.embedder.embed([_whole(document) for document in documents])

    def _rank_weights(self) -> list[float]:
        """Return weights of the labels D, C, B and A, of which the highest allowed is 1."""
        most = max(self.title_weight, 1.0)
        return [0.0, 0.0, 1.0 / most, self.title_weight / most]

    def _session(self, n_candidates: int) -> dict[str, str]:
        """Return settings that make an HNSW index consider enough candidates."""
        if self.mode == "text":
            return {}
        return {
            "hnsw.ef_search": str(max(40, min(n_candidates, _MAX_CANDIDATES))),
            "hnsw.iterative_scan": "strict_order",
        }


def _missing_table(table: str, error: BaseException) -> str:
    """Return a message that names the missing table and how to fix it."""
    if "_postings" not in str(error):
        return f"there is no table {table}; index documents first"
    found = f"there is no table {table}_postings, which BM25 needs; index documents first"
    return f"{found}, or set rank=ts_rank_cd for a table that was indexed without it"


def _check_choice(argument: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ArgumentError(argument, " or ".join(map(repr, known)), repr(value))


def _words(query: str) -> list[str]:
    """Return the words of a query, except "or", which is an operator of websearch_to_tsquery."""
    return [word for word in words_of(query) if word != "or"]


def _whole(document: Document) -> str:
    return f"{document.title}\n{document.text}".strip()


def _storable(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
