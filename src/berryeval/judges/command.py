"""A command as judge: one JSON object per line in, one per line out.

In: ``{"query_id", "query", "intent", "doc_id", "title", "document", "guideline", "scale",
"labels"}``. Out, in the same order: ``{"grade": 2, "reason": "…", "confidence": 0.8}``, where
``grade`` may be null.
"""

from __future__ import annotations

import hashlib
import json
import queue
import shlex
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.judges.metering import Meter
from berryeval.judges.protocol import Opinion, Scale

__all__ = ["CommandJudge"]

_SHOWN = 200


class CommandJudge:
    """A program that judges. It is started once, without a shell, and asked one pair at a time.

    Parameters
    ----------
    command : str
        The program and its arguments, quoted as in a shell.
    timeout : float
        Seconds to wait for each answer. A program that does not answer is ended, and started again
        for the next pair.
    meter : Meter, optional
        Budget and rate.

    Raises
    ------
    ArgumentError
        If the command is empty or not quoted correctly.
    """

    def __init__(self, command: str, *, timeout: float = 60.0, meter: Meter | None = None) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise ArgumentError("command", "a command", f"{command!r} ({error})") from error
        if not self._arguments:
            raise ArgumentError("command", "a command", repr(command))
        self.name = f"command:{Path(self._arguments[0]).name}"
        self.meter = meter or Meter()
        self._command = command
        self._timeout = timeout
        self._running: _Running | None = None
        self._lock = threading.Lock()

    def fingerprint(self) -> Mapping[str, str]:
        """Return the command, and a hash of the files among its arguments, such as a script."""
        digest = hashlib.sha256()
        for argument in self._arguments[1:]:
            if Path(argument).is_file():
                digest.update(Path(argument).read_bytes())
        return {"judge": self.name, "command": self._command, "files": digest.hexdigest()[:16]}

    def judge(
        self, query: Query, intent: str | None, document: Document, guideline: str, scale: Scale
    ) -> Opinion:
        """Write a line to the program, and read one."""
        line = json.dumps({
            "query_id": query.query_id, "query": query.text, "intent": intent,
            "doc_id": document.doc_id, "title": document.title, "document": document.text,
            "guideline": guideline, "scale": scale.highest, "labels": scale.labels,
        })  # fmt: skip
        self.meter.begin()
        with self._lock:
            answer = self._ask(line)
        try:
            found = json.loads(answer)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "grade" not in found:
            expected = 'expected a line such as {"grade": 2}'
            raise AnswerError(self.name, f"{expected}, got {answer[:_SHOWN]!r}")
        return Opinion.of(found, scale)

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._end()

    def _ask(self, line: str) -> str:
        if self._running is None:
            self._running = _Running(self._arguments, self.name)
        try:
            return self._running.ask(line, self._timeout)
        except SystemUnderTestError:
            self._end()
            raise

    def _end(self) -> None:
        if self._running is not None:
            self._running.end()
            self._running = None


class _Running:
    """A running program, whose output is read in the background."""

    def __init__(self, arguments: list[str], name: str) -> None:
        self._name = name
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command, no shell
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except OSError as error:
            message = f"cannot be started: {error.strerror}: {arguments[0]!r}"
            raise SystemUnderTestError(name, message) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input = self._process.stdin
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stderr = ""
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def ask(self, line: str, timeout: float) -> str:
        try:
            self._input.write(f"{line}\n")
            self._input.flush()
        except OSError:
            raise self._ended() from None
        try:
            answer = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise SystemTimeoutError(self._name, f"no answer within {timeout:g} s") from None
        if not answer:
            raise self._ended()
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # unwritten input
                    continue

    def _ended(self) -> SystemUnderTestError:
        code = self._process.wait()
        self._readers[1].join()
        errors = " ".join(self._stderr.split())[-_SHOWN:]
        message = f"ended with exit code {code} before it answered"
        return SystemUnderTestError(self._name, f"{message}: {errors}" if errors else message)

    def _read(self, output: IO[str]) -> None:
        for line in output:
            self._lines.put(line)
        self._lines.put("")

    def _read_errors(self, output: IO[str]) -> None:
        for line in output:
            self._stderr = (self._stderr + line)[-10 * _SHOWN :]
