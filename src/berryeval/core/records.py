"""Judgments and runs as records: named tuples, objects or dicts, one per document.

``qrels_iter`` of ir_datasets yields such judgments, and ``ScoredDoc`` of ir_measures is such a row
of a run. Fields are found by the usual names of columns, see `berryeval.core.column_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from berryeval.core.column_names import LABEL_COLUMNS, Kind, find_name, wanted_names
from berryeval.core.grade import check_grade
from berryeval.core.grouped import Duplicates, Grouping
from berryeval.core.id_column import as_id, encode_id
from berryeval.core.judging import JudgedRow, Judges
from berryeval.core.judgments import Judgments, collect_judged
from berryeval.core.origin import Origin
from berryeval.core.run import Run, check_score
from berryeval.errors import InputTypeError

__all__ = ["are_records", "judgments_of_records", "run_of_records"]

_EXPECTED = {
    "judgments": "rows with the fields query_id, doc_id and relevance",
    "run": "rows with the fields query_id, doc_id and score",
}


def are_records(source: object) -> TypeGuard[Iterable[object]]:
    """Whether something can be iterated over that is neither a mapping nor text."""
    return isinstance(source, Iterable) and not isinstance(source, (Mapping, str, bytes))


def judgments_of_records(
    records: Iterable[object], duplicates: Duplicates = "error", judges: Judges = "first"
) -> Judgments:
    """Read judgments from records; they may name a judge and a subtopic."""
    rows = (JudgedRow(*row) for row in _rows(records, "judgments", check_grade))
    return collect_judged(rows, Origin("judgments", is_file=False), duplicates, judges)


def run_of_records(records: Iterable[object], duplicates: Duplicates = "error") -> Run:
    """Read a run from records."""
    origin, collected = Origin("run", is_file=False), Grouping()
    for place, query_id, doc_id, score, *_ in _rows(records, "run", check_score):
        if collected.add(query_id, doc_id, score):
            continue
        if duplicates == "error":
            raise origin.duplicate("run", query_id, doc_id, place)
        collected.keep_best(query_id, doc_id, score)
    return Run.collect(collected)


def _rows(
    records: Iterable[object], kind: Kind, check: Callable[[object, str], float]
) -> Iterator[tuple[Any, ...]]:
    take: Callable[[object], tuple[Any, ...]] | None = None
    for place, record in enumerate(records, start=1):
        if take is None:
            take = _field_reader(record, kind)
        try:
            query_id, doc_id, number, *labels = take(record)
        except (AttributeError, KeyError):
            found = type(record).__name__
            raise InputTypeError(f"{kind}: row {place}", "the fields of row 1", found) from None
        yield (
            place,
            encode_id(as_id(query_id, f"{kind}: a query id")),
            encode_id(as_id(doc_id, f"{kind}: a document id")),
            check(number, f"{kind}: row {place}"),
            *(None if label in (None, "") else str(label).encode() for label in labels),
        )


def _field_reader(record: object, kind: Kind) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that reads the fields of a record, by the names in the first record."""
    names = _names(record)
    found = [find_name(names, known) for known in wanted_names(kind)]
    if None in found:
        raise InputTypeError(kind, _EXPECTED[kind], _described(record, names))
    labels = [find_name(names, known) for known in LABEL_COLUMNS if kind == "judgments"]
    get = _item if isinstance(record, Mapping) else getattr
    wanted = (*found, *labels)
    return lambda one: tuple(None if name is None else get(one, name) for name in wanted)


def _item(record: Any, name: str) -> object:  # noqa: ANN401 - any mapping
    return record[name]


def _names(record: object) -> list[str]:
    if isinstance(record, Mapping):
        return [name for name in record if isinstance(name, str)]
    named: Iterable[str] = (
        getattr(record, "_fields", None) or getattr(record, "__dict__", None) or ()
    )
    return [*named, *getattr(type(record), "__slots__", ())]


def _described(record: object, names: list[str]) -> str:
    return f"{type(record).__name__} with {', '.join(names)}" if names else repr(record)[:60]
