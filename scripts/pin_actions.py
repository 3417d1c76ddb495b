"""Pin the actions and images of workflows to the commits and digests behind their tags.

``uses: actions/checkout@v4`` becomes ``uses: actions/checkout@<commit>  # v4``, and
``image: pgvector/pgvector:pg17`` becomes ``image: pgvector/pgvector:pg17@sha256:<digest>``, as does
an image after ``FROM``. The owner of a tag can move it; a commit or a digest always names the same
content. ``make release`` runs this script, on a machine that can reach GitHub and the image
registry. Lines that are already pinned are resolved again from their tag. If any line cannot be
resolved, no file is written and the exit code is 1.
"""

import argparse
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[1]
FILES = (
    *sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    ROOT / "action.yml",
    ROOT / "deploy" / "compose.yaml",
    ROOT / "deploy" / "Containerfile",
)

# Actions of this repository (./) are part of the commit. `container:` may also start a mapping.
KEY = re.compile(r"^[\s-]*(?:(?P<key>uses|image|container):\s+(?!\./|#)\S|FROM )")
USES = re.compile(
    r"(?P<start>\buses: )(?P<name>[\w.-]+/[\w./-]+)@(?P<ref>[\w.-]+)(?:\s+#\s*(?P<tag>\S+))?\s*$"
)
IMAGE = re.compile(
    r"(?P<start>\b(?:image: |container: |FROM ))(?P<name>[\w./-]+):(?P<tag>[\w.-]+)"
    r"(?:@sha256:\w{64})?(?P<end>(?: AS \w+)?)\s*$"
)
COMMIT = re.compile(r"[0-9a-f]{40}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
"""Media types of images: for several platforms, then for one."""
SECONDS = 60
"""How long an answer may take."""

Resolve = Callable[[str, str], str]


class UnresolvedError(Exception):
    """A line cannot be pinned."""


def commit_of(name: str, tag: str, github: str) -> str:
    """Return the commit of a tag or branch of a repository."""
    repository = "/".join(name.split("/")[:2])
    # An annotated tag is an object of its own; ^{} is the commit that it names.
    refs = (f"refs/tags/{tag}^{{}}", f"refs/tags/{tag}", f"refs/heads/{tag}")
    try:
        answer = subprocess.run(  # noqa: S603
            ["git", "ls-remote", "--", f"{github}/{repository}", *refs],  # noqa: S607
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},  # otherwise, git asks for a password
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnresolvedError(f"{repository}@{tag}: {error}") from None
    found = {ref: commit for commit, ref in map(str.split, answer.stdout.splitlines())}
    for ref in refs:
        if not answer.returncode and COMMIT.fullmatch(found.get(ref, "")):
            return found[ref]
    raise UnresolvedError(f"{repository}@{tag}: {answer.stderr.strip() or 'there is no such tag'}")


def digest_of(name: str, tag: str, registry: str) -> str:
    """Return the digest of an image, from the API of container registries."""
    path = name if "/" in name else f"library/{name}"
    url = f"{registry}/v2/{path}/manifests/{tag}"
    accept = {"Accept": ", ".join(MANIFESTS)}
    try:
        try:
            answer = _request(url, "HEAD", accept)
        except HTTPError as refused:
            if refused.code != 401:  # noqa: PLR2004 - Unauthorized: a token is needed
                raise
            token = _anonymous_token(refused.headers.get("WWW-Authenticate", ""))
            answer = _request(url, "HEAD", accept | {"Authorization": f"Bearer {token}"})
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UnresolvedError(f"{name}:{tag}: {type(error).__name__}: {error}") from None
    digest: str = answer.headers.get("Docker-Content-Digest", "")
    if not DIGEST.fullmatch(digest):
        raise UnresolvedError(f"{name}:{tag}: the registry returned no digest")
    return digest


def _anonymous_token(challenge: str) -> str:
    """Return the token that a registry gives to everyone, from where its challenge says."""
    fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    query = urlencode({key: fields[key] for key in ("service", "scope")})
    return str(json.load(_request(f"{fields['realm']}?{query}"))["token"])


def _request(url: str, method: str = "GET", headers: dict[str, str] | None = None) -> HTTPResponse:
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"expected an https address, found {url}")
    request = Request(url, headers=headers or {}, method=method)  # noqa: S310 - checked above
    answer: HTTPResponse = urlopen(request, timeout=SECONDS)  # noqa: S310
    return answer


def pinned(line: str, commit: Resolve, digest: Resolve) -> str:
    """Return a line of a workflow with its action or image pinned."""
    if not KEY.match(line):
        return line
    if uses := USES.search(line):
        name, tag = uses["name"], uses["tag"] or uses["ref"]
        if COMMIT.fullmatch(tag):
            raise UnresolvedError(f"{name}@{tag}: add a comment with its tag, such as '# v4'")
        return f"{line[: uses.start()]}{uses['start']}{name}@{commit(name, tag)}  # {tag}"
    if image := IMAGE.search(line):
        name, tag = image["name"], image["tag"]
        start = line[: image.start()] + image["start"]
        return f"{start}{name}:{tag}@{digest(name, tag)}{image['end']}"
    raise UnresolvedError(f"expected NAME@TAG or IMAGE:TAG, found {line.strip()!r}")


def main() -> None:
    """Resolve every line first, then write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    parser.add_argument("--github", default="https://github.com")
    parser.add_argument("--registry", default="https://registry-1.docker.io")
    wanted = parser.parse_args()

    @functools.cache
    def commit(name: str, tag: str) -> str:
        return commit_of(name, tag, wanted.github)

    @functools.cache
    def digest(name: str, tag: str) -> str:
        return digest_of(name, tag, wanted.registry)

    texts = {}
    for path in wanted.files:
        lines = path.read_text(encoding="utf-8").split("\n")
        try:
            texts[path] = "\n".join(pinned(line, commit, digest) for line in lines)
        except UnresolvedError as error:
            sys.exit(f"nothing was written: {path.name}: {error}")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
