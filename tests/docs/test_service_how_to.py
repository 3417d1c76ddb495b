"""The how-to of the service: every command of it, with what it prints."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-the-service.md"


def blocks():
    """Commands with what they print; those that install, serve or let others in are left out."""
    found = re.findall(
        r"```bash\n(.*?)```(?:\n+```json\n(.*?)```)?", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    return [(command, printed) for command, printed in found if "berryeval serve" not in command]


def last_of(output):
    """The last of several values of JSON."""
    rest = output.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].lstrip()
    return value


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_commands_print_what_the_page_shows(tmp_path):
    """One after the other, against a service that has just been started."""
    help_text = subprocess.run(["curl", "--help", "all"], capture_output=True, text=True)  # noqa: PLW1510
    if "--json" not in help_text.stdout:
        pytest.skip("this curl has no --json")
    server = subprocess.Popen(
        [sys.executable, "-m", "berryeval", "serve", "--port", "0", "--log-level", "error"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = re.search(r"http://\S+:\d+", server.stdout.readline())[0]
        marker = "@next@"
        script = f"\necho {marker}\n".join(command for command, _ in blocks())
        done = subprocess.run(
            ["bash", "-euc", script.replace("http://127.0.0.1:8765", address)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        server.stdout.close()
    outputs = done.stdout.split(marker)
    assert len(outputs) == len(blocks())
    n_compared = 0
    for output, (command, printed) in zip(outputs, blocks(), strict=True):
        if printed:
            assert last_of(output) == json.loads(printed), command
            n_compared += 1
    assert n_compared >= 4
