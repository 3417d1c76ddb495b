"""Collections of the service, with their queries, documents and judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from berryeval.client.connection import Record, Resource, save
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import InputTypeError

__all__ = ["Collections", "Documents", "Judgments", "Queries", "document_bodies"]

_COLLECTION = "/v1/collections/{name}"

_Grade: TypeAlias = "float | Mapping[str, float]"
"""A grade, or grades by subtopic."""


class Collections(Resource):
    """Separate golden sets with their runs and gates."""

    def __iter__(self) -> Iterator[Record]:
        return map(Record, self._connection.ask("GET", "/v1/collections")["items"])

    def create(self, name: str, title: str | None = None) -> Record:
        """Create a collection, or change the title of an existing one."""
        return self._connection.ask("PUT", _COLLECTION, {"name": name}, body={"title": title})

    def get(self, name: str) -> Record:
        """Return a collection."""
        return self._connection.ask("GET", _COLLECTION, {"name": name})

    def remove(self, name: str) -> None:
        """Remove a collection with everything in it."""
        self._connection.ask("DELETE", _COLLECTION, {"name": name})


class Queries(Resource):
    """Queries with their labels."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/queries")

    def get(self, query_id: str) -> Record:
        """Return a query."""
        return self._connection.ask("GET", "/v1/queries/{query_id}", {"query_id": query_id})

    def put(self, queries: Iterable[Query]) -> Record:
        """Store queries, all or none; existing ones are replaced."""
        body = {"queries": [asdict(one) for one in queries]}
        return self._connection.ask("POST", "/v1/queries", body=body)

    def set(self, query: Query, *, if_match: str | None = None) -> Record:
        """Store one query; `if_match` is its expected ETag."""
        content = asdict(query)
        return self._connection.ask(
            "PUT",
            "/v1/queries/{query_id}",
            {"query_id": content.pop("query_id")},
            body=content,
            headers={"If-Match": if_match},
        )

    def remove(self, query_id: str, *, if_match: str | None = None) -> None:
        """Remove a query; its judgments are kept."""
        self._connection.ask(
            "DELETE",
            "/v1/queries/{query_id}",
            {"query_id": query_id},
            headers={"If-Match": if_match},
        )


class Documents(Resource):
    """Documents; judgments of changed ones become stale."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/documents")

    def get(self, doc_id: str) -> Record:
        """Return a document."""
        return self._connection.ask("GET", "/v1/documents/{doc_id}", {"doc_id": doc_id})

    def put(self, documents: Iterable[Document]) -> Record:
        """Store documents, with their lengths if they have some."""
        body = document_bodies(documents, with_lengths=True)
        return self._connection.ask("POST", "/v1/documents", body=body)

    def remove(self, doc_id: str) -> None:
        """Remove a document; its judgments are kept."""
        self._connection.ask("DELETE", "/v1/documents/{doc_id}", {"doc_id": doc_id})


class Judgments(Resource):
    """Grades with their authors and history."""

    def __iter__(self) -> Iterator[Record]:
        return self.list()

    def list(
        self, *, query_id: str | None = None, is_stale: bool | None = None
    ) -> Iterator[Record]:
        """Iterate over judgments: all, those of a query, or stale ones."""
        query = {"query_id": query_id, "is_stale": is_stale}
        return self._connection.iter_items("/v1/judgments", query=query)

    def put(
        self,
        judgments: Iterable[tuple[str, str, _Grade]] | Mapping[str, Mapping[str, _Grade]],
        *,
        source: str | None = None,
        author: str | None = None,
        second_opinion: bool = False,
    ) -> Record:
        """Store grades, all or none: triples, or documents and grades by query.

        In place of a grade there may be a mapping from subtopic to grade. Second opinions are
        stored separately, and do not change judgments.
        """
        if isinstance(judgments, Mapping):
            judgments = [
                (query_id, doc_id, grade)
                for query_id, grades in judgments.items()
                for doc_id, grade in grades.items()
            ]
        entries = [_entry(one) for one in judgments]
        body = {
            "judgments": entries,
            "source": source,
            "author": author,
            "second_opinion": second_opinion or None,
        }
        return self._connection.ask("POST", "/v1/judgments", body=_given(body))

    def upload(self, path: str | os.PathLike[str], *, format: str | None = None) -> Record:
        """Import a file in any supported format, compressed or not; all of it or nothing.

        Judges, sources, times and notes in it are kept. The format is detected by the service
        unless given. The response has the number of judgments received and changed, notes on what
        was left out, and an ``import_id``, with which `Client.imports` undoes it.
        """
        query = {"file_name": Path(path).name, "format": format}
        with Path(path).open("rb") as file:
            n_bytes = os.fstat(file.fileno()).st_size
            return self._connection.send_file(_FILE, file, query, n_bytes)

    def download(
        self, path: str | os.PathLike[str], *, format: str = "trec", with_settled: bool = False
    ) -> None:
        """Download the current judgments to a file, which is replaced only when complete.

        ``"jsonl"`` and ``"table"`` (CSV) have all opinions with judge, time, source and note;
        `with_settled` adds those that a judge has settled, for an import.
        """
        query = {"format": format, "with_settled": with_settled or None}
        with self._connection.stream(_FILE, {}, query) as rows:
            save(rows, path)

    def get(self, query_id: str, doc_id: str) -> Record:
        """Return the judgment of a pair."""
        return self._connection.ask("GET", _PAIR, _pair(query_id, doc_id))

    def set(
        self,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        if_match: str | None = None,
        second_opinion: bool = False,
        subtopics: Mapping[str, float] | None = None,
        **facts: str,
    ) -> Record:
        """Judge a pair, or give a second opinion on it.

        To replace a judgment, `if_match` must be its ETag or ``"*"``; a `ConflictError` means that
        another judge has changed it. A second opinion replaces nothing. `subtopics` are grades by
        subtopic; if omitted, those of the judgment are kept. `facts` are source, document_hash,
        stratum, note and author.
        """
        body = {
            "grade": grade,
            "second_opinion": second_opinion or None,
            "subtopics": None if subtopics is None else dict(subtopics),
            **facts,
        }
        return self._connection.ask(
            "PUT",
            _PAIR,
            _pair(query_id, doc_id),
            body=_given(body),
            headers={"If-Match": if_match},
        )

    def remove(self, query_id: str, doc_id: str, *, if_match: str) -> None:
        """Withdraw a judgment; its history is kept."""
        headers = {"If-Match": if_match}
        self._connection.ask("DELETE", _PAIR, _pair(query_id, doc_id), headers=headers)

    def undo(self, query_id: str, doc_id: str, *, revision: int) -> Record | None:
        """Undo the caller's own judgment or second opinion, by its revision.

        Returns the restored judgment, with its own author; None if there was none before.
        """
        found = self._connection.ask(
            "POST", f"{_PAIR}/undo", _pair(query_id, doc_id), headers={"If-Match": f'"{revision}"'}
        )
        return found or None

    def policy(self) -> Record:
        """Return the judging policy: which of several grades counts, and labels of grades."""
        return self._connection.ask("GET", "/v1/judging")

    def set_policy(
        self,
        rule: str = "first",
        labels: Sequence[str] | None = None,
        guideline: str | None = None,
    ) -> Record:
        """Declare the judging policy: which of several grades counts, and labels from 0 up.

        The guideline for judges is Markdown; None keeps the current one.
        """
        named = None if labels is None else [*labels]
        body = {"rule": rule, "labels": named, "guideline": guideline}
        return self._connection.ask("PUT", "/v1/judging", body=body)

    def history(self, query_id: str, doc_id: str) -> Sequence[Record]:
        """Return all states of a pair, oldest first, including second opinions."""
        return self._connection.iter_list(f"{_PAIR}/history", _pair(query_id, doc_id))


def document_bodies(
    documents: Iterable[Document], *, with_lengths: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Return documents as the body of a request."""
    return {
        "documents": [
            {
                "doc_id": one.doc_id,
                "title": one.title,
                "text": one.text,
                **({"length": one.length} if with_lengths and one.length is not None else {}),
            }
            for one in documents
        ]
    }


_FILE = "/v1/judgments/file"
_PAIR = "/v1/judgments/{query_id}/{doc_id}"
_KEYS = ("query_id", "doc_id", "grade")


def _pair(query_id: str, doc_id: str) -> dict[str, str]:
    return {"query_id": query_id, "doc_id": doc_id}


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}


def _entry(judgment: object) -> dict[str, object]:
    if not isinstance(judgment, (tuple, list)) or len(judgment) != len(_KEYS):
        raise InputTypeError("judgments", f"triples of {', '.join(_KEYS)}", repr(judgment)[:80])
    entry = dict(zip(_KEYS, judgment, strict=True))
    grade = entry["grade"]
    if isinstance(grade, Mapping) and grade:
        entry |= {"grade": max(grade.values()), "subtopics": dict(grade)}
    return entry
