"""`berryeval serve` and `berryeval token`."""

import queue
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from berryeval.archive import Archive
from berryeval.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder without settings."""
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no signal says to stop there")
def test_serve_prints_its_address_and_stops_on_a_signal(tmp_path):
    """The output has the addresses of the service and the docs, and the exit code is 0."""
    command = [sys.executable, "-m", "berryeval", "serve", "--port", "0", "--archive", "a.db"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127.0.0.1:\d+", line)[0]
        assert line == f"Workbench: {address}, API: {address}/docs, archive: a.db\n"
        assert httpx.get(f"{address}/readyz", timeout=60).status_code == 200
        process.terminate()
        assert process.stdout.read() == "Stopped.\n"
    assert process.returncode == 0


def test_a_busy_port_creates_no_archive(tmp_path):
    """The message names the option, and the folder is unchanged."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert done.exit_code == 2
    assert f"port {port} is already in use" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_serve_requires_a_token_for_remote_access():
    """One line shows the command that creates one."""
    done = run("serve", "--host", "0.0.0.0", "--port", "0", "--archive", "a.db")  # noqa: S104
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: host 0.0.0.0: other machines can reach the service, and there is no token; "
        "create one: berryeval token create NAME --role admin --archive a.db\n"
    )


def test_a_revoked_token_does_not_count():
    """At least one valid token is required."""
    run("token", "create", "ada", "--archive", "a.db")
    run("token", "revoke", "ada", "--archive", "a.db")
    done = run("serve", "--host", "0.0.0.0", "--port", "0", "--archive", "a.db")  # noqa: S104
    assert done.exit_code == 2


def test_serve_reports_a_port_that_is_in_use():
    """The message names the port and the option to choose another."""
    run("token", "create", "ada", "--archive", "a.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port), "--archive", "a.db", "--require-token")
    assert done.exit_code == 2
    assert f"port {port} is already in use; choose another with --port" in done.stderr


def test_serve_reads_its_settings_from_the_file(tmp_path):
    """`[service]` names the archive, relative to the file."""
    (tmp_path / "berryeval.toml").write_text(
        '[service]\nhost = "0.0.0.0"\nport = 0\narchive = "kept.db"\n'
        '[systems.words]\nsystem = "bm25"\n'
    )
    done = run("serve")
    assert "--archive kept.db" in done.stderr
    assert (tmp_path / "kept.db").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[service]\nprot = 1\n", "service.prot: unknown key; did you mean 'port'?"),
        ("[service]\nallowed_hosts = [1]\n", "service.allowed_hosts: expected names, got 1"),
        ("[service]\nport = 99999\n", "port: expected a number from 0 to 65535, got 99999"),
        ("[systems]\nwords = 1\n", 'systems.words: expected a table with system = "…", got 1'),
        ("[systems.words]\nmode = 1\n", 'systems.words: expected a table with system = "…"'),
    ],
)
def test_invalid_settings_are_rejected(tmp_path, text, expected):
    """The message has the key and the nearest known one."""
    (tmp_path / "berryeval.toml").write_text(text)
    done = run("serve")
    assert (done.exit_code, expected in done.stderr) == (2, True), done.stderr


def test_a_token_is_shown_once_and_works():
    """The printed token is accepted by the archive."""
    token = run("token", "create", "ci", "--role", "judge", "--archive", "a.db").stdout.strip()
    with Archive.open("a.db") as archive:
        found = archive.tokens.verify(token)
    assert (found.name, found.role) == ("ci", "judge")
    again = run("token", "create", "ci", "--archive", "a.db")
    assert (again.exit_code, "'ci'" in again.stderr) == (2, True)


def test_tokens_are_listed_and_revoked():
    """Roles and times are shown, but never the tokens."""
    missing = run("token", "list", "--archive", "a.db")
    assert (missing.exit_code, Path("a.db").exists()) == (5, False)
    Archive.open("a.db").close()
    assert "No tokens yet" in run("token", "list", "--archive", "a.db").stdout
    token = run("token", "create", "ci", "--archive", "a.db").stdout.strip()
    listed = run("token", "list", "--archive", "a.db").stdout
    assert "ci" in listed
    assert token not in listed
    assert run("token", "revoke", "ci", "--archive", "a.db").stdout == "Revoked the token of ci.\n"
    twice = run("token", "revoke", "ci", "--archive", "a.db")
    assert (twice.exit_code, twice.stderr) == (2, "Error: there is no token 'ci'\n")


@pytest.mark.parametrize(
    ("command", "extra"), [(("serve",), "service"), (("token", "list"), "archive")]
)
def test_a_missing_extra_is_named(command, extra):
    """The message is one line."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(('fastapi', 'sqlalchemy')); "
        "from berryeval.__main__ import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command, "--archive", "a.db"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"pip install 'berryeval[{extra}]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_demonstration_rejects_an_archive_with_data(tmp_path):
    """The exit code is 2, and the message suggests what to do."""
    from berryeval.core.query import Query

    with Archive.open(tmp_path / "mine.db") as archive:
        archive.queries.put([Query("q1", "what?")])
    done = run("serve", "--demo", "--archive", "mine.db")
    assert done.exit_code == 2
    assert "expected an empty archive for the demo, got queries in mine.db" in done.stderr


def test_the_browser_is_opened_when_the_service_listens(monkeypatch):
    """It opens the printed address."""
    opened = queue.Queue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    monkeypatch.setattr(
        "berryeval.service.server.serve",
        lambda _archive, _settings, _listener, report: report("http://here:1"),
    )
    done = run("serve", "--open", "--port", "0", "--archive", "a.db")
    assert done.exit_code == 0, done.output
    assert opened.get(timeout=10) == "http://here:1"
