"""Questions that a document answers, searched together with it.

People search with other words than authors use. Questions in other words, written for a document in
advance, close that gap. Their author must not see the queries of the golden set; otherwise its
scores mean nothing. A file of questions is

``{"guide.md#renew-a-token": ["my key stopped working overnight", "…"]}``

In Nogueira, Yang, Lin and Cho (2019), Document expansion by query prediction, a model writes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from berryeval.core.documents import Document
from berryeval.core.inputs import note_input
from berryeval.errors import FormatError, MismatchError

__all__ = ["Questions", "read_questions", "with_questions"]

Questions: TypeAlias = "Mapping[str, tuple[str, ...]]"
"""Questions by document."""


def read_questions(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Read a file of questions; empty ones are left out.

    Raises
    ------
    FormatError
        If it cannot be read, has another structure, or contains a document twice.
    """
    note_input(path)
    try:
        # Pairs rather than a dict: a repeated document would lose its first questions.
        pairs = json.loads(Path(path).read_bytes(), object_pairs_hook=tuple)
        return _by_document(pairs)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", os.fspath(path)) from None
    except (ValueError, TypeError, RecursionError) as error:
        expected = '{"document": ["question", …]}'
        raise FormatError(f"expected {expected} ({error})", os.fspath(path)) from None


def _by_document(pairs: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(pairs, tuple):  # the hook turns objects into tuples
        raise TypeError(f"found {type(pairs).__name__}")
    found: dict[str, tuple[str, ...]] = {}
    for doc_id, asked in pairs:
        if doc_id in found:
            raise ValueError(f"{doc_id!r} occurs twice")
        if not isinstance(asked, list) or not all(isinstance(one, str) for one in asked):
            raise ValueError(f"found {asked!r:.60} for {doc_id!r}")
        found[doc_id] = tuple(one for one in asked if one.strip())
    return found


def with_questions(
    documents: Iterable[Document], questions: Questions, where: str = "questions"
) -> Iterator[Document]:
    """Iterate over documents, each with its questions appended to its text.

    Parameters
    ----------
    documents : iterable of Document
        Documents to index.
    questions : mapping
        Questions by document; not every document needs questions.
    where : str
        Name of the questions in errors.

    Raises
    ------
    MismatchError
        At the end, if there are questions for unknown documents.
    """
    left = set(questions)
    for document in documents:
        asked = questions.get(document.doc_id, ())
        left.discard(document.doc_id)
        yield replace(document, text="\n".join([document.text, *asked])) if asked else document
    if left:
        others = f" and {len(left) - 1:,} more" if len(left) > 1 else ""
        way_out = "ids of text chunks depend on the chunking"
        message = f"questions are given for {min(left)!r}{others}, but there is no such document"
        raise MismatchError(f"{where}: {message}; {way_out}")
