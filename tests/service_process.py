"""``berryeval serve`` in a separate process, for tests that stop, kill or trace it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys


class Server:
    """A running service; its log and its archive are in a folder.

    Parameters
    ----------
    folder : Path
        Working directory, also for temporary files.
    options : str
        Options of ``berryeval serve``.
    before : sequence of str
        A program that starts it, with its options, such as strace.
    """

    def __init__(self, folder, *options, before=()):
        self.log = folder / "log"
        command = [sys.executable, "-m", "berryeval", "serve", "--port", "0", *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*before, *command],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"TMPDIR": str(folder)},
                text=True,
            )
        line = self.process.stdout.readline()
        found = re.search(r"http://127.0.0.1:(\d+)", line)
        assert found, (line, self.log.read_text())
        self.address = found[0]
        self.port = int(found[1])

    def connect(self):
        """Return a raw connection, on which anything can be sent."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def stop(self):
        """Ask it to stop, and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self):
        """Kill it at once."""
        return self._end(signal.SIGKILL)

    def _end(self, how):
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


FORKING = """
import json, os, sys
import berryeval.archive
import berryeval.service.server
from berryeval.cli import main
from berryeval.service.app import describe
describe()  # prepares what all routes share
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        main(json.loads(line))
    print("started", child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


class ForkedServers:
    """Consecutive servers, each forked from a process that has imported everything.

    Imports take nearly all of the second that a start takes, and a test that kills servers often
    does not need to repeat them. Each server is a process that runs ``berryeval serve``.
    """

    def __init__(self, folder):
        with (folder / "log").open("ab") as log:
            self._forking = subprocess.Popen(
                [sys.executable, "-c", FORKING],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"TMPDIR": str(folder)},
                text=True,
            )
        self._log = folder / "log"
        self._pid = None

    def start(self, *options):
        """Start a server, and return its address."""
        print(json.dumps(["serve", "--port", "0", *options]), file=self._forking.stdin, flush=True)
        said = [self._forking.stdout.readline(), self._forking.stdout.readline()]
        found = re.search(r"^started (\d+)$", "".join(said), re.MULTILINE)
        address = re.search(r"http://127.0.0.1:\d+", "".join(said))
        assert found, (said, self._log.read_text())
        assert address, (said, self._log.read_text())
        self._pid = int(found[1])
        return address[0]

    def end(self, how=signal.SIGKILL):
        """Send a signal to the server, and wait until it has ended."""
        os.kill(self._pid, how)
        self._pid = None
        while self._forking.stdout.readline() != "ended\n":
            pass

    def close(self):
        """End the forking process, and a remaining server."""
        if self._pid is not None:
            self.end()
        self._forking.communicate()
