"""Scoring a run as trec_eval does, and the lines it prints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from berryeval.core.id_column import decode_id
from berryeval.errors import InputError, TrecEvalError
from berryeval.kernels.interpolated_precision import RecallRounding
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import GEOMETRIC_FLOOR
from berryeval.trec_eval.files import RunFile
from berryeval.trec_eval.names import Column, Rules, Version, columns

__all__ = ["Options", "report"]

Judgments = dict[bytes, list[tuple[bytes, int]]]

NOT_SCORED = 4
NO_COMMON_QUERY = 7

_HIGHEST_DIGIT = 9


@dataclass(frozen=True)
class Options:
    """The flags of the command.

    Parameters
    ----------
    per_query : bool
        Print each query, too (``-q``).
    summary : bool
        Print what holds for all queries (not ``-n``).
    complete : bool
        Average over all judged queries (``-c``).
    judged_only : bool
        Take documents that were not judged out of rankings (``-J``).
    level : int
        The lowest grade that is relevant (``-l``).
    most : int or None
        How many documents of a ranking count (``-M``); None for all.
    n_documents : int
        The size of the collection (``-N``).
    version : {"9.0.8", "10.0"}
        The trec_eval to behave as.
    """

    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    most: int | None = None
    n_documents: int = 0
    version: Version = "9.0.8"


@dataclass(frozen=True)
class _Query:
    """What a query's lines are made of."""

    query_id: bytes
    grades: list[float]
    judged: list[float]
    is_missing: bool


def report(
    judgments: Judgments, run: RunFile, names: dict[str, str | None], options: Options
) -> Iterator[bytes]:
    """Score a run; iterate over the text to print, a query at a time and the summary last.

    Raises
    ------
    InputError
        If a flag or a measure's parameters cannot be used.
    TrecEvalError
        If a query cannot be scored, or none is in both files.
    """
    if options.level < 0:
        raise InputError(f"-l: expected a level, at least 0, found {options.level}")
    if options.most is not None and options.most < 0:
        raise InputError(f"-M: expected a number of documents, at least 0, found {options.most}")
    rounding: RecallRounding = "nearest" if options.version == "10.0" else "up"
    wanted = columns(names, Rules(options.level, options.n_documents, rounding))
    totals = [0.0] * len(wanted)
    n_queries = 0
    for query in _queries(judgments, run, wanted, options):
        n_queries += 1
        values = [_value(column, query) for column in wanted]
        for i, value in enumerate(values):
            totals[i] += value
        if options.per_query:
            yield b"".join(map(_query_line, wanted, [query] * len(wanted), values))
    if n_queries == 0:
        message = "no queries with both results and relevance info"
        raise TrecEvalError(message, NO_COMMON_QUERY)
    if options.summary:
        yield b"".join(_summary(judgments, run, wanted, totals, n_queries, options))


def _queries(
    judgments: Judgments, run: RunFile, wanted: list[Column], options: Options
) -> Iterator[_Query]:
    """Iterate over the queries to score, in the order of their ids' bytes.

    9.0.8 takes those in both files. 10.0 takes all that are judged: one that the run does not
    have is an error, or with ``-c`` has a ranking of one document that nobody judged.
    """
    needs_rankings = any(column.kind not in ("runid", "num_q") for column in wanted)
    for query_id in sorted(judgments):
        is_missing = query_id not in run.rankings
        if is_missing and options.version == "9.0.8":
            continue
        if is_missing and not options.complete:
            raise TrecEvalError(f"query {decode_id(query_id)!r} is not in the run", NOT_SCORED)
        if not needs_rankings:
            yield _Query(query_id, [], [], is_missing)
            continue
        grade_of = dict(judgments[query_id])
        if len(grade_of) < len(judgments[query_id]):
            docs = [doc_id for doc_id, _ in judgments[query_id]]
            raise _duplicate(query_id, docs, "judgments")
        judged = sorted((float(grade) for grade in grade_of.values() if grade >= 0), reverse=True)
        if not judged:
            message = f"query {decode_id(query_id)!r}: expected a grade, at least 0, found none"
            raise TrecEvalError(message, NOT_SCORED)
        ranking = [] if is_missing else _ranking(query_id, run, options)
        grades = [_grade(grade_of.get(doc_id)) for doc_id in ranking]
        if is_missing:
            grades = [NOT_IN_POOL]
        if options.judged_only:
            grades = [grade for grade in grades if grade >= 0]
        yield _Query(query_id, grades, judged, is_missing)


def _ranking(query_id: bytes, run: RunFile, options: Options) -> list[bytes]:
    """Return the documents of a query, best first, and no more than are wanted."""
    rows = sorted(run.rankings[query_id], reverse=True)
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


def _value(column: Column, query: _Query) -> float:
    if _is_reset(column, query):
        return 0.0
    value = column.score(query.grades, query.judged)
    return math.log(max(value, GEOMETRIC_FLOOR)) if column.kind == "geometric" else value


def _is_reset(column: Column, query: _Query) -> bool:
    """Whether 10.0 sets the value of a missing query to 0: it does so by name."""
    return query.is_missing and (
        column.name in ("num_ret", "utility", "relstring", "rbp_resid")
        or column.name.startswith("unj")
    )


def _query_line(column: Column, query: _Query, value: float) -> bytes:
    if column.kind in ("runid", "num_q", "geometric"):
        return b""
    if column.kind == "relstring":
        grades = [] if _is_reset(column, query) else query.grades[: column.length]
        return _text_line(column, query.query_id, b"'%s'" % b"".join(map(_letter, grades)))
    return _number_line(column, query.query_id, value)


def _letter(grade: float) -> bytes:
    if grade > _HIGHEST_DIGIT:
        return b">"
    if grade >= 0:
        return b"%d" % grade
    return b"-" if grade == NOT_IN_POOL else b"."


def _summary(
    judgments: Judgments,
    run: RunFile,
    wanted: list[Column],
    totals: list[float],
    n_scored: int,
    options: Options,
) -> Iterator[bytes]:
    n_queries = len(judgments) if options.complete else n_scored
    for column, total in zip(wanted, totals, strict=True):
        if column.kind == "runid":
            yield _text_line(column, b"all", run.tag)
        elif column.kind == "num_q":
            yield _text_line(column, b"all", b"%d" % n_queries)
        elif column.name == "num_rel" and options.complete:
            # trec_eval counts them anew, and takes every grade above 0 for relevant, whatever -l.
            n_relevant = sum(grade > 0 for rows in judgments.values() for _, grade in rows)
            yield _text_line(column, b"all", b"%d" % n_relevant)
        elif column.kind == "sum":
            yield _number_line(column, b"all", total)
        elif column.kind == "mean":
            yield _number_line(column, b"all", total / n_queries)
        elif column.kind == "geometric":
            missing = (n_queries - n_scored) * math.log(GEOMETRIC_FLOOR)
            yield _number_line(column, b"all", math.exp((total + missing) / n_queries))


def _number_line(column: Column, query_id: bytes, value: float) -> bytes:
    return _text_line(column, query_id, (b"%d" if column.kind == "sum" else b"%6.4f") % value)


def _text_line(column: Column, query_id: bytes, text: bytes) -> bytes:
    name = column.name.encode("utf-8", "surrogateescape")
    return b"%-22s\t%s\t%s\n" % (name, query_id, text)
