"""The candidate of a gate: a stored run, or what a system answers now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, BackendError, MismatchError
from berryeval.evaluation.evaluate import load_run
from berryeval.evaluation.notes import count_queries
from berryeval.suite.settings import Settings

__all__ = ["DEPTH", "Candidate", "find_candidate"]

DEPTH = 100
"""How many documents a system is asked for."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Rankings, and where they come from."""

    name: str
    run: Run
    milliseconds: Mapping[str, float]
    """How long each query took, as far as that is known."""


def find_candidate(
    settings: Settings, judgments: Judgments, queries: Mapping[str, Query]
) -> Candidate:
    """Read the run that the settings name, or ask the system that they name.

    Raises
    ------
    ArgumentError
        If they name both, or neither.
    MismatchError
        If a judged query has no text that a system could be asked.
    BackendError
        If the system fails for more queries than the settings allow.
    """
    if settings.system is None:
        if settings.run is None:
            way_out = "name one in berryeval.toml (run = ... or system = ...), or with --run"
            raise ArgumentError("run", "a file", f"none; {way_out}")
        return Candidate(settings.run, load_run(settings.run), {})
    if settings.run is not None:
        raise ArgumentError("run", "a run or a system", "both")
    return _ask(settings.system, settings, judgments, queries)


def _ask(
    place: str, settings: Settings, judgments: Judgments, queries: Mapping[str, Query]
) -> Candidate:
    from berryeval.search.collect import collect
    from berryeval.search.documents import iter_any_documents
    from berryeval.suite.named_systems import open_named_system

    lacking = [query_id for query_id in judgments.query_ids if query_id not in queries]
    if lacking:
        way_out = "name a file of queries (queries = ...)"
        raise MismatchError(f"query {lacking[0]!r} has no text to ask a system; {way_out}")
    asked = [queries[query_id] for query_id in judgments.query_ids]
    with open_named_system(place, settings.system_settings, queries=asked) as system:
        if settings.documents is not None:
            system.index(iter_any_documents(settings.documents))
        answered = collect(system, asked, DEPTH)
    if len(answered.failures) > settings.gate.max_failed:
        first = next(iter(answered.failures.values()))
        failed = f"{count_queries(len(answered.failures))} of {len(asked)} failed"
        raise BackendError(place, f"{failed}, and {settings.gate.max_failed} may; first: {first}")
    times = {query_id: 1000 * seconds for query_id, seconds in answered.durations.items()}
    return Candidate(place, answered.run, times)
