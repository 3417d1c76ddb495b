"""No command overwrites a file that it reads."""

import json
import os
import shutil
import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.core.files import write_whole
from berryeval.core.inputs import keep_inputs, note_input, refuse_input
from berryeval.errors import FormatError
from small_golden_set import write_golden_set

QRELS = "q1 0 d1 1\nq2 0 d1 1\nq2 0 d2 0\n"
RUN = "q1 Q0 d1 1 2.5 bm25\nq2 Q0 d1 1 2 bm25\n"
SETTINGS = (
    'judgments = "qrels"\nrun = "a.run"\nbaseline = "b.run"\n'
    'queries = "queries.jsonl"\ntimings = "timings"\n'
    '[gate]\n[[gate.guard]]\nmeasure = "P@1"\nat_least = 0.1\n'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Change to a folder with one file of each kind of input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "system", raising=False)
    for name, text in {
        "qrels": QRELS,
        "a.run": RUN,
        "b.run": RUN.replace("2.5", "2.4"),
        "queries.jsonl": '{"id": "q1", "query": "one"}\n{"id": "q2", "query": "two"}\n',
        "queries.2.jsonl": '{"id": "q1", "query": "one"}\n',
        "system.py": "def find(query, k):\n    return ['d1']\n",
        "timings": '{"query_id": "q1", "ms": 1}\n',
        "berryeval.toml": SETTINGS,
    }.items():
        (tmp_path / name).write_text(text)
    berryeval("evaluate", "qrels", "a.run", "--history", "h.jsonl")
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


COMMANDS = [
    ("qrels", "evaluate qrels a.run -o qrels"),
    ("a.run", "evaluate qrels a.run --json -o a.run"),
    ("queries.jsonl", "evaluate qrels a.run --queries queries.jsonl --json -o queries.jsonl"),
    ("qrels", "evaluate qrels a.run --history qrels"),
    ("b.run", "compare qrels a.run b.run --json -o b.run"),
    ("qrels", "compare qrels a.run b.run -o qrels"),
    ("qrels", "gate -o qrels"),
    ("a.run", "gate --json -o a.run"),
    ("b.run", "gate --json -o ./b.run"),
    ("berryeval.toml", "gate --json -o berryeval.toml"),
    ("queries.jsonl", "gate --format table -o queries.jsonl"),
    ("qrels", "convert qrels qrels"),
    ("a.run", "convert a.run a.run --to jsonl"),
    ("a.run", "retrieve --system replay:a.run --queries queries.jsonl -o a.run"),
    ("queries.jsonl", "retrieve --system replay:a.run --queries queries.jsonl -o queries.jsonl"),
    (
        "queries.jsonl",
        "retrieve --system replay:a.run --queries queries.jsonl -o c.run --timings queries.jsonl",
    ),
    ("qrels", "explain qrels a.run b.run --query q1 -o qrels"),
    ("a.run", "holes qrels a.run --format csv -o a.run"),
    ("h.jsonl", "history h.jsonl --json -o h.jsonl"),
    ("qrels", "holes qrels a.run --format trec -o qrels"),
    ("qrels", "power qrels a.run --against b.run -o qrels"),
    ("system.py", "retrieve --system system:find --queries queries.jsonl -o system.py"),
    (
        "queries.2.jsonl",
        "retrieve --system system:find --queries queries.2.jsonl -o queries.jsonl --repeat 2",
    ),
]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_an_input_is_never_overwritten(folder, name, command):
    """The exit code is 2, the message names the file, and no file changes."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = berryeval(*command.split())
    assert result.exit_code == 2, result.output
    assert "is an input of this command" in result.stderr
    assert "write the output to another file" in result.stderr
    assert name in result.stderr
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before


def test_every_path_to_a_file_is_recognised(folder):
    """Symbolic links, hard links, absolute paths and detours are the same file."""
    (folder / "soft").symlink_to("qrels")
    os.link(folder / "qrels", folder / "hard")
    (folder / "sub").mkdir()
    for name in ("soft", "hard", str(folder / "qrels"), "sub/../qrels"):
        result = berryeval("evaluate", "qrels", "a.run", "-o", name)
        assert result.exit_code == 2
        assert f"{name}: is an input of this command (qrels)" in result.stderr
    assert (folder / "qrels").read_text() == QRELS
    assert berryeval("evaluate", "soft", "a.run", "-o", "qrels").exit_code == 2
    assert (folder / "qrels").read_text() == QRELS


def test_documents_and_golden_sets_are_inputs(folder):
    """A report must not replace an indexed document."""
    golden = write_golden_set(folder / "golden")
    path = next((golden / "test-documents").rglob("*.md"))
    before = path.read_bytes()
    result = berryeval("golden", "check", str(golden), "--json", "-o", str(path))
    assert result.exit_code == 2
    assert "is an input of this command" in result.stderr
    assert path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="standard input is a descriptor there")
def test_standard_input_may_be_a_protected_file(folder, monkeypatch):
    """`berryeval evaluate - a.run -o qrels < qrels` keeps qrels."""
    with keep_inputs(), (folder / "qrels").open("rb") as source:
        monkeypatch.setattr("berryeval.core.inputs._STANDARD_INPUT", source.fileno())
        note_input("-")
        with pytest.raises(FormatError, match=r"input of this command \(standard input\)"):
            refuse_input("qrels")


def test_other_files_are_replaced(folder):
    """Existing files that are not inputs are replaced, compressed or not."""
    shutil.copy("qrels", "copy")
    assert berryeval("evaluate", "qrels", "a.run", "-o", "copy").exit_code == 0
    assert berryeval("evaluate", "qrels", "a.run", "-o", "copy").exit_code == 0
    assert (folder / "copy").read_text() != QRELS
    assert berryeval("evaluate", "qrels", "a.run", "-o", "/dev/null").exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        "evaluate qrels a.run --history h.jsonl --json -o h.jsonl",
        "evaluate qrels a.run --history h.jsonl --json -o ./h.jsonl",
        "evaluate qrels a.run --history h.jsonl --json -o soft.json",
        "evaluate qrels a.run --history new.jsonl --json -o sub/../new.jsonl",
        "quality --history h.jsonl --json -o h.jsonl",
        "quality --report new.html -o new.html",
        "gate --report new.html -o new.html",
        "gate --report new.html --report ./new.html",
        "gate --config history.toml --json -o h.jsonl",
        "retrieve --system replay:a.run --queries queries.jsonl -o c.run --timings c.run",
        "retrieve --system replay:a.run --queries queries.jsonl -o c.run --timings c.2.run "
        "--repeat 2",
        "retrieve --system replay:a.run --queries queries.jsonl -o c.run --timings c.run.progress",
    ],
)
def test_two_outputs_never_share_a_file(folder, command):
    """Otherwise one would replace the other, so nothing is written."""
    (folder / "soft.json").symlink_to("h.jsonl")
    (folder / "sub").mkdir()
    (folder / "history.toml").write_text(f'history = "h.jsonl"\n{SETTINGS}')
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = berryeval(*command.split())
    assert result.exit_code == 2, result.output
    assert "Two outputs use the same file" in result.stderr
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before


def test_an_output_and_a_history_may_be_written_at_once(folder):
    """They are two files, or standard output and a file."""
    for output in ("-", "out.json", os.devnull):
        result = berryeval("evaluate", "qrels", "a.run", "-o", output, "--history", "h.jsonl")
        assert result.exit_code == 0
    assert len((folder / "h.jsonl").read_text().splitlines()) == 4


@pytest.mark.parametrize("content", [RUN, '{"query_id": "q1"}\n', "SQLite format 3\0", "[1]\n"])
def test_only_a_history_is_appended_to(folder, content):
    """A run or an archive is not changed."""
    (folder / "other").write_text(content)
    result = berryeval("evaluate", "qrels", "a.run", "--history", "other")
    assert result.exit_code == 2
    assert "Error: other: is not a history of evaluations; use a new file" in result.stderr
    assert (folder / "other").read_text() == content


@pytest.mark.parametrize("content", ["", "\n", '{"version":1,"time":"2026-01-'])
def test_a_history_may_be_empty_or_truncated(folder, content):
    """`touch` or a crash may leave it so."""
    (folder / "other").write_text(content)
    assert berryeval("evaluate", "qrels", "a.run", "--history", "other").exit_code == 0


def test_a_baseline_is_updated_in_place(folder):
    """It is the only command that replaces its input."""
    assert berryeval("baseline", "save", "--baseline", "main.json").exit_code == 0
    (folder / "a.run").write_text(RUN.replace("d1 1 2.5", "d9 1 2.5"))
    result = berryeval("baseline", "update", "--baseline", "main.json")
    assert result.exit_code == 0, result.output
    assert "1.0000 -> 0.5000" in result.output
    assert json.loads((folder / "main.json").read_text())


def test_a_file_named_partial_is_not_changed(folder):
    """Temporary names are unique."""
    shutil.copy("qrels", "out.partial")
    assert berryeval("evaluate", "out.partial", "a.run", "-o", "out").exit_code == 0
    assert (folder / "out.partial").read_text() == QRELS


def test_python_may_write_a_file_it_read(folder):
    """A program decides for itself."""
    note_input("qrels")
    write_whole("qrels", [b"new"])
    assert (folder / "qrels").read_bytes() == b"new"
