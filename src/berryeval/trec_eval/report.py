"""Scoring a run as trec_eval does, and the lines it prints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, cast

from berryeval.core.id_column import decode_id
from berryeval.errors import InputError, TrecEvalError
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import GEOMETRIC_FLOOR
from berryeval.trec_eval import preferences
from berryeval.trec_eval.columns import Column, Rules, Source, columns
from berryeval.trec_eval.files import Grouped, Judgments, Preferred, Qrels, RunFile
from berryeval.trec_eval.names import RelevanceFormat, Version
from berryeval.trec_eval.z_scores import ZScores

__all__ = [
    "Facts",
    "Options",
    "is_printed",
    "iter_scores",
    "name_of",
    "relstring",
    "report",
    "summary_of",
    "wanted_columns",
]

NOT_SCORED = 4
NO_COMMON_QUERY = 7

_HIGHEST_DIGIT = 9
_NOWHERE = b"\0"
"""Placeholder for the query's id in a template, since no id contains this byte."""
_SOURCES: dict[RelevanceFormat, Source] = {
    "qrels": "qrels",
    "qrels_jg": "groups",
    "prefs": "preferences",
    "qrels_prefs": "preferences",
}


@dataclass(frozen=True)
class Options:
    """The flags of the command."""

    per_query: bool = False
    """Also print each query (``-q``)."""
    summary: bool = True
    """Print the lines for all queries (not ``-n``)."""
    complete: bool = False
    """Average over all judged queries (``-c``)."""
    judged_only: bool = False
    """Remove unjudged documents from rankings (``-J``)."""
    level: int = 1
    """The lowest relevant grade (``-l``)."""
    most: int | None = None
    """The number of documents per ranking that count (``-M``); None for all."""
    n_documents: int = 0
    """The size of the collection (``-N``)."""
    format: RelevanceFormat = "qrels"
    """The format of the judgments (``-R``)."""
    z_scores: ZScores | None = None
    """The means to print deviations from (``-Z``)."""
    only: bytes | None = None
    """The one query to score (``-D 0.query``); None for all."""
    version: Version = "9.0.8"


@dataclass(frozen=True)
class Query:
    """The content of a query's lines; measures are computed from `evidence`."""

    query_id: bytes
    evidence: tuple[Any, ...] = ()
    is_missing: bool = False


@dataclass(frozen=True)
class Facts:
    """Facts about the files for the summary."""

    n_judged: int
    """Queries with judgments."""
    n_above_zero: int
    """Judgments with a grade above 0."""
    tag: bytes
    """The name of the run."""


def report(
    judgments: Judgments, run: RunFile, names: dict[str, str | None], options: Options
) -> Iterator[bytes]:
    """Score a run; iterate over the text to print, query by query and the summary last.

    Raises `InputError` for an invalid flag or parameter, and `TrecEvalError` if a query cannot be
    scored, or none is in both files.
    """
    wanted = wanted_columns(names, options)
    facts = Facts(len(judgments), _n_above_zero(judgments, options), run.tag)
    return _lines(_scored(judgments, run, wanted, options), wanted, facts, options)


def _lines(
    scored: Iterable[tuple[Query, Sequence[float]]],
    wanted: list[Column],
    facts: Facts,
    options: Options,
) -> Iterator[bytes]:
    """Iterate over the text to print, query by query and the summary last."""
    template = _template(wanted, options)
    shown = [i for i, column in enumerate(wanted) if is_printed(column)]
    totals = [0.0] * len(wanted)
    n_queries = 0
    for query, values in scored:
        n_queries += 1
        totals = list(map(add, totals, values))
        if options.per_query:
            yield _query_lines(template, query, wanted, shown, values, options)
    yield summary_of(facts, wanted, totals, n_queries, options)


def iter_scores(
    judgments: Judgments, run: RunFile, names: dict[str, str | None], options: Options
) -> Iterator[tuple[bytes, dict[str, float]]]:
    """Iterate over the queries with their values by printed name, with all digits.

    A geometric mean's values are logarithms, as trec_eval adds them up.
    """
    wanted = wanted_columns(names, options)
    for query, values in _scored(judgments, run, wanted, options):
        named = zip((column.name for column in wanted), values, strict=True)
        yield query.query_id, dict(named)


def wanted_columns(names: dict[str, str | None], options: Options) -> list[Column]:
    """Return the columns to print, or raise for flags that cannot be used."""
    if options.most is not None and options.most < 0:
        raise InputError(f"-M: expected a number of documents, at least 0, found {options.most}")
    return columns(names, Rules(options.level, options.n_documents, options.version))


def _n_above_zero(judgments: Judgments, options: Options) -> int:
    if options.format != "qrels":
        return 0
    qrels = cast("Qrels", judgments)
    return sum(grade > 0 for rows in qrels.values() for _, grade in rows)


def _scored(
    judgments: Judgments, run: RunFile, wanted: list[Column], options: Options
) -> Iterator[tuple[Query, list[float]]]:
    """Iterate over the queries with the values of all columns."""
    for query in _queries(judgments, run, wanted, options):
        values = [_value(column, query) for column in wanted]
        if options.z_scores is not None:
            values = [
                options.z_scores.convert(query.query_id, name_of(column), value)
                for column, value in zip(wanted, values, strict=True)
            ]
        yield query, values


def _queries(
    judgments: Judgments, run: RunFile, wanted: list[Column], options: Options
) -> Iterator[Query]:
    """Iterate over the queries to score, in the order of their ids' bytes.

    Version 9.0.8 scores the queries in both files, and 10.0 all judged ones: one that is missing
    from the run is an error, or with ``-c`` has a ranking of one unjudged document.
    """
    needed = [column for column in wanted if column.source is not None]
    source = _SOURCES[options.format]
    for query_id in sorted(judgments):
        if options.only not in (None, query_id):
            continue
        is_missing = query_id not in run.rankings
        if is_missing and options.version == "9.0.8":
            continue
        if is_missing and not options.complete:
            raise TrecEvalError(f"query {decode_id(query_id)!r} is not in the run", NOT_SCORED)
        if not needed:
            yield Query(query_id, (), is_missing)
            continue
        for column in needed:
            if column.source != source:
                message = f"{column.name} cannot be computed from -R {options.format}"
                raise TrecEvalError(message, NOT_SCORED)
        ranking = [None] if is_missing else _ranking(query_id, run, options)
        yield Query(query_id, _evidence(judgments, query_id, ranking, options), is_missing)


def _evidence(
    judgments: Judgments, query_id: bytes, ranking: Sequence[bytes | None], options: Options
) -> tuple[Any, ...]:
    """Return the evidence that the measures of this format are computed from."""
    if options.format == "qrels":
        rows = cast("Qrels", judgments)[query_id]
        grade_of = dict(rows)
        if len(grade_of) < len(rows):
            raise _duplicate(query_id, [doc_id for doc_id, _ in rows], "judgments")
        if max(grade_of.values()) < 0:
            message = f"query {decode_id(query_id)!r}: expected a grade, at least 0, found none"
            raise TrecEvalError(message, NOT_SCORED)
        return _grades(ranking, grade_of, options)
    if options.format == "qrels_jg":
        groups = cast("Grouped", judgments)[query_id]
        return ([_grades(ranking, groups[group_id], options) for group_id in sorted(groups)],)
    retrieved = [doc_id for doc_id in ranking if doc_id is not None]
    preferred = cast("Preferred", judgments)[query_id]
    return (preferences.collect(preferred, retrieved, query_id),)


def _grades(
    ranking: Sequence[bytes | None], grade_of: dict[bytes, int], options: Options
) -> tuple[list[float], list[float]]:
    """Return the grades of a ranking and those of all judgments, the latter in descending order."""
    get = cast("dict[bytes | None, int]", grade_of).get
    grades = [_grade(get(doc_id)) for doc_id in ranking]
    if options.judged_only:
        grades = [grade for grade in grades if grade >= 0]
    judged = sorted((float(grade) for grade in grade_of.values() if grade >= 0), reverse=True)
    return grades, judged


def _ranking(query_id: bytes, run: RunFile, options: Options) -> list[bytes]:
    """Return the documents of a query, best first, up to the requested number.

    Ties break by id, the greater first, except for preferences, where the smaller is first.
    """
    rows = run.rankings[query_id]
    if _SOURCES[options.format] == "preferences":
        rows = sorted(rows, key=lambda row: (-row[0], row[1]))
    else:
        rows = sorted(rows, reverse=True)
    ranking = [doc_id for _, doc_id in rows[: options.most]]
    if len(set(ranking)) < len(ranking):
        raise _duplicate(query_id, ranking, "run")
    return ranking


def _grade(grade: int | None) -> float:
    if grade is None:
        return NOT_IN_POOL
    return float(grade) if grade >= 0 else UNJUDGED


def _duplicate(query_id: bytes, doc_ids: list[bytes], where: str) -> TrecEvalError:
    twice = next(doc_id for doc_id, n in Counter(doc_ids).items() if n > 1)
    message = f"duplicate docs {decode_id(twice)} of query {decode_id(query_id)!r} in the {where}"
    return TrecEvalError(message, NOT_SCORED)


def _value(column: Column, query: Query) -> float:
    if _is_reset(column, query):
        return 0.0
    value = column.score(*query.evidence)
    return math.log(max(value, GEOMETRIC_FLOOR)) if column.kind == "geometric" else value


def _is_reset(column: Column, query: Query) -> bool:
    """Whether 10.0 sets the value of a missing query to 0: it does so by name."""
    return query.is_missing and (
        column.name in ("num_ret", "utility", "relstring", "rbp_resid")
        or column.name.startswith("unj")
    )


def is_printed(column: Column) -> bool:
    """Whether a column has a line for each query."""
    return column.kind in ("mean", "sum", "relstring")


def _template(wanted: list[Column], options: Options) -> bytes:
    """Return the lines of a query without its id and its values."""
    return b"".join(
        _line(column, _NOWHERE, b"%s" if column.kind == "relstring" else _number(column, options),
              options)
        for column in wanted
        if is_printed(column)
    )  # fmt: skip


def _query_lines(
    template: bytes,
    query: Query,
    wanted: list[Column],
    shown: list[int],
    values: Sequence[float],
    options: Options,
) -> bytes:
    """Return the lines of a query."""
    fields = tuple(
        _relstring(wanted[i], query)
        if wanted[i].kind == "relstring"
        else _field(values[i], options)
        for i in shown
    )
    return template.replace(_NOWHERE, query.query_id.replace(b"%", b"%%")) % fields


def _relstring(column: Column, query: Query) -> bytes:
    return relstring([] if _is_reset(column, query) else query.evidence[0][: column.length])


def relstring(grades: Sequence[float]) -> bytes:
    """Return the grades of a ranking's first documents as one word."""
    return b"'%s'" % b"".join(map(_letter, grades))


def _letter(grade: float) -> bytes:
    if grade > _HIGHEST_DIGIT:
        return b">"
    if grade >= 0:
        return b"%d" % grade
    return b"-" if grade == NOT_IN_POOL else b"."


def summary_of(
    facts: Facts, wanted: Sequence[Column], totals: Sequence[float], n_scored: int, options: Options
) -> bytes:
    """Return the lines for all queries, if requested; raise `TrecEvalError` if none was scored."""
    if n_scored == 0:
        message = "no queries with both results and relevance info"
        raise TrecEvalError(message, NO_COMMON_QUERY)
    if not options.summary:
        return b""
    return b"".join(_summary(facts, wanted, totals, n_scored, options))


def _summary(
    facts: Facts, wanted: Sequence[Column], totals: Sequence[float], n_scored: int, options: Options
) -> Iterator[bytes]:
    n_queries = facts.n_judged if options.complete else n_scored
    for column, total in zip(wanted, totals, strict=True):
        if column.kind == "runid":
            yield _line(column, b"all", b"%s", options) % facts.tag
        elif column.kind != "relstring":
            value = _mean(column, total, facts, n_scored, n_queries, options)
            yield _line(column, b"all", _number(column, options), options) % _field(value, options)


def _mean(
    column: Column, total: float, facts: Facts, n_scored: int, n_queries: int, options: Options
) -> float:
    """Return the value of a column for all queries."""
    if column.kind == "num_q":
        return n_queries
    if column.name == "num_rel" and options.complete:
        # trec_eval counts them again, and every grade above 0 is relevant, regardless of -l.
        return facts.n_above_zero
    if column.kind == "sum":
        return total
    if column.kind == "geometric":
        total += (n_queries - n_scored) * math.log(GEOMETRIC_FLOOR)
        try:
            return math.exp(total / n_queries)
        except OverflowError:  # in z-scores
            return math.inf
    return total / n_queries


def _number(column: Column, options: Options) -> bytes:
    """Return the format of the values of a column."""
    if options.z_scores is not None:
        return b"%s"
    return b"%d" if column.kind in ("sum", "num_q") else b"%6.4f"


def _field(value: float, options: Options) -> float | bytes:
    """Return the placeholder of a value in a line; z-scores are text, for the sign of a NaN."""
    if options.z_scores is None:
        return value
    is_negative_nan = math.isnan(value) and math.copysign(1, value) < 0
    return b"  -nan" if is_negative_nan else b"%6.4f" % value


def _line(column: Column, query_id: bytes, field: bytes, options: Options) -> bytes:
    """Return a line whose value is still to be filled in."""
    is_converted = options.z_scores is not None and column.kind not in ("runid", "relstring")
    name = (b"Z" if is_converted else b"") + b"%-22s" % name_of(column)
    return b"%s\t%s\t%s\n" % (name.replace(b"%", b"%%"), query_id, field)


def name_of(column: Column) -> bytes:
    """Return the name of a column as it is printed."""
    return column.name.encode("utf-8", "surrogateescape")
