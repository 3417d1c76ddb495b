"""Starts the workers of ``berryeval serve --workers``, replaces those that end, and stops them.

Workers are forked from a process that has imported everything, so a new one answers after a
moment, and all share the memory of the code. That process opens no archive, accepts no connection
and runs no thread. A worker has a pipe to it, which reports that the worker is ready or why it
cannot start, and which closes when the worker ends.
"""

from __future__ import annotations

import gc
import logging
import mmap
import os
import pickle
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from prometheus_client.multiprocess import mark_process_dead

from berryeval.core.events import event_logger
from berryeval.errors import ArgumentError, BerryEvalError
from berryeval.service.processes.handover import Handover, new_inboxes
from berryeval.service.processes.write_counts import SLOT_BYTES, WriteCounts
from berryeval.service.temporary import temporary_folder

__all__ = ["Worker", "check_support", "supervise"]

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_READY, _FAILED = b"+", b"!"
_SECONDS_BEFORE_RETRY = 1.0
"""Seconds to wait before replacing a worker that could not start."""

_log = event_logger("berryeval.service")


@dataclass(frozen=True)
class Worker:
    """What a worker shares with the others."""

    number: int
    """Number of the worker, from 0. The first has the state that cannot be shared; see `handover`.
    """
    handover: Handover
    writes: WriteCounts
    metrics_folder: str
    """Files in which all workers count for ``/metrics``."""
    parent: int
    """A descriptor that can be read once the supervisor has ended."""
    _pipe: int

    def report_ready(self) -> None:
        """Report that it accepts connections."""
        os.write(self._pipe, _READY)


def check_support(n_workers: int) -> None:
    """Raise if this system cannot run several workers.

    Raises
    ------
    ArgumentError
        On Windows, which supports neither `fork` nor sending descriptors.
    """
    if n_workers > 1 and not (hasattr(os, "fork") and hasattr(socket, "send_fds")):
        raise ArgumentError("workers", "1 on this system", str(n_workers))


def supervise(
    n_workers: int,
    listener: socket.socket,
    work: Callable[[Worker], None],
    on_start: Callable[[], None],
) -> None:
    """Run workers until a signal, then let them finish.

    Parameters
    ----------
    n_workers : int
    listener : socket
        The listening socket, closed at the first signal so that no new connection waits in vain.
    work : callable
        Serves in a worker, until a signal; it calls `Worker.report_ready`.
    on_start : callable
        Called once, when all workers are ready.

    Raises
    ------
    BerryEvalError
        If a worker cannot start.
    """
    with temporary_folder() as folder:
        _Supervisor(n_workers, listener, work, str(folder)).run(on_start)


@dataclass(eq=False)
class _Process:
    number: int
    pid: int
    pipe: int
    report: bytes = b""

    @property
    def is_ready(self) -> bool:
        return self.report.startswith(_READY)

    @property
    def error(self) -> BerryEvalError | None:
        """Why it could not start."""
        if not self.report.startswith(_FAILED):
            return None
        # Written by our own process, into a pipe that no other process can open.
        error: BerryEvalError = pickle.loads(self.report[len(_FAILED) :])  # noqa: S301
        return error


class _Supervisor:
    def __init__(
        self, n_workers: int, listener: socket.socket, work: Callable[[Worker], None], folder: str
    ) -> None:
        self._listener = listener
        self._work = work
        self._folder = folder
        self._inboxes = new_inboxes(n_workers)
        self._counts = mmap.mmap(-1, SLOT_BYTES * n_workers)
        self._parent = os.pipe()
        self._running: dict[int, _Process] = {}
        self._events = selectors.DefaultSelector()
        self._is_stopping = False
        self._failure: BerryEvalError | None = None

    def run(self, on_start: Callable[[], None]) -> None:
        before = {one: signal.signal(one, self._on_signal) for one in _STOP_SIGNALS}
        gc.collect()
        gc.freeze()  # a collection in a worker would copy the memory that all share
        try:
            for number in range(len(self._inboxes)):
                self._start(number)
            has_started = False
            while self._running:
                for key, _ in self._events.select():
                    self._receive(key.data, has_started=has_started)
                if not has_started and not self._is_stopping:
                    has_started = all(one.is_ready for one in self._running.values())
                    if has_started:
                        on_start()
        finally:
            gc.unfreeze()
            for one, handler in before.items():
                signal.signal(one, handler)
            self._close()
        if self._failure is not None:
            raise self._failure

    def _start(self, number: int) -> None:
        reading, writing = os.pipe()
        # A child must not handle a signal as its parent does.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        try:
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                self._run_worker(number, writing)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        os.close(writing)
        process = self._running[number] = _Process(number, pid, reading)
        self._events.register(reading, selectors.EVENT_READ, process)
        if self._is_stopping:
            os.kill(pid, signal.SIGTERM)

    def _run_worker(self, number: int, pipe: int) -> NoReturn:
        """Work in a new process, which never returns to the code of its parent."""
        code = 1
        try:
            for one in _STOP_SIGNALS:
                signal.signal(one, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
            os.close(self._parent[1])
            _log_pid()
            self._work(
                Worker(
                    number,
                    Handover(number, self._inboxes),
                    WriteCounts(self._counts, number),
                    self._folder,
                    self._parent[0],
                    pipe,
                )
            )
            code = 0
        except BerryEvalError as error:
            os.write(pipe, _FAILED + pickle.dumps(error))
        except SystemExit as end:  # uvicorn's, if the application does not start
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:  # noqa: BLE001 - nothing above may handle it
            _log.exception("bug")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _receive(self, process: _Process, *, has_started: bool) -> None:
        report = os.read(process.pipe, 1 << 16)
        if report:
            process.report += report
            return
        self._events.unregister(process.pipe)
        os.close(process.pipe)
        del self._running[process.number]  # first: a signal must not reach another process
        _, status = os.waitpid(process.pid, 0)
        mark_process_dead(process.pid, self._folder)  # type: ignore[no-untyped-call]
        if self._is_stopping:
            return
        code = os.waitstatus_to_exitcode(status)
        facts = {"worker": process.number, "ended": process.pid, "code": code}
        if not has_started:
            self._failure = process.error or BerryEvalError(
                f"a worker ended with code {code} while it started; see the log"
            )
            self._stop()
            return
        _log.warning("worker ended", extra=facts)
        if not process.is_ready:
            time.sleep(_SECONDS_BEFORE_RETRY)
        self._start(process.number)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        is_again = self._is_stopping and number == signal.SIGINT
        self._stop(signal.SIGINT if is_again else signal.SIGTERM)  # the second ends them at once

    def _stop(self, how: int = signal.SIGTERM) -> None:
        self._is_stopping = True
        self._listener.close()
        for process in self._running.values():
            os.kill(process.pid, how)

    def _close(self) -> None:
        self._events.close()
        for descriptor in self._parent:
            os.close(descriptor)
        for pair in self._inboxes:
            for end in pair:
                end.close()


def _log_pid() -> None:
    """Add the id of this process to the lines of its log."""
    pid = os.getpid()

    def add(record: logging.LogRecord) -> bool:
        record.pid = pid
        return True

    for handler in logging.getLogger("berryeval").handlers:
        handler.addFilter(add)
