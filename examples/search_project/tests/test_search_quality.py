"""Whether people find what they look for."""

import pytest

from berryeval.pytest_plugin import GuardCheck, QueryResults, Results


def test_guards(berryeval_guard: GuardCheck) -> None:
    """Every guard of berryeval.toml holds."""
    berryeval_guard.assert_holds()


def test_no_query_is_hopeless(berryeval_query: QueryResults) -> None:
    """Each query has something relevant among its first three."""
    berryeval_query.assert_measure("Success@3", at_least=1)


@pytest.mark.parametrize(
    ("query_id", "page"), [("p05", "pests"), ("p09", "delivery"), ("p10", "returns")]
)
def test_pages_that_must_come_first(berryeval_results: Results, query_id: str, page: str) -> None:
    """What support is asked most often is on top."""
    berryeval_results.assert_rank(query_id, page, at_most=1)


def test_nothing_got_worse(berryeval_results: Results) -> None:
    """The search is as good as when the baseline was saved."""
    berryeval_results.assert_no_regression(measure="RR", margin=0.02)
