"""The keys and columns of a file that hold query, document, grade or score."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.core.column_names import (
    DOCUMENT,
    GRADE,
    JUDGE,
    QUERY,
    SCORE,
    SUBTOPIC,
    Kind,
    find_name,
    wanted_names,
)
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats._lines import PathLike, path_name

__all__ = ["DOCUMENT", "GRADE", "QUERY", "SCORE", "find_keys", "find_labels", "id_bytes"]


def find_keys(
    names: Iterable[str], kind: Kind, path: PathLike, line: int, noun: str = "key"
) -> tuple[str, str, str]:
    """Return which of the names hold the query, the document, and the grade or score.

    `noun` is what messages call a name.
    """
    given = list(names)
    wanted = wanted_names(kind)
    query, document, value = (find_name(given, known) for known in wanted)
    if query is None or document is None or value is None:
        missing = [repr(known[0]) for known in wanted if find_name(given, known) is None]
        some = f"a {noun} {missing[0]}" if len(missing) == 1 else f"{noun}s {', '.join(missing)}"
        shown = ", ".join(repr(name.strip().lower()) for name in given)
        raise FormatError(f"expected {some}, found {shown or 'none'}", path_name(path), line)
    return query, document, value


def find_labels(names: Iterable[str]) -> tuple[str | None, str | None]:
    """Return which of the names hold the judge and the subtopic, None where none does."""
    given = list(names)
    return find_name(given, JUDGE), find_name(given, SUBTOPIC)


def id_bytes(value: object, path: PathLike, line: int | None) -> bytes:
    """Return an id as bytes; whole numbers are ids, too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    try:
        if isinstance(value, str) and value:
            return encode_id(value)
    except ArgumentError:
        pass
    raise FormatError(f"expected an id, found {value!a}", path_name(path), line)
