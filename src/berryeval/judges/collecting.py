"""Asks a judge about many pairs, several at once, and stores every answer as it arrives."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone

from berryeval.errors import BerryEvalError, SystemUnderTestError
from berryeval.judges.metering import BudgetSpentError
from berryeval.judges.model_grades import GradeFile, Identity, ModelGrade, Purpose
from berryeval.judges.protocol import Answer, Guideline, Judge, Opinion, Pair
from berryeval.search.asynchronous import resolve
from berryeval.search.failures import failures_of

__all__ = ["Collected", "Task", "ask_all", "ask_once"]

_HEARTBEAT = 0.5  # seconds until Ctrl-C is noticed, since waiting cannot be interrupted
_GIVE_UP_AFTER = 8
"""If the first calls fail in the same way, the others would as well."""


@dataclass(frozen=True)
class Task:
    """A pair to judge, for the first time (0) or again."""

    pair: Pair
    number: int = 0
    purpose: Purpose = "pool"


@dataclass
class Collected:
    """The results of tasks."""

    grades: dict[Task, ModelGrade] = field(default_factory=dict)
    """The answers, including those that were stored before."""
    n_asked: int = 0
    """Tasks that were not stored before."""
    failures: dict[Task, BerryEvalError] = field(default_factory=dict)
    """The errors of tasks that were not answered."""
    budget: str | None = None
    """Why the budget ended the work; None if it did not."""
    n_left: int = 0
    """Tasks without an answer: those that failed, and those that were not sent."""


def ask_once(judge: Judge, pair: Pair, guideline: Guideline) -> Answer:
    """Ask a judge about one pair, and validate the answer.

    Raises
    ------
    SystemUnderTestError
        If the judge fails.
    """
    query = pair.query
    with failures_of(judge.name):
        given = resolve(
            judge.judge(query, query.description, pair.document, guideline.text, guideline.scale)
        )
    if isinstance(given, Answer):
        return given
    return Answer(Opinion.of(given, guideline.scale))


def ask_all(
    judge: Judge,
    tasks: Iterable[Task],
    guideline: Guideline,
    store: GradeFile,
    *,
    concurrency: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> Collected:
    """Ask a judge about pairs, except for those with a stored grade.

    A failed pair does not affect the others, unless the first ones all fail in the same way. If
    the budget is used up, the rest is not asked. After Ctrl-C, calls under way are waited for and
    stored; a second Ctrl-C does not wait.

    Parameters
    ----------
    judge : Judge
        The judge.
    tasks : iterable of Task
        What to judge, in this order.
    guideline : Guideline
        How to assign grades.
    store : GradeFile
        Stored grades; new ones are added.
    concurrency : int
        Calls at once.
    progress : callable, optional
        Called with the number of answers so far and in total.
    """
    wanted = list(dict.fromkeys(tasks))
    identity = Identity.of(judge, guideline)
    collected = Collected()
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in wanted:
        known = store.find(identity, task.pair, task.number)
        if known is not None:
            collected.grades[task] = known
        else:
            waiting.put(task)
    n_waiting = collected.n_asked = waiting.qsize()
    _report(progress, len(collected.grades), len(wanted))
    asking = _Asking(judge, guideline, identity, store, waiting)
    for task, outcome in asking.outcomes(min(concurrency, n_waiting)):
        if isinstance(outcome, ModelGrade):
            collected.grades[task] = outcome
        else:
            collected.failures[task] = outcome
        _report(progress, len(collected.grades) + len(collected.failures), len(wanted))
    for error in asking.raised:
        raise error
    collected.budget = asking.budget
    collected.n_left = len(wanted) - len(collected.grades)
    return collected


class _Asking:
    """The workers, and their shared state."""

    def __init__(
        self,
        judge: Judge,
        guideline: Guideline,
        identity: Identity,
        store: GradeFile,
        waiting: queue.SimpleQueue[Task],
    ) -> None:
        self._judge = judge
        self._guideline = guideline
        self._identity = identity
        self._store = store
        self._waiting = waiting
        self.done: queue.SimpleQueue[tuple[Task, ModelGrade | BerryEvalError] | None] = (
            queue.SimpleQueue()
        )
        self.stop = threading.Event()
        self.budget: str | None = None
        self.raised: list[BaseException] = []
        self._messages: list[str] | None = []  # messages of failures, until there is an answer

    def outcomes(self, n_workers: int) -> Iterator[tuple[Task, ModelGrade | BerryEvalError]]:
        """Start workers, and iterate over answers and errors as they arrive."""
        workers = [threading.Thread(target=self.work, daemon=True) for _ in range(n_workers)]
        for worker in workers:
            worker.start()
        try:
            while n_workers:
                with suppress(queue.Empty):
                    done = self.done.get(timeout=_HEARTBEAT)
                    if done is None:
                        n_workers -= 1
                    else:
                        yield done
        except KeyboardInterrupt:
            self.stop.set()
            for worker in workers:
                worker.join()  # calls under way are paid for
            raise
        finally:
            self.stop.set()

    def work(self) -> None:
        """Judge until nothing is waiting, or there is a reason to stop."""
        try:
            while not self.stop.is_set():
                with suppress(queue.Empty):
                    self._judge_one(self._waiting.get_nowait())
                    continue
                break
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self.raised.append(error)
            self.stop.set()
        self.done.put(None)

    def _judge_one(self, task: Task) -> None:
        try:
            answer = ask_once(self._judge, task.pair, self._guideline)
        except BudgetSpentError as error:
            self.budget = str(error)
            self.stop.set()
            return
        except SystemUnderTestError as error:
            self.done.put((task, error))
            self._note(error)
            return
        self._messages = None
        judged_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        grade = ModelGrade.of(
            task.pair, answer, self._identity, number=task.number, purpose=task.purpose,
            judged_at=judged_at,
        )  # fmt: skip
        self._store.add(grade)
        self.done.put((task, grade))

    def _note(self, error: SystemUnderTestError) -> None:
        """Stop if the first failures are alike, and nothing was answered."""
        messages = self._messages
        if messages is None:
            return
        messages.append(error.message)
        if len(messages) >= _GIVE_UP_AFTER and len(set(messages)) == 1:
            self.stop.set()


def _report(progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
