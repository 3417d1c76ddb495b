"""What the columns of judgments and runs are called, by us and by others."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats._lines import PathLike, path_name
from berryeval.formats._rows import Kind

__all__ = ["DOCUMENT", "GRADE", "QUERY", "SCORE", "find_keys", "id_bytes"]

# Ours first. BEIR says query-id, corpus-id and score; Quepid query, docid and rating.
QUERY = ("query_id", "query-id", "qid", "queryid", "q_id", "query", "topic")
DOCUMENT = ("doc_id", "corpus-id", "docid", "docno", "did", "document_id", "corpus_id", "doc")
GRADE = ("relevance", "grade", "rel", "rating", "label", "judgment", "score")
SCORE = ("score", "sim", "similarity", "rsv")


def find_keys(names: Iterable[str], kind: Kind, path: PathLike, line: int) -> tuple[str, str, str]:
    """Return which of the names hold the query, the document, and the grade or score."""
    given = {name.strip().lower(): name for name in names}
    wanted = (QUERY, DOCUMENT, GRADE if kind == "judgments" else SCORE)
    found = []
    for known in wanted:
        name = next((given[name] for name in known if name in given), None)
        if name is None:
            message = f"expected a key {known[0]!r}, found {', '.join(map(repr, given)) or 'none'}"
            raise FormatError(message, path_name(path), line)
        found.append(name)
    return found[0], found[1], found[2]


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
