"""The keys and columns of a file that hold query, document, grade or score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from berryeval.core.column_names import (
    DOCUMENT,
    GRADE,
    LABEL_COLUMNS,
    QUERY,
    RANK,
    SCORE,
    Kind,
    find_name,
    wanted_names,
)
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.lines import PathLike, path_name

__all__ = [
    "DOCUMENT",
    "GRADE",
    "QUERY",
    "SCORE",
    "check_keys",
    "find_keys",
    "find_labels",
    "find_rank",
    "header_hint",
    "id_bytes",
    "shown_keys",
]

_MAX_SHOWN = 8
_LONGEST_SHOWN = 40


def shown_keys(names: Iterable[object]) -> str:
    """Return the keys or columns that a file has, as messages show them: the first few.

    Examples
    --------
    >>> shown_keys(["doc_id", "text"])
    "'doc_id', 'text'"
    >>> shown_keys(f"d{number}" for number in range(30))
    "'d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7' and 22 more"
    """
    given = [*names]
    few = [repr(name) for name in given[:_MAX_SHOWN]]
    short = [one if len(one) <= _LONGEST_SHOWN else f"{one[: _LONGEST_SHOWN - 1]}…" for one in few]
    more = f" and {len(given) - len(few):,} more" if len(given) > len(few) else ""
    return ", ".join(short) + more if short else "none"


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
        shown = shown_keys(name.strip().lower() for name in given)
        hint = header_hint(kind) if noun == "column" and len(missing) == len(wanted) else ""
        raise FormatError.unexpected(some, shown, path_name(path), line, way_out=hint)
    return query, document, value


def header_hint(kind: Kind) -> str:
    """Return how to fix a table whose first line does not name its columns."""
    example = ",".join(known[0] for known in wanted_names(kind))
    return f"a table needs a first line with names, such as {example}"


def find_labels(names: Iterable[str]) -> list[str | None]:
    """Return which of the names hold the judge, the subtopic and the source; None if none does."""
    given = list(names)
    return [find_name(given, known) for known in LABEL_COLUMNS]


def find_rank(names: Iterable[str]) -> str | None:
    """Return which of the names holds the rank; None if none does."""
    return find_name(names, RANK)


def check_keys(
    names: Iterable[str], known: Sequence[str], where: str, path: PathLike, line: int | None = None
) -> None:
    """Raise `FormatError` for an unknown key, which may be misspelt, with the nearest known one.

    `where` describes the entry in the message.
    """
    for name in names:
        if name not in known:
            import difflib  # slow to import, and most names are known

            near = difflib.get_close_matches(name.lower(), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(known)}"
            raise FormatError(f"{where}: unknown key {name!r}; {hint}", path_name(path), line)


def id_bytes(value: object, path: PathLike, line: int | None) -> bytes:
    """Return an id as bytes; whole numbers are ids, too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    try:
        if isinstance(value, str) and value:
            return encode_id(value)
    except ArgumentError:
        pass
    raise FormatError.unexpected("an id", ascii(value), path_name(path), line)
