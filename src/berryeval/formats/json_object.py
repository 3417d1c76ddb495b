"""One JSON object: ``{"q1": {"d7": 2, "d9": 0}}``, as in ranx and pytrec_eval.

The outer keys are queries, the inner ones documents, the numbers grades or scores. A query may also
have a list of documents: a ranking, best first, or documents of grade 1. An object with
a list of ``judgments`` is that of a golden set, see `berryeval.formats.relevance_judgments`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Duplicates, Grouped, Grouping
from berryeval.core.id_column import decode_id
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.keys import id_bytes
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.rows import Row, add_rows, parse_number, refuse_subtopics

if TYPE_CHECKING:
    from berryeval.formats.relevance_judgments import RelevanceJudgments

__all__ = ["HOLDS", "JsonObject", "has_broken_numbers", "iter_rows", "load", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments", "run", "queries"), ("judgments", "run", "queries"), empty_queries=True
)

_EXACT = 2**53  # below it, a float that looks like a whole number is exact
_Pairs: TypeAlias = "list[tuple[str, object]]"
_Documents: TypeAlias = "list[tuple[str, float | None]]"
"""Documents with their numbers; None in a list of documents."""


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one."""
    return first_line.lstrip().startswith(b"{")


class JsonObject(NamedTuple):
    """A file as it was loaded."""

    path: PathLike
    queries: Sequence[tuple[str, _Documents]]
    golden: RelevanceJudgments | None = None
    """What a golden set declares; None for any other object."""

    def iter_queries(self, kind: Kind) -> Iterator[tuple[bytes, Iterator[Row]]]:
        """Iterate over queries and their rows; a query may have none."""
        for name, documents in self.queries:
            query_id = id_bytes(name, self.path, None)
            yield query_id, self._rows(query_id, documents, kind)

    def _rows(self, query_id: bytes, documents: _Documents, kind: Kind) -> Iterator[Row]:
        for rank, (doc_id, number) in enumerate(documents, start=1):
            listed = -float(rank) if kind == "run" else 1.0
            parsed = listed if number is None else parse_number(number, kind, self.path, None)
            yield None, query_id, id_bytes(doc_id, self.path, None), parsed

    def group(self, kind: Kind, duplicates: Duplicates) -> Grouping:
        """Return the rows by query, with queries that have none."""
        found = Grouping()
        for query_id, rows in self.iter_queries(kind):
            found.add_query(query_id)
            add_rows(found, rows, kind, self.path, duplicates)
        return found


def load(path: PathLike) -> JsonObject:
    """Load a file."""
    content = b"".join(line for _, line in iter_lines(path))
    try:
        # Pairs rather than dicts, so that the caller sees repeated documents.
        queries = json.loads(content, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a JSON object ({error})", path_name(path)) from None
    pairs = _pairs(queries, path, "queries")
    _check_not_ours(dict(pairs), path)
    if any(key == "judgments" and _is_list_of_objects(value) for key, value in pairs):
        from berryeval.formats import relevance_judgments  # slow to import, and few need them
        from berryeval.formats.located_quotes import located_beside

        golden = located_beside(relevance_judgments.parse(content, path), path)
        judged: list[tuple[str, _Documents]] = [
            (one.query_id, [*one.iter_grades()]) for one in golden.queries
        ]
        return JsonObject(path, judged, golden)
    return JsonObject(
        path, [(query_id, _numbers(documents, query_id, path)) for query_id, documents in pairs]
    )


def _check_not_ours(content: dict[str, object], path: PathLike) -> None:
    """Raise for another file that BerryEval wrote; it names its kind and its version."""
    kind = content.get("kind")
    if not isinstance(kind, str) or not isinstance(content.get("version"), int):
        return
    if kind == "baseline":
        way_out = (
            "`berryeval gate` and the pytest plugin compare with it; elsewhere, name a run, as "
            "`berryeval retrieve` writes it"
        )
        raise FormatError(f"is a baseline, not judgments or a run; {way_out}", path_name(path))
    raise FormatError.unexpected("judgments or a run", f"a file of kind {kind!r}", path_name(path))


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file. The position of a row in the file is unknown."""
    for _, rows in load(path).iter_queries(kind):
        yield from rows


def has_broken_numbers(path: PathLike) -> bool:
    """Whether any number is written with a point, as scores are, or any query has a ranking.

    Raises if there is none.
    """
    numbers = [number for _, documents in load(path).queries for _, number in documents]
    if not numbers:
        raise FormatError.unexpected("judgments or a run", "nothing", path_name(path))
    return any(number is None or isinstance(number, float) for number in numbers)


def _numbers(documents: object, query_id: str, path: PathLike) -> _Documents:
    if isinstance(documents, list) and documents and all(map(_is_id, documents)):
        return [(str(doc_id), None) for doc_id in documents]
    found: _Documents = []
    for doc_id, number in _pairs(documents, path, f"documents of {query_id!r}"):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise FormatError.unexpected(
                f"a number for {doc_id!r} of {query_id!r}", repr(number), path_name(path)
            )
        found.append((doc_id, number))
    return found


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _is_list_of_objects(value: object) -> bool:
    """Whether it was a list before objects became lists of pairs."""
    return isinstance(value, list) and value != [] and all(isinstance(one, list) for one in value)


def _pairs(value: object, path: PathLike, what: str) -> _Pairs:
    if isinstance(value, list) and all(isinstance(pair, tuple) for pair in value):
        return value
    raise FormatError.unexpected(f"an object of {what}", type(value).__name__, path_name(path))


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file: one for each query, between braces.

    Scores are written with a point, whole grades without. Raises `InputError` for judgments with
    subtopics.
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
