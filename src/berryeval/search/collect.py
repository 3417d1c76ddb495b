"""Sends queries to a system, several at once, and collects the results as a run."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from berryeval.core.events import event_logger
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.asynchronous import BackgroundCoroutine
from berryeval.search.failures import NotSentError, failures_of
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.journal import Journal
from berryeval.search.limits import Limits, pause_before, until
from berryeval.search.system import System
from berryeval.search.systems.foreign import as_system

__all__ = ["Collected", "Limits", "collect"]

_log = event_logger(__name__)

_HEARTBEAT = 0.5  # seconds until Ctrl-C is noticed, since waiting cannot be interrupted


@dataclass(frozen=True)
class Collected:
    """The answers of a system to a set of queries.

    Parameters
    ----------
    run : Run
        The rankings of the answered queries, in the order of the queries, and how long each took.
        Failed queries are left out, so they score 0 by default.
    durations : dict
        Seconds that each of these queries took.
    failures : dict
        The errors of the queries that were not answered.
    repeats : tuple of Collected
        The results of the repetitions.
    """

    run: Run
    durations: dict[str, float]
    failures: dict[str, SystemUnderTestError]
    repeats: tuple[Collected, ...] = field(default=())

    def percentile(self, percentile: float) -> float | None:
        """Return this percentile of the durations, in seconds.

        It is the duration of one of the queries; if the percentile lies between two of them, the
        longer one is used. None if no query was answered.
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
    """Send every query to a system, and return a run.

    A query that fails is recorded, and does not affect the others. A query that times out has
    failed. If the system is asynchronous, the query is cancelled; otherwise it cannot be stopped,
    and occupies one of the concurrent queries until it ends. If all of them stay occupied for
    longer than the timeout, the remaining queries fail without being sent. So they do if the first
    ones all fail in the same way, such as refused connections (`Limits.give_up_after`).

    Parameters
    ----------
    system : System
        The system, called from several threads at once; an asynchronous one in one event loop. Any
        object with ``search(query, k)`` works.
    queries : iterable of Query
        The queries to send.
    k : int
        Number of documents per query.
    limits : Limits, optional
        Default: four queries at once, 30 s each, and two retries.
    repeat : int
        Number of times to send every query, to measure how much the system's results vary.
    journal : Journal, optional
        Queries with stored answers are not sent again, and new answers are stored.
    progress : callable, optional
        Called with the number of answers so far and in total, in the caller's thread.

    Raises
    ------
    ArgumentError
        For a repeated query, or an invalid number.

    Examples
    --------
    >>> from berryeval.search.systems.function import Function
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
    error: SystemUnderTestError | None = None


class _Asker:
    """Sends queries to a system within limits.

    Each worker runs one search at a time. It starts the next one when the previous one has really
    ended, not when its time limit has passed.
    """

    def __init__(self, system: System, k: int, limits: Limits) -> None:
        self._system = system
        self._name = system.name
        self._k = k
        self._limits = limits
        self._end = math.inf if limits.total is None else time.monotonic() + limits.total
        self._is_over = threading.Event()
        self._running: set[BackgroundCoroutine] = set()
        self._waiting: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[_Task, _Answer]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._n_workers = self._n_present = self._n_blocked = 0
        self._alike: list[SystemUnderTestError] | None = []  # all errors, as long as they are alike
        self._has_given_up = False

    def ask_all(self, tasks: list[_Task]) -> Iterator[tuple[_Task, _Answer]]:
        """Iterate over answers as they arrive. Nothing more is sent once the caller has stopped."""
        for task in tasks:
            self._waiting.put(task)
        self._n_workers = self._n_present = min(self._limits.concurrency, len(tasks))
        for _ in range(self._n_workers):
            threading.Thread(target=self._work, daemon=True).start()
        try:
            for _ in tasks:
                yield _next(self._done)
        finally:
            self._is_over.set()
            for running in tuple(self._running):
                running.cancel()

    def _work(self) -> None:
        while not self._is_over.is_set():
            try:
                task = self._waiting.get_nowait()
            except queue.Empty:
                break
            answer, has_ended = self._ask(task.query)
            self._done.put((task, answer))
            if self._is_hopeless(answer):
                break
            if not has_ended.is_set() and not self._wait_for_end(has_ended):
                break
        with self._lock:
            self._n_present -= 1
            is_last = self._n_present == 0
        if is_last:
            self._fail_the_rest()

    def _is_hopeless(self, answer: _Answer) -> bool:
        """Whether so many queries have failed, and in one way, that no other will be answered."""
        with self._lock:
            if self._alike is None:
                return False
            if answer.error is None or any(
                error.message != answer.error.message for error in self._alike[:1]
            ):
                self._alike = None
                return False
            self._alike.append(answer.error)
            most = self._limits.give_up_after
            self._has_given_up = most is not None and len(self._alike) >= most
            return self._has_given_up

    def _wait_for_end(self, has_ended: threading.Event) -> bool:
        """Wait for an abandoned search to end; give up if all workers are blocked like this."""
        with self._lock:
            self._n_blocked += 1
        try:
            while not has_ended.wait(max(0.0, min(self._limits.timeout, self._left()))):
                is_hopeless = self._n_blocked == self._n_workers or self._left() <= 0
                if is_hopeless or self._is_over.is_set():
                    return False
            return True
        finally:
            # A worker that gives up stays counted as blocked, so the others do not wait for it.
            if has_ended.is_set():
                with self._lock:
                    self._n_blocked -= 1

    def _fail_the_rest(self) -> None:
        """Fail the queries that can no longer be sent."""
        taken = (
            f"not sent: earlier queries exceeded their limit of {self._limits.timeout:g} s and "
            f"occupy all {self._n_workers} workers"
        )
        with suppress(queue.Empty):
            while True:
                task = self._waiting.get_nowait()
                error: SystemUnderTestError = SystemTimeoutError(self._name, taken)
                if self._left() <= 0:
                    error = self._out_of_time()
                elif self._has_given_up and self._alike:
                    error = self._not_sent(self._alike)
                self._done.put((task, _Answer([], 0.0, error)))

    def _left(self) -> float:
        """Return the remaining seconds for all queries together."""
        return self._end - time.monotonic()

    def _late(self) -> _Answer:
        """Return the answer for a query that timed out."""
        late = SystemTimeoutError(self._name, f"no answer within {self._limits.timeout:g} s")
        error = self._out_of_time() if self._left() <= 0 else late
        return _Answer([], self._limits.timeout, error)

    def _out_of_time(self) -> SystemTimeoutError:
        message = f"timeout: no answer within {self._limits.total or 0:.3g} s for all queries"
        return SystemTimeoutError(self._name, message)

    def _not_sent(self, errors: list[SystemUnderTestError]) -> NotSentError:
        message = f"not sent, since the first {len(errors)} queries failed in the same way"
        return NotSentError(self._name, message, transient=errors[0].transient)

    def _ask(self, query: Query) -> tuple[_Answer, threading.Event]:
        """Send a query until there is an answer, a permanent error, or no time left.

        Also return an event that is set once the system no longer works on the query.
        """
        deadline = time.monotonic() + min(self._limits.timeout, self._left())
        n_tries = 0
        while True:
            answer, has_ended = self._ask_once(query, deadline)
            n_tries += 1
            pause = pause_before(n_tries, answer.error, self._limits)
            if pause is None or time.monotonic() + pause >= deadline or self._is_over.wait(pause):
                return answer, has_ended

    def _ask_once(self, query: Query, deadline: float) -> tuple[_Answer, threading.Event]:
        """Search in the background, so that a late answer can be abandoned."""
        if self._left() <= 0:
            nothing_to_end = threading.Event()
            nothing_to_end.set()
            return _Answer([], 0.0, self._out_of_time()), nothing_to_end
        answered: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
        running: BackgroundCoroutine | None = None
        if self._system.is_asynchronous:
            running = BackgroundCoroutine(self._asearch(query, deadline, answered))
            self._running.add(running)
            has_ended = running.has_ended
        else:
            has_ended = threading.Event()
            arguments = (query, deadline, answered, has_ended)
            threading.Thread(target=self._search, args=arguments, daemon=True).start()
        try:
            answer = answered.get(timeout=max(deadline - time.monotonic(), 0.0))
        except queue.Empty:
            if running is not None:
                running.cancel()
            answer = self._late()
        else:
            has_ended.set()
            if running is not None:
                self._running.discard(running)
            # A system that stops by itself reports the remaining time, not the whole limit.
            if isinstance(answer.error, SystemTimeoutError) and time.monotonic() >= deadline:
                answer = self._late()
        return answer, has_ended

    def _search(
        self,
        query: Query,
        deadline: float,
        answered: queue.SimpleQueue[_Answer],
        has_ended: threading.Event,
    ) -> None:
        with _answering(self._name, answered) as hits, until(deadline):
            found = self._system.search(query.text, self._k)
            hits.extend(to_hits(found, self._k, self._name))
        has_ended.set()

    async def _asearch(
        self, query: Query, deadline: float, answered: queue.SimpleQueue[_Answer]
    ) -> None:
        with _answering(self._name, answered) as hits, until(deadline):
            found = await self._system.asearch(query.text, self._k)
            hits.extend(to_hits(found, self._k, self._name))


@contextmanager
def _answering(name: str, answered: queue.SimpleQueue[_Answer]) -> Iterator[list[Hit]]:
    """Report the outcome of a search: the hits added to the list, or the error raised."""
    begin = time.perf_counter()
    hits: list[Hit] = []
    failure: SystemUnderTestError | None = None
    try:
        with failures_of(name):
            yield hits
    except SystemUnderTestError as error:
        failure = error
    except BaseException as error:  # noqa: BLE001 - no error may stop the other queries
        failure = SystemUnderTestError(name, f"{type(error).__name__}: {error}")
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
    durations = {query_id: answer.seconds for query_id, answer in answered.items()}
    run = Run.from_dict({query_id: dict(answer.hits) for query_id, answer in answered.items()})
    return Collected(
        run=run.with_timings({one: 1000 * seconds for one, seconds in durations.items()}),
        durations=durations,
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
