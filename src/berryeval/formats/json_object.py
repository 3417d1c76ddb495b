"""One JSON object: ``{"q1": {"d7": 2, "d9": 0}}``, as ranx and pytrec_eval keep theirs.

The outer keys are queries, the inner ones documents, the numbers grades or scores. An object with
a list of ``judgments`` is that of a golden set, see `berryeval.formats.relevance_judgments`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats import relevance_judgments
from berryeval.formats._lines import PathLike, iter_lines, path_name
from berryeval.formats._rows import Kind, Row, parse_number, refuse_subtopics
from berryeval.formats.keys import id_bytes

__all__ = ["has_broken_numbers", "iter_queries", "iter_rows", "sniff", "to_lines"]

_EXACT = 2**53  # below it a float is the whole number that it seems
_PAIRS = list[tuple[str, object]]


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one."""
    return first_line.lstrip().startswith(b"{")


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file. Where in it a row stands is not known."""
    for _, rows in iter_queries(path, kind):
        yield from rows


def iter_queries(path: PathLike, kind: Kind) -> Iterator[tuple[bytes, Iterator[Row]]]:
    """Iterate over queries and their rows; a query may have none."""
    for name, documents in _iter_numbers(path):
        query_id = id_bytes(name, path, None)
        yield (
            query_id,
            (
                (None, query_id, id_bytes(doc_id, path, None), parse_number(n, kind, path, None))
                for doc_id, n in documents
            ),
        )


def has_broken_numbers(path: PathLike) -> bool:
    """Whether any number is written with a point, as scores are. Raises if there is none."""
    numbers = [number for _, documents in _iter_numbers(path) for _, number in documents]
    if not numbers:
        raise FormatError("expected judgments or a run, found nothing", path_name(path))
    return any(isinstance(number, float) for number in numbers)


def _iter_numbers(path: PathLike) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Iterate over queries, and their documents with numbers."""
    content = b"".join(line for _, line in iter_lines(path))
    try:
        # Pairs rather than dicts: a document that comes twice is for the caller to see.
        queries = json.loads(content, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a JSON object ({error})", path_name(path)) from None
    pairs = _pairs(queries, path, "queries")
    if any(key == "judgments" and _is_list_of_objects(value) for key, value in pairs):
        for judged in relevance_judgments.parse(content, path).queries:
            yield judged.query_id, [*judged.iter_grades()]
        return
    for query_id, documents in pairs:
        yield query_id, [*_numbers(documents, query_id, path)]


def _numbers(documents: object, query_id: str, path: PathLike) -> Iterator[tuple[str, float]]:
    for doc_id, number in _pairs(documents, path, f"documents of {query_id!r}"):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            message = f"expected a number for {doc_id!r} of {query_id!r}, found {number!r}"
            raise FormatError(message, path_name(path))
        yield doc_id, number


def _is_list_of_objects(value: object) -> bool:
    """Whether it was a list before objects became lists of pairs."""
    return isinstance(value, list) and value != [] and all(isinstance(one, list) for one in value)


def _pairs(value: object, path: PathLike, what: str) -> _PAIRS:
    if isinstance(value, list) and all(isinstance(pair, tuple) for pair in value):
        return value
    message = f"expected an object of {what}, found {type(value).__name__}"
    raise FormatError(message, path_name(path))


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file: one for each query, between braces.

    Scores are written with a point, whole grades without.

    Raises
    ------
    InputError
        For judgments with subtopics, which have no place here.
    """
    refuse_subtopics(data, "a JSON object")
    yield b"{"
    for number, (query_id, rows) in enumerate(data.iter_queries()):
        documents = {data.doc_ids[row]: _number(data, row) for row in rows}
        entry = f"{json.dumps(decode_id(query_id))}: {json.dumps(documents)}"
        yield (b",\n" if number else b"\n") + entry.encode()
    yield b"\n}\n"


def _number(data: Grouped, row: int) -> float:
    number: float = data.values[row]
    is_whole = not isinstance(data, Run) and number.is_integer() and abs(number) < _EXACT
    return int(number) if is_whole else number
