"""Actions and images are pinned to the commits and digests of their tags, or not at all."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "pin_actions.py"
DIGEST = "sha256:" + "5" * 64
WORKFLOW = """jobs:
  test:
    services:
      postgres:
        image: pgvector/pgvector:pg17
    steps:
      - uses: actions/checkout@v4
      - uses: ./
      - run: echo uses: nothing
"""


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def github(tmp_path_factory):
    """A folder of repositories, in which actions/checkout has an annotated tag."""
    place = tmp_path_factory.mktemp("github")
    folder = place / "actions" / "checkout"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "tag", "-a", "v4", "-m", "four")
    return place, git(folder, "rev-parse", "HEAD")


class Registry(BaseHTTPRequestHandler):
    """A registry that requires a token, like public registries."""

    def do_GET(self):
        assert "service=here" in self.path
        self.answer(200, b'{"token": "secret"}')

    def do_HEAD(self):
        if self.headers.get("Authorization") != "Bearer secret":
            realm = f"http://localhost:{self.server.server_port}/token"
            field = f'Bearer realm="{realm}",service="here",scope="pull"'
            self.answer(401, b"", **{"WWW-Authenticate": field})
        elif self.path == "/v2/pgvector/pgvector/manifests/odd":
            self.answer(200, b"", **{"Docker-Content-Digest": "sha256:123"})
        elif self.path != "/v2/pgvector/pgvector/manifests/pg17":
            self.answer(404, b"")
        else:
            self.answer(200, b"", **{"Docker-Content-Digest": DIGEST})

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def registry():
    with HTTPServer(("localhost", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


def pin(*paths, github, registry):
    command = [sys.executable, SCRIPT, *paths, "--github", github, "--registry", registry]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_tags_become_commits_and_digests(tmp_path, github, registry):
    """An annotated tag is resolved to its commit; local actions and other lines stay."""
    path = tmp_path / "tests.yml"
    path.write_text(WORKFLOW)
    place, commit = github
    assert pin(path, github=place, registry=registry).returncode == 0
    expected = WORKFLOW.replace("checkout@v4", f"checkout@{commit}  # v4")
    assert path.read_text() == expected.replace("pg17", f"pg17@{DIGEST}")


def test_pinned_versions_are_resolved_again(tmp_path, github, registry):
    """The tag in the comment is used, which lets the next release take newer versions."""
    path = tmp_path / "tests.yml"
    place, commit = github
    old = WORKFLOW.replace("checkout@v4", f"checkout@{'0' * 40}  # v4")
    path.write_text(old.replace("pg17", f"pg17@sha256:{'0' * 64}"))
    assert pin(path, github=place, registry=registry).returncode == 0
    assert f"checkout@{commit}  # v4\n" in path.read_text()
    assert f"pgvector:pg17@{DIGEST}\n" in path.read_text()


def test_base_images_are_pinned(tmp_path, github, registry):
    """The name of a stage is kept, and a pinned image is resolved again."""
    path = tmp_path / "Containerfile"
    old = f"pgvector/pgvector:pg17@sha256:{'0' * 64}"
    path.write_text(f"FROM pgvector/pgvector:pg17 AS build\nRUN true\nFROM {old}\n")
    assert pin(path, github=github[0], registry=registry).returncode == 0
    new = f"FROM pgvector/pgvector:pg17@{DIGEST}"
    assert path.read_text() == f"{new} AS build\nRUN true\n{new}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("actions/checkout@v5", "actions/checkout@v5: there is no such tag"),
        ("actions/nowhere@v4", "actions/nowhere@v4: fatal:"),
        (f"actions/checkout@{'0' * 40}", f"actions/checkout@{'0' * 40}: add a comment"),
        ("actions/checkout", "expected NAME@TAG or IMAGE:TAG, found '- uses: actions/checkout'"),
        ('"actions/checkout@v4"', "expected NAME@TAG or IMAGE:TAG"),
        ("docker://alpine:3", "expected NAME@TAG or IMAGE:TAG"),
    ],
)
def test_nothing_is_written_if_a_tag_is_unresolved(tmp_path, github, registry, text, reason):
    """An unknown tag, or a line without one, leaves every file unchanged."""
    good, bad = tmp_path / "good.yml", tmp_path / "bad.yml"
    good.write_text(WORKFLOW)
    bad.write_text(WORKFLOW.replace("actions/checkout@v4", text))
    before = bad.read_text()
    answer = pin(good, bad, github=github[0], registry=registry)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"nothing was written: bad.yml: {reason}")
    assert (good.read_text(), bad.read_text()) == (WORKFLOW, before)


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("pgvector/pgvector:pg99", "pgvector/pgvector:pg99: HTTPError: HTTP Error 404"),
        ("pgvector/pgvector:odd", "pgvector/pgvector:odd: the registry returned no digest"),
        ("pgvector/pgvector", "expected NAME@TAG or IMAGE:TAG"),
    ],
)
def test_an_image_without_a_digest_is_not_written(tmp_path, github, registry, image, reason):
    """An unknown tag, no tag, or a response that is no digest leaves the file unchanged."""
    path = tmp_path / "tests.yml"
    path.write_text(WORKFLOW.replace("pgvector/pgvector:pg17", image))
    before = path.read_text()
    answer = pin(path, github=github[0], registry=registry)
    assert answer.stderr.startswith(f"nothing was written: tests.yml: {reason}")
    assert (answer.returncode, path.read_text()) == (1, before)
