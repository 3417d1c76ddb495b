"""The exit code of a process, independent of its output."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import berryeval
from berryeval.cli import main
from cli.forked_commands import ForkedCommands
from depth import IS_DEEP

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")

QRELS = "q1 0 d1 1\nq2 0 d1 0\nq2 0 d2 1\n"
RUN = "q1 Q0 d1 1 2.5 bm25\nq2 Q0 d1 1 2 bm25\n"
NEVER_ANSWERS = "def find(query, k):\n    raise OSError('down')\n"

MODULES = [
    *("berryeval.cli.evaluate", "berryeval.cli.gate", "berryeval.cli.retrieve"),
    *("berryeval.cli.trec_eval", "berryeval.suite.gate"),
]

BY_EXIT_CODE = [
    (0, "evaluate qrels a.run"),
    (0, "gate --judgments qrels --run a.run --at-least P@1=0.1"),
    (1, "gate --judgments qrels --run a.run --at-least P@1=0.9"),
    (1, "gate --judgments qrels --run a.run --at-least P@1=0.9 --json"),
    (2, "gate --judgments qrels --run nowhere --at-least P@1=0.9"),
    (2, "evaluate qrels"),
    (3, "gate --judgments qrels --run a.run --baseline b.run --margin nDCG@10=0.01"),
    (4, "retrieve broken:find --queries queries.jsonl --retries 0 -o -"),
    (0, "trec_eval qrels a.run"),
    (1, "trec_eval -m nothing qrels a.run"),
    (2, "trec_eval qrels nowhere"),
    (7, "trec_eval qrels other.run"),
]


@pytest.fixture
def folder(tmp_path):
    """A folder with data."""
    for name, text in {
        "qrels": QRELS,
        "a.run": RUN,
        "b.run": "q1 Q0 d2 1 2.5 x\nq2 Q0 d1 1 2 x\n",
        "other.run": "q9 Q0 d1 1 2 x\n",
        "queries.jsonl": '{"id": "q1", "query": "berries"}\n',
        "broken.py": NEVER_ANSWERS,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def bash(command, folder, environment):
    """Run a command line; its exit code is that of the first command that fails."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def shell(folder):
    """Run a command line in the folder; `berryeval` is this interpreter's."""
    here = f"{sys.executable} -m berryeval "
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    return lambda command: bash(command.replace("berryeval ", here), folder, environment)


@pytest.fixture(scope="module")
def forked():
    """Processes of `berryeval` that do not import their modules again."""
    commands = ForkedCommands(MODULES)
    yield commands
    commands.close()


@pytest.fixture
def quick_shell(folder, forked):
    """Run a command line in the folder; `berryeval` is forked."""
    return lambda command: bash(command, folder, forked.environment())


PIPES = ("| true", "2>&1 | true", "2>&1 >/dev/null | true")


@pytest.mark.parametrize(
    ("code", "command", "pipe"),
    [
        (*case, pipe)
        for number, case in enumerate(BY_EXIT_CODE)
        for pipe in (PIPES if IS_DEEP else PIPES[number % 3 :][:1])
    ],
)
def test_the_exit_code_survives_a_closed_pipe(quick_shell, code, command, pipe):
    """Output, messages or both may go to a closed pipe; by day, one of them for each command."""
    done = quick_shell(f"berryeval {command} {pipe}")
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1", ">(true)", "-"])
def test_the_exit_code_survives_an_output_that_is_a_closed_pipe(quick_shell, place):
    """This holds for any name of the pipe in `-o`."""
    gate = "berryeval gate --judgments qrels --run a.run --at-least P@1=0.9 --format html"
    done = quick_shell(f"{gate} -o {place} | true")
    assert (done.returncode, "rror" in done.stderr.replace("error threshold", "")) == (1, False)


def test_output_longer_than_a_pipe_ends_silently(shell):
    """The rest is dropped."""
    done = shell("berryeval measures --json | head -c 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "{", "")


def test_a_closed_stream_is_not_an_error(shell):
    """A daemon may start a command without any streams."""
    assert shell("berryeval evaluate qrels a.run >&- 2>&- <&-").returncode == 0
    assert (
        shell("berryeval gate --judgments qrels --run a.run --at-least P@1=0.9 >&-").returncode == 1
    )
    assert shell("berryeval evaluate qrels nowhere 2>&-").returncode == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "evaluate qrels a.run",
        "evaluate qrels a.run --json",
        "evaluate qrels a.run -o /dev/full",
        "gate --judgments qrels --run a.run --at-least P@1=0.1",
        "convert a.run -",
        "trec_eval qrels a.run",
    ],
)
def test_output_that_cannot_be_written_is_exit_code_2(quick_shell, command):
    """One line gives the reason, even if the command itself succeeded."""
    done = quick_shell(f"berryeval {command} >/dev/full")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith("No space left on device\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
def test_messages_that_cannot_be_written_do_not_change_the_exit_code(shell):
    """A log on a full disk does not affect a failing gate."""
    gate = "berryeval gate --judgments qrels --run a.run --at-least P@1=0.9 --log-level info"
    assert shell(f"{gate} 2>/dev/full").returncode == 1
    assert shell("berryeval nothing 2>/dev/full").returncode == 2


@pytest.mark.parametrize("seconds", [0.02, 1.5])
def test_ctrl_c_is_one_line_and_exit_code_130(tmp_path, seconds):
    """This holds while modules are imported, and while waiting for a pipe."""
    (tmp_path / "qrels").write_text(QRELS)
    program = (
        # The parent of the tests may ignore interrupts, which processes inherit.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from berryeval.__main__ import run; import sys; "
        "sys.stderr.write('.'); sys.stderr.flush(); run()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "evaluate", str(tmp_path / "qrels"), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.read(1) == b"."
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        message = process.stderr.read()
        assert (process.wait(), message) == (130, b"Interrupted.\n")


def test_ctrl_c_while_options_are_read_is_one_line(monkeypatch):
    """Click itself would print Aborted and exit with 1."""

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "make_context", interrupted)
    result = CliRunner().invoke(main, ["evaluate"])
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")


def test_the_script_imports_nothing_before_it_handles_ctrl_c():
    """An interrupt before `run` is a traceback of the interpreter; it takes about a millisecond."""
    root = Path(berryeval.__file__).parents[1]
    program = (
        f"import sys; before = {{*sys.modules}}; sys.path.insert(0, {str(root)!r}); "
        "import berryeval.__main__; print(*sorted({*sys.modules} - before))"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, check=True
    )
    assert set(found.stdout.decode().split()) <= {
        "__future__", "atexit", "berryeval", "berryeval.__main__", "berryeval._lazy", "gc",
    }  # fmt: skip
