"""A database that is down, or goes down during a retrieval: answers are kept."""

import json
import signal
import threading

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.errors import SystemUnderTestError
from berryeval.golden import read_golden_set
from berryeval.search import open_system
from berryeval.search.collect import Limits
from berryeval.suite.quality import run_quality
from search.contract import DOCUMENTS
from search.postgres_server import can_run, installed
from small_golden_set import write_golden_set

pytest.importorskip("psycopg")
from berryeval.search.systems.postgres import Postgres

pytestmark = pytest.mark.skipif(not can_run(), reason="needs a server of its own")

NOBODY = "postgresql://tester:secret-word@127.0.0.1:1/postgres"
N_QUERIES = 12


@pytest.fixture
def golden(tmp_path, monkeypatch):
    """A golden set of twelve queries for the same chunk."""
    monkeypatch.chdir(tmp_path)
    ids = [f"Q{i:02}" for i in range(N_QUERIES)]
    queries = [{"id": key, "query": f"configure OAuth {key}", "category": "factual",
                "difficulty": "easy", "description": "How."} for key in ids]  # fmt: skip
    judged = {key: {"guide.md#configure-oauth": 2, "guide.md#token-lifetime": 1} for key in ids}
    return write_golden_set(tmp_path / "golden", judged, queries)


@pytest.fixture(scope="module")
def installation():
    """A server that every test starts again, after another has stopped it."""
    with installed() as found:
        yield found


def berryeval(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


def stop_after(monkeypatch, server, n_answers):
    """Stop the server permanently after this number of answers."""
    lock, asked, search = threading.Lock(), [], Postgres.search

    def counted(self, query, k):
        with lock:
            if len(asked) == n_answers and server.poll() is None:
                server.send_signal(signal.SIGINT)
                server.wait(30)
            asked.append(query)
        return search(self, query, k)

    monkeypatch.setattr(Postgres, "search", counted)
    return asked


def test_a_server_that_goes_down_is_a_temporary_error(installation):
    """This holds during a search and afterwards, and no password is shown."""
    with installation.running() as (dsn, server):
        system = Postgres(dsn, "text", timeout=5)
        system.index(DOCUMENTS)
        assert system.search("oauth", 1)
        server.send_signal(signal.SIGINT)
        server.wait(30)
        for _ in range(2):
            with pytest.raises(SystemUnderTestError, match="postgres: ") as caught:
                system.search("oauth", 1)
            assert caught.value.transient
            assert dsn.split(":")[2].split("@")[0] not in str(caught.value)
        system.close()


def test_answers_before_the_server_went_down_are_scored(installation, golden, monkeypatch):
    """X8: five queries are scored, seven fail with the reason, and the suite ends."""
    known = read_golden_set(golden)
    with installation.running() as (dsn, server), open_system("postgres", dsn=dsn) as system:
        stop_after(monkeypatch, server, 5)
        result = run_quality(system, known, limits=Limits(concurrency=1, retries=0, timeout=10))
    assert len(result.failures) == N_QUERIES - 5
    assert all(error.transient for error in result.failures.values())
    found = [one for one in result.query_results if one.retrieved]
    assert [one.query_id for one in found] == ["Q00", "Q01", "Q02", "Q03", "Q04"]
    assert all(one.first_relevant_rank == 1 for one in found)
    assert result.report.mrr == pytest.approx(5 / N_QUERIES)


def test_a_retrieval_continues_when_the_server_is_back(installation, golden, monkeypatch):
    """X8: the exit code is 4, and the same command sends only the missing queries."""
    words = ("--documents", golden / "test-documents", "--queries", golden / "test-queries.json",
             "-o", "found.run", "--retries", 0, "--concurrency", 1, "-k", 3)  # fmt: skip
    with monkeypatch.context() as patched, installation.running() as (dsn, server):
        stop_after(patched, server, 5)
        done = berryeval("retrieve", "--system", dsn, *words)
    assert done.exit_code == 4
    assert "query 'Q05' failed: postgres: " in done.stderr
    assert f"{N_QUERIES - 5} queries failed; found.run was not written." in done.stderr
    assert dsn.split(":")[2].split("@")[0] not in done.output + done.stderr
    kept = (golden.parent / "found.run.progress").read_text().splitlines()[1:]
    assert len(kept) == 5
    with installation.running() as (dsn, server):
        asked = stop_after(monkeypatch, server, -1)
        again = berryeval("retrieve", "--system", dsn, *words)
    assert again.exit_code == 0, again.stderr
    assert len(asked) == N_QUERIES - 5
    whole = be.read_run("found.run")
    assert whole.n_queries == N_QUERIES
    first = json.loads(kept[0])
    assert whole.ranking("Q00") == [doc_id for doc_id, _ in first["hits"]]


def test_a_gate_reports_a_dead_server_instead_of_a_verdict(installation, golden, monkeypatch):
    """E5: the exit code is 4, with the reason."""
    settings = (
        f'judgments = "{golden}/relevance-judgments.json"\n'
        f'queries = "{golden}/test-queries.json"\ndocuments = "{golden}/test-documents"\n'
        'system = "DSN"\n[[gate.guard]]\nmeasure = "RR@10"\nat_least = 0.5\n'
    )
    with installation.running() as (dsn, server):
        stop_after(monkeypatch, server, 5)
        (golden / "berryeval.toml").write_text(settings.replace("DSN", dsn))
        done = berryeval("gate", "--config", golden / "berryeval.toml")
    assert done.exit_code == 4
    assert " queries of 12 failed (0 allowed); Q" in done.stderr
    assert "secret" not in done.stderr
    assert dsn.split(":")[2].split("@")[0] not in done.stderr


def test_a_server_that_is_down_is_reported_at_once(golden):
    """The message is one line without the password, and the exit code is 4."""
    for words in (
        ("quality", "--golden", golden, "--system", "postgres", "--dsn", NOBODY,
         "--at-least", "RR@10=1"),
        ("retrieve", "--system", NOBODY, "--queries", golden / "test-queries.json", "-o", "x.run",
         "--documents", golden / "test-documents"),
        ("golden", "check", golden, "--system", "postgres", "--dsn", NOBODY),
    ):  # fmt: skip
        done = berryeval(*words)
        assert done.exit_code == 4, (words, done.output)
        assert "refused" in done.stderr
        assert "secret-word" not in done.output + done.stderr
        assert "Traceback" not in done.output + done.stderr


def test_reports_are_written_when_the_server_goes_down(installation, golden, monkeypatch):
    """X10: the build fails with 4, and has its reports."""
    with installation.running() as (dsn, server):
        stop_after(monkeypatch, server, 6)
        done = berryeval("quality", "--golden", golden, "--system", "postgres", "--dsn", dsn,
                         "--concurrency", 1, "--timeout", 5, "--at-least", "RR@10=1",
                         "--report", "q.json", "--report", "q.html")  # fmt: skip
    assert done.exit_code == 4
    kept = json.loads((golden.parent / "q.json").read_text())
    assert len(kept["failed"]) == N_QUERIES - 6
    assert kept["report"]["mrr"] == 0.5
    assert (golden.parent / "q.html").stat().st_size > 10_000
