"""Connections and timeouts of PostgreSQL, against a real server."""

import threading
import time

import pytest

from berryeval.core import Query
from berryeval.errors import (
    SystemTimeoutError,
    SystemUnderTestError,
)
from berryeval.search.collect import Limits, collect
from berryeval.search.systems.postgres import Postgres
from berryeval.search.systems.postgres.index import Statements
from search.systems.postgres_systems import make_systems  # noqa: F401 - the fixture make

psycopg = pytest.importorskip("psycopg")


def test_a_slow_statement_is_a_timeout(make):
    """The error is raised after the given number of seconds."""
    system = make("text", timeout=0.2)
    with pytest.raises(SystemTimeoutError, match=r"postgres: no answer within 0\.2 s"), \
            system._connection() as connection:  # fmt: skip
        connection.execute("SELECT pg_sleep(20)")
    assert system.search("oauth", 1)


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_timeouts_leave_no_more_connections_than_concurrent_queries(make, mode):
    """X8: the server receives the limit of a query, and stops when it has passed."""
    system = make(mode, rank="bm25")
    system.close()  # `asked` has its own connections
    name = system.table
    asked = Postgres(f"{system._dsn}?application_name={name}", mode, rank="bm25", table=name)
    queries = [Query(f"q{i}", "configure OAuth") for i in range(10)]
    most, is_over = 0, threading.Event()

    def watch():
        nonlocal most
        with psycopg.connect(system._dsn, autocommit=True) as connection:
            while not is_over.wait(0.01):
                most = max(most, n_connections(connection, name))

    watching = threading.Thread(target=watch)
    watching.start()
    with psycopg.connect(system._dsn) as other:
        other.execute(f"LOCK TABLE {name}")  # the search waits
        limits = Limits(timeout=0.3, concurrency=3)
        collected = collect(asked, queries, limits=limits)
        time.sleep(0.3)
        assert n_connections(other, name, state="active") == 0
    is_over.set()
    watching.join()
    assert most == 3
    assert len(collected.failures) == 10
    assert {str(error) for error in collected.failures.values()} == {
        "postgres: no answer within 0.3 s"
    }
    assert asked.search("configure OAuth", 1), "what comes next has its own limit"
    asked.close()


def test_a_cancelled_statement_keeps_its_connection(make):
    """X8: a new connection could exceed the limit while the server closes the old one."""
    system = make("text", timeout=0.2)
    with system._connection() as connection:
        before = connection.info.backend_pid
    with pytest.raises(SystemTimeoutError), system._connection() as connection:
        connection.execute("SELECT pg_sleep(20)")
    with system._connection() as connection:
        assert connection.info.backend_pid == before


def n_connections(connection, name, state="%"):
    """Return the number of connections with this name and state."""
    counted = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND state LIKE %s"
    return connection.execute(counted, (name, state)).fetchone()[0]


def test_statements_of_a_search_share_its_time(make):
    """Each statement gets the remaining time."""
    system = make("text")
    with system._connection() as connection:
        statements = Statements(connection, 10.0, {})
        statements._deadline -= 8
        granted = "SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout'"
        (milliseconds,) = statements.execute(granted, {}).fetchone()
    assert 1000 < milliseconds <= 2000


def test_a_lost_connection_is_a_temporary_error(make):
    """The next search uses a new connection, not another broken one."""
    system = make("text")
    system.search("oauth", 1)
    with system._connection(), system._connection(), system._connection():
        pass
    assert system._idle.qsize() == 3
    with psycopg.connect(system._dsn, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND usename = current_user"
        )
    with pytest.raises(SystemUnderTestError) as caught:
        system.search("oauth", 1)
    assert caught.value.transient
    assert system.search("oauth", 1)


def test_connections_are_reused(make):
    """There are as many connections as concurrent threads."""
    system = make("text")
    for _ in range(5):
        system.search("oauth", 1)
    assert system._idle.qsize() == 1
    barrier = threading.Barrier(3)

    def hold():
        with system._connection():
            barrier.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert system._idle.qsize() == 3
