"""``berryeval serve`` in a separate process, for tests that stop, kill or trace it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

SECONDS_TO_END = 60


class Server:
    """A running service; its log and its archive are in a folder.

    Parameters
    ----------
    folder : Path
        Working directory, which also contains temporary files.
    options : str
        Options of ``berryeval serve``.
    before : sequence of str
        A program that starts it, with its options, such as strace.
    """

    def __init__(self, folder, *options, before=()):
        command = [sys.executable, "-m", "berryeval", *_arguments(options)]
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*before, *command],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"TMPDIR": str(folder)},
                text=True,
            )
        self._follow(folder, process)

    def _follow(self, folder, process):
        """Wait until the process listens."""
        self.log = folder / "log"
        self.process = process
        self.code = None
        line = process.stdout.readline()
        found = re.search(r"http://127.0.0.1:(\d+)", line)
        assert found, (line, self.log.read_text())
        self.address = found[0]
        self.port = int(found[1])

    def connect(self):
        """Return a raw connection, on which anything can be sent."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def stop(self):
        """Stop it, and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self):
        """Kill it at once, with its workers."""
        children = _children_of(self.process.pid)
        code = self._end(signal.SIGKILL)
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        return code

    def wait(self):
        """Wait until it has ended, and return its exit code."""
        if self.code is None:
            self.code = self.process.wait(SECONDS_TO_END)
        return self.code

    def _end(self, how):
        if self.code is None:
            self.process.send_signal(how)
        self.wait()
        self.process.stdout.close()
        return self.code


class ForkedServers:
    """Servers that are forked from a process that has imported and prepared everything.

    This takes nearly all of the two seconds that a start takes, and tests that start many servers
    do not need to repeat it. Each server is a process that runs ``berryeval serve``.

    Parameters
    ----------
    folder : Path
        Folder for the errors of the forking process.
    """

    def __init__(self, folder):
        self._log = folder / "log"
        with self._log.open("ab") as log:
            self._forking = subprocess.Popen(
                [sys.executable, "-c", _FORKING, str(Path(__file__).parent)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._started = []

    def start(self, folder, *options, **settings):
        """Start a server in a folder, and wait until it listens; settings need no option."""
        self._started.append(_ForkedServer(self.call, folder, options, settings))
        return self._started[-1]

    def call(self, *request):
        """Send a request to the forking process, and return the number that it answers."""
        print(json.dumps(request), file=self._forking.stdin, flush=True)
        answer = self._forking.stdout.readline()
        assert answer, self._log.read_text()
        return int(answer)

    def close(self):
        """Stop the remaining servers, and the forking process."""
        for server in self._started:
            server.stop()
        self._forking.communicate()


class _ForkedServer(Server):
    def __init__(self, call, folder, options, settings):
        self._follow(folder, _ForkedProcess(call, folder, _arguments(options), settings))


class _ForkedProcess:
    """The needed part of `subprocess.Popen`, for a child of the forking process."""

    def __init__(self, call, folder, arguments, settings):
        pipe = folder / "stdout"
        os.mkfifo(pipe)
        self.pid = call("start", str(folder), arguments, settings)
        self.stdout = pipe.open()
        pipe.unlink()
        self._call = call

    def send_signal(self, how):
        """Send it a signal."""
        os.kill(self.pid, how)

    def wait(self, seconds):
        """Wait until it has ended, and return its exit code."""
        return self._call("wait", self.pid, seconds)


_FORKING = """
import gc, json, os, signal, sys, tempfile
from dataclasses import replace
from berryeval.archive import Archive
from berryeval.cli import main, serve as _serve
from berryeval.service import server, settings
from berryeval.service.workbench.rendering import compile_templates
sys.path.append(sys.argv[1])
from service_server import new_app

def serve(folder, arguments, changes, chosen=settings.service_settings):
    settings.service_settings = lambda *given: replace(chosen(*given), **changes)
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = None
    for name, where, how in (("stdout", 1, os.O_WRONLY), ("log", 2, os.O_WRONLY | os.O_APPEND)):
        os.dup2(os.open(name, how | os.O_CREAT), where)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        main(arguments)
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(end.code)  # taking down the interpreter would take longer than most servers run

server.create_app = new_app
new_app(None).openapi()  # prepares the routes
compile_templates()
with tempfile.TemporaryDirectory() as folder:
    Archive.open(folder + "/new.db").close()  # records how one is created
gc.freeze()
for line in sys.stdin:
    what, *details = json.loads(line)
    if what == "start":
        number = os.fork()
        if number == 0:
            serve(*details)
    else:
        signal.alarm(details[1])  # ends this process, and so the test, if the server does not end
        number = os.waitstatus_to_exitcode(os.waitpid(details[0], 0)[1])
        signal.alarm(0)
    print(number, flush=True)
"""


def _children_of(pid):
    """Return the processes that a process has started, on a system that lists them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
    return found


def _arguments(options):
    return ["serve", "--port", "0", *options]
