"""Test sets of Ragas: one row per question, with the contexts that answer it.

JSON lines, a JSON list, or CSV in which lists are written as in Python:

======================  ======================================================
``user_input``          the question; ``question`` in Ragas 0.1
``reference_contexts``  texts of the relevant chunks; ``contexts`` in Ragas 0.1
``reference_context_ids``  optional: their ids, which are then used
``synthesizer_name``    optional: the category of the query
``id``                  optional: the id of the query. Default: the number of the row
======================  ======================================================

Other columns are ignored. A context has no id of its own, so it is matched to the documents by
content: to those with the same text, apart from white space, or else to those that contain it or
are contained in it. What matches no document is a document itself, called by a hash of its text,
as `berryeval.search.Retriever` calls documents with the setting ``id=hash``. ``<1-hop>`` and the
like before a context, which Ragas adds for questions about several, are removed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.content_id import content_id
from berryeval.core.documents import Document
from berryeval.core.events import event_logger
from berryeval.core.id_column import as_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputTypeError, MismatchError
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.datasets.rows import iter_records_of
from berryeval.formats.lines import PathLike, path_name

__all__ = ["CONTEXTS", "IDS", "QUESTIONS", "read"]

QUESTIONS = ("user_input", "question")
CONTEXTS = ("reference_contexts", "contexts")
IDS = "reference_context_ids"
_HOP = re.compile(r"<\d+-hop>\s*")

_log = event_logger(__name__)


def read(path: PathLike, documents: Iterable[Document] | None = None) -> Dataset:
    """Read a test set.

    Parameters
    ----------
    path : path
        The file.
    documents : iterable of Document, optional
        The chunks that the retriever searches, to which contexts are matched. Default: every
        context is a document.

    Raises
    ------
    FormatError
        If the file has another structure.
    MismatchError
        If no context matches a document.
    """
    known = None if documents is None else list(documents)
    matcher = _Matcher(known or ())
    queries: list[Query] = []
    grades: dict[str, dict[str, float]] = {}
    for number, (line, row) in enumerate(iter_records_of(path), start=1):
        query = _query(row, number, path, line)
        if query.query_id in grades:
            raise FormatError(f"query {query.query_id!r} occurs twice", path_name(path), line)
        queries.append(query)
        ids = row.get(IDS)
        if ids:
            try:
                relevant = [as_id(one, IDS) for one in _list(ids, IDS, path, line)]
            except InputTypeError as error:
                raise FormatError(str(error), path_name(path), line) from None
        else:
            contexts = _list(_first(row, CONTEXTS), CONTEXTS[0], path, line)
            relevant = [
                name for text in contexts for name in matcher.match(_text(text, path, line))
            ]
        grades[query.query_id] = dict.fromkeys(relevant, 1.0)
    matcher.check(path)
    found = matcher.unmatched if known is None else known
    return Dataset(
        tuple(queries), Judgments.from_dict(grades), lambda: iter(found), path_name(path)
    )


class _Matcher:
    """Finds the documents of contexts by their content."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_text: dict[str, list[str]] = {}
        for document in documents:
            text = _normal(document.text)
            if text:
                self._by_text.setdefault(text, []).append(document.doc_id)
        self._seen: dict[str, list[str]] = {}
        self._unmatched: dict[str, Document] = {}

    @property
    def unmatched(self) -> list[Document]:
        """The contexts that match no document, as documents."""
        return list(self._unmatched.values())

    def match(self, context: str) -> list[str]:
        """Return the ids of the documents of a context."""
        text = _normal(context)
        if text not in self._seen:
            found = self._by_text.get(text) or self._overlapping(text)
            if not found:
                own = content_id(text)
                self._unmatched[own] = Document(own, context)
                found = [own]
            self._seen[text] = found
        return self._seen[text]

    def check(self, path: PathLike) -> None:
        """Raise if no context matches a document; log how many do not."""
        n_missing, n_contexts = len(self._unmatched), len(self._seen)
        if not self._by_text or not n_missing:
            return
        first = next(iter(self._unmatched.values())).text
        way_out = "give the chunks that the retriever searches"
        if n_missing == n_contexts:
            shown = first if len(first) <= 60 else first[:59] + "…"  # noqa: PLR2004
            message = f"no reference context matches a document, such as {shown!r}; {way_out}"
            raise MismatchError(f"{path_name(path)}: {message}")
        facts = {"unmatched": n_missing, "contexts": n_contexts, "way_out": way_out}
        _log.warning("reference contexts that match no document count as not found", extra=facts)

    def _overlapping(self, text: str) -> list[str]:
        return [
            doc_id
            for known, doc_ids in self._by_text.items()
            if text and (text in known or known in text)
            for doc_id in doc_ids
        ]


def _query(row: Mapping[str, Any], number: int, path: PathLike, line: int | None) -> Query:
    text = _first(row, QUESTIONS)
    if not isinstance(text, str) or not text:
        found = "nothing" if text is None else type(text).__name__
        way_out = "conversations of several turns are not supported" * isinstance(text, list)
        expected = f"a question as {QUESTIONS[0]}"
        raise FormatError.unexpected(expected, found, path_name(path), line, way_out=way_out)
    own = row.get("id")
    category = row.get("synthesizer_name")
    return Query(
        str(number) if own in (None, "") else str(own),
        text,
        category=category if isinstance(category, str) and category else None,
    )


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _list(value: object, name: str, path: PathLike, line: int | None) -> list[object]:
    if isinstance(value, str):  # in a table, lists are text
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    if not isinstance(value, list):
        raise FormatError.unexpected(f"a list as {name}", "none", path_name(path), line)
    return value


def _text(value: object, path: PathLike, line: int | None) -> str:
    if not isinstance(value, str):
        raise FormatError.unexpected(
            "text as a context", type(value).__name__, path_name(path), line
        )
    return _HOP.sub("", value, count=1) if _HOP.match(value) else value


def _normal(text: str) -> str:
    return " ".join(text.split())
