"""Worker processes: their results, their ends, and what they do not do."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from berryeval.errors import FormatError
from berryeval.service.problems import Problem
from berryeval.service.workers.pool import Workers
from service.workers import worker_tasks as tasks

MEGABYTES = 1025
"""A number of their own, so that no other test has started these processes."""


@pytest.fixture
def workers(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    made = Workers(at_once=1, most_waiting=1, memory=MEGABYTES)
    yield made
    made.close()


def no_check():
    pass


def test_a_function_is_called_in_another_process(workers):
    """Its result comes back, and the same process performs the next task."""
    first = workers.run(tasks.process_id, check=no_check)
    assert first != os.getpid()
    assert workers.run(tasks.process_id, check=no_check) == first


def test_progress_is_reported_while_the_task_runs(workers):
    """In order, before the result."""
    seen = []
    found = workers.run(tasks.three_steps, check=no_check, progress=lambda *step: seen.append(step))
    assert seen == [(0, 3, "step 1"), (1, 3, "step 2"), (2, 3, "step 3")]
    assert found == "done"


def test_an_error_of_the_library_keeps_its_facts(workers):
    """File and line are attributes, as if the function had been called directly."""
    with pytest.raises(FormatError) as caught:
        workers.run(tasks.fail, check=no_check)
    assert (caught.value.path, caught.value.line) == ("a.run", 3)


def test_a_bug_is_logged_and_does_not_end_the_process(workers, caplog):
    """The caller learns only that there was one."""
    before = workers.run(tasks.process_id, check=no_check)
    with pytest.raises(Problem) as caught:
        workers.run(tasks.divide_by_zero, check=no_check)
    assert (caught.value.status_code, caught.value.kind) == (500, "bug")
    assert "ZeroDivisionError" in caplog.text
    assert workers.run(tasks.process_id, check=no_check) == before


def test_a_task_that_nobody_waits_for_is_ended(workers, tmp_path):
    """When the check raises, the process is killed, and the next task gets another one."""
    started = tmp_path / "started"

    def gone():
        if started.exists():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        workers.run(tasks.never_end, check=gone, path=str(started))
    ended = int(started.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(ended, 0)
    assert workers.run(tasks.process_id, check=no_check) != ended


def test_progress_that_raises_ends_the_task(workers):
    """As a job does that was cancelled."""

    def cancelled(*_):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        workers.run(tasks.three_steps, check=no_check, progress=cancelled)


def test_memory_is_limited(workers):
    """A task that asks for more gets 413, and the service goes on."""
    with pytest.raises(Problem) as caught:
        workers.run(tasks.fill_memory, check=no_check, megabytes=4096)
    assert (caught.value.status_code, caught.value.kind) == (413, "too-large")
    assert "1,025 MB" in caught.value.detail
    assert workers.run(tasks.process_id, check=no_check)


def test_a_process_that_has_grown_is_replaced(workers):
    """Memory is returned to the system once the task has ended."""
    before = workers.run(tasks.process_id, check=no_check)
    workers.run(tasks.fill_memory, check=no_check, megabytes=600)
    assert workers.run(tasks.process_id, check=no_check) != before


def test_a_process_that_dies_is_not_waited_for(workers):
    """As one that runs out of memory inside a library."""
    with pytest.raises(Problem) as caught:
        workers.run(tasks.die, check=no_check)
    assert caught.value.status_code == 413


def test_a_process_that_ended_while_idle_is_replaced(workers):
    """After a long rest it ends by itself; the next caller does not notice."""
    before = workers.run(tasks.process_id, check=no_check)
    os.kill(before, signal.SIGKILL)
    while Path(f"/proc/{before}/exe").exists():
        time.sleep(0.01)
    assert workers.run(tasks.process_id, check=no_check) != before


def test_callers_beyond_the_queue_are_rejected(workers, tmp_path):
    """One works, one waits, and the third is asked to come back later."""
    release = tmp_path / "release"
    arguments = {"path": str(release)}
    callers = [
        threading.Thread(
            target=workers.run, args=(tasks.wait_for,), kwargs={"check": no_check, **arguments}
        )
        for _ in range(2)
    ]
    for caller in callers:
        caller.start()
    while workers.n_callers < 2:
        time.sleep(0.01)
    with pytest.raises(Problem) as caught:
        workers.run(tasks.process_id, check=no_check)
    release.touch()
    for caller in callers:
        caller.join()
    assert (caught.value.status_code, caught.value.headers["Retry-After"]) == (503, "5")


def test_a_service_that_stops_ends_its_work(workers, tmp_path):
    """The caller gets 503 at once, and so does every later one."""
    started = tmp_path / "started"
    found = []

    def call():
        with pytest.raises(Problem) as caught:
            workers.run(tasks.never_end, check=no_check, path=str(started))
        found.append(caught.value)

    caller = threading.Thread(target=call)
    caller.start()
    while not (started.exists() and started.read_text()):
        time.sleep(0.01)
    workers.close()
    caller.join(10)
    assert [problem.kind for problem in found] == ["stopping"]
    with pytest.raises(Problem):
        workers.run(tasks.process_id, check=no_check)


def test_modules_of_the_working_directory_are_not_imported(workers, tmp_path, monkeypatch):
    """A file there cannot run code in the service."""
    (tmp_path / "fractions.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert workers.run(tasks.imported_file, check=no_check, name="fractions") != str(tmp_path)


def test_what_a_task_prints_reaches_no_caller(workers):
    """Standard output is the channel of results."""
    assert workers.run(tasks.print_something, check=no_check) == "printed"
