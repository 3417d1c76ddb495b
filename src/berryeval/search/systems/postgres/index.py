"""The index of a hybrid search in two rounds on PostgreSQL, over one connection."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from berryeval.core.id_column import decode_id
from berryeval.search.embedding.embedder import Vectors
from berryeval.search.systems.late_interaction import Tokens
from berryeval.search.systems.postgres import sql

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresIndex", "Statements", "to_literal"]


_WORTH_A_ROUND_TRIP = 0.9


class Statements:
    """Executes the statements of one search within a common time limit.

    Parameters
    ----------
    connection : psycopg.Connection
        The connection, not shared with another thread.
    seconds : float
        Time limit of the search. The server cancels a statement that would exceed it.
    settings : mapping of str to str
        Settings of the session, from these statements on.
    """

    def __init__(
        self, connection: psycopg.Connection[Any], seconds: float, settings: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + seconds
        self._grant(seconds, settings)

    def execute(self, statement: Any, parameters: Mapping[str, Any]) -> psycopg.Cursor[Any]:  # noqa: ANN401
        """Execute a statement within the remaining time."""
        left = self._deadline - time.monotonic()
        # A new limit costs a round trip, which is not worth it for a few milliseconds.
        if left < _WORTH_A_ROUND_TRIP * self._granted:
            self._grant(left, {})
        return self._connection.execute(statement, parameters)

    def ask(self, statement: Any) -> bool:  # noqa: ANN401
        """Return the result of a statement that returns a single value."""
        row = self.execute(statement, {}).fetchone()
        return row is not None and bool(row[0])

    def _grant(self, seconds: float, settings: Mapping[str, str]) -> None:
        self._granted = seconds
        milliseconds = str(max(1, math.ceil(1000 * seconds)))  # 0 would be no limit
        wanted = {"statement_timeout": milliseconds, **settings}
        calls = ", ".join(["set_config(%s, %s, false)"] * len(wanted))
        self._connection.execute(
            f"SELECT {calls}", [word for setting in wanted.items() for word in setting]
        )


class PostgresIndex:
    """The documents of a table, by number.

    Parameters
    ----------
    statements : Statements
        Executes the statements.
    table : str
        Table of the documents.
    rank : {"ts_rank_cd", "bm25"}
        How words are weighted.
    match : {"any", "all"}
        Whether a document must contain any of the words, or all of them.
    parameters : mapping
        Parameters of a search by words, see `berryeval.search.systems.postgres.sql`.
    are_split : bool
        Whether the postings of rare and of frequent words have separate tables.
    """

    def __init__(
        self,
        statements: Statements,
        table: str,
        rank: str,
        match: str,
        parameters: Mapping[str, Any],
        *,
        are_split: bool,
    ) -> None:
        self._statements = statements
        self._table = table
        self._rank = rank
        self._match = match
        self._parameters = parameters
        self._are_split = are_split
        self._by_query: dict[int, Mapping[int, float]] = {}
        self.ids: dict[int, str] = {}
        """Ids of the documents found so far, by number."""

    @property
    def _weights_words(self) -> bool:
        """Whether words can have weights, which only our own BM25 statement supports."""
        return self._rank == "bm25" and self._match == "any"

    def query_words(self, query: str) -> Mapping[str, float]:  # noqa: ARG002 - it is in parameters
        """Return the analysed words of the query, and how often they occur."""
        if not self._weights_words:
            return {}
        rows = self._statements.execute(sql.QUERY_WORDS, self._parameters)
        return {word: float(times) for word, times in rows}

    def best_by_words(self, words: Mapping[str, float], k: int) -> Mapping[int, float]:
        """Return the best k documents by weighted words, or by the query if weights are ignored."""
        if not self._weights_words:  # the second round would search for the same words
            if k not in self._by_query:
                self._by_query[k] = self._find_words({}, k)
            return self._by_query[k]
        return self._find_words(words, k)

    def _find_words(self, words: Mapping[str, float], k: int) -> Mapping[int, float]:
        statement = sql.find_words(self._table, self._rank, self._match, are_split=self._are_split)
        weighted = {"lexemes": list(words), "lexeme_weights": [float(w) for w in words.values()]}
        return self._found(statement, {**self._parameters, **weighted, "depth": k})

    def nearest(self, vector: Vectors, k: int) -> Mapping[int, float]:
        """Return the k nearest documents with their cosines."""
        parameters = {"vector": to_literal(vector), "depth": k}
        return self._found(sql.find_vectors(self._table), parameters)

    def words_of(self, numbers: Sequence[int]) -> Sequence[Mapping[str, float]]:
        """Return the words of documents, and how often they occur."""
        found: dict[int, dict[str, float]] = {number: {} for number in numbers}
        if self._weights_words:
            for number, word, times in self._read("words", numbers):
                found[number][word] = float(times)
        return [found[number] for number in numbers]

    def vectors_of(self, numbers: Sequence[int]) -> Vectors:
        """Return the vectors of documents; zeros for a document without one."""
        found = {number: vector for number, vector in self._read("vectors", numbers) if vector}
        size = len(next(iter(found.values()), [0.0]))
        none = [0.0] * size
        return np.asarray([found.get(number, none) for number in numbers], dtype=np.float32)

    def tokens_of(self, numbers: Sequence[int]) -> Sequence[Tokens]:
        """Return the tokens of documents."""
        found = dict(self._read("tokens", numbers))
        return [np.frombuffer(found[number], dtype="<u2") for number in numbers]

    def _found(self, statement: Any, parameters: Mapping[str, Any]) -> dict[int, float]:  # noqa: ANN401
        scores: dict[int, float] = {}
        for number, doc_id, score in self._statements.execute(statement, parameters):
            self.ids[number] = decode_id(doc_id)
            scores[number] = score
        return scores

    def _read(self, what: str, numbers: Sequence[int]) -> Any:  # noqa: ANN401 - rows
        statement = sql.read(self._table, what)
        return self._statements.execute(statement, {"numbers": list(numbers)}).fetchall()


def to_literal(vector: Vectors) -> str | None:
    """Write a vector in pgvector's notation; None for a zero vector."""
    return "[" + ",".join(map(str, vector.tolist())) + "]" if vector.any() else None
