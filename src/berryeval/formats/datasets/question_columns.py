"""The columns of a file of questions: the question, the documents that answer it, and its id.

Columns are recognised by known names, such as ``question`` and ``expected_docs``. Without one, a
column counts if it is the only one whose name contains a known word, as in ``Customer question``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from berryeval.core.column_names import find_name
from berryeval.errors import FormatError
from berryeval.formats.keys import shown_keys
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.queries import ID, TEXT

__all__ = ["WAY_OUT", "Columns", "find_columns"]

WAY_OUT = "name the columns with --question and --relevant"

_TEXTS = ("text", "title")
"""Names that may also belong to a column beside the question."""
_QUESTIONS = ("question", "user_input", *(name for name in TEXT if name not in _TEXTS))
_QUESTION_WORDS = frozenset(("prompt", "query", "question", "questions"))
_NO_TEXT = frozenset(
    ("author", "category", "count", "date", "id", "ids", "language", "nr", "number", "score",
     "source", "time", "type")
)  # fmt: skip
"""Words in the names of columns about a question."""
_MARKS = frozenset(("correct", "expected", "gold", "golden", "relevant", "target"))
_UNITS = frozenset(
    ("article", "articles", "chunk", "chunks", "doc", "docs", "document", "documents", "file",
     "files", "page", "pages", "passage", "passages", "source", "sources")
)  # fmt: skip
_WORDS = _MARKS | _UNITS | {"ground", "id", "ids", "name", "names", "reference", "truth"}
_PROSE = frozenset(
    ("answer", "answers", "comment", "content", "context", "contexts", "count", "note", "notes",
     "number", "rank", "response", "score", "text", "title", "type")
)  # fmt: skip
"""Words in the names of columns about documents."""


@dataclass(frozen=True)
class Columns:
    """The names of columns; None for one that is not known."""

    question: str | None = None
    relevant: str | None = None
    id: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether there are questions, and documents that answer them."""
        return self.question is not None and self.relevant is not None


def find_columns(
    names: Iterable[str], chosen: Mapping[str, str], path: PathLike | None = None
) -> Columns:
    """Return the columns of a file by the names of all of them.

    Parameters
    ----------
    names : iterable of str
        All columns.
    chosen : mapping of str to str
        Columns that the user named, in any case, by ``question``, ``relevant`` and ``id``.
    path : path, optional
        The file, for messages.

    Raises
    ------
    FormatError
        If a column that the user named does not exist.
    """
    given = [*names]
    named = {}
    for part, name in chosen.items():
        found = find_name(given, (name.strip().lower(),))
        if found is None:
            place = "" if path is None else path_name(path)
            raise FormatError.unexpected(f"a column {name!r}", shown_keys(given), place)
        named[part] = found
    question = (
        named.get("question")
        or find_name(given, _QUESTIONS)
        or _only(given, _is_question)
        or find_name(given, _TEXTS)
    )
    others = [name for name in given if name != question]
    return Columns(
        question,
        named.get("relevant")
        or next(filter(_is_of_documents, others), None)
        or _only(others, _may_be_of_documents),
        named.get("id") or find_name(given, ID),
    )


def _only(names: Iterable[str], is_one: Callable[[str], bool]) -> str | None:
    """Return the only name that meets a condition; None if there are several."""
    found = [name for name in names if is_one(name)]
    return found[0] if len(found) == 1 else None


def _words(name: str) -> set[str]:
    return {word for word in re.split(r"[\W_]+", name.lower()) if word}


def _is_question(name: str) -> bool:
    words = _words(name)
    return not words.isdisjoint(_QUESTION_WORDS) and words.isdisjoint(_NO_TEXT)


def _is_of_documents(name: str) -> bool:
    """Whether each word of a name belongs to names of documents."""
    words = _words(name)
    return words <= _WORDS and not words.isdisjoint(_MARKS | _UNITS)


def _may_be_of_documents(name: str) -> bool:
    words = _words(name)
    is_marked = not words.isdisjoint(_MARKS)
    are_ids = not words.isdisjoint(_UNITS) and not words.isdisjoint(("id", "ids"))
    return (is_marked or are_ids) and words.isdisjoint(_PROSE)
