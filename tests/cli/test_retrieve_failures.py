"""berryeval retrieve: failing systems, interruptions, and what is stored of them."""

import io
import json
import os
import signal
import subprocess
import sys

import pytest

import berryeval as be
from berryeval.cli._systems import progress_bar
from cli.retrieving import retrieve, search_folder  # noqa: F401 - a fixture
from waiting import wait_until


def test_a_failing_query_is_reported_and_can_be_sent_again(folder):
    """X8: exit code 4, the other answer is kept, and only missing queries are sent."""
    result = retrieve("engine_of_test:half", "-o", "x.run")
    assert result.exit_code == 4
    assert result.stderr == (
        "query 'q2' failed: engine_of_test:half: ValueError: no such index\n"
        "1 query failed; x.run was not written. Repeat the command to retry only the failed "
        "queries, or accept the run without it with --max-failed 1.\n"
    )
    assert not (folder / "x.run").exists()
    assert '"q1"' in (folder / "x.run.progress").read_text()
    open("healed", "w").close()  # noqa: PTH123
    result = retrieve("engine_of_test:half", "-o", "x.run")
    assert result.exit_code == 0
    assert list(be.read_run("x.run").query_ids) == ["q1", "q2"]
    assert not os.path.exists("x.run.progress")  # noqa: PTH110


def test_queries_may_fail_if_allowed(folder):
    """The run is without them, as reported, and the next command starts again."""
    result = retrieve("engine_of_test:half", "-o", "x.run", "--max-failed", "1")
    assert result.exit_code == 0
    assert result.stderr.endswith("1 query failed; the run does not contain it.\n")
    assert list(be.read_run("x.run").query_ids) == ["q1"]
    assert not (folder / "x.run.progress").exists()


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("engine_of_test:half", "1 query failed; x.run was not replaced. Repeat the command"),
        ("engine_of_test:picky", "Every query failed; x.run was not replaced.\n"),
        ("engine_of_test:nothing", "engine_of_test:nothing: the queries found no documents; x.run "
                                   "was not replaced. Check that the right documents are"),
        ("engine_of_test:none_of_some", "1 query failed, and the others found no documents; x.run"),
    ],
)  # fmt: skip
def test_a_good_run_is_replaced_only_by_a_complete_one(folder, system, message):
    """A server that is down, or an empty index, does not destroy an existing run."""
    arguments = ("-o", "x.run", "--repeat", "2", "--timings", "x.timings")
    assert retrieve("engine_of_test:find", *arguments).exit_code == 0
    before = {file: file.read_bytes() for file in folder.glob("x.*")}
    assert len(before) == 3
    result = retrieve(system, *arguments[:2], *arguments[4:])
    assert result.exit_code == 4
    assert message in result.stderr
    assert {file: file.read_bytes() for file in before} == before


def test_nothing_incomplete_goes_to_standard_output():
    """The next command of a pipe would take it as complete."""
    result = retrieve("engine_of_test:half", "-o", "-")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.endswith(
        "1 query failed; no run was written. Accept the run without it with --max-failed 1.\n"
    )


def test_queries_without_hits_are_counted():
    """A TREC file does not contain them."""
    result = retrieve("engine_of_test:some", "-o", "x.run")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "2 queries were answered with 2 documents, 1 of them with none; p50 "
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_full_disk_names_the_file_and_leaves_the_run(folder):
    """Stored answers may not fit, which is one line and exit code 2."""
    (folder / "x.run").write_text("as it was")
    limited = (
        f"ulimit -f 8; exec {sys.executable} -m berryeval retrieve --system engine_of_test:many"
    )
    done = subprocess.run(
        ["bash", "-c", f"{limited} --queries queries.jsonl -o x.run -k 1000"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "Error: x.run.progress: cannot be written: File too large\n"
    assert (folder / "x.run").read_text() == "as it was"


def test_an_empty_index_is_searched_again(folder):
    """Empty answers are not stored, since documents may be added."""
    assert retrieve("engine_of_test:nothing", "-o", "x.run").exit_code == 4
    assert sorted(folder.glob("x.*")) == []


def test_an_empty_run_is_never_accepted():
    """This holds even if every query may fail."""
    result = retrieve("engine_of_test:picky", "-o", "x.run", "--max-failed", "2")
    assert result.exit_code == 4
    assert result.stderr.endswith("Every query failed; x.run was not written.\n")


@pytest.fixture
def many(folder):
    """Thirteen queries."""
    path = folder / "many.jsonl"
    path.write_text(
        "".join(json.dumps({"_id": f"q{i}", "text": f"slow {i}"}) + "\n" for i in range(13))
    )
    return path.name


def test_identical_failures_are_reported_once(many):
    """A system that is down fails for every query, and the first ones show it."""
    result = retrieve("engine_of_test:half", "--queries", many, "-o", "x.run", "--concurrency", "1")
    assert result.exit_code == 4
    assert result.stdout == "0 queries were answered with 0 documents.\n"
    assert result.stderr == (
        "query 'q0' and 7 more failed: engine_of_test:half: ValueError: no such index\n"
        "query 'q8' and 4 more failed: engine_of_test:half: not sent, since the first 8 queries "
        "failed in the same way\n"
        "Every query failed; x.run was not written.\n"
    )


def test_many_different_failures_are_shortened(many):
    """Only the first are shown."""
    result = retrieve("engine_of_test:picky", "--queries", many, "-o", "x.run")
    assert result.exit_code == 4
    lines = result.stderr.splitlines()
    assert lines[0] == "query 'q0' failed: engine_of_test:picky: ValueError: slow 0"
    assert lines[10:] == ["… and 3 more", "Every query failed; x.run was not written."]


def test_answers_with_other_settings_are_not_mixed():
    """Stored answers include their settings."""
    assert retrieve("engine_of_test:half", "-o", "x.run").exit_code == 4
    result = retrieve("engine_of_test:half", "-o", "x.run", "-k", "7")
    assert result.exit_code == 2
    assert "has answers with k '100', not '7'; delete the file to start again" in result.stderr


def test_settings_can_be_corrected_if_nothing_was_answered():
    """No file has to be deleted."""
    assert retrieve("engine_of_test:picky", "-o", "x.run").exit_code == 4
    assert retrieve("engine_of_test:find", "-o", "x.run", "-k", "7").exit_code == 0
    assert list(be.read_run("x.run").query_ids) == ["q1", "q2"]


def test_another_system_is_reported_before_its_settings():
    """Differing settings alone would be confusing."""
    assert retrieve("engine_of_test:half", "-o", "x.run").exit_code == 4
    result = retrieve("bm25", "--documents", "docs", "-o", "x.run")
    assert result.exit_code == 2
    assert "has answers with system 'function', not 'embedded'; delete the" in result.stderr


def test_an_interruption_reports_what_is_stored(monkeypatch):
    """This includes an empty store, and standard output, which stores nothing."""

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("berryeval.search.collect.collect", interrupted)
    result = retrieve("engine_of_test:find", "-o", "x.run")
    assert result.exit_code == 130
    assert result.stderr == "0 answers are kept; repeat the command to continue.\nInterrupted.\n"
    assert retrieve("engine_of_test:find", "-o", "-").stderr == "Interrupted.\n"


def test_the_progress_bar_counts(monkeypatch):
    """It has a label, the number done, and the total."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("Working") as progress:
        progress(3, 7)
    assert "Working" in screen.getvalue()
    assert "3/7" in screen.getvalue()


# The parent of the tests may ignore interrupts, which processes inherit.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from berryeval.__main__ import run; run()"
)


def start(*arguments, **options):
    words = [sys.executable, "-c", INTERRUPTIBLE, "retrieve", "--system", *arguments]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send there")
def test_a_retrieval_continues_after_ctrl_c(folder):
    """Answers are kept, and not requested again."""
    many = [json.dumps({"_id": f"q{i}", "text": f"t{i}"}) for i in range(400)]
    (folder / "many.jsonl").write_text("\n".join(many))
    words = ["engine_of_test:slow", "--queries", "many.jsonl", "-o", "x.run"]
    process = start(*words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    wait_until(lambda: (folder / "asked").exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130, message
    assert message.endswith("kept; repeat the command to continue.\nInterrupted.\n")
    n_kept = len((folder / "x.run.progress").read_text().splitlines()) - 1
    assert 0 <= n_kept < 400
    (folder / "asked").unlink()
    (folder / "healed").touch()
    assert retrieve(*words).exit_code == 0
    assert len((folder / "asked").read_text().splitlines()) == 400 - n_kept
    assert be.read_run("x.run").n_queries == 400


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")
def test_a_terminal_shows_a_progress_bar():
    """A pipe does not."""
    leader, follower = os.openpty()
    process = start("engine_of_test:find", "--queries", "queries.jsonl", "-o", "x.run",
                    stderr=follower, stdout=subprocess.DEVNULL)  # fmt: skip
    assert process.wait(60) == 0
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert "Retrieving" in shown
    assert "2/2" in shown
    assert retrieve("engine_of_test:find", "-o", "x.run").stderr == ""
