"""Worker processes: results, termination, and isolation."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from berryeval.errors import FormatError
from berryeval.service.jobs import no_progress
from berryeval.service.problems import Problem
from berryeval.service.workers.pool import Workers
from service.workers import worker_tasks as tasks

MEGABYTES = 1025
"""A distinct limit, so that no other test has started these processes."""


@pytest.fixture
def workers(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    made = Workers(at_once=1, most_waiting=1, memory=MEGABYTES)
    yield made
    made.close()


class Following:
    """Progress that calls functions."""

    def __init__(self, follow=lambda _step: None, check=lambda: None):
        self._follow, self.check = follow, check

    def __call__(self, *step):
        self._follow(step)


def test_a_function_is_called_in_another_process(workers):
    """Its result is returned, and the same process performs the next task."""
    first = workers.run(tasks.process_id, no_progress)
    assert first != os.getpid()
    assert workers.run(tasks.process_id, no_progress) == first


def test_progress_is_reported_while_the_task_runs(workers):
    """It arrives in order, before the result."""
    seen = []
    found = workers.run(tasks.three_steps, Following(seen.append))
    assert seen == [(0, 3, "step 1"), (1, 3, "step 2"), (2, 3, "step 3")]
    assert found == "done"


def test_an_error_of_the_library_keeps_its_attributes(workers):
    """File and line are attributes, as if the function had been called directly."""
    with pytest.raises(FormatError) as caught:
        workers.run(tasks.fail, no_progress)
    assert (caught.value.path, caught.value.line) == ("a.run", 3)


def test_a_bug_is_logged_and_does_not_end_the_process(workers, caplog):
    """The caller only learns that there was one."""
    before = workers.run(tasks.process_id, no_progress)
    with pytest.raises(Problem) as caught:
        workers.run(tasks.divide_by_zero, no_progress)
    assert (caught.value.status_code, caught.value.kind) == (500, "bug")
    assert "ZeroDivisionError" in caplog.text
    assert workers.run(tasks.process_id, no_progress) == before


def test_an_abandoned_task_is_ended(workers, tmp_path):
    """When the check raises, the process is killed, and the next task gets another one."""
    started = tmp_path / "started"

    def gone():
        if started.exists():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        workers.run(tasks.never_end, Following(check=gone), path=str(started))
    ended = int(started.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(ended, 0)
    assert workers.run(tasks.process_id, no_progress) != ended


def test_progress_that_raises_ends_the_task(workers):
    """A cancelled job does the same."""

    def cancelled(*_):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        workers.run(tasks.three_steps, Following(cancelled))


def test_memory_is_limited(workers):
    """A task that needs more gets 413, and the service continues."""
    with pytest.raises(Problem) as caught:
        workers.run(tasks.fill_memory, no_progress, megabytes=4096)
    assert (caught.value.status_code, caught.value.kind) == (413, "too-large")
    assert "1,025 MB" in caught.value.detail
    assert workers.run(tasks.process_id, no_progress)


def test_a_process_that_has_grown_is_replaced(workers):
    """Memory is returned to the system once the task has ended."""
    before = workers.run(tasks.process_id, no_progress)
    workers.run(tasks.fill_memory, no_progress, megabytes=600)
    assert workers.run(tasks.process_id, no_progress) != before


def test_a_process_that_dies_is_not_waited_for(workers):
    """An example is running out of memory inside a library."""
    with pytest.raises(Problem) as caught:
        workers.run(tasks.die, no_progress)
    assert caught.value.status_code == 413


def test_a_process_that_ended_while_idle_is_replaced(workers):
    """It ends after a long idle time; the next caller does not notice."""
    before = workers.run(tasks.process_id, no_progress)
    os.kill(before, signal.SIGKILL)
    while Path(f"/proc/{before}/exe").exists():
        time.sleep(0.01)
    assert workers.run(tasks.process_id, no_progress) != before


def test_callers_beyond_the_queue_are_rejected(workers, tmp_path):
    """One is running, one waits, and the third is asked to retry later."""
    release = tmp_path / "release"
    arguments = {"path": str(release)}
    callers = [
        threading.Thread(target=workers.run, args=(tasks.wait_for, no_progress), kwargs=arguments)
        for _ in range(2)
    ]
    for caller in callers:
        caller.start()
    while workers.n_callers < 2:
        time.sleep(0.01)
    with pytest.raises(Problem) as caught:
        workers.run(tasks.process_id, no_progress)
    release.touch()
    for caller in callers:
        caller.join()
    assert (caught.value.status_code, caught.value.headers["Retry-After"]) == (503, "5")


def test_a_stopping_service_ends_its_tasks(workers, tmp_path):
    """The caller gets 503 at once, and so does every later one."""
    started = tmp_path / "started"
    found = []

    def call():
        with pytest.raises(Problem) as caught:
            workers.run(tasks.never_end, no_progress, path=str(started))
        found.append(caught.value)

    caller = threading.Thread(target=call)
    caller.start()
    while caller.is_alive() and not (started.exists() and started.read_text()):
        time.sleep(0.01)
    workers.close()
    caller.join(10)
    assert [(problem.kind, problem.detail) for problem in found] == [
        ("stopping", "the service is stopping")
    ]
    with pytest.raises(Problem):
        workers.run(tasks.process_id, no_progress)


def test_modules_of_the_working_directory_are_not_imported(workers, tmp_path, monkeypatch):
    """A file there cannot run code in the service."""
    (tmp_path / "fractions.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert workers.run(tasks.imported_file, no_progress, name="fractions") != str(tmp_path)


def test_output_printed_by_a_task_is_not_returned(workers):
    """Standard output is the channel of results."""
    assert workers.run(tasks.print_something, no_progress) == "printed"
