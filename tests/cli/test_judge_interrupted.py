"""A progress bar of berryeval judge on a terminal, and Ctrl-C, in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from berryeval.judges.model_grades import GRADES, read_grades
from judges.judged_set import truth, write_judged_set
from waiting import wait_until

N_PAIRS = 60


@pytest.fixture
def model(chat_server, tmp_path, monkeypatch):
    """A model that grades as people do, in a folder with a golden set."""
    monkeypatch.chdir(tmp_path)
    write_judged_set(tmp_path / "golden", n_queries=30)
    chat_server[0].reset()
    chat_server[0].grade = truth
    return chat_server[0]


def start(place, *arguments, **options):
    """Start judging what both runs return and people did not judge."""
    words = [sys.executable, "-m", "berryeval", "judge", *arguments, "--golden", "golden",
             "--judge", place, "--run", "old.run", "--run", "new.run", "--repeats", "0",
             ]  # fmt: skip
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")
@pytest.mark.parametrize(
    ("command", "label"), [((), "Judging"), (("check", "--pairs", "60"), "Checking")]
)
def test_a_terminal_shows_a_progress_bar(model, chat_server, command, label):
    """A pipe does not, and the result is the same."""
    leader, follower = os.openpty()
    process = start(chat_server[1], *command, stderr=follower)
    on_terminal, _ = process.communicate(timeout=60)
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert process.returncode == 0, shown
    assert label in shown
    assert "60/60" in shown
    assert "0/" in shown, "it is there from the start"
    asked = model.n_requests
    Path("golden", GRADES).unlink()
    process = start(chat_server[1], *command, stderr=subprocess.PIPE)
    in_a_pipe, shown = process.communicate(timeout=60)
    assert (process.returncode, shown) == (0, "")
    assert in_a_pipe == on_terminal
    assert model.n_requests == 2 * asked


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send there")
def test_judging_continues_after_ctrl_c(model, chat_server):
    """Every answer that was paid for is kept, and no pair is paid for twice."""

    def slowly(query, document):
        time.sleep(0.05)
        return truth(query, document)

    model.grade = slowly
    process = start(chat_server[1], stderr=subprocess.PIPE)
    wait_until(lambda: model.n_requests >= 6 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    output, message = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    kept = read_grades("golden")
    assert 6 <= len(kept) == model.n_requests < N_PAIRS
    stored = "All answers so far are stored; repeat the command to continue."
    assert message == f"{stored}\nInterrupted.\n"
    model.grade = truth
    process = start(chat_server[1], stderr=subprocess.PIPE)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"{len(kept)} grades were stored before; {N_PAIRS - len(kept)} calls now" in output
    grades = read_grades("golden")
    assert len({one.place for one in grades}) == len(grades) == model.n_requests == N_PAIRS
    assert grades[: len(kept)] == kept
