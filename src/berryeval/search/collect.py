"""Ask a system many queries, several at once, and make a run of what it answers."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from berryeval.core.events import event_logger
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, BackendError, BackendTimeout
from berryeval.search.asynchronous import as_system, start
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.journal import Journal
from berryeval.search.limits import Limits, pause_before
from berryeval.search.system import System

__all__ = ["Collected", "Limits", "collect"]

_log = event_logger(__name__)

_HEARTBEAT = 0.5  # seconds: how soon Ctrl-C is noticed where waiting cannot be interrupted


@dataclass(frozen=True)
class Collected:
    """What a system answered.

    Parameters
    ----------
    run : Run
        The rankings of the queries that were answered, in the order of the queries. Queries that
        failed are not in it, so that they score 0 unless told otherwise.
    durations : dict
        Seconds that the answer to each of these queries took.
    failures : dict
        The error of each query that was not answered.
    repeats : tuple of Collected
        What came back when everything was asked again.
    """

    run: Run
    durations: dict[str, float]
    failures: dict[str, BackendError]
    repeats: tuple[Collected, ...] = field(default=())

    def percentile(self, percentile: float) -> float | None:
        """Return the seconds within which so many percent of the queries were answered.

        It is the time of one of them, the next higher one where the percentile lies between two;
        None if none was answered.
        """
        if not self.durations:
            return None
        ordered = sorted(self.durations.values())
        return ordered[math.ceil(percentile / 100 * (len(ordered) - 1))]


def collect(
    system: System,
    queries: Iterable[Query],
    k: int = 100,
    *,
    limits: Limits | None = None,
    repeat: int = 1,
    journal: Journal | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Collected:
    """Ask a system every query, and return a run.

    A query that fails is recorded, and never ends the others. A system that does not answer in
    time is not waited for any longer. If it is asynchronous it is cancelled; otherwise it cannot
    be stopped, and may go on in a thread of its own, beside the queries that follow.

    Parameters
    ----------
    system : System
        Who is asked, from several threads at once; an asynchronous one in one event loop. Any
        object with ``search(query, k)`` will do.
    queries : iterable of Query
        What is asked.
    k : int
        How many documents to ask for.
    limits : Limits, optional
        Four queries at once, 30 s each, and two more tries, unless given.
    repeat : int
        How often to ask everything, to see how much the system's answers vary by themselves.
    journal : Journal, optional
        Answers it has are not asked for again, and new ones are kept in it.
    progress : callable, optional
        Called with the number of answers so far and in the end, in the caller's thread.

    Raises
    ------
    ArgumentError
        For a query that comes twice, or a number that cannot be.

    Examples
    --------
    >>> from berryeval.search.function import Function
    >>> system = Function(lambda query, k: ["d2", "d1"])
    >>> collected = collect(system, [Query("q1", "configure OAuth")])
    >>> collected.run.ranking("q1"), collected.failures
    (['d2', 'd1'], {})
    """
    asked = _each_once(queries)
    check_k(k)
    if repeat < 1:
        raise ArgumentError("repeat", "at least 1", str(repeat))
    tasks = [_Task(number, query) for number in range(repeat) for query in asked]
    answers: dict[_Task, _Answer] = {}
    for task in tasks:
        known = None if journal is None else journal.find(task.number, task.query)
        if known is not None:
            answers[task] = _Answer(*known)
    _log.info("retrieval starts", extra={"queries": len(asked), "stored": len(answers)})
    _report(progress, len(answers), len(tasks))
    waiting = [task for task in tasks if task not in answers]
    asker = _Asker(as_system(system), k, limits or Limits())
    for task, answer in asker.ask_all(waiting):
        answers[task] = answer
        if journal is not None and answer.error is None:
            journal.record(task.number, task.query, answer.hits, answer.seconds)
        _log_answer(task.query, answer)
        _report(progress, len(answers), len(tasks))
    first, *others = (
        _collected({task.query: answers[task] for task in tasks if task.number == number})
        for number in range(repeat)
    )
    return Collected(first.run, first.durations, first.failures, tuple(others))


@dataclass(frozen=True, slots=True)
class _Task:
    number: int
    query: Query


@dataclass(frozen=True, slots=True)
class _Answer:
    hits: list[Hit]
    seconds: float
    error: BackendError | None = None


class _Asker:
    """Asks a system within limits."""

    def __init__(self, system: System, k: int, limits: Limits) -> None:
        self._system = system
        self._name = system.name
        self._k = k
        self._limits = limits
        self._is_over = threading.Event()
        self._running: set[Future[None]] = set()

    def ask_all(self, tasks: list[_Task]) -> Iterator[tuple[_Task, _Answer]]:
        """Iterate over answers as they come. Nothing more is asked once the caller has gone."""
        waiting: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[_Task, _Answer]] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        for _ in range(min(self._limits.concurrency, len(tasks))):
            threading.Thread(target=self._work, args=(waiting, done), daemon=True).start()
        try:
            for _ in tasks:
                yield _next(done)
        finally:
            self._is_over.set()
            for running in tuple(self._running):
                running.cancel()

    def _work(
        self,
        waiting: queue.SimpleQueue[_Task],
        done: queue.SimpleQueue[tuple[_Task, _Answer]],
    ) -> None:
        while not self._is_over.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            done.put((task, self._ask(task.query)))

    def _ask(self, query: Query) -> _Answer:
        """Ask until there is an answer, an error that stays, or no time left."""
        deadline = time.monotonic() + self._limits.timeout
        n_tries = 0
        while True:
            answer = self._ask_once(query, deadline - time.monotonic())
            n_tries += 1
            pause = pause_before(n_tries, answer.error, self._limits)
            if pause is None or time.monotonic() + pause >= deadline or self._is_over.wait(pause):
                return answer

    def _ask_once(self, query: Query, seconds: float) -> _Answer:
        """Ask beside this thread, so that an answer that is late can be left behind."""
        answered: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
        running: Future[None] | None = None
        if self._system.is_asynchronous:
            running = start(self._asearch(query, answered))
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        else:
            threading.Thread(target=self._search, args=(query, answered), daemon=True).start()
        try:
            return answered.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            if running is not None:
                running.cancel()
            late = BackendTimeout(self._name, f"no answer within {self._limits.timeout:g} s")
            return _Answer([], self._limits.timeout, late)

    def _search(self, query: Query, answered: queue.SimpleQueue[_Answer]) -> None:
        with _answering(self._name, answered) as hits:
            found = self._system.search(query.text, self._k)
            hits.extend(to_hits(found, self._k, self._name))

    async def _asearch(self, query: Query, answered: queue.SimpleQueue[_Answer]) -> None:
        with _answering(self._name, answered) as hits:
            found = await self._system.asearch(query.text, self._k)
            hits.extend(to_hits(found, self._k, self._name))


@contextmanager
def _answering(name: str, answered: queue.SimpleQueue[_Answer]) -> Iterator[list[Hit]]:
    """Tell what comes of a search: the hits that are put into the list, or what is raised."""
    begin = time.perf_counter()
    hits: list[Hit] = []
    failure: BackendError | None = None
    try:
        with failures_of(name):
            yield hits
    except BackendError as error:
        failure = error
    except BaseException as error:  # noqa: BLE001 - whatever it is, the others go on
        failure = BackendError(name, f"{type(error).__name__}: {error}")
    answered.put(_Answer(hits, time.perf_counter() - begin, failure))


def _next(done: queue.SimpleQueue[tuple[_Task, _Answer]]) -> tuple[_Task, _Answer]:
    while True:
        with suppress(queue.Empty):
            return done.get(timeout=_HEARTBEAT)


def _each_once(queries: Iterable[Query]) -> list[Query]:
    asked: dict[str, Query] = {}
    for query in queries:
        if query.query_id in asked:
            raise ArgumentError("queries", "each query once", f"{query.query_id!r} twice")
        asked[query.query_id] = query
    return list(asked.values())


def _collected(answers: dict[Query, _Answer]) -> Collected:
    answered = {q.query_id: a for q, a in answers.items() if a.error is None}
    return Collected(
        run=Run.from_dict({query_id: dict(answer.hits) for query_id, answer in answered.items()}),
        durations={query_id: answer.seconds for query_id, answer in answered.items()},
        failures={q.query_id: a.error for q, a in answers.items() if a.error is not None},
    )


def _report(progress: Callable[[int, int], None] | None, n_done: int, n_all: int) -> None:
    if progress is not None:
        progress(n_done, n_all)


def _log_answer(query: Query, answer: _Answer) -> None:
    milliseconds = round(answer.seconds * 1000, 3)
    if answer.error is None:
        facts = {"query_id": query.query_id, "documents": len(answer.hits), "ms": milliseconds}
        _log.debug("query", extra=facts)
    else:
        facts = {"query_id": query.query_id, "error": str(answer.error)}
        _log.info("query failed", extra=facts)
