"""``berryeval`` as a process of its own, forked from one that has imported everything.

Imports take nearly all of the time of a small command. A forked process has its own streams and
exit code, and ends as any process does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class ForkedCommands:
    """A process that forks commands.

    Parameters
    ----------
    modules : sequence of str
        Modules to import before the first command.
    """

    def __init__(self, modules):
        self._folder = Path(tempfile.mkdtemp(prefix="berryeval-"))  # a socket needs a short path
        place = self._folder / "socket"
        self.client = self._folder / "berryeval"
        program = f"#!{sys.executable} -IS\nPLACE = {str(place)!r}\n{_CLIENT}"
        self.client.write_text(program, encoding="utf-8")
        self.client.chmod(0o700)
        words = [sys.executable, "-c", _FORKING, str(place), *modules]
        self._forking = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._forking.stdout.readline() == b"ready\n"

    def environment(self):
        """Return environment variables with which a shell finds the forked ``berryeval``."""
        return os.environ | {"PATH": os.pathsep.join([str(self._folder), os.environ["PATH"]])}

    def close(self):
        """End the process."""
        self._forking.kill()
        self._forking.communicate()
        shutil.rmtree(self._folder)


# Sends its arguments, folder and open files, and ends with the exit code it receives.
_CLIENT = """
import os, socket, sys
with socket.socket(socket.AF_UNIX) as forking:
    forking.connect(PLACE)
    files = []
    for name in os.listdir("/dev/fd"):
        try:
            os.fstat(int(name))
        except OSError:
            continue
        if int(name) != forking.fileno():
            files.append(int(name))
    words = [os.getcwd(), ",".join(map(str, files)), *sys.argv[1:]]
    socket.send_fds(forking, [os.fsencode("\\n".join(words))], files)
    sys.exit(int(forking.recv(9)))
"""

_FORKING = """
import gc, importlib, os, socket, sys
from berryeval.__main__ import run

def become(words, files):
    folder, numbers, *arguments = os.fsdecode(words).split("\\n")
    numbers = [int(number) for number in numbers.split(",")]
    above = max([*numbers, *files]) + 1
    for place, file in enumerate(files):
        os.dup2(file, above + place)
    for place, number in enumerate(numbers):
        os.dup2(above + place, number)
    os.closerange(above, above + len(files))
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = ["berryeval", *arguments]

listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
for name in sys.argv[2:]:
    importlib.import_module(name)
gc.freeze()
print("ready", flush=True)
while True:
    client, _ = listening.accept()
    words, files, *_ = socket.recv_fds(client, 1 << 16, 64)
    number = os.fork()
    if number == 0:
        listening.detach()
        client.detach()
        become(words, files)
        run()
    for file in files:
        os.close(file)
    client.send(str(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])).encode())
    client.close()
"""
