"""Conversion of everything that a fixture may return to something that can be evaluated."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from berryeval.core.files import write_whole
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import SystemUnderTestError
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.slices import load_queries
from berryeval.evaluation.sources import load_run
from berryeval.suite.appending import locked
from berryeval.suite.references import read_baseline

if TYPE_CHECKING:
    import pytest

    from berryeval.suite.settings import Settings

__all__ = [
    "Answers",
    "answers_of",
    "baseline_of",
    "candidate_of",
    "is_live",
    "queries_of",
    "shared_by_workers",
]


@dataclass(frozen=True)
class Answers:
    """A run, with the times and failures of its retrieval."""

    run: Run
    milliseconds: list[float] = field(default_factory=list)
    """How long a system took for each query; empty for stored runs."""
    failures: Mapping[str, SystemUnderTestError] = field(default_factory=dict)
    """Queries that a system did not answer."""


def queries_of(source: Any) -> dict[str, Query]:  # noqa: ANN401 - a path, queries, or texts by id
    """Return queries by their ids, from a file, `Query` objects, or a dict of texts."""
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
    settings: Settings,
) -> Answers:
    """Return a run unchanged, or send every judged query to a system.

    An object or function is searched with the settings of a function in `settings`. Raises
    `MismatchError` if the text of a judged query is unknown, or no document that the system returns
    is judged; `ArgumentError` if the system has no documents; and `SystemUnderTestError` if it
    fails for every query.
    """
    if isinstance(source, Answers):
        return source
    if not is_live(source):
        return Answers(load_run(source))
    from berryeval.search.collect import collect
    from berryeval.search.failures import check_any_answered
    from berryeval.search.judged_units import to_judged_units
    from berryeval.search.opening import open_object
    from berryeval.search.system import check_documents
    from berryeval.suite.candidates import judged_queries
    from berryeval.suite.known_ids import check_any_judged

    system = open_object(source, _reading(settings))
    check_documents(system, "call index(documents) in the fixture berryeval_run first")
    way_out = (
        "name the file of the judged queries (--berryeval-queries), or define berryeval_queries"
    )
    asked = judged_queries(judgments, queries, settings.queries, way_out)
    collected = collect(system, asked, depth)
    check_any_answered(system.name, collected.durations, collected.failures)
    milliseconds = [seconds * 1000 for seconds in collected.durations.values()]
    run = to_judged_units(collected.run, judgments, system.places)
    check_any_judged(judgments, run, system.name, system.likely_id)
    run = run.with_timings(collected.run.milliseconds or {})
    return Answers(run, milliseconds, collected.failures)


def _reading(settings: Settings) -> Mapping[str, str]:
    """Return how the settings read the answers of Python code; nothing for another system."""
    from berryeval.search.opening import OWN_KEYS, kind_of

    table = settings.systems.get(settings.system or "", {"system": settings.system})
    place = table["system"]
    if place is not None and kind_of(place) != "function":
        return {}
    own = {key: value for key, value in table.items() if key not in OWN_KEYS}
    return {**own, **settings.system_settings}


def is_live(source: object) -> bool:
    """Return whether a source has to be searched; otherwise it is a run."""
    from berryeval.search.systems.retrievers import is_retriever

    can_search = callable(getattr(source, "search", None)) or callable(source)
    return can_search or is_retriever(source)


def candidate_of(settings: Settings, judgments: Judgments, queries: Mapping[str, Query]) -> Answers:
    """Return the answers of the system that the settings name; raises as `find_candidate`."""
    from berryeval.suite.candidates import find_candidate

    found = find_candidate(settings, judgments, queries)
    return Answers(found.run, [*found.milliseconds.values()])


def shared_by_workers(
    request: pytest.FixtureRequest, search: Callable[[], Answers], *facts: object
) -> Answers:
    """Let one worker of pytest-xdist search, and the others use its answers.

    The first one holds a lock while it searches; if it fails or is killed, the next one searches.
    Searches with different `facts`, whose texts are compared, have different answers.
    """
    if not hasattr(request.config, "workerinput"):
        return search()
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp().parent  # the workers of one run share it
    kept = folder / f"berryeval-answers-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"
    lock = os.open(kept.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with locked(lock):
            if not kept.exists():
                answers = search()
                write_whole(kept, [pickle.dumps(answers)])
                return answers
            found: Answers = pickle.loads(kept.read_bytes())  # noqa: S301 - we wrote it
            return found
    finally:
        os.close(lock)


def baseline_of(source: Any) -> Run | Baseline:  # noqa: ANN401 - a baseline, or what is a run
    """Return the baseline of a candidate; a file may be a baseline or a run."""
    if isinstance(source, Baseline):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_baseline(os.fspath(source))
    return load_run(source)
