"""Kill the service and call it with whatever may come, and write the counts into its page.

The tests are those of `make test`, with more kills and more examples. ``make soak`` runs it;
the counts are in docs/reference/service.md only if nothing failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from service_page import machine, replace_block

ROOT = Path(__file__).parents[1]
TESTS = ("tests/service/test_killed_server.py", "tests/service/test_description_fuzzed.py")
WRITES = {
    "E5": "judgments by `/v1/evaluation/judgments`",
    "judgments": "judgments by `/v1/judgments`",
    "runs": "runs",
    "queries": "queries",
    "documents": "documents for a store",
}


def main() -> None:
    """Run the tests, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument(
        "--only", choices=["kills", "examples"], help="leave the others as they are"
    )
    parser.add_argument("--workers", type=int, default=1, help="of each service; not written")
    wanted = parser.parse_args()
    # Examples are tried within one process.
    only = "kills" if wanted.workers > 1 else wanted.only
    tests = {"kills": TESTS[:1], "examples": TESTS[1:]}.get(only, TESTS)
    with tempfile.TemporaryDirectory() as folder:
        message = {
            "KILLS": str(wanted.kills),
            "SCHEMATHESIS_EXAMPLES": str(wanted.examples),
            "SOAK_FIGURES": folder,
            "SOAK_WORKERS": str(wanted.workers),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *tests]
        subprocess.run(command, cwd=ROOT, env=os.environ | message, check=True)
        counts = {path.stem: json.loads(path.read_text()) for path in Path(folder).glob("*.json")}
    if wanted.workers > 1:
        print(*kill_lines(counts), sep="\n")
        return
    if wanted.only != "examples":
        replace_block("kills", kill_lines(counts))
    if wanted.only != "kills":
        replace_block("examples", example_lines(counts["examples"]))


def kill_lines(counts):
    """Return a table of the kills, a row for each database."""
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    lines = [
        f"{machine()}.",
        "",
        "| archive | kills | acknowledged writes | lost | half-written |",
        "|---|---|---|---|---|",
    ]
    for backend, name in names.items():
        found = counts.get(f"kills-{backend}")
        if found is not None:
            lines.append(
                f"| {name} | {found['kills']} | {found['acknowledged']:,} | {found['lost']} "
                f"| {found['half_written']} |"
            )
    by_kind = counts["kills-sqlite"]["by_kind"]
    message = ", ".join(f"{by_kind[kind]:,} of {words}" for kind, words in WRITES.items())
    return [*lines, "", f"With SQLite the writes were {message}."]


def example_lines(found):
    """Return a table of what schemathesis tried."""
    return [
        "| operations | examples each | sequences | requests | failures |",
        "|---|---|---|---|---|",
        f"| {found['operations']} | {found['examples']} good, {found['examples']} bad "
        f"| {found['sequences']} | {found['requests']:,} | {found['failures']} |",
    ]


if __name__ == "__main__":
    main()
