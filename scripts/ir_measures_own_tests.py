"""Run ir_measures' own tests with BerryEval as its provider, and without it.

The tests are part of its source distribution, which is downloaded in the version that
constraints.txt pins. Every test must have the same result in both runs, or the exit code is 1.
Some fail in both: providers are not installed, and the distribution lacks a module and data files.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import ir_measures

from berryeval.errors import BerryEvalError
from berryeval.measures import parse_measure

ROOT = Path(__file__).parents[1]
REGISTERED = "from berryeval.compat.ir_measures import register\n\nregister()\n"


def download(folder: Path) -> Path:
    """Return the tests of the source distribution."""
    words: list[str | Path] = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps",
             "--no-binary", "ir-measures",
             "--require-hashes", "--constraint", "constraints.txt",
             "--dest", folder, "ir-measures"]  # fmt: skip
    subprocess.run(words, cwd=ROOT, check=True)  # noqa: S603 - written above
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (tests,) = folder.glob("*/tests")
    return tests


def results(tests: Path, conftest: str) -> dict[str, bool]:
    """Run the tests, and return whether each passed."""
    (tests / "conftest.py").write_text(conftest)
    report = tests / "report.xml"
    words = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider",
             "--continue-on-collection-errors", f"--junitxml={report}", "--rootdir"]  # fmt: skip
    subprocess.run([*words, tests, tests], check=False, capture_output=True)  # noqa: S603 - written above
    cases = ET.parse(report).iter("testcase")  # noqa: S314 - pytest wrote it
    return {f"{one.get('classname')}.{one.get('name')}": len(one) == 0 for one in cases}


def expressions(tests: Path) -> Iterator[str]:
    """Iterate over the measures in the tests, each once, also those that are a part of another."""
    found: dict[str, None] = {}
    for path in sorted(tests.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.expr):
                continue
            try:
                value = eval(  # noqa: S307 - expressions of the tests that run anyway
                    compile(ast.Expression(node), path.name, "eval"),
                    {**vars(ir_measures), "ir_measures": ir_measures},
                )
            except Exception:  # noqa: BLE001, S112 - one that is not a measure
                continue
            if isinstance(value, ir_measures.Measure) and "lambda" not in str(value):
                found[str(value)] = None
    return iter(found)


def can_parse(expression: str) -> bool:
    """Whether BerryEval has a measure of this name."""
    try:
        parse_measure(expression)
    except BerryEvalError:
        return False
    return True


def main() -> None:
    """Run both, and print the counts."""
    with tempfile.TemporaryDirectory() as folder:
        tests = download(Path(folder))
        without, with_ours = results(tests, ""), results(tests, REGISTERED)
        names = [*expressions(tests)]
    print(
        f"ir_measures {ir_measures.__version__}: {sum(with_ours.values())} of {len(with_ours)} of "
        f"its tests pass with BerryEval as the provider, {sum(without.values())} without; "
        f"{sum(map(can_parse, names))} of the {len(names)} measures in them can be parsed"
    )
    others = sorted(name for name in without if without[name] != with_ours.get(name))
    for name in others:
        print(f"a different result: {name}")
    sys.exit(1 if others or not without else 0)


if __name__ == "__main__":
    main()
