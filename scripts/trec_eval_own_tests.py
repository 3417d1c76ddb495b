"""Run the tests that trec_eval ships against ours, and write the result into the page.

    python scripts/trec_eval_own_tests.py 9.0.8=FOLDER 10.0=FOLDER

FOLDER is a checkout of that version of trec_eval. The target quicktest of its Makefile pipes the
program's output into diff; here ours is compared with the same file. Nothing is built, and nothing
of trec_eval becomes part of BerryEval.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "conformance.md"
MARKS = (
    "<!-- own tests: written by scripts/trec_eval_own_tests.py -->",
    "<!-- end of own tests -->",
)
# Its value depends on memory that was never set, in this measure of 10.0 alone.
_UNDEFINED = re.compile(rb"^Z?rbp(_p=\S*)? *\t", re.MULTILINE)
_TEST = re.compile(r"^\t\./trec_eval (.*?) *\| *diff - (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What came of one command of a version's tests."""

    arguments: str
    n_lines: int
    n_differing: int
    n_undefined: int
    """Lines of rbp, which are not compared."""


def main(versions: list[str]) -> int:
    """Run the tests of each version, write the page, and return 1 if a line differs."""
    found: dict[str, list[Outcome]] = {}
    for one in versions:
        version, _, folder = one.partition("=")
        found[version] = run_tests(Path(folder), version)
    PAGE.write_text(with_section(PAGE.read_text("utf-8"), section(found)), "utf-8")
    n_differing = sum(one.n_differing for own in found.values() for one in own)
    print(f"wrote {PAGE.name}; lines that differ: {n_differing}")
    return 1 if n_differing else 0


def run_tests(folder: Path, version: str) -> list[Outcome]:
    """Run every command of quicktest, and compare with what the version's authors expect."""
    _, _, rest = (folder / "Makefile").read_text("utf-8").partition("\nquicktest:")
    target, _, _ = rest.partition("\n\n")
    return [
        _run(folder, version, " ".join(arguments.split()), folder / expected)
        for arguments, expected in _TEST.findall(target)
    ]


def _run(folder: Path, version: str, arguments: str, expected: Path) -> Outcome:
    command = [sys.executable, "-m", "berryeval", "trec_eval", "--compat", version]
    done = subprocess.run(  # noqa: S603 - commands that trec_eval ships
        [*command, *shlex.split(arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        check=False,
    )
    lines = expected.read_bytes().splitlines()
    wanted = [line for line in lines if not _UNDEFINED.match(line)]
    printed = [line for line in done.stdout.splitlines() if not _UNDEFINED.match(line)]
    n_differing = abs(len(wanted) - len(printed)) + sum(
        line != ours for line, ours in zip(wanted, printed, strict=False)
    )
    return Outcome(arguments, len(wanted), n_differing, len(lines) - len(wanted))


def section(found: dict[str, list[Outcome]]) -> list[str]:
    """Return the lines of the page: what was run, and a table of each version."""
    lines = [
        "Each version of trec_eval ships commands, input files and the output of the program.",
        "`berryeval trec_eval --compat` runs the same commands on the same files, and every line "
        "is compared with that output.",
        "",
    ]
    for version, outcomes in found.items():
        n_lines = sum(one.n_lines for one in outcomes)
        n_differing = sum(one.n_differing for one in outcomes)
        n_undefined = sum(one.n_undefined for one in outcomes)
        text = f"**{version}**: of {n_lines:,} lines, {n_differing:,} differ."
        if n_undefined:
            text += (
                f" {n_undefined:,} lines of `rbp` are not compared: the program reads memory that "
                "was never set, and its value depends on the compiler. Ours does not print `rbp`."
            )
        rows = [
            f"| `{one.arguments.replace('test/', '')}` | {one.n_lines:,} | {one.n_differing:,} |"
            for one in outcomes
        ]
        lines += [text, "", "| command | lines | that differ |", "|---|---:|---:|", *rows, ""]
    return lines


def with_section(page: str, lines: list[str]) -> str:
    """Return a page with other lines between the marks."""
    before, _, rest = page.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return "\n".join([before + MARKS[0], "", *lines, MARKS[1]]) + after


def section_of(page: str) -> list[str]:
    """Return the lines that a page has between the marks."""
    _, _, rest = page.partition(MARKS[0])
    return rest.partition(MARKS[1])[0].strip("\n").splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
