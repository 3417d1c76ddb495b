"""Asynchronous systems."""

import asyncio
import threading
import time
from contextlib import suppress

import pytest

from berryeval.core import Document, Query
from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search import Hit, System
from berryeval.search.asynchronous import resolve
from berryeval.search.collect import Limits, collect
from berryeval.search.journal import Journal
from berryeval.search.opening import open_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.foreign import Foreign, as_system
from berryeval.search.systems.function import Function
from berryeval.suite.evaluate_system import evaluate_system
from search.contract import DOCUMENTS, Contract
from waiting import wait_until

QUERIES = [Query(f"q{i}", f"text {i}") for i in range(12)]


class Engine:
    """A third-party engine whose methods are all asynchronous."""

    name = "theirs"

    def __init__(self):
        self._engine = Embedded("bm25")
        self.n_closed = 0
        self.loops = set()

    async def search(self, query, k):
        self.loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return self._engine.search(query, k)

    async def index(self, documents):
        await asyncio.sleep(0)
        self._engine.index(documents)

    async def close(self):
        self.n_closed += 1

    def fingerprint(self):
        return {"system": "theirs", "version": "2"}


class TestEngine(Contract):
    """A class with asynchronous methods as a system."""

    @pytest.fixture
    def system(self):
        system = as_system(Engine())
        assert system.index(DOCUMENTS) == len(DOCUMENTS)
        return system


def test_a_foreign_system_may_declare_that_it_needs_documents():
    """Without the attribute nothing is assumed."""

    class Empty:
        needs_documents = True

        async def search(self, _query, _k):
            return []

    assert as_system(Empty()).needs_documents
    assert not as_system(Engine()).needs_documents


def test_repeated_documents_are_rejected_for_every_system():
    """A third-party engine never receives them."""

    class Careless:
        def search(self, _query, _k):
            return []

        def index(self, documents):
            self.documents = list(documents)

    with pytest.raises(ArgumentError, match="documents: expected each document once"):
        as_system(Careless()).index([DOCUMENTS[0], DOCUMENTS[0]])


class TestDerivedSystem(Contract):
    """A system with an asynchronous search and without an index."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)

        class Derived(System):
            async def search(self, query, k):
                return await engine.asearch(query, k)

        return as_system(Derived())


class Counter:
    """Counts concurrent searches; each waits until it is released."""

    name = "counter"

    def __init__(self, at_once):
        self.at_once = at_once
        self.n_running = self.most = self.n_cancelled = 0
        self.enough = asyncio.Event()

    async def search(self, query, k):  # noqa: ARG002
        self.n_running += 1
        self.most = max(self.most, self.n_running)
        if self.n_running == self.at_once:
            self.enough.set()
        try:
            # No search continues until this many have started, so they must run concurrently.
            await self.enough.wait()
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.n_cancelled += 1
            raise
        finally:
            self.n_running -= 1
        return [query]


@pytest.mark.parametrize("concurrency", [1, 4, 8])
def test_queries_are_awaited_concurrently(concurrency):
    """X8: as many as allowed are awaited, and never more."""
    system = Counter(concurrency)
    collected = collect(system, QUERIES, limits=Limits(concurrency=concurrency))
    assert not collected.failures
    assert system.most == concurrency
    assert collected.run.ranking("q7") == ["text 7"]


def test_asynchronous_functions_are_awaited_concurrently():
    """X8: one event loop serves all queries, so a client can be shared."""
    counter, loops = Counter(4), set()

    async def find(query, k):
        loops.add(asyncio.get_running_loop())
        return await counter.search(query, k)

    assert not collect(Function(find), QUERIES).failures
    assert counter.most == 4
    assert len(loops) == 1


def test_a_late_answer_is_cancelled():
    """X8: the query has timed out and does not continue while others run."""
    system, seen = Counter(99), []

    def progress(n_done, _n_all):
        if n_done == 1:
            seen.append(wait_until(lambda: system.n_running == 0))

    limits = Limits(timeout=0.1, concurrency=1)
    collected = collect(system, QUERIES[:3], limits=limits, progress=progress)
    assert seen == [True]
    assert {str(error) for error in collected.failures.values()} == {
        "counter: no answer within 0.1 s"
    }
    assert all(isinstance(error, SystemTimeoutError) for error in collected.failures.values())
    wait_until(lambda: system.n_running == 0)
    assert system.n_cancelled <= 3  # on a busy machine, a query may time out before it begins


def test_a_query_that_ignores_cancellation_occupies_its_worker():
    """X8: it counts as running until it ends, so the limit is never exceeded."""
    running = most = 0

    async def stubborn(_query, _k):
        nonlocal running, most
        running += 1
        most = max(most, running)
        ends = asyncio.get_running_loop().time() + 0.6
        while (left := ends - asyncio.get_running_loop().time()) > 0:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(left)
        running -= 1
        return ["a"]

    limits = Limits(timeout=0.4, concurrency=2)
    collected = collect(Function(stubborn, name="mine"), QUERIES[:5], limits=limits)
    assert most == 2
    messages = {str(error) for error in collected.failures.values()}
    # On a busy machine, the others may find both workers occupied for as long as they may wait.
    assert {one.partition(": earlier")[0] for one in messages} <= {
        "mine: no answer within 0.4 s", "mine: not sent"
    }  # fmt: skip
    assert "mine: no answer within 0.4 s" in messages
    assert len(collected.failures) == 5


def test_a_blocked_event_loop_blocks_only_for_the_time_limit():
    """X8: queries that could not start are cancelled, and end."""

    async def blocking(query, _k):
        if query == "text 0":
            time.sleep(0.6)  # noqa: ASYNC251 - the mistake that this is about
        return ["a"]

    limits = Limits(timeout=0.2, concurrency=2)
    collected = collect(Function(blocking, name="mine"), QUERIES[:6], limits=limits)
    late = [q for q, error in collected.failures.items() if isinstance(error, SystemTimeoutError)]
    assert late[0] == "q0"
    assert collected.run.n_queries + len(late) == 6


def test_an_interruption_cancels_running_queries():
    """After Ctrl-C nothing continues, and answers are kept."""

    class Slow:
        n_cancelled = 0

        async def search(self, query, k):  # noqa: ARG002
            if query == "text 0":
                return ["a"]
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.n_cancelled += 1
                raise

    system = Slow()

    def progress(n_done, _n_all):
        if n_done == 1:
            time.sleep(0.05)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(system, QUERIES, progress=progress)
    wait_until(lambda: system.n_cancelled >= 3)


def test_answers_are_kept_in_a_journal(tmp_path):
    """They are stored like those of any other system."""
    asked = []

    async def find(query, _k):
        asked.append(query)
        if query == "text 2" and asked.count(query) == 1:
            raise ValueError("once")
        return ["a"]

    for n_failures in (1, 0):
        with Journal(tmp_path / "run.progress", {}) as journal:
            collected = collect(Function(find), QUERIES[:5], journal=journal)
            assert len(collected.failures) == n_failures
    assert len(asked) == 6


def test_temporary_errors_are_retried():
    """The rule is the same, and answers are checked like all others."""
    tries = []

    class Flaky:
        async def search(self, query, k):  # noqa: ARG002
            tries.append(query)
            if query == "text 0" and len(tries) < 3:
                raise ConnectionResetError("busy")
            if query == "text 1":
                raise SystemExit(3)
            return ["a", "a"] if query == "text 2" else ["a"]

    limits = Limits(concurrency=1, backoff=0)
    collected = collect(Flaky(), QUERIES[:4], limits=limits)
    assert tries == ["text 0"] * 3 + ["text 1", "text 2", "text 3"]
    assert [str(error) for error in collected.failures.values()] == [
        "Flaky: SystemExit: 3",
        "Flaky: expected each document once, got 'a' twice; "
        "if these are chunks of one document, set duplicates=keep-best",
    ]
    assert isinstance(collected.failures["q2"], AnswerError)


def test_every_system_has_asearch():
    """It uses a thread or native code, and several calls can run at once."""
    engine = Embedded("bm25")
    engine.index(DOCUMENTS)
    theirs = as_system(Engine())
    theirs.index(DOCUMENTS)

    async def find(query, k):
        return engine.search(query, k)

    systems = [engine, theirs, Function(find), Function(engine.search), Foreign(engine)]

    async def ask():
        return await asyncio.gather(*(system.asearch("configure OAuth", 3) for system in systems))

    found = asyncio.run(ask())
    assert found == [engine.search("configure OAuth", 3)] * 5
    assert [system.is_asynchronous for system in systems] == [False, True, True, False, False]


def test_exceptions_of_asearch_are_errors_of_the_system():
    """They are converted as for `search`."""

    async def find(_query, _k):
        raise ValueError("no such index")

    for system in (Function(find, name="mine"), as_system(type("mine", (), {"search": find})())):
        with pytest.raises(SystemUnderTestError):
            asyncio.run(system.asearch("x", 1))
        with pytest.raises(SystemUnderTestError):
            system.search("x", 1)


def test_a_callable_object_may_be_asynchronous():
    """A coroutine is awaited even if the function does not declare it."""

    class Find:
        async def __call__(self, query, _k):
            return [query]

    assert Function(Find()).search("a", 1) == [("a", -1.0)]
    assert Function(Find()).is_asynchronous
    find = Find()
    hidden = Function(lambda query, k=1: find(query, k))
    assert not hidden.is_asynchronous
    assert hidden.search("a", 1) == [("a", -1.0)]
    assert not collect(hidden, QUERIES).failures


def test_a_system_is_closed_by_its_context():
    """Synchronous and asynchronous `close` methods are called."""
    engine = Engine()
    with as_system(engine):
        pass
    assert engine.n_closed == 1

    class Derived(System):
        n_closed = 0

        async def search(self, query, k):  # noqa: ARG002
            return [Hit(query, 1.0)]

        async def close(self):
            self.n_closed += 1

    with Derived() as system:
        assert not collect(system, QUERIES[:2]).failures
        assert evaluate_system(system, QUERIES[:1], [1], judgments={"q0": {"text 0": 1}}).results
    assert system.n_closed == 1


def test_only_search_is_required():
    """The other methods have defaults."""

    class Least:
        def search(self, query, _k):
            return [query]

    system = as_system(Least())
    assert system.fingerprint() == {"system": "Least"}
    assert not system.can_index
    system.close()
    assert as_system(Engine()).fingerprint() == {"system": "theirs", "version": "2"}
    with pytest.raises(SystemUnderTestError, match=r"expected a function of a query, .* got int"):
        as_system(7)


def test_documents_are_counted_as_they_are_consumed():
    """An index method need not return a number."""
    engine = Engine()
    system = as_system(engine)
    assert system.can_index
    assert system.index(Document(f"d{i}", "text") for i in range(3)) == 3


def test_a_class_or_an_object_is_named_by_its_module(tmp_path, monkeypatch):
    """A class that requires arguments is rejected."""
    (tmp_path / "my_async_search.py").write_text(
        "class Engine:\n"
        "    async def search(self, query, k):\n"
        "        return [query]\n"
        "engine = Engine()\n"
        "class Wanting(Engine):\n"
        "    def __init__(self, path):\n"
        "        pass\n"
    )
    monkeypatch.chdir(tmp_path)
    for name in ("Engine", "engine"):
        system = open_system(f"my_async_search:{name}")
        assert system.search("x", 1) == [("x", -1.0)]
        assert system.is_asynchronous
    with pytest.raises(ValueError, match=r"Wanting: expected a class .* that requires \(path"):
        open_system("my_async_search:Wanting")


def test_a_blocking_call_from_the_event_loop_is_an_error():
    """It would wait for itself forever."""
    inner = as_system(Engine())
    inner.index(DOCUMENTS)

    async def find(query, k):
        return inner.search(query, k)

    with pytest.raises(SystemUnderTestError, match=r"expected `await system.asearch\(…\)` here"):
        Function(find).search("oauth", 1)
    assert resolve(7) == 7


def test_a_lost_thread_is_replaced(monkeypatch):
    """This happens after a fork."""
    from berryeval.search import asynchronous

    resolve(asyncio.sleep(0))
    gone = threading.Thread()
    monkeypatch.setattr(asynchronous, "_running", (gone, asyncio.new_event_loop()))
    lost = asynchronous._running[1]
    assert resolve(asyncio.sleep(0, result=7)) == 7
    lost.close()
    thread, loop = asynchronous._running
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
