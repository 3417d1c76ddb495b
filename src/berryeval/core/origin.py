"""The origin of data, for error messages."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.core.column_names import Kind
from berryeval.core.id_column import shown_id
from berryeval.errors import ArgumentError, FormatError, InputError

__all__ = ["Origin"]

_VERB = {"judgments": "judged", "run": "retrieved"}


@dataclass(frozen=True)
class Origin:
    """A file, or an argument that is not a file.

    Places are lines where there are lines, and rows otherwise. Both count from 1.
    """

    name: str
    is_file: bool = True
    has_lines: bool = False

    def error(self, expected: str, found: str, place: int | None = None) -> InputError:
        """Return the error that states what was expected and what was found."""
        if not self.is_file:
            return ArgumentError(self.name, expected, f"{found}{self._row(place)}")
        return FormatError.unexpected(
            expected, f"{found}{self._row(place)}", self.name, place if self.has_lines else None
        )

    def duplicate(
        self, kind: Kind, query_id: bytes, doc_id: bytes, place: int | None
    ) -> InputError:
        """Return the error for a document that occurs twice."""
        document, query = shown_id(doc_id), shown_id(query_id)
        if not self.is_file:
            expected = "each document once for a query"
            return self.error(expected, f"{document} a second time for {query}", place)
        message = f"document {document} is {_VERB[kind]} a second time for query {query}"
        return FormatError(message + self._row(place), self.name, place if self.has_lines else None)

    def _row(self, place: int | None) -> str:
        return "" if place is None or self.has_lines else f" in row {place}"
