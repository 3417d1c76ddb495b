"""The fixtures, and tests made from a golden set: one for each query, or for each guard.

Fixtures that your ``conftest.py`` defines under the same name take the place of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from berryeval.pytest_plugin._options import load_settings, retrieval_depth
from berryeval.pytest_plugin._report import RESULTS

if TYPE_CHECKING:
    from berryeval.core.judgments import Judgments
    from berryeval.core.query import Query
    from berryeval.core.run import Run
    from berryeval.pytest_plugin._sources import Answers
    from berryeval.pytest_plugin.guard_check import GuardCheck
    from berryeval.pytest_plugin.results import QueryResults, Results
    from berryeval.suite.settings import Settings

__all__ = [
    "berryeval_depth",
    "berryeval_guard",
    "berryeval_judgments",
    "berryeval_queries",
    "berryeval_query",
    "berryeval_results",
    "berryeval_run",
    "berryeval_settings",
    "pytest_fixture_setup",
    "pytest_generate_tests",
]

_SEARCHED = pytest.StashKey[tuple[object, ...]]()
"""The fixture that returned the system under test."""


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Let our errors end a test, or its collection, without a traceback through the plugin."""
    from berryeval.errors import BerryEvalError

    try:
        yield
    except BerryEvalError as error:
        from berryeval.suite.settings import where_to_set

        message = f"{error}{where_to_set(error.setting)}"
        raise pytest.fail.Exception(message, pytrace=False) from None


@pytest.fixture(scope="session")
def berryeval_settings(pytestconfig: pytest.Config) -> Settings:
    """Return the settings of berryeval.toml, overridden by flags and variables."""
    with _errors_in_one_line():
        return load_settings(pytestconfig)


@pytest.fixture(scope="session")
def berryeval_judgments(berryeval_settings: Settings) -> Judgments:
    """Return the judgments, from the file that the settings name."""
    with _errors_in_one_line():
        return _read_judgments(berryeval_settings)


@pytest.fixture(scope="session")
def berryeval_queries(berryeval_settings: Settings) -> dict[str, Query]:
    """Return texts and labels of the queries by their ids; empty if no file is named."""
    from berryeval.evaluation.slices import load_queries

    with _errors_in_one_line():
        return load_queries(berryeval_settings.queries)


@pytest.fixture(scope="session")
def berryeval_depth(pytestconfig: pytest.Config) -> int:
    """Return the number of documents to request from a system."""
    with _errors_in_one_line():
        return retrieval_depth(pytestconfig)


@pytest.fixture(scope="session")
def berryeval_run(request: pytest.FixtureRequest, berryeval_settings: Settings) -> Run | Answers:
    """Return the candidate: the run, or the answers of the system, that the settings name.

    Define your own, with session scope, to test a live search: it may return a system
    with ``search(query, k)``, a function of a query and k, a dict, a data frame or a `Run`.
    """
    from berryeval.errors import ArgumentError
    from berryeval.evaluation.sources import load_judgments
    from berryeval.formats import read_run
    from berryeval.pytest_plugin._sources import candidate_of, queries_of, shared_by_workers

    with _errors_in_one_line():
        if berryeval_settings.run is None and berryeval_settings.system is not None:
            judgments = load_judgments(request.getfixturevalue("berryeval_judgments"))
            queries = queries_of(request.getfixturevalue("berryeval_queries"))
            return shared_by_workers(
                request, lambda: candidate_of(berryeval_settings, judgments, queries)
            )
        if berryeval_settings.run is None:
            way_out = (
                "define a fixture berryeval_run, name a file or a system in berryeval.toml "
                "(run = ... or system = ...), or give --berryeval-run"
            )
            raise ArgumentError("berryeval_run", "a run or a system", f"none; {way_out}")
        return read_run(berryeval_settings.run)


@pytest.fixture(scope="session")
def berryeval_results(
    request: pytest.FixtureRequest,
    pytestconfig: pytest.Config,
    berryeval_settings: Settings,
    berryeval_judgments: Any,  # noqa: ANN401 - yours may return whatever `evaluate` takes
    berryeval_queries: Any,  # noqa: ANN401
    berryeval_run: Any,  # noqa: ANN401
    berryeval_depth: int,
) -> Results:
    """Return the results of the candidate, with assertions about them."""
    from berryeval.evaluation.sources import load_judgments
    from berryeval.pytest_plugin._sources import (
        answers_of,
        is_live,
        queries_of,
        shared_by_workers,
    )
    from berryeval.pytest_plugin.results import Results

    with _errors_in_one_line():
        judgments = load_judgments(berryeval_judgments)
        queries = queries_of(berryeval_queries)
        answers = berryeval_run
        if is_live(berryeval_run):
            answers = shared_by_workers(
                request,
                lambda: answers_of(
                    berryeval_run, judgments, queries, berryeval_depth, berryeval_settings
                ),
                pytestconfig.stash[_SEARCHED],
                [(query_id, queries.get(query_id)) for query_id in judgments.query_ids],
                berryeval_depth,
            )
        results = Results(
            judgments,
            answers,
            queries=queries,
            settings=berryeval_settings,
            depth=berryeval_depth,
        )
    pytestconfig.stash.setdefault(RESULTS, []).append(results)
    return results


def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> None:
    """Record which berryeval_run fixture is used: every folder may define its own."""
    if fixturedef.argname == "berryeval_run":
        place = (fixturedef.baseid, fixturedef.func.__module__, fixturedef.func.__qualname__)
        request.config.stash[_SEARCHED] = (*place, getattr(request, "param_index", 0))


@pytest.fixture
def berryeval_query(request: pytest.FixtureRequest, berryeval_results: Results) -> QueryResults:
    """Return the results for one query; the test runs once for each judged query."""
    return berryeval_results.query(request.param)


@pytest.fixture
def berryeval_guard(request: pytest.FixtureRequest, berryeval_results: Results) -> GuardCheck:
    """Return one guard of berryeval.toml; the test runs once for each of them."""
    from berryeval.pytest_plugin.guard_check import GuardCheck

    with _errors_in_one_line():
        return GuardCheck(berryeval_results, request.param)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Create one test per judged query, and per guard, for tests that request one."""
    for name, find in (("berryeval_query", _query_ids), ("berryeval_guard", _guards)):
        if name in metafunc.fixturenames and not _is_given(metafunc, name):
            with _errors_in_one_line():
                found = find(load_settings(metafunc.config))
            metafunc.parametrize(name, found, indirect=True, ids=map(str, found))


def _is_given(metafunc: pytest.Metafunc, name: str) -> bool:
    """Return whether a test names the queries or guards itself."""
    marks = metafunc.definition.iter_markers("parametrize")
    names = (mark.args[0] if mark.args else mark.kwargs.get("argnames", ()) for mark in marks)
    return any(name in (n.replace(" ", "").split(",") if isinstance(n, str) else n) for n in names)


def _query_ids(settings: Settings) -> list[str]:
    """Return the judged queries: in the order of the queries' file, then those it does not have."""
    from berryeval.evaluation.slices import load_queries

    judged = dict.fromkeys(_read_judgments(settings).query_ids)
    in_order = [query_id for query_id in load_queries(settings.queries) if query_id in judged]
    return [*dict.fromkeys([*in_order, *judged])]


def _guards(settings: Settings) -> list[Any]:
    from berryeval.errors import ArgumentError

    if not settings.gate.guards:
        raise ArgumentError("berryeval_guard", "[[gate.guard]] in berryeval.toml", "none")
    return [*settings.gate.guards]


def _read_judgments(settings: Settings) -> Judgments:
    from berryeval.errors import ArgumentError
    from berryeval.evaluation.sources import load_judgments

    if settings.judgments is None:
        way_out = (
            "name a file in berryeval.toml (judgments = ...) or with --berryeval-judgments, "
            "or define a fixture berryeval_judgments"
        )
        raise ArgumentError("berryeval_judgments", "judgments", f"none; {way_out}")
    return load_judgments(settings.judgments, "error", settings.judges, settings.lengths)
