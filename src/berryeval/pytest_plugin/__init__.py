"""The pytest plugin: tests that fail when search gets worse, and show the rankings behind it.

pytest always loads it at startup, even if no test needs it; modules that are slow to import are
therefore imported where they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of
from berryeval.pytest_plugin._fixtures import (
    berryeval_depth,
    berryeval_guard,
    berryeval_judgments,
    berryeval_queries,
    berryeval_query,
    berryeval_results,
    berryeval_run,
    berryeval_settings,
    pytest_fixture_setup,
    pytest_generate_tests,
)
from berryeval.pytest_plugin._options import pytest_addoption
from berryeval.pytest_plugin._report import (
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)

if TYPE_CHECKING:
    from berryeval.pytest_plugin.guard_check import GuardCheck
    from berryeval.pytest_plugin.plain import assert_measure, assert_no_regression, assert_rank
    from berryeval.pytest_plugin.results import QueryResults, Results

__all__ = [
    "GuardCheck",
    "QueryResults",
    "Results",
    "assert_measure",
    "assert_no_regression",
    "assert_rank",
    "berryeval_depth",
    "berryeval_guard",
    "berryeval_judgments",
    "berryeval_queries",
    "berryeval_query",
    "berryeval_results",
    "berryeval_run",
    "berryeval_settings",
    "pytest_addoption",
    "pytest_fixture_setup",
    "pytest_generate_tests",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_testnodedown",
]

__getattr__ = loader_of(
    __name__,
    {
        "GuardCheck": "berryeval.pytest_plugin.guard_check",
        "QueryResults": "berryeval.pytest_plugin.results",
        "Results": "berryeval.pytest_plugin.results",
        "assert_measure": "berryeval.pytest_plugin.plain",
        "assert_no_regression": "berryeval.pytest_plugin.plain",
        "assert_rank": "berryeval.pytest_plugin.plain",
    },
)
