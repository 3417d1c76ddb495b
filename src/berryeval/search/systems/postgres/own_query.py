"""Search in the user's own tables: a SQL query with placeholders for the text and number of hits.

``{{query}}`` stands for the text, ``{{k}}`` for the number of documents, and ``{{vector}}`` for
the vector of the text. They become parameters of the statement, never parts of it. The first
column of the result is the id, the second one, if there is one, the score; rows are best first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berryeval.core.inputs import note_input
from berryeval.errors import AnswerError, ArgumentError, FormatError
from berryeval.search.embedding.embedder import Embedder, as_embedder, embed_queries
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.limits import seconds_allowed
from berryeval.search.systems.postgres.connections import PostgresConnections
from berryeval.search.systems.postgres.index import Statements, to_literal

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresQuery"]

_QUERY, _K, _VECTOR = "{{query}}", "{{k}}", "{{vector}}"
_PLACES = {_QUERY: "%(query)s", _K: "%(k)s", _VECTOR: "%(vector)s::vector"}


class PostgresQuery(PostgresConnections):
    """A search by a SQL query, which can only read.

    Parameters
    ----------
    dsn : str
        Address of the database.
    template : path
        File with the query, see above.
    embedder : Embedder or callable, optional
        Source of the vectors, for ``{{vector}}``. Default: `WordLlama`.
    timeout : float
        Seconds for a connection, and for a search.

    Raises
    ------
    FormatError
        If the file cannot be read.
    ArgumentError
        If it has no ``{{query}}`` and no ``{{vector}}``.
    """

    def __init__(
        self,
        dsn: str,
        template: str,
        *,
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        timeout: float = 30.0,
    ) -> None:
        self.template = _read(template)
        if _QUERY not in self.template and _VECTOR not in self.template:
            raise ArgumentError("template", f"a placeholder {_QUERY} or {_VECTOR}", repr(template))
        super().__init__(dsn, timeout)
        self.embedder = as_embedder(embedder)
        statement = self.template.replace("%", "%%")
        for place, parameter in _PLACES.items():
            statement = statement.replace(place, parameter)
        self._statement = statement

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first; more are an error, unless {{k}} was not sent.

        Raises
        ------
        SystemUnderTestError
            If the database fails; `SystemTimeoutError` if it takes too long; `AnswerError` for
            rows that are not hits.
        """
        check_k(k)
        parameters: dict[str, Any] = {"query": query.replace("\0", " "), "k": k}
        if _VECTOR in self.template:
            parameters["vector"] = to_literal(embed_queries(self.embedder, [query])[0])
        with self._connection() as connection:
            statements = Statements(connection, seconds_allowed(self.timeout), {})
            rows = statements.execute(self._statement, parameters).fetchall()
        hits = [self._hit(row) for row in rows]
        return to_hits(hits if _K in self.template else hits[:k], k, self.name)

    def fingerprint(self) -> dict[str, str]:
        """Return the query, without the address of the database."""
        facts = {"system": "postgres", "template": self.template}
        return facts | ({"embedder": self.embedder.name} if _VECTOR in self.template else {})

    def _connect(self) -> psycopg.Connection[Any]:
        connection = super()._connect()
        connection.execute("SET default_transaction_read_only = on")
        return connection

    def _hit(self, row: tuple[Any, ...]) -> object:
        if not row or row[0] is None:
            raise AnswerError(self.name, "expected rows with an id, and perhaps a score, got none")
        doc_id = row[0] if isinstance(row[0], str) else str(row[0])
        return doc_id if len(row) == 1 else (doc_id, float(row[1]))


def _read(path: str) -> str:
    note_input(path)
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read: {getattr(error, 'strerror', error)}", path) from None
