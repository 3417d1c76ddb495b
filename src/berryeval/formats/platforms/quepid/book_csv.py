"""A book of Quepid as CSV: ``query,docid,Ada,Bob``, one row per pair and one column per judge.

An empty field says that the judge has not rated the pair; a row of empty fields is left out.
The column ``Anonymous`` has grades without an author. The query is its text, which is
its id here.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.column_names import GRADE, JUDGE, LABEL_COLUMNS, RANK, SCORE
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.delimited import write_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms.quepid._csv import (
    QUERY_AND_DOCUMENT,
    header_of,
    iter_table,
    protected,
    required_id,
)
from berryeval.formats.rows import parse_number, refuse_subtopics, written

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(("judgments",), ("judgments",), judges=True, negative=False, by_text=True)

_ANONYMOUS = "Anonymous"
_OTHER_COLUMNS = {*GRADE, *SCORE, *RANK, *JUDGE, *(name for some in LABEL_COLUMNS for name in some)}
"""Columns of other tables, which name no judge."""


def sniff(beginning: Beginning) -> bool:
    """Whether the first line names a query, a document, and then judges only."""
    names = header_of(beginning.line)
    judges = names[2:]
    return names[:2] in QUERY_AND_DOCUMENT and bool(judges) and _OTHER_COLUMNS.isdisjoint(judges)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the grades, row by row and judge by judge."""
    rows = iter_table(path)
    header = next(rows, (1, []))[1]
    names = [name.strip() for name in header]
    if [name.lower() for name in names[:2]] not in QUERY_AND_DOCUMENT or not all(names[2:]):
        found = ",".join(header)[:60] or "none"
        raise FormatError.unexpected(
            "the columns query,docid and one per judge", found, path_name(path), 1
        )
    judges = [None if name == _ANONYMOUS else encode_id(name) for name in names[2:]]
    for line, (query, document, *ratings) in rows:
        query_id = required_id(query, "query", path, line)
        if not any(map(str.strip, ratings)):
            note_loss(Loss.UNRATED)
            continue
        doc_id = required_id(document, names[1], path, line)
        for judge, rating in zip(judges, ratings, strict=True):
            if rating.strip():
                grade = parse_number(rating, "judgments", path, line)
                yield JudgedRow(line, query_id, doc_id, grade, judge)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    if not isinstance(data, Judgments):
        raise InputError("a Quepid book holds judgments, not a run")
    refuse_subtopics(data, "a book of Quepid")
    return write_rows(_to_rows(data), ",")


def _to_rows(data: Judgments) -> Iterator[list[str]]:
    judges = list(dict.fromkeys(one.judge for _, _, one in data.iter_opinions())) or [None]
    yield ["query", "docid", *(_ANONYMOUS if one is None else decode_id(one) for one in judges)]
    pairs: dict[tuple[bytes, bytes], dict[bytes | None, float]] = {}
    for query_id, doc_id, opinion in data.iter_opinions():
        if opinion.grade >= 0:
            pairs.setdefault((query_id, doc_id), {})[opinion.judge] = opinion.grade
    for (query_id, doc_id), grades in pairs.items():
        fields = (written(grades[one]) if one in grades else "" for one in judges)
        yield [protected(decode_id(query_id)), protected(decode_id(doc_id)), *fields]
