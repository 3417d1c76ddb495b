"""Queries, documents and judgments that belong together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from berryeval.core.documents import Document, Documents
from berryeval.core.files import write_whole
from berryeval.core.id_column import as_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputTypeError
from berryeval.formats.corpus import write_documents
from berryeval.formats.delimited import write_rows
from berryeval.formats.queries import write_queries

__all__ = ["Dataset", "document_of"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Queries, documents and judgments that belong together.

    Examples
    --------
    >>> data = Dataset.of(
    ...     queries={"q1": "Where do tokens come from?"},
    ...     corpus={"d1": {"title": "OAuth", "text": "Use a token."}},
    ...     relevant_docs={"q1": {"d1": 1}},
    ... )
    >>> data
    <Dataset: 1 query, 1 judgment>
    >>> data.documents["d1"].title
    'OAuth'
    """

    queries: tuple[Query, ...]
    judgments: Judgments
    iter_documents: Callable[[], Iterator[Document]]
    """Iterates over the documents, which may be too many for memory."""
    name: str = ""
    """Origin of the data set."""
    cautions: tuple[str, ...] = ()
    """What may have been read differently than it was meant."""

    @classmethod
    def of(
        cls,
        queries: Mapping[Any, str],
        corpus: Mapping[Any, object],
        relevant_docs: Mapping[Any, Mapping[Any, float] | Iterable[Any]],
        *,
        name: str = "",
    ) -> Dataset:
        """Return the data set of three dicts, as BEIR, MTEB and LlamaIndex load them.

        Parameters
        ----------
        queries : mapping of id to str
            Texts of the queries.
        corpus : mapping of id to str or mapping
            Texts of the documents, or mappings with ``text`` and optionally ``title``.
        relevant_docs : mapping of query id to mapping or iterable
            Grades by document, or relevant documents, whose grade is 1.
        name : str
            Where it comes from.

        Raises
        ------
        InputTypeError
            If a document is neither text nor a mapping with a text.
        """
        grades = {
            as_id(query_id, "query_id"): dict(judged)
            if isinstance(judged, Mapping)
            else dict.fromkeys(judged, 1.0)
            for query_id, judged in relevant_docs.items()
        }
        documents = [document_of(doc_id, content) for doc_id, content in corpus.items()]
        return cls(
            tuple(Query(as_id(one, "query_id"), text) for one, text in queries.items()),
            Judgments.from_dict(grades),
            lambda: iter(documents),
            name,
        )

    @cached_property
    def documents(self) -> Documents:
        """All documents, in memory."""
        return Documents.of(self.iter_documents())

    def write(self, folder: str | os.PathLike[str], *, split: str = "test") -> None:
        """Write it as a BEIR folder, which every command reads; without a corpus if it has none.

        Parameters
        ----------
        folder : path
            The folder, which is created if necessary.
        split : str
            The name of the file of judgments: ``qrels/SPLIT.tsv``.

        Raises
        ------
        FormatError
            If a file cannot be written.
        """
        target = Path(folder)
        try:
            (target / "qrels").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"cannot be created: {error.strerror}", str(target)) from None
        write_queries(self.queries, target / "queries.jsonl", format="jsonl")
        documents = self.iter_documents()
        first = next(documents, None)
        if first is not None:
            write_documents(chain([first], documents), target / "corpus.jsonl")
        write_whole(target / "qrels" / f"{split}.tsv", write_rows(self._qrels(), "\t"))

    def _qrels(self) -> Iterator[list[str]]:
        yield ["query-id", "corpus-id", "score"]
        for query_id, grades in self.judgments.to_dict().items():
            for doc_id, grade in grades.items():
                yield [query_id, doc_id, str(int(grade) if grade.is_integer() else grade)]

    def __repr__(self) -> str:
        n_judgments = len(self.judgments.doc_ids)
        queries = "1 query" if len(self.queries) == 1 else f"{len(self.queries):,} queries"
        judgments = "1 judgment" if n_judgments == 1 else f"{n_judgments:,} judgments"
        return f"<Dataset{' ' * bool(self.name)}{self.name}: {queries}, {judgments}>"


def document_of(doc_id: object, content: object) -> Document:
    """Return a document of text, or of a mapping with a text and possibly a title."""
    if isinstance(content, str):
        return Document(as_id(doc_id, "doc_id"), content)
    if isinstance(content, Mapping) and isinstance(content.get("text"), str):
        return Document(as_id(doc_id, "doc_id"), content["text"], content.get("title") or "")
    expected = "texts, or mappings with a text and a title"
    raise InputTypeError("corpus", expected, type(content).__name__)
