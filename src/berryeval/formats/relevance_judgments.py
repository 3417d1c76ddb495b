"""Judgments of golden sets: for each query its relevant chunks, best first, and the others.

::

    {"version": 1, "pool_depth": 20, "scale": 3, "relevant_from": 2,
     "labels": ["Not relevant", "Marginal", "Relevant", "Highly relevant"], "judges": "first",
     "judgments": [
      {"query_id": "Q001", "relevant": [{"chunk_id": "a.md#b", "grade": 3}],
       "not_relevant": ["c.md#d"]}]}

The first of the relevant chunks is the primary one. A set may draw the line of relevance higher
than at grade 1: `relevant_from`. Those that are not relevant were judged, and
found to be of no use: grade 0. With ``"scale": 1`` plain ids are also accepted in ``relevant``, and
mean grade 1; on any other scale they are an error, and so is a key that has no meaning anywhere.

``labels`` say what the grades mean, one for each from 0 up to the scale, and ``judges`` which grade
counts where second opinions are given on the set. Both may be left out.

In place of a chunk a judgment may name a span of a document, in characters, which holds however
the document is cut into chunks; as a plain judgment it has its own id,
``a.md@120-340``::

    {"query_id": "Q001", "relevant": [{"document": "a.md", "start": 120, "end": 340, "grade": 3}],
     "not_relevant": [{"document": "c.md", "start": 0, "end": 80}]}

Or it quotes the passage, and the document is searched for its position, see
`berryeval.formats.quotes`::

    {"document": "a.md", "quote": "tokens expire after 90 days", "grade": 3}

``chunks`` names the chunking to which the ids of chunks belong, such as ``"document"``; by default
Markdown is split by heading.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

from berryeval.core.grade import check_labels
from berryeval.core.id_column import decode_id
from berryeval.core.judging import Judges, check_judges
from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import ArgumentError, FormatError, InputTypeError
from berryeval.formats.keys import check_keys, id_bytes
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.quotes import QuoteJudgment

__all__ = ["JudgedQuery", "RelevanceJudgments", "parse", "read", "to_lines"]

FILE_KEYS = (
    "version",
    "pool_depth",
    "scale",
    "relevant_from",
    "labels",
    "judges",
    "chunks",
    "judgments",
)
ENTRY_KEYS = ("query_id", "relevant", "not_relevant")
CHUNK_KEYS = ("chunk_id", "grade")
SPAN_KEYS = ("document", "start", "end", "grade")
QUOTE_KEYS = ("document", "quote", "grade")


@dataclass(frozen=True)
class JudgedQuery:
    """The judgments of one query."""

    query_id: str
    relevant: tuple[tuple[str, float], ...]
    """Chunks or spans with their grades, the most relevant first."""
    not_relevant: tuple[str, ...] = ()
    spans: tuple[SpanJudgment, ...] = ()
    """The spans among both; the lists above contain their ids."""
    quotes: tuple[QuoteJudgment, ...] = ()
    """The quotes among both that have no position yet, see `located_quotes`."""

    def iter_grades(self) -> Iterator[tuple[str, float]]:
        """Iterate over chunks or spans and grades, as often as they are named."""
        yield from self.relevant
        yield from ((chunk_id, 0) for chunk_id in self.not_relevant)


@dataclass(frozen=True)
class RelevanceJudgments:
    """The unprocessed content of a file of judgments."""

    version: str
    scale: float | None
    """The highest possible grade."""
    pool_depth: int | None
    """Number of ranks that were judged for every system."""
    queries: tuple[JudgedQuery, ...]
    relevant_from: float = 1
    """The lowest grade that counts as relevant."""
    labels: tuple[str, ...] | None = None
    """The meanings of the grades, from 0 up."""
    judges: Judges | None = None
    """The rule for grades of several judges."""
    chunks: str | None = None
    """The chunking to which the ids of chunks belong."""


def read(path: PathLike) -> RelevanceJudgments:
    """Read a file; quotes are as they were written, see `berryeval.formats.located_quotes`.

    Raises
    ------
    FormatError
        If it is of another shape, or has a key that has no meaning. This module does not check
        whether ids exist.
    """
    return parse(b"".join(line for _, line in iter_lines(path)), path)


def parse(text: bytes, path: PathLike) -> RelevanceJudgments:
    """Return the content of JSON, or raise with the name of its file."""
    try:
        content = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected JSON ({error})", path_name(path)) from None
    if not isinstance(content, dict) or not isinstance(content.get("judgments"), list):
        raise FormatError.unexpected("an object with a list 'judgments'", "none", path_name(path))
    check_keys(content, FILE_KEYS, "at the top level", path)
    version = content.get("version", 1)
    if not isinstance(version, (int, str)) or isinstance(version, bool):
        raise _unexpected("a number or text as version", version, path)
    labels, judges = _labels(content, path), _judges(content, path)
    scale = _number(content.get("scale"), "scale", path)
    if scale is None and labels is not None:
        scale = len(labels) - 1
    relevant_from = _number(content.get("relevant_from"), "relevant_from", path) or 1
    if scale is not None and relevant_from > scale:
        raise _unexpected(f"relevant_from up to the scale, {scale:g}", relevant_from, path)
    return RelevanceJudgments(
        version=str(version),
        scale=scale,
        pool_depth=_depth(content.get("pool_depth"), path),
        queries=tuple(
            _Reader(path, scale, number).judged(entry)
            for number, entry in enumerate(content["judgments"], start=1)
        ),
        relevant_from=relevant_from,
        labels=labels,
        judges=judges,
        chunks=_chunks(content.get("chunks"), path),
    )


def _labels(content: Mapping[str, Any], path: PathLike) -> tuple[str, ...] | None:
    if content.get("labels") is None:
        return None
    try:
        labels = check_labels(content["labels"])
    except (ArgumentError, InputTypeError) as error:
        raise FormatError(str(error), path_name(path)) from None
    scale = _number(content.get("scale"), "scale", path)
    if scale is not None and scale != int(scale):
        raise _unexpected("a whole number as scale, since there are labels", scale, path)
    if scale is not None and len(labels) != scale + 1:
        expected = f"{scale + 1:g} labels, one for each grade from 0 to {scale:g}"
        raise FormatError.unexpected(expected, str(len(labels)), path_name(path))
    return labels


def _judges(content: Mapping[str, Any], path: PathLike) -> Judges | None:
    judges: Judges | None = content.get("judges")
    if judges is not None:
        try:
            check_judges(judges)
        except ArgumentError as error:
            raise FormatError(str(error), path_name(path)) from None
    return judges


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object from its pairs; a key that occurs twice would lose its first value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return found


class _Reader:
    """Reads the judgments of one query."""

    def __init__(self, path: PathLike, scale: float | None, number: int) -> None:
        self._path = path
        self._scale = scale
        self._where = f"judgments, entry {number}"

    def judged(self, entry: object) -> JudgedQuery:
        if not isinstance(entry, dict) or entry.get("query_id") is None:
            raise self._unexpected("an object with a query_id", entry)
        query_id = decode_id(id_bytes(entry["query_id"], self._path, None))
        self._where += f" ({query_id})"
        self._check_keys(entry, ENTRY_KEYS)
        relevant, others = entry.get("relevant", []), entry.get("not_relevant", [])
        if not isinstance(relevant, list) or not isinstance(others, list):
            raise self._unexpected("lists 'relevant' and 'not_relevant'", entry)
        passages = [
            self._passage(one, query_id, is_relevant=is_relevant)
            for entries, is_relevant in ((relevant, True), (others, False))
            for one in entries
            if _is_passage(one)
        ]
        return JudgedQuery(
            query_id,
            tuple(self._graded(one, query_id) for one in relevant),
            tuple(self._not_relevant(one, query_id) for one in others),
            tuple(one for one in passages if isinstance(one, SpanJudgment)),
            tuple(one for one in passages if isinstance(one, QuoteJudgment)),
        )

    def _graded(self, one: object, query_id: str) -> tuple[str, float]:
        if _is_passage(one):
            passage = self._passage(one, query_id, is_relevant=True)
            return _name(passage), passage.grade
        if isinstance(one, str):
            return one, self._plain_grade(one)
        wanted = '{"chunk_id": "…", "grade": 3} in \'relevant\''
        if not isinstance(one, dict) or not isinstance(one.get("chunk_id"), str):
            raise self._unexpected(wanted, one)
        self._check_keys(one, CHUNK_KEYS)
        grade = self._grade(one, repr(one["chunk_id"]))
        if grade is None:
            raise self._unexpected(wanted, one)
        return one["chunk_id"], grade

    def _plain_grade(self, chunk_id: str) -> float:
        """Return the grade of a plain id: 1 if there is no other grade."""
        if self._scale == 1:
            return 1
        scale = "no scale" if self._scale is None else f"a scale up to {self._scale:g}"
        way_out = (
            f'write {{"chunk_id": {json.dumps(chunk_id)}, "grade": …}}, or declare "scale": 1 if '
            "judgments are binary"
        )
        message = f"{self._where}: plain ids in 'relevant' have no grade, but there is {scale}"
        raise FormatError(f"{message}; {way_out}", path_name(self._path))

    def _not_relevant(self, one: object, query_id: str) -> str:
        if _is_passage(one):
            return _name(self._passage(one, query_id, is_relevant=False))
        if not isinstance(one, str):
            raise self._unexpected("chunk ids in 'not_relevant'", one)
        return one

    def _passage(
        self, one: dict[str, Any], query_id: str, *, is_relevant: bool
    ) -> SpanJudgment | QuoteJudgment:
        if "quote" not in one:
            return self._span(one, query_id, is_relevant=is_relevant)
        self._check_keys(one, QUOTE_KEYS if is_relevant else QUOTE_KEYS[:-1])
        name, quote = one["document"], one["quote"]
        grade = self._grade(one, f"a quote of {name!r}") if is_relevant else 0
        is_text = isinstance(name, str) and isinstance(quote, str) and quote.strip()
        if is_text and grade is not None:
            return QuoteJudgment(query_id, name, quote, grade)
        graded = ', "grade": 3' * is_relevant
        wanted = f'{{"document": "a.md", "quote": "a passage of it"{graded}}}'
        raise self._unexpected(f"{wanted} in '{'' if is_relevant else 'not_'}relevant'", one)

    def _span(self, one: dict[str, Any], query_id: str, *, is_relevant: bool) -> SpanJudgment:
        self._check_keys(one, SPAN_KEYS if is_relevant else SPAN_KEYS[:-1])
        name, start, end = one["document"], one.get("start"), one.get("end")
        grade = self._grade(one, f"a span of {name!r}") if is_relevant else 0
        # The type itself, as true and false are whole numbers, too.
        is_whole = type(start) is int and type(end) is int
        if isinstance(name, str) and grade is not None and is_whole:
            with suppress(ArgumentError):
                return SpanJudgment(query_id, name, start, end, grade)  # type: ignore[arg-type]
        graded = ', "grade": 3' * is_relevant
        wanted = f'{{"document": "a.md", "start": 120, "end": 340{graded}}}, start below end,'
        raise self._unexpected(f"{wanted} in '{'' if is_relevant else 'not_'}relevant'", one)

    def _grade(self, one: Mapping[str, Any], what: str) -> float | None:
        return _number(one.get("grade"), f"grade of {what}", self._path, f"{self._where}: ")

    def _check_keys(self, one: Mapping[str, Any], known: Sequence[str]) -> None:
        check_keys(one, known, self._where, self._path)

    def _unexpected(self, expected: str, found: object) -> FormatError:
        return _unexpected(expected, found, self._path, f"{self._where}: ")


def _is_passage(one: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(one, dict) and "document" in one


def _name(passage: SpanJudgment | QuoteJudgment) -> str:
    return passage.span_id if isinstance(passage, SpanJudgment) else passage.quote_id


def to_lines(judgments: RelevanceJudgments) -> Iterator[bytes]:
    """Iterate over the pieces of a file, with one query per line."""
    declared: dict[str, Any] = {
        "version": int(judgments.version) if judgments.version.isdecimal() else judgments.version,
        "pool_depth": judgments.pool_depth,
        "scale": _plain(judgments.scale),
        "relevant_from": _plain(judgments.relevant_from),
        "labels": judgments.labels,
        "judges": judgments.judges,
        "chunks": judgments.chunks,
    }
    kept = {name: value for name, value in declared.items() if value is not None}
    yield _json(kept)[:-1] + b', "judgments": ['
    for number, query in enumerate(judgments.queries):
        yield (b",\n  " if number else b"\n  ") + _json(_entry(query))
    yield b"\n]}\n"


def _entry(query: JudgedQuery) -> dict[str, Any]:
    passages: dict[str, dict[str, Any]] = {
        span.span_id: {"document": span.source, "start": span.start, "end": span.end}
        for span in query.spans
    }
    passages |= {
        quote.quote_id: {"document": quote.source, "quote": quote.quote} for quote in query.quotes
    }
    relevant = (
        {**passages.get(name, {"chunk_id": name}), "grade": _plain(grade)}
        for name, grade in query.relevant
    )
    others = (passages.get(name, name) for name in query.not_relevant)
    return {"query_id": query.query_id, "relevant": [*relevant], "not_relevant": [*others]}


def _plain(number: float | None) -> float | None:
    """Return a number without a point if it is whole."""
    return int(number) if number is not None and number == int(number) else number


def _json(value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # an id that is not UTF-8, which JSON can only contain escaped
        return json.dumps(value).encode()


def _number(
    value: Any,  # noqa: ANN401 - of JSON
    what: str,
    path: PathLike,
    where: str = "",
) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 < value < 2**31:
        raise _unexpected(f"a number above 0 as {what}", value, path, where)
    number: float = value
    return number


def _chunks(value: object, path: PathLike) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise _unexpected("the name of a chunking as chunks", value, path)


def _depth(value: object, path: PathLike) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise _unexpected("a number of ranks as pool_depth", value, path)


def _unexpected(expected: str, found: object, path: PathLike, where: str = "") -> FormatError:
    shown = json.dumps(found)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"  # noqa: PLR2004
    message = f"{where}expected {expected}, found {shown}"
    return FormatError(message, path_name(path), expected=expected, found=shown)
