"""The differences of two golden sets, and the chunks of one, as tables and JSON."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from berryeval.reports.layout import Table, json_text
from berryeval.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from berryeval.core.query import Query
    from berryeval.golden.diff import GoldenDiff, PartDiff
    from berryeval.search.chunking import Chunk

__all__ = ["chunks_table", "chunks_to_json", "diff_tables", "diff_to_json"]

JSON_VERSION = 1

_SHOWN = 20
"""Number of differences of each part to list in a table."""
_WIDTH = 60


def diff_tables(found: GoldenDiff) -> list[Table]:
    """Lay out the number of differences, and the first of each part."""
    parts = _parts(found)
    rows = tuple((name, *(f"{n:,}" for n in _numbers(part))) for name, part in parts.items())
    notes = () if not found.is_empty else ("The sets are equal.",)
    title = f"From {found.before.folder} to {found.after.folder}"
    tables = [Table(title, ("", "added", "removed", "changed", "same"), rows, notes)]
    if found.declared:
        declared = tuple(
            (name, _value(old), _value(new)) for name, (old, new) in found.declared.items()
        )
        tables.append(Table("Declarations", ("", "before", "after"), declared, n_keys=3))
    tables += [_details(name, part) for name, part in parts.items() if not part.is_empty]
    return tables


def diff_to_json(found: GoldenDiff) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    record: dict[str, Any] = {
        "version": JSON_VERSION,
        "kind": "golden-diff",
        "before": {"folder": str(found.before.folder), "hash": found.before.content_hash},
        "after": {"folder": str(found.after.folder), "hash": found.after.content_hash},
        "equal": found.is_empty,
        "declared": {
            name: {"before": old, "after": new} for name, (old, new) in found.declared.items()
        },
    }
    for name, part in _parts(found).items():
        keys = ("query_id", "chunk_id") if name == "judgments" else (_key(name),)
        record[name] = {
            "added": [_entry(name, keys, *one) for one in part.added.items()],
            "removed": [_entry(name, keys, *one) for one in part.removed.items()],
            "changed": [
                {**dict(zip(keys, one, strict=True)), **_change(name, *values)}
                for one, values in part.changed.items()
            ],
            "same": part.n_same,
        }
    return json_text(record)


def _parts(found: GoldenDiff) -> dict[str, PartDiff]:
    return {
        "documents": found.documents, "queries": found.queries, "judgments": found.judgments
    }  # fmt: skip


def _key(part: str) -> str:
    return "chunk_id" if part == "documents" else "query_id"


def _numbers(part: PartDiff) -> tuple[int, int, int, int]:
    return len(part.added), len(part.removed), len(part.changed), part.n_same


def _entry(
    part: str,
    names: tuple[str, ...],
    key: tuple[str, ...],
    value: Any,  # noqa: ANN401 - by its part
) -> dict[str, Any]:
    """Return an entry of one of the sets: its ids, and the grade or the text of the query."""
    ids: dict[str, Any] = dict(zip(names, key, strict=True))
    if part == "judgments":
        return {**ids, "grade": value}
    return {**ids, "query": value.text} if part == "queries" else ids


def _change(part: str, old: Any, new: Any) -> dict[str, Any]:  # noqa: ANN401 - by its part
    """Return what differs: both grades, the differing fields of a query, or of a document."""
    if part == "judgments":
        return {"before": old, "after": new}
    if part == "queries":
        names = _differing(old, new)
        return {name: {"before": getattr(old, name), "after": getattr(new, name)} for name in names}
    titles = ("title", "text")
    return {"differs": [name for name, a, b in zip(titles, old, new, strict=True) if a != b]}


def _differing(old: Query, new: Query) -> list[str]:
    return [one.name for one in fields(old) if getattr(old, one.name) != getattr(new, one.name)]


def _details(name: str, part: PartDiff) -> Table:
    rows = [*_rows(name, part)]
    notes: tuple[str, ...] = ()
    if len(rows) > _SHOWN:
        notes = (f"{count(len(rows) - _SHOWN, 'more difference')}; --json lists all of them.",)
    header = ("", "query", "chunk", "grade") if name == "judgments" else ("", "id", "what")
    return Table(name.capitalize(), header, tuple(rows[:_SHOWN]), notes, n_keys=4)


def _rows(name: str, part: PartDiff) -> Iterator[tuple[str, ...]]:
    for word, entries in (("removed", part.removed), ("added", part.added)):
        for key, value in entries.items():
            about = {"judgments": value, "queries": getattr(value, "text", ""), "documents": ""}
            yield word, *key, _value(about[name])
    for key, (old, new) in part.changed.items():
        if name == "judgments":
            what = f"{old:g} → {new:g}"
        elif name == "queries":
            what = "; ".join(
                f"{one} {_value(getattr(old, one))} → {_value(getattr(new, one))}"
                for one in _differing(old, new)
            )
        else:
            what = ", ".join(_change(name, old, new)["differs"])
        yield "changed", *key, what


def _value(value: Any) -> str:  # noqa: ANN401 - any label
    if isinstance(value, tuple):
        value = ", ".join(value) or None
    is_number = isinstance(value, (int, float))
    shown = "none" if value is None else f"{value:g}" if is_number else str(value)
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"


def chunks_table(chunks: list[Chunk]) -> Table:
    """Lay out the ids of chunks, each with its first line."""
    rows = tuple((chunk.chunk_id, _first_line(chunk)) for chunk in chunks)
    return Table("", ("chunk", "first line"), rows, (count(len(rows), "chunk") + ".",), n_keys=2)


def chunks_to_json(chunks: list[Chunk]) -> str:
    """Return one JSON object, as ``docs/reference/json.md`` describes it."""
    record = {
        "version": JSON_VERSION,
        "kind": "chunks",
        "chunks": [
            {
                "chunk_id": chunk.chunk_id,
                "document": chunk.source,
                "start": chunk.start,
                "end": chunk.end,
                "headings": list(chunk.headings),
                "first_line": _first_line(chunk),
            }
            for chunk in chunks
        ],
    }
    return json_text(record)


def _first_line(chunk: Chunk) -> str:
    """Return the first line below the heading of a chunk, or the heading if there is no other."""
    lines = [line.strip() for line in chunk.text.splitlines() if line.strip()]
    if len(lines) > 1 and chunk.headings and chunk.headings[-1] in lines[0]:
        del lines[0]
        if len(lines) > 1 and not lines[0].strip("=-"):  # the heading was underlined
            del lines[0]
    return next(iter(lines), "")
