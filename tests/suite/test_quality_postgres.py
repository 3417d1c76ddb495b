"""The quality suite against a real PostgreSQL (X4, X11)."""

import json

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core import Document
from berryeval.errors import ArgumentError, SystemUnderTestError
from berryeval.golden import read_golden_set
from berryeval.search.opening import POSTGRES, open_configured_system, open_system
from berryeval.search.systems.postgres import Postgres
from berryeval.suite.quality import TABLE, run_quality
from small_golden_set import write_golden_set


def berryeval(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


@pytest.mark.parametrize("name", POSTGRES)
def test_every_mode_is_indexed_and_scored(tmp_path, postgres_dsn, name):
    """X4, X5: documents are indexed, all queries answered, and the best chunk comes first."""
    golden = read_golden_set(write_golden_set(tmp_path / "small"))
    with open_system(name, dsn=postgres_dsn, table=TABLE) as system:
        result = run_quality(system, golden)
    assert result.failures == {}
    assert (result.system, result.n_indexed) == (name, 6)
    assert result.report.mrr == 1
    assert result.query_results[0].retrieved[0] == "guide.md#configure-oauth"


def test_the_suite_uses_a_separate_table(postgres_dsn):
    """X11: other indexes are never replaced."""
    with open_system("postgres", dsn=postgres_dsn, table=TABLE) as system:
        assert system.table == TABLE != "berryeval_documents"
    with open_system("postgres", {"table": "mine"}, dsn=postgres_dsn, table=TABLE) as system:
        assert system.table == "mine"


def test_postgres_is_the_same_system_by_every_name(postgres_dsn):
    """X4: address, name and table open the same engine with the same default, BM25."""
    opened = [
        open_system(postgres_dsn),
        open_system("postgres", dsn=postgres_dsn),
        open_system("postgres-hybrid", dsn=postgres_dsn),
        open_configured_system("mine", {"system": "postgres", "dsn": postgres_dsn}),
        open_configured_system("mine", {"system": postgres_dsn}),
        Postgres(postgres_dsn),
    ]
    assert {system.table for system in opened} == {"berryeval_documents"}
    for_suite = [
        open_system("postgres", dsn=postgres_dsn, table=TABLE),
        open_system(postgres_dsn, table=TABLE),
    ]
    assert {system.table for system in for_suite} == {TABLE}
    facts = [system.fingerprint() for system in (*opened, *for_suite)]
    assert all(one == facts[0] for one in facts)
    assert (facts[0]["mode"], facts[0]["rank"]) == ("hybrid", "bm25")


def test_retrieve_and_quality_return_the_same(tmp_path, postgres_dsn, monkeypatch):
    """Address and name give equal rankings on a golden set."""
    monkeypatch.chdir(tmp_path)
    folder = write_golden_set(tmp_path / "small")
    words = ("--documents", folder / "test-documents", "--queries", folder / "test-queries.json",
             "-k", 10)  # fmt: skip
    places = {"a.run": (postgres_dsn,), "b.run": ("postgres", "--dsn", postgres_dsn)}
    for file, place in places.items():
        done = berryeval("retrieve", "--system", *place, *words, "-o", file, "-s", "table=mine")
        assert done.exit_code == 0, done.output
    rankings = be.read_run("a.run").to_dict()
    assert be.read_run("b.run").to_dict() == rankings
    done = berryeval("quality", "--golden", folder, "--system", "postgres", "--dsn", postgres_dsn,
                     "--at-least", "RR@10=0", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = {one["query_id"]: one["retrieved"] for one in json.loads(done.stdout)["queries"]}
    assert found == {query: be.read_run("a.run").ranking(query) for query in rankings}


def test_a_table_without_postings_is_reported(postgres_dsn):
    """A table of an older version has none; the message has both ways out."""
    old = {"table": "without_postings", "mode": "text"}
    with open_system(postgres_dsn, {**old, "rank": "ts_rank_cd"}) as system:
        system.index([Document("a", "token")])
        assert system.search("token", 1)
    with open_system(postgres_dsn, old) as system:
        with pytest.raises(
            SystemUnderTestError,
            match=r"no table without_postings_postings, which BM25 .* rank=ts_",
        ):
            system.search("token", 1)
        system.drop()


@pytest.mark.parametrize(
    ("dsn", "message"),
    [(None, "dsn: expected the address of the database of 'postgres', got none; give"),
     ("host=h password=s3cret", "dsn: expected an address such as postgresql://.*another form")],
)  # fmt: skip
def test_postgres_requires_an_address(dsn, message):
    """Its form identifies PostgreSQL, and a password is never repeated."""
    with pytest.raises(ArgumentError, match=message) as caught:
        open_system("postgres", dsn=dsn)
    assert "s3cret" not in str(caught.value)


def test_an_address_requires_postgres():
    """An address that would not be used is an error."""
    with pytest.raises(ArgumentError, match="none with system 'bm25'"):
        open_system("bm25", dsn="postgresql://localhost/x")
