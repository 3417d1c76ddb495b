"""The how-to on judging with a model: every command, against the program among the examples."""

import importlib.util
import re
import shlex
import subprocess
import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "judge-with-a-model.md"
BLOCK = re.compile(r"^```console\n\$ ([^\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
N_COMMANDS = 10
"""From the draw to proposed queries; those that set up or do not end are not among them."""


def example():
    """Return the module of the example."""
    path = Path("examples/pretend_model.py")
    spec = importlib.util.spec_from_file_location("pretend_model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def address(tmp_path, monkeypatch):
    """The examples and what they write, in the working directory, and the served model."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["examples"]).exit_code == 0
    assert call("python examples/pretend_model.py write") == "Wrote golden/, old.run and new.run.\n"
    server = ThreadingHTTPServer(("127.0.0.1", 0), example().Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def call(command):
    """Run a command of the page, and return what it prints."""
    program, *words = shlex.split(command)
    if program == "python":
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
        return done.stdout
    assert program == "berryeval"
    result = CliRunner().invoke(main, words, prog_name="berryeval")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_commands_print_what_the_page_shows(address):
    """From the draw to a corrected difference and an archive; ports differ, figures do not."""
    text = PAGE.read_text(encoding="utf-8")
    commands = [(command, output) for command, output in BLOCK.findall(text) if output.strip()]
    commands = [one for one in commands if not one[1].startswith("$ ")]
    assert len(commands) == N_COMMANDS
    for command, expected in commands:
        shown = call(command.replace("$JUDGE", f"openai:qwen3@http://{address}/v1"))
        shown = "\n".join(line.rstrip() for line in shown.splitlines())
        shown = re.sub(r"admitted on [-\d]+", "admitted on 2026-11-18", shown)
        assert figures(shown.replace(address, "localhost:11434")) == figures(expected.rstrip())


def figures(text):
    """Return a text without input tokens: the port decides which pairs are judged again."""
    return re.sub(r"[\d,]+(?= input)|(?<=estimated  )[\d,]+", "N", text)


def test_ten_thousand_pairs_rest_on_two_hundred(address):
    """The title is what the example does: 200 pairs by people, and 10,000 by the model."""
    assert address
    text = PAGE.read_text(encoding="utf-8")
    assert "Rests on 200 human and 10,000 model judgments." in text
    runs = [Path(f"{name}.run").read_text().splitlines() for name in ("old", "new")]
    pairs = {tuple(line.split()[:3:2]) for lines in runs for line in lines}
    assert len(pairs) == 10_000
    assert len({query_id for query_id, _ in pairs}) == 2_500


def test_the_example_explains_itself():
    """Without a command it prints what there is."""
    program = PAGE.parents[2] / "examples" / "pretend_model.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "python pretend_model.py serve" in done.stderr
