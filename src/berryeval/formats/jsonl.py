"""JSON lines: one object per line, ``{"query_id": "q1", "doc_id": "d7", "relevance": 2}``.

Runs have a ``score`` instead of a ``relevance``. Judgments may have a ``judge``, a ``subtopic``, a
``source``, a time (``judged_at``), a ``note`` and a ``stratum``, and one line per judge. Other
usual names of the keys are understood, see `berryeval.core.column_names`; other keys are ignored.
Ids may be numbers. Empty lines are ignored. A list of such objects is read in the same way,
however it is split into lines.

An exported archive has one line per document: ``subtopics`` and ``subtopic_weights`` are objects,
and a subtopic counts at most as much as ``relevance``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from berryeval.core.column_names import SUBTOPIC_WEIGHT, Kind, find_name
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.score_order import ScoredRow
from berryeval.errors import FormatError
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.keys import find_keys, find_labels, find_rank, id_bytes
from berryeval.formats.limits import check_rows
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.rows import Row, as_rank, as_tag, iter_labelled, parse_number

__all__ = [
    "HOLDS",
    "first_tag",
    "iter_judged",
    "iter_objects",
    "iter_ranked",
    "iter_rows",
    "parse_object",
    "sniff",
    "to_lines",
]

HOLDS = with_every_column("judgments", "run", "scores", "queries")

_LIST = re.compile(rb"\s*\[\s*(?:[{\]]|$)")
_SPACE = re.compile(r"[ \t\r\n]+")
_SHOWN = 20  # characters of invalid JSON


def sniff(first_line: bytes) -> bool:
    """Whether a file may be one: its first line is an object, but not of objects or lists.

    Or it begins a list of objects.
    """
    if _LIST.match(first_line):
        return True
    record = parse_object(first_line)
    if record is None or isinstance(record.get("judgments"), list):  # a golden set's, on one line
        return False
    return not all(isinstance(value, (dict, list)) for value in record.values())


def parse_object(line: bytes) -> dict[str, Any] | None:
    """Return the object that a line holds; None if it holds none."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        record: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    for number, record in iter_objects(path):
        yield _row(record, kind, path, number)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over judgments with their judges, subtopics, sources, times and notes."""
    for number, record in iter_objects(path):
        row = _row(record, "judgments", path, number)
        labels = (
            None
            if name is None or record[name] in (None, "")
            else _label(record, name, path, number)
            for name in find_labels(record)
        )
        judged = JudgedRow(*row, *labels)
        if isinstance(record.get("subtopics"), dict):
            yield from _by_subtopic(record, judged, path, number)
        else:
            yield judged


def _by_subtopic(
    record: dict[str, Any], judged: JudgedRow, path: PathLike, number: int
) -> Iterator[JudgedRow]:
    """Iterate over the subtopics of a line, and the document itself if its grade is higher."""
    weights = record.get("subtopic_weights")
    known = weights if isinstance(weights, dict) else {}
    highest = None
    for name, value in record["subtopics"].items():
        grade = min(parse_number(_plain(value), "judgments", path, number), judged.grade)
        highest = grade if highest is None else max(grade, highest)
        weight = None if name not in known else str(known[name]).encode()
        subtopic = id_bytes(name, path, number)
        yield judged._replace(grade=grade, subtopic=subtopic, subtopic_weight=weight)
    if highest != judged.grade:
        yield judged


def _label(record: dict[str, object], name: str, path: PathLike, number: int) -> bytes:
    value = record[name]
    if isinstance(value, float) and find_name([name], SUBTOPIC_WEIGHT):
        return repr(value).encode()
    return id_bytes(value, path, number)


def _row(record: dict[str, object], kind: Kind, path: PathLike, number: int) -> Row:
    query, document, value = find_keys(record, kind, path, number)
    return (
        number,
        id_bytes(record[query], path, number),
        id_bytes(record[document], path, number),
        parse_number(_plain(record[value]), kind, path, number),
    )


def iter_objects(path: PathLike) -> Iterator[tuple[int, dict[str, object]]]:
    """Iterate over the objects of a file, with the numbers of their lines.

    Those of a list have the numbers of the lines on which they begin.
    """
    lines = iter_lines(path)
    is_first = True
    for number, line in lines:
        if not line.strip():
            continue
        if is_first and _LIST.match(line):
            content = b"".join([line, *(rest for _, rest in lines)])
            yield from _iter_list(content, path, number)
            return
        is_first = False
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, path, number) from None
        yield number, _as_object(record, path, number)


def _iter_list(
    content: bytes, path: PathLike, number: int
) -> Iterator[tuple[int, dict[str, object]]]:
    """Iterate over the objects of a list, decoding one at a time: all of them need much memory."""
    decode = json.JSONDecoder().raw_decode
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise _not_json(error, path, number) from None
    at = _skip(text, text.index("[") + 1)
    n_rows = counted = 0
    has_more = not text.startswith("]", at)
    while has_more:
        number += text.count("\n", counted, at)
        counted = at
        try:
            record, at = decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, path, number) from None
        n_rows += 1
        check_rows(n_rows, path_name(path))
        yield number, _as_object(record, path, number)
        at = _skip(text, at)
        has_more = text.startswith(",", at)
        at = _skip(text, at + 1) if has_more else at
    expected = "',' or ']' after an object"
    if text.startswith("]", at):
        expected, at = "nothing after the list", _skip(text, at + 1)
        if at == len(text):
            return
    found = ascii(text[at : at + _SHOWN]) if at < len(text) else "the end of the file"
    number += text.count("\n", counted, at)
    raise FormatError.unexpected(expected, found, path_name(path), number)


def _skip(text: str, at: int) -> int:
    """Return the end of the white space that begins here."""
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _not_json(error: Exception, path: PathLike, number: int) -> FormatError:
    is_deep = isinstance(error, RecursionError)
    found = "one too deep to read" if is_deep else f"something else ({error})"
    return FormatError.unexpected("a JSON object", found, path_name(path), number)


def _as_object(record: object, path: PathLike, number: int) -> dict[str, object]:
    if isinstance(record, dict):
        return record
    raise FormatError.unexpected("a JSON object", type(record).__name__, path_name(path), number)


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run."""
    for number, record in iter_objects(path):
        _, query_id, _, score = _row(record, "run", path, number)
        rank = find_rank(record)
        yield query_id, None if rank is None else as_rank(record[rank]), score


def first_tag(path: PathLike) -> str | None:
    """Return the tag of the first line; None if it has none."""
    tag = next((record.get("tag") for _, record in iter_objects(path)), None)
    return as_tag(tag)


def _plain(value: object) -> float | str:
    return value if isinstance(value, (int, float, str)) else repr(value)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file."""
    if isinstance(data, Judgments) and (data.subtopics or data.opinions or data.strata):
        yield from _lines_of_opinions(data)
        return
    key = "score" if isinstance(data, Run) else "relevance"
    tag = {"tag": data.tag} if isinstance(data, Run) and data.tag else {}
    for query_id, rows in data.iter_queries():
        for row in rows:
            number = data.values[row]
            record = {
                "query_id": decode_id(query_id),
                "doc_id": data.doc_ids[row],
                key: _number(number),
                **tag,
            }
            yield json.dumps(record).encode() + b"\n"


def _lines_of_opinions(judgments: Judgments) -> Iterator[bytes]:
    for query_id, doc_id, labels in iter_labelled(judgments):
        record: dict[str, object] = {"query_id": decode_id(query_id), "doc_id": decode_id(doc_id)}
        for name, value in labels.items():
            if isinstance(value, bytes):
                record[name] = decode_id(value)
            elif value is not None:
                record[name] = _number(float(value))
        yield json.dumps(record).encode() + b"\n"


def _number(number: float) -> float:
    return int(number) if number.is_integer() else number
