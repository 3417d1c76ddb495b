"""Documents: what is searched."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from berryeval.core.id_column import IdColumn, as_id, encode_id
from berryeval.errors import ArgumentError

__all__ = ["Document", "Documents"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document."""

    doc_id: str
    """Its id in judgments and runs; a whole number becomes its decimal text."""
    text: str
    title: str = ""
    """Its heading; may be empty."""
    length: int | None = None
    """Its length in tokens, if known."""

    def __post_init__(self) -> None:
        if type(self.doc_id) is not str:
            object.__setattr__(self, "doc_id", as_id(self.doc_id, "doc_id"))


class Documents(Mapping[str, Document]):
    """Documents by id, in their original order, stored as columns.

    Examples
    --------
    >>> documents = Documents.of([Document("d1", "Use a token.", title="OAuth")])
    >>> documents["d1"].title
    'OAuth'
    >>> documents
    <Documents: 1 document>
    """

    def __init__(
        self, ids: IdColumn, titles: IdColumn, texts: IdColumn, length: array[int] | None = None
    ) -> None:
        self.ids = ids
        self.titles = titles
        self.texts = texts
        self.length = length
        """Tokens of each document, or None unless every document has a length."""

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Documents:
        """Collect documents, each of which may occur once."""
        fields: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
        lengths: list[int | None] = []
        seen: set[bytes] = set()
        for document in documents:
            doc_id = encode_id(document.doc_id)
            if doc_id in seen:
                raise ArgumentError("documents", "each document once", f"{document.doc_id!r} twice")
            seen.add(doc_id)
            for column, value in zip(
                fields, (doc_id, encode_id(document.title), encode_id(document.text)), strict=True
            ):
                column.append(value)
            lengths.append(document.length)
        known = [length for length in lengths if length is not None]
        has_lengths = lengths and len(known) == len(lengths)
        ids, titles, texts = map(IdColumn.of, fields)
        return cls(ids, titles, texts, array("Q", known) if has_lengths else None)

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {doc_id: number for number, doc_id in enumerate(self.ids)}

    def __getitem__(self, doc_id: str) -> Document:
        return self._at(self._number_of[doc_id])

    def _at(self, number: int) -> Document:
        length = None if self.length is None else self.length[number]
        return Document(self.ids[number], self.texts[number], self.titles[number], length)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Documents):
            return NotImplemented
        return (self.ids, self.titles, self.texts, self.length) == (
            other.ids,
            other.titles,
            other.texts,
            other.length,
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content

    def __repr__(self) -> str:
        documents = "1 document" if len(self) == 1 else f"{len(self):,} documents"
        return f"<Documents: {documents}>"
