"""The how-to with curl, executed against a real server."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from berryeval.archive import Archive
from berryeval.service.stores.stores import Stores
from berryeval.suite.settings import read_settings

pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq") and shutil.which("bash")),
    reason="needs bash, curl and jq",
)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-the-service-with-curl.md"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
NOT_HERE = ("pip install", "berryeval serve")


def environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return os.environ | {"PATH": scripts + os.pathsep + os.environ["PATH"]}


@pytest.fixture
def server(tmp_path):
    """Start a server in its own process, as on the page, on a free port."""
    process = subprocess.Popen(
        ["berryeval", "serve", "--port", "0"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process.stdout.readline()
    process.terminate()
    process.wait()
    process.stdout.close()


def test_the_commands_print_the_output_in_the_how_to(tmp_path, server):
    """They lead from an empty folder to a verdict, in one shell."""
    page = PAGE.read_text(encoding="utf-8")
    address = re.search(r"127\.0\.0\.1:\d+", server)[0]
    assert server.replace(address, "127.0.0.1:8765") in page
    script, expected = [], []
    for _kind, name, body in BLOCK.findall(page):
        if name:
            (tmp_path / name).write_text(body)
            continue
        for command, output in COMMAND.findall(body):
            if not command.startswith(NOT_HERE):
                script.append(command.replace("127.0.0.1:8765", address))
                expected.append((command, output))
    assert len(script) > 15
    done = subprocess.run(
        [
            "bash",
            "-c",
            "\n".join(f"{line}\nstatus=$?; printf '\\n@@%s\\n' $status" for line in script),
        ],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr, done.stderr
    shown = re.findall(r"(.*?)\n@@(\d+)\n", done.stdout, re.DOTALL)
    assert len(shown) == len(script)
    for (command, output), (printed, status) in zip(expected, shown, strict=True):
        assert (printed.rstrip("\n"), status) == (output.rstrip("\n"), "0"), command


def test_the_configuration_of_stores_is_valid(tmp_path):
    """The example on the page about ranking evaluation names two stores."""
    page = PAGE.parents[1] / "reference" / "rank-eval.md"
    (_kind, _name, body), *others = [
        block for block in BLOCK.findall(page.read_text(encoding="utf-8")) if block[0] == "toml"
    ]
    assert not others
    (tmp_path / "berryeval.toml").write_text(body, encoding="utf-8")
    settings = read_settings(tmp_path / "berryeval.toml")
    with Archive.open(tmp_path / "a.db") as archive:
        stores = Stores(archive, tmp_path, settings.systems)
        assert stores.names() == ["default", "products", "wiki"]
        assert stores.find("products").fingerprint()["ids"] == "hits.hits[*]._id"
