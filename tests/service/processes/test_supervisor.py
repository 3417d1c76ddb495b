"""Workers are replaced when they end, and the reason why they cannot start is reported."""

import os
import signal
import socket
import sys
import time

import pytest

from berryeval.errors import ArchiveError, ArgumentError, BerryEvalError
from berryeval.service import ServiceSettings
from berryeval.service.processes import supervisor
from berryeval.service.processes.supervisor import check_support, supervise

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")


@pytest.fixture
def listener():
    """A socket that is closed when workers are told to stop."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def wait_for_signal(worker):
    """Work as a server does."""
    worker.report_ready()
    time.sleep(60)


def test_error_of_a_worker_is_raised_by_the_command(listener):
    """It is the same line as that of a single process."""

    def fail(_worker):
        raise ArchiveError("berryeval.db", "no such table")

    with pytest.raises(ArchiveError, match=r"berryeval\.db: no such table"):
        supervise(2, listener, fail, on_start=pytest.fail)


def test_worker_that_ends_while_it_starts_ends_all(listener):
    """Another start would not help, and the service would never be ready."""

    def end(worker):
        if worker.number == 1:
            os._exit(7)
        wait_for_signal(worker)

    with pytest.raises(BerryEvalError, match="a worker ended with code 7 while it started"):
        supervise(2, listener, end, on_start=lambda: None)


def test_workers_are_replaced_until_a_signal(listener, tmp_path, monkeypatch, caplog):
    """A bug, an exit and a worker that cannot start again are survived."""
    monkeypatch.setattr(supervisor, "_SECONDS_BEFORE_RETRY", 0.01)
    parent = os.getpid()

    def work(worker):
        n_before = len([*tmp_path.iterdir()])
        (tmp_path / str(os.getpid())).touch()
        if n_before == 1:  # the first replacement
            raise SystemExit(3)
        worker.report_ready()
        if n_before == 0:
            raise RuntimeError("a bug")
        os.kill(parent, signal.SIGTERM)
        time.sleep(60)

    with caplog.at_level("WARNING", "berryeval.service"):
        supervise(1, listener, work, on_start=lambda: None)
    ended = [(one.worker, one.code) for one in caplog.records if one.event == "worker ended"]
    assert ended == [(0, 1), (0, 3)]
    assert listener.fileno() == -1
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_several_workers_need_a_system_that_forks(monkeypatch):
    """On other systems, the message states how many are possible."""
    check_support(2)
    monkeypatch.delattr(os, "fork")
    check_support(1)
    with pytest.raises(ArgumentError, match="workers: expected 1 on this system, got 2"):
        check_support(2)


def test_number_of_workers_is_limited():
    """A typo must not start a thousand processes."""
    with pytest.raises(ArgumentError, match="workers: expected at most 64, got 65"):
        ServiceSettings(workers=65)
