"""Fetch a real trec_eval to compare with: version 9.0.4, as Anserini ships it.

The source archive of pyserini on the package index that pip is set up to use holds Anserini's
jar, and that the program for several platforms. Only the program is kept, in .cache/conformance;
nothing is built or installed, and nothing of it is part of BerryEval.

    python scripts/fetch_trec_eval.py [--required]

Where it cannot be had, one line says why; with --required that is a failure.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from pathlib import Path

ARCHIVE = "pyserini-1.6.0.tar.gz"
PROGRAM = Path(__file__).parents[1] / ".cache" / "conformance" / "trec_eval-9.0.4"

# Path of the program in the jar, and its hash, by operating system and processor.
MEMBERS = {
    ("Linux", "x86_64"): (
        "trec_eval/trec_eval-linux-amd64",
        "a282ee9c22966f306c4bcbbfda9142ff22f371012a2994782194e6afdadbe6e4",
    ),
}


class UnavailableError(Exception):
    """The program cannot be had here."""


def main() -> int:
    """Fetch the program, unless it is there already."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--required", action="store_true", help="fail where it cannot be had")
    required = parser.parse_args().required
    try:
        fetch()
    except UnavailableError as error:
        print(f"No trec_eval 9.0.4 to compare with: {error}", file=sys.stderr)
        return 1 if required else 0
    return 0


def fetch() -> None:
    """Put the program into its place, and check its hash."""
    machine = (platform.system(), platform.machine())
    if machine not in MEMBERS:
        raise UnavailableError(f"there is none for {' '.join(machine)}")
    member, digest = MEMBERS[machine]
    if not PROGRAM.exists():
        PROGRAM.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PROGRAM.parent) as folder:
            jar = Path(folder) / "anserini.jar"
            _extract_jar(_link(), jar)
            with zipfile.ZipFile(jar) as archive:
                PROGRAM.write_bytes(archive.read(member))
    found = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()
    if found != digest:
        PROGRAM.unlink()
        raise UnavailableError(f"expected a program with hash {digest}, found {found}")
    PROGRAM.chmod(0o755)


def _link() -> str:
    """Return where the archive lies, asked of pip, which knows index, proxy and mirrors."""
    name = ARCHIVE.partition("-")[0]
    # Twice verbose, it names every file it finds. Nothing is downloaded or built.
    command = [sys.executable, "-m", "pip", "index", "versions", name, "-vv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(rf"\S+/{re.escape(ARCHIVE)}", done.stdout + done.stderr)
    if found is None:
        raise UnavailableError(f"pip finds no {ARCHIVE}")
    return found[0]


def _extract_jar(link: str, jar: Path) -> None:
    """Read the archive as it comes, as far as the jar."""
    print(f"Fetching {link} (165 MB)", file=sys.stderr)
    try:
        with (
            urllib.request.urlopen(link, timeout=60) as response,  # noqa: S310 - from pip
            tarfile.open(fileobj=response, mode="r|gz") as archive,
        ):
            for entry in archive:
                source = archive.extractfile(entry) if entry.name.endswith(".jar") else None
                if source is not None:
                    with jar.open("wb") as target:
                        shutil.copyfileobj(source, target)
                    return
    except (OSError, tarfile.TarError) as error:
        raise UnavailableError(f"{link}: {error}") from error
    raise UnavailableError(f"{link}: expected a jar, found none")


if __name__ == "__main__":
    sys.exit(main())
