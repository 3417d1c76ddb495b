import random
import subprocess
import sys
import threading
import time

import pytest

from berryeval import Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.errors import ConflictError
from depth import IS_DEEP

N_PROCESSES = 4
N_WRITES = 25

WRITERS = """
import os, sys
from berryeval import Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
location, count, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
for name in names[1:]:
    if os.fork() == 0:
        names = [name]
        break
name = names[0]
with Archive.open(location, timeout=60) as archive:
    for number in range(count):
        entries = [JudgmentEntry(f"{name}-{number}", f"d{i}", i) for i in range(3)]
        archive.judgments.put([*entries, JudgmentEntry("shared", "d", number)], author=name)
        print(f"judged {number}", flush=True)
        if number % 5 == 0:
            run = Run.from_lists({f"q{i}": [f"{name}{number}", "x"] for i in range(200)})
            print("stored", archive.runs.put(run, RunFacts(name)).run_id, flush=True)
for _ in names[1:]:
    _, code = os.wait()
    assert code == 0
"""


def start(location, count, *names):
    """Start a process that writes, and one more for each further name."""
    words = [sys.executable, "-c", WRITERS, location, str(count), *names]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_several_processes_create_and_fill_an_archive_at_once(location):
    """E5: no process fails, no write is lost, and revisions are unique."""
    writers = start(location, N_WRITES, *(f"w{number}" for number in range(N_PROCESSES)))
    _, error = writers.communicate(timeout=300)
    assert (writers.returncode, error) == (0, "")
    with Archive.open(location) as archive:
        judgments = archive.judgments.current()
        assert judgments.n_rows == N_PROCESSES * N_WRITES * 3 + 1
        shared = archive.judgments.history("shared", "d")
        assert len(shared) == N_PROCESSES * N_WRITES
        revisions = [state.revision for state in shared]
        assert revisions == sorted(set(revisions))
        assert archive.judgments.revision() == N_PROCESSES * N_WRITES * 4
        assert len(archive.runs.page().items) == N_PROCESSES * 5


def test_threads_may_share_an_archive(archive):
    """E5: 20 judges write at once, and no judgment is lost."""
    failures = []

    def judge(number):
        try:
            for i in range(10):
                archive.judgments.put([JudgmentEntry(f"q{number}", f"d{i}", 1)], author="x")
                assert archive.judgments.get(f"q{number}", f"d{i}").grade == 1
        except Exception as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=judge, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert archive.judgments.current().n_rows == 200


def test_the_second_of_two_concurrent_changes_gets_a_conflict(archive):
    """E5: no judgment is silently overwritten."""
    seen = archive.judgments.change("q", "d", 0, author="ada").revision
    outcomes = []
    together = threading.Barrier(8)

    def change(number):
        together.wait()
        try:
            archive.judgments.change("q", "d", number, author=f"{number}", if_revision=seen)
            outcomes.append("done")
        except ConflictError:
            outcomes.append("conflict")

    threads = [threading.Thread(target=change, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["done"]
    assert len(archive.judgments.history("q", "d")) == 2


def things(archive):
    """Return, for each replaceable resource, functions that write, read and remove it."""
    run_ids = [
        archive.runs.put(Run.from_lists({"q": ["d"]}), RunFacts(f"r{number}")).run_id
        for number in range(9)
    ]
    return {
        "query": (
            lambda number, **more: archive.queries.put([Query("x", str(number))], **more),
            lambda: archive.queries.get("x"),
            lambda **more: archive.queries.remove("x", **more),
        ),
        "gate": (
            lambda number, **more: archive.gates.put("x", {"number": number}, **more),
            lambda: archive.gates.get("x"),
            lambda **more: archive.gates.remove("x", **more),
        ),
        "baseline": (
            lambda number, **more: archive.baselines.put("x", run_ids[number], **more),
            lambda: archive.baselines.get("x"),
            lambda **more: archive.baselines.remove("x", **more),
        ),
    }


@pytest.mark.parametrize("kind", ["query", "gate", "baseline"])
def test_a_resource_is_replaced_only_if_unchanged(archive, kind):
    """E5: of eight callers with the same state, one replaces it; the others get a conflict."""
    put, get, remove = things(archive)[kind]
    put(0)
    seen = get()
    outcomes = []
    together = threading.Barrier(8)

    def unless_changed(there):
        if there != seen:
            raise ConflictError("x", "what was seen", "something else")

    def change(number):
        together.wait()
        try:
            put(number, check=unless_changed)
            outcomes.append("done")
        except ConflictError:
            outcomes.append("conflict")

    threads = [threading.Thread(target=change, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["done"]
    with pytest.raises(ConflictError):
        remove(check=unless_changed)
    assert get() != seen
    assert remove(check=lambda _there: None)
    assert not remove(check=lambda _there: None)


@pytest.mark.parametrize("seed", range(5 if IS_DEEP else 1))
def test_acknowledged_writes_survive_a_kill(location, seed):
    """E5: a writer is killed at a random moment; nothing is lost or half-written."""
    writer = start(location, 100_000, "w")
    first = writer.stdout.readline()
    time.sleep(random.Random(seed).uniform(0, 0.5))  # noqa: S311 - no secret
    writer.kill()
    output, error = writer.communicate(timeout=60)
    assert error == ""
    lines = [first.strip(), *output.splitlines()]
    judged = [int(line.split()[1]) for line in lines if line.startswith("judged ")]
    stored = [line.split()[1] for line in lines if line.startswith("stored ") and len(line) > 70]
    with Archive.open(location) as archive:
        facts = archive.check(deep=True)
        assert facts.problem is None
        kept = archive.judgments.current().to_dict()
        shared = kept.pop("shared")["d"]
        for number in judged:
            assert kept[f"w-{number}"] == {"d0": 0, "d1": 1, "d2": 2}
        assert all(len(documents) == 3 for documents in kept.values()), "none by half"
        assert len(kept) in (len(judged), len(judged) + 1), "one may not have been acknowledged"
        assert shared == len(kept) - 1
        for run_id in stored:
            assert archive.runs.load(run_id).n_rows == 400
        for run in archive.runs.page().items:
            assert archive.runs.load(run.run_id).n_rows == 400
        assert archive.judgments.put([JudgmentEntry("q", "d", 1)], author="after") == 1
        assert archive.runs.put(Run.from_lists({"q": ["d"]}), RunFacts("after")).n_rows == 1
