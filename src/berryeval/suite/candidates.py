"""The candidate of a gate: a stored run, or the answers of a live system."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, MismatchError, SystemUnderTestError
from berryeval.evaluation.notes import count_queries
from berryeval.evaluation.sources import load_run
from berryeval.suite.settings import Settings

if TYPE_CHECKING:
    from berryeval.search.places import Place
    from berryeval.search.system import System

__all__ = [
    "DEPTH",
    "Candidate",
    "find_candidate",
    "judged_queries",
    "judged_units",
    "open_project_system",
]

DEPTH = 100
"""Number of documents per query."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Rankings and their source."""

    name: str
    run: Run
    milliseconds: Mapping[str, float]
    """Durations by query, if known."""
    repeats: tuple[Run, ...] = ()
    """Repeated runs of the same system."""


def find_candidate(
    settings: Settings, judgments: Judgments, queries: Mapping[str, Query]
) -> Candidate:
    """Read the run in the settings, or run the system in the settings.

    Raises `ArgumentError` if they name both, or neither; `MismatchError` if a judged query has no
    text to send, or no document that the system returns is judged; `SystemUnderTestError` if the
    system fails for more queries than the settings allow, or for all of them.
    """
    if settings.system is None:
        if settings.run is None:
            places = "in berryeval.toml (run = ... or system = ...) or with --run"
            raise ArgumentError("run", f"a run or a system named {places}", "none")
        again = tuple(load_run(path) for path in settings.repeats)
        return Candidate(settings.run, load_run(settings.run), {}, again)
    if settings.run is not None:
        raise ArgumentError("run", "a run or a system", "both")
    if settings.repeats:
        way_out = "set gate.repeat to repeat the queries of a system"
        raise ArgumentError("repeats", f"none with a system; {way_out}", "some")
    return _ask(settings, judgments, queries)


def _ask(settings: Settings, judgments: Judgments, queries: Mapping[str, Query]) -> Candidate:
    from berryeval.search.collect import collect
    from berryeval.search.documents import iter_any_documents
    from berryeval.search.failures import check_any_answered
    from berryeval.search.system import check_documents
    from berryeval.suite.known_ids import check_any_judged

    way_out = "name the file of the judged queries (queries = ...)"
    asked = judged_queries(judgments, queries, settings.queries, way_out)
    if settings.questions is not None and settings.documents is None:
        raise ArgumentError(
            "questions", "the documents that the questions belong to", "no documents"
        )
    with open_project_system(settings, asked) as system:
        if settings.documents is not None and system.can_index:
            system.index(iter_any_documents(settings.documents, questions=settings.questions))
        check_documents(system, "name them in berryeval.toml (documents = ...)")
        answered = collect(system, asked, DEPTH, repeat=settings.gate.repeat)
        name = system.name  # not the address, which may contain a password
        places, likely_id = system.places, system.likely_id
    check_any_answered(name, answered.durations, answered.failures)
    failures = [item for one in (answered, *answered.repeats) for item in one.failures.items()]
    if len(failures) > settings.gate.max_failed:
        query_id, first = failures[0]
        failed = f"{count_queries(len(failures))} of {len(asked) * settings.gate.repeat} failed"
        allowed = f"{settings.gate.max_failed} allowed"
        error = SystemUnderTestError(name, f"{failed} ({allowed}); {query_id}: {first.message}")
        raise error.suggest(first.setting)
    times = {query_id: 1000 * seconds for query_id, seconds in answered.durations.items()}
    convert = judged_units(settings, judgments, places)
    run, *again = (
        convert(one.run).with_timings(one.run.milliseconds or {})
        for one in (answered, *answered.repeats)
    )
    check_any_judged(judgments, run, name, likely_id)
    return Candidate(name, run, times, tuple(again))


def judged_queries(
    judgments: Judgments, queries: Mapping[str, Query], source: object, way_out: str
) -> list[Query]:
    """Return the judged queries, in the order of the judgments.

    Raises `MismatchError` if the text of one is unknown; the message has examples of the ids in the
    source of the queries, if there are any.
    """
    lacking = next((one for one in judgments.query_ids if one not in queries), None)
    if lacking is None:
        return [queries[query_id] for query_id in judgments.query_ids]
    found = ""
    if queries:
        place = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "the given ones"
        others = ", ".join(map(repr, islice(queries, 3)))
        found = f": it is not in {place} ({count_queries(len(queries))}, such as {others})"
    raise MismatchError(f"query {lacking!r} has no text to send to a system{found}; {way_out}")


def judged_units(
    settings: Settings, judgments: Judgments, places: Mapping[str, Place]
) -> Callable[[Run], Run]:
    """Return a function that converts a run to the documents or spans that are judged."""
    from berryeval.search.judged_units import to_judged_units

    credit = _crediting(settings)
    return lambda run: to_judged_units(credit(run), judgments, places)


def open_project_system(
    settings: Settings,
    queries: Iterable[Query],
    *,
    place: str | None = None,
    own_settings: Mapping[str, str] | None = None,
    dsn: str | None = None,
    headers: Mapping[str, str] | None = None,
    documents_table: str | None = None,
) -> System:
    """Open the system of a project, or another one.

    Parameters
    ----------
    settings : Settings
        Settings of the project; modules of systems are looked for in their folder, too.
    queries : iterable of Query
        For replays: the queries whose texts are looked up.
    place : str, optional
        Name of a table ``[systems.NAME]``, or a name that `open_system` accepts; default: the
        system in the settings.
    own_settings : mapping, optional
        Settings of the system as text, which take precedence over those of the file.
    dsn : str, optional
        Address of the database, for systems in PostgreSQL without a table.
    headers : mapping, optional
        For HTTP and OpenSearch: headers in addition to those of the file.
    documents_table : str, optional
        For PostgreSQL: the table of documents, unless the settings name one.
    """
    from berryeval.search.opening import open_configured_system, open_system

    if settings.folder is not None and settings.folder not in sys.path:
        sys.path.insert(0, settings.folder)  # where `module:function` is looked for
    of_file = settings.system_settings if place in (None, settings.system) else {}
    known = {**of_file, **(own_settings or {})}
    name = place or settings.system
    if name is None:
        raise ArgumentError("system", "the name of a system", "none")
    table = settings.systems.get(name)
    if table is None:
        return open_system(
            name, known, dsn=dsn, queries=queries, headers=headers, table=documents_table
        )
    sent = {"headers": {**table.get("headers", {}), **headers}} if headers else {}
    return open_configured_system(
        name, {**table, **known, **sent}, queries=queries, documents_table=documents_table
    )


def _crediting(settings: Settings) -> Callable[[Run], Run]:
    """Return a function that credits chunks with spans, if the judgments are of spans."""
    from berryeval.golden.span_crediting import read_crediting, read_spans

    path = settings.judgments
    try:
        spans = read_spans(path) if path is not None and path.endswith(".json") else []
    except FormatError:  # another format of judgments, which has already been read
        spans = []
    if path is None or not spans:
        return lambda run: run
    if settings.documents is None:
        way_out = "name their documents (documents = ...)"
        raise MismatchError(f"{path}: judgments are of spans; {way_out}")
    return read_crediting(path, settings.documents)
