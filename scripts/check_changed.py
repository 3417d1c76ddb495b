"""Print the tests that concern what changed since the last commit, or since another one.

A changed test file is one of them; so is every test file that imports a changed module or whose
name begins with the module's, and the module itself, for its doctests. ``make check`` runs them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = "src/"
_IMPORTED = re.compile(
    r"^\s*(?:from (berryeval[\w.]*) import ([\w, ()]+)|import (berryeval[\w.]*))"
)


def changed_since(commit: str) -> list[str]:
    """Return the Python files that differ from a commit, new ones included."""
    asked = (
        ["git", "diff", "--name-only", "--diff-filter=d", commit],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    found = [
        subprocess.run(  # noqa: S603 - both are written above
            words, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for words in asked
    ]
    return sorted({line for text in found for line in text.splitlines() if line.endswith(".py")})


def module_of(path: str) -> str:
    """Return the name of a module.

    >>> module_of("src/berryeval/stats/power.py"), module_of("src/berryeval/stats/__init__.py")
    ('berryeval.stats.power', 'berryeval.stats')
    """
    name = path.removeprefix(SOURCE).removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def imported_by(text: str) -> Iterator[str]:
    """Yield the names of modules, and what may be modules, that a file imports.

    >>> sorted(imported_by("from berryeval.stats import power\\nimport berryeval.core"))
    ['berryeval.core', 'berryeval.stats', 'berryeval.stats.power']
    """
    for line in text.splitlines():
        if found := _IMPORTED.match(line):
            package, names, module = found.groups()
            yield package or module
            for name in re.findall(r"\w+", names or ""):
                yield f"{package}.{name}"


def tests_of(changed: Iterable[str]) -> list[str]:
    """Return what pytest has to run."""
    changed = [*changed]
    modules = {module_of(path): path for path in changed if path.startswith(SOURCE)}
    stems = {Path(path).stem for path in modules.values()}
    chosen = {path for path in changed if Path(path).name.startswith("test_")} | {*modules.values()}
    for path in (ROOT / "tests").rglob("test_*.py"):
        is_named = any(path.stem.removeprefix("test_").startswith(stem) for stem in stems)
        if is_named or modules.keys() & {*imported_by(path.read_text(encoding="utf-8"))}:
            chosen.add(path.relative_to(ROOT).as_posix())
    return sorted(chosen)


if __name__ == "__main__":
    print("\n".join(tests_of(changed_since(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))))
