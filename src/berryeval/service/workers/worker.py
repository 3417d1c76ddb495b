"""A worker process: performs one task after the other, until the service closes its input.

It reads tasks from standard input and writes results to standard output. It ends with the service,
after a task that left it large, and when it has had nothing to do for a while. Its only argument is
the memory that it may use, in megabytes.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from berryeval.errors import BerryEvalError
from berryeval.service.workers.messages import receive, send, unpack

__all__ = ["main"]

_IDLE_SECONDS = 300.0
_LARGE = 512 << 20
"""The process ends if it uses more memory than this after a task, to free it."""
_NICENESS = 5
"""Lower priority than the service, since pages come first."""


def main() -> None:
    """Perform tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service decides when it stops
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that nothing that is printed reaches the service
    _limit(int(sys.argv[1]) << 20)
    tasks: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(requests, tasks), daemon=True).start()
    while True:
        try:
            task = tasks.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            return
        if not _perform(task, answers):
            return


def _limit(memory: int) -> None:
    """Limit the memory of this process, and give it a lower priority than pages."""
    with suppress(ImportError, OSError, ValueError):  # Windows has neither
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_AS, (memory, most))
        os.nice(_NICENESS)


def _read(requests: BinaryIO, tasks: queue.Queue[bytes]) -> None:
    """Pass tasks on; end the process with the service, whatever it is doing."""
    try:
        while True:
            tasks.put(receive(requests))
    except BaseException:  # noqa: BLE001 - there is nothing else to do
        os._exit(0)


def _perform(task: bytes, answers: BinaryIO) -> bool:
    """Perform a task; return whether the process can perform another one."""

    def progress(done: int, total: int, step: str) -> None:
        send(answers, ("progress", (done, total, step)))

    send(answers, ("begun",))
    result: tuple[str, Any]
    try:
        function, arguments = unpack(task)
        result = ("result", function(progress=progress, **arguments))
    except MemoryError:
        result = ("memory", None)
    except BerryEvalError as error:
        result = ("error", error)
    except Exception as error:  # noqa: BLE001 - reported to the service, which has a log
        # Arrow has an exception of its own for a lack of memory.
        is_memory = "memory" in type(error).__name__.lower()
        result = ("memory", None) if is_memory else ("bug", traceback.format_exc())
    is_last = result[0] == "memory" or _memory_used() > _LARGE
    send(answers, (*result, is_last))
    return not is_last


def _memory_used() -> int:
    """Return the largest resident size so far, in bytes; 0 where it is unknown."""
    with suppress(OSError):
        # On Linux ru_maxrss begins with the size of the service, which started this process.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    with suppress(ImportError):
        import resource

        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return size if sys.platform == "darwin" else size << 10
    return 0
