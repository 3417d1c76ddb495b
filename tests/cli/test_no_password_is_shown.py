"""Messages do not repeat the password of an address, whatever argument it was passed as."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

ADDRESSES = [
    "postgresql+psycopg://ada:hunter2@db/quality",
    "mysql://ada:hunter2@db/quality",
    "postgresql://ada:hunter2@127.0.0.1:1/quality?connect_timeout=1",
    "host=db password=hunter2",
    "host=db:5432 password=hunter2",
    "ada:hunter2@db/quality",
]
SYSTEM = ["--queries", "queries.jsonl", "-o", "out.run"]
COMMANDS = [
    ("history", "ADDRESS"),
    ("inspect", "ADDRESS"),
    ("convert", "ADDRESS", "out.run"),
    ("evaluate", "qrels.txt", "ADDRESS"),
    ("evaluate", "ADDRESS", "a.run"),
    ("compare", "qrels.txt", "a.run", "ADDRESS"),
    ("gate", "--judgments", "qrels.txt", "--run", "ADDRESS", "--at-least", "P@1=0.1"),
    ("trec_eval", "qrels.txt", "ADDRESS"),
    ("archive", "info", "ADDRESS"),
    ("archive", "export", "ADDRESS", "out"),
    ("serve", "--archive", "ADDRESS"),
    ("token", "list", "--archive", "ADDRESS"),
    ("token", "create", "ada", "--archive", "ADDRESS"),
    ("retrieve", "--system", "ADDRESS", *SYSTEM),
    ("retrieve", "ADDRESS", *SYSTEM),
    ("retrieve", "--system", "postgres", "--dsn", "ADDRESS", *SYSTEM),
    ("quality", "--system", "ADDRESS"),
    ("quality", "--system", "postgres", "--dsn", "ADDRESS"),
    ("golden", "check", "--system", "ADDRESS"),
    ("tune", "--system", "ADDRESS"),
    ("gate", "--system", "ADDRESS"),
    ("baseline", "save", "--system", "ADDRESS"),
    ("init", "--system", "ADDRESS"),
    ("init", "--print", "--system", "ADDRESS"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with queries."""
    monkeypatch.chdir(tmp_path)
    Path("queries.jsonl").write_text('{"id": "q1", "query": "oauth"}\n')
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("a.run").write_text("q1 Q0 d1 1 1.0 a\n")
    return tmp_path


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_history_is_not_written_to_an_address(folder, address):
    """It is not written to a file of that name, either."""
    arguments = ["evaluate", "qrels.txt", "a.run", "--history", address]
    result = CliRunner().invoke(main, arguments, prog_name="berryeval")
    assert (result.exit_code, "hunter2" in result.output) == (2, False)
    assert {path.name for path in folder.iterdir()} == {"a.run", "qrels.txt", "queries.jsonl"}


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_password_is_shown(folder, command, address):
    """It appears neither on the terminal nor in a file."""
    arguments = [address if one == "ADDRESS" else one for one in command]
    result = CliRunner().invoke(main, arguments, prog_name="berryeval")
    assert result.exit_code not in (0, 70), result.output
    assert "hunter2" not in result.output
    for path in folder.rglob("*"):
        assert "hunter2" not in path.name
        assert path.is_dir() or "hunter2" not in path.read_text(errors="replace"), path


@pytest.mark.parametrize(
    "system",
    [
        "https://search.example/?q={query}&api_key=hunter2",
        "opensearch:https://ada:hunter2@search.example/docs",
    ],
)
def test_init_writes_no_key(system):
    """The file is meant for version control."""
    result = CliRunner().invoke(main, ["init", "--print", "--system", system])
    assert (result.exit_code, "hunter2" in result.output) == (2, False)
    assert "--system: expected an address without a password or key" in result.output


@pytest.mark.parametrize("system", ["hybrid", "my_app:find", "postgresql://ada@db/quality",
                                    "https://search.example/?q={query}&n={k}"])  # fmt: skip
def test_init_takes_systems_without_secrets(system):
    """The user names of databases are not secret."""
    result = CliRunner().invoke(main, ["init", "--print", "--system", system])
    assert result.exit_code == 0, result.output
    assert system in result.output
