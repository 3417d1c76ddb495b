"""The worker processes of the service, and the callers that wait for one."""

from __future__ import annotations

import atexit
import queue
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from berryeval.core.events import event_logger
from berryeval.service.jobs import Progress
from berryeval.service.problems import Problem
from berryeval.service.workers.messages import receive, send, unpack

__all__ = ["Workers"]

Result = TypeVar("Result")

_POLL_SECONDS = 0.05
_START = (
    "import sys; sys.path[:] = [folder for folder in sys.path if folder]; "
    "from berryeval.service.workers.worker import main; main()"
)
"""The program of a worker, without the working directory, whose modules it must not import."""
_log = event_logger("berryeval.service")


class Workers:
    """Runs functions in a few processes, which are ended when their results are no longer wanted.

    Applications of one Python process share idle worker processes.

    Parameters
    ----------
    at_once : int
        Number of processes.
    most_waiting : int
        Number of callers that may wait for one; additional ones are rejected.
    memory : int
        Megabytes that each process may use.
    """

    def __init__(self, at_once: int = 2, most_waiting: int = 20, memory: int = 4096) -> None:
        self._turns = threading.Semaphore(at_once)
        self._most = at_once + most_waiting
        # One more, which is rejected at once.
        self._threads = CapacityLimiter(self._most + 1)
        self._memory = memory
        self.n_callers = 0
        """Number of callers that wait or work."""
        self._lock = threading.Lock()
        self._busy: set[_Process] = set()
        self._is_closed = False

    def run(
        self, function: Callable[..., Result], progress: Progress, **arguments: object
    ) -> Result:
        """Call a function in a worker process, and return its result.

        Parameters
        ----------
        function : callable
            A function of a module, called with `arguments` and `progress`. Arguments and result
            must be picklable.
        progress : Progress
            Receives the progress of the function, and is checked many times while waiting. If it
            raises, the process is ended, and the error is raised to the caller.

        Raises
        ------
        Problem
            503 if too many callers wait, or the service is stopping; 413 if the work needs more
            memory than a process may use.
        BerryEvalError
            Whatever the function raised.
        """
        with self._counted():
            self._wait_for_turn(progress)
            try:
                return self._attempt(function, arguments, progress)
            finally:
                self._turns.release()

    async def call(
        self, function: Callable[..., Result], progress: Progress, **arguments: object
    ) -> Result:
        """Await the result of `run`, in a thread of its own."""
        work = partial(self.run, function, progress, **arguments)
        return await to_thread.run_sync(work, limiter=self._threads)

    def close(self) -> None:
        """End all running work; callers get 503."""
        with self._lock:
            self._is_closed = True
            busy = [*self._busy]
        for process in busy:
            process.kill()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a caller while it waits or works."""
        with self._lock:
            if self._is_closed:
                raise _stopping()
            if self.n_callers >= self._most:
                way_out = "try again later, or run it as a job with Prefer: respond-async"
                raise Problem(503, f"the service is busy; {way_out}", kind="busy",
                              headers={"Retry-After": "5"}, way_out=way_out)  # fmt: skip
            self.n_callers += 1
        try:
            yield
        finally:
            with self._lock:
                self.n_callers -= 1

    def _wait_for_turn(self, progress: Progress) -> None:
        while not self._turns.acquire(timeout=_POLL_SECONDS):
            progress.check()
        if self._is_closed:
            self._turns.release()
            raise _stopping()

    def _attempt(
        self, function: Callable[..., Result], arguments: dict[str, object], progress: Progress
    ) -> Result:
        process = _idle.take(self._memory)
        with self._lock:
            self._busy.add(process)
        is_reusable = False
        try:
            if not process.accepts((function, arguments)):  # it ended after a long rest
                process.kill()
                process.start()
                process.accepts((function, arguments))
            kind, value, is_reusable = self._outcome(process, progress)
        finally:
            with self._lock:
                self._busy.discard(process)
            if is_reusable:
                _idle.put(process)
            else:
                process.kill()
        if kind == "result":
            result: Result = value
            return result
        if kind == "error":
            raise value
        if kind in ("bug", "ended"):
            _log.error(kind, extra={"worker": value})
        raise self._failure(kind)

    @staticmethod
    def _outcome(process: _Process, progress: Progress) -> tuple[str, Any, bool]:
        while True:
            progress.check()
            try:
                kind, value, *rest = process.answers.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if kind == "progress":
                progress(*value)
                continue
            return kind, value, kind != "ended" and not rest[0]

    def _failure(self, kind: str) -> Problem:
        if self._is_closed:
            return _stopping()
        if kind == "bug":
            return Problem(500, "an internal error; see the log of the server", kind="bug")
        # Without memory, libraries may end the process rather than report it.
        way_out = "send less at once, or raise the server's limit: task_memory_mb"
        detail = f"this needs more than {self._memory:,} MB of memory; {way_out}"
        return Problem(413, detail, kind="too-large", way_out=way_out)


def _stopping() -> Problem:
    return Problem(503, "the service is stopping", kind="stopping", headers={"Retry-After": "5"})


class _Process:
    """A worker process, and its answers."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.start()

    def start(self) -> None:
        self.answers: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._process = subprocess.Popen(  # noqa: S603 - nothing of it comes from a request
            [sys.executable, "-c", _START, str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        threading.Thread(
            target=self._read, args=(self._process, self.answers), daemon=True,
            name="berryeval-worker",
        ).start()  # fmt: skip

    def accepts(self, task: object) -> bool:
        """Send a task; return whether the process has begun with it."""
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, task)  # type: ignore[arg-type]
        except OSError:
            return False
        kind: str = self.answers.get()[0]
        return kind == "begun"

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    @staticmethod
    def _read(process: subprocess.Popen[bytes], answers: queue.Queue[tuple[Any, ...]]) -> None:
        assert process.stdout is not None
        try:
            while True:
                answers.put(unpack(receive(process.stdout)))  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError):
            answers.put(("ended", process.wait()))


class _Idle:
    """Worker processes that have nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_memory: dict[int, list[_Process]] = defaultdict(list)

    def take(self, memory: int) -> _Process:
        """Return a process, started if there is none."""
        with self._lock:
            found = self._by_memory[memory]
            if found:
                return found.pop()
        return _Process(memory)

    def put(self, process: _Process) -> None:
        """Keep a process for the next task."""
        with self._lock:
            self._by_memory[process.memory].append(process)

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            processes = [one for found in self._by_memory.values() for one in found]
            self._by_memory.clear()
        for process in processes:
            process.kill()


_idle = _Idle()
atexit.register(_idle.close)
