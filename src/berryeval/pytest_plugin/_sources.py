"""Whatever a fixture may return, as what can be evaluated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import MismatchError, SystemUnderTestError
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.evaluate import load_run
from berryeval.evaluation.slices import load_queries
from berryeval.suite.references import read_baseline

__all__ = ["Answers", "answers_of", "baseline_of", "queries_of"]


@dataclass(frozen=True)
class Answers:
    """A run, and what became of asking for it."""

    run: Run
    milliseconds: list[float] = field(default_factory=list)
    """How long a system took for each query; empty for stored runs."""
    failures: Mapping[str, SystemUnderTestError] = field(default_factory=dict)
    """Queries that a system had no answer for."""


def queries_of(source: Any) -> dict[str, Query]:  # noqa: ANN401 - a path, queries, or texts by id
    """Return queries by their ids: of a file, of `Query` objects, or of a dict of texts."""
    if not isinstance(source, Mapping):
        return load_queries(source)
    found = (
        Query(query_id, query) if isinstance(query, str) else query
        for query_id, query in source.items()
    )
    return load_queries(found)


def answers_of(
    source: Any,  # noqa: ANN401 - what `evaluate` takes, or a system
    judgments: Judgments,
    queries: Mapping[str, Query],
    depth: int,
) -> Answers:
    """Return a run as it is, or send every judged query to a system.

    Raises `MismatchError` if the text of a judged query is unknown, `ArgumentError` if the system
    has no documents, and `SystemUnderTestError` if it fails for every query.
    """
    if not callable(getattr(source, "search", None)) and not callable(source):
        return Answers(load_run(source))
    from berryeval.search.collect import collect
    from berryeval.search.failures import check_any_answered
    from berryeval.search.system import check_documents
    from berryeval.search.systems.foreign import as_system
    from berryeval.search.systems.function import Function

    system = as_system(source) if hasattr(source, "search") else Function(source)
    check_documents(system, "call index(documents) in the fixture berryeval_run first")
    unknown = [query_id for query_id in judgments.query_ids if query_id not in queries]
    if unknown:
        way_out = "name a file of queries (--berryeval-queries), or define berryeval_queries"
        raise MismatchError(
            f"queries: expected the text of every judged query, found none for {unknown[0]!r}; "
            f"{way_out}"
        )
    collected = collect(system, [queries[query_id] for query_id in judgments.query_ids], depth)
    check_any_answered(system.name, collected.durations, collected.failures)
    milliseconds = [seconds * 1000 for seconds in collected.durations.values()]
    return Answers(collected.run, milliseconds, collected.failures)


def baseline_of(source: Any) -> Run | Baseline:  # noqa: ANN401 - a baseline, or what is a run
    """Return the baseline of a candidate; a file may be a baseline or a run."""
    if isinstance(source, Baseline):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_baseline(os.fspath(source))
    return load_run(source)
