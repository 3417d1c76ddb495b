"""The quality suite against a real PostgreSQL (X4, X11)."""

import pytest

from berryeval.errors import ArgumentError
from berryeval.golden import read_golden_set
from berryeval.suite.named_systems import POSTGRES, TABLE, open_named_system
from berryeval.suite.quality import run_quality
from small_golden_set import write_golden_set


@pytest.mark.parametrize("name", POSTGRES)
def test_every_way_to_search_is_seeded_and_scored(tmp_path, postgres_dsn, name):
    """X4, X5: documents go in, all queries are answered, and the best chunk comes first."""
    golden = read_golden_set(write_golden_set(tmp_path / "small"))
    with open_named_system(name, dsn=postgres_dsn) as system:
        result = run_quality(system, golden)
    assert result.failures == {}
    assert (result.system, result.n_indexed) == (name, 6)
    assert result.report.mrr == 1
    assert result.query_results[0].retrieved[0] == "guide.md#configure-oauth"


def test_documents_go_into_a_table_of_the_suite(postgres_dsn):
    """X11: what somebody else indexed is never replaced."""
    with open_named_system("postgres", dsn=postgres_dsn) as system:
        assert system.table == TABLE != "berryeval_documents"
    with open_named_system("postgres", {"table": "mine"}, dsn=postgres_dsn) as system:
        assert system.table == "mine"


def test_an_address_needs_postgres():
    """A place that nobody would look at is a mistake."""
    with pytest.raises(ArgumentError, match="none beside system 'bm25'"):
        open_named_system("bm25", dsn="postgresql://localhost/x")
