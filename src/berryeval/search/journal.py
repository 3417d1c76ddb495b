"""Stores the answers of a system in a file, so that an interrupted retrieval can continue.

The first line identifies what the answers depend on; every other line is an answer:
``{"pass": 0, "query_id": "q1", "text": "…", "ms": 12.5, "hits": [["d7", 0.8], …]}``.
An incomplete last line is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from berryeval.core.query import Query
from berryeval.errors import FormatError, MismatchError
from berryeval.search.hits import Hit

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Journal"]

_LAYOUT = 1


class Journal:
    """Stored answers, by pass and query.

    Parameters
    ----------
    path : path
        The file; created if it does not exist, otherwise read.
    facts : mapping
        What the answers depend on: the system's fingerprint, k, the documents.

    Raises
    ------
    MismatchError
        If the file has answers for other facts; the message names the difference.
    FormatError
        If the file is not a journal, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], facts: Mapping[str, str]) -> None:
        self.path = Path(path)
        self._answers: dict[tuple[int, str, str], tuple[list[Hit], float]] = {}
        header = {"journal": _LAYOUT, "facts": dict(facts)}
        try:
            kept = self._read(header) if self.path.exists() else 0
            self._file: BinaryIO = self.path.open("r+b" if kept else "wb")
            self._file.truncate(kept)
            self._file.seek(kept)
            if not kept:
                self._write(header)
        except OSError as error:
            raise FormatError(f"cannot be written: {error.strerror}", str(path)) from error

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, number: int, query: Query) -> tuple[list[Hit], float] | None:
        """Return hits and seconds of a query in a pass; None if it has no stored answer."""
        return self._answers.get((number, query.query_id, query.text))

    def record(self, number: int, query: Query, hits: list[Hit], seconds: float) -> None:
        """Store an answer. It is in the file when this returns, but perhaps not yet on disk."""
        self._answers[number, query.query_id, query.text] = (hits, seconds)
        self._write(
            {
                "pass": number,
                "query_id": query.query_id,
                "text": query.text,
                "ms": seconds * 1000,
                "hits": hits,
            }
        )

    def close(self) -> None:
        """Close the file and keep it."""
        self._file.close()

    def delete(self) -> None:
        """Close the file and remove it, once every query is answered."""
        self.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _write(self, record: Mapping[str, object]) -> None:
        try:
            self._file.write(json.dumps(record).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise FormatError(f"cannot be written: {error.strerror}", str(self.path)) from error

    def _read(self, header: Mapping[str, object]) -> int:
        """Read the answers, and return the end of the last complete line; 0 if there is none."""
        content = self.path.read_bytes()
        end = content.rfind(b"\n") + 1
        lines = content[:end].splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                if number == 1:
                    differing = _differing(record, header)
                    if differing and len(lines) > 1:
                        raise MismatchError(f"{self.path}: has answers {differing}")
                    if differing:  # there are no answers to lose, so start again
                        return 0
                    continue
                key = (record["pass"], record["query_id"], record["text"])
                hits = [Hit(doc_id, score) for doc_id, score in record["hits"]]
                self._answers[key] = (hits, record["ms"] / 1000)
            except (ValueError, KeyError, TypeError) as error:
                if isinstance(error, MismatchError):
                    raise
                raise FormatError.unexpected(
                    "stored answers", "something else", str(self.path), number
                ) from None
        if content and not end:
            raise FormatError.unexpected("stored answers", "something else", str(self.path))
        return end


def _differing(found: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    """Describe the first difference between stored and given facts; empty text if there is none.

    The name of the system comes first, since the settings of different systems always differ.
    """
    if found["journal"] != wanted["journal"]:
        raise ValueError
    stored, given = found["facts"], wanted["facts"]
    assert isinstance(given, dict)
    if not isinstance(stored, dict):
        raise TypeError
    for key in sorted({*stored, *given}, key=lambda key: (key != "system", key)):
        if stored.get(key) != given.get(key):
            difference = f"with {key} {stored.get(key)!r}, not {given.get(key)!r}"
            return f"{difference}; delete the file to start again"
    return ""
