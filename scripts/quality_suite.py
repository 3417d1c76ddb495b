"""The retrieval quality suite as CI runs it: embedded and on PostgreSQL, with reports to keep.

``make quality`` runs it. What fails the build is a mean below its threshold, a mean that is lower
than that of the committed baseline by more than `MARGIN`, on these queries, or a query that was
not answered. PostgreSQL is the one at --dsn, or a throw-away server that the tests bring.
``--save`` makes what is found today the committed baseline.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from berryeval.evaluation.baseline import Baseline  # noqa: E402 - the tests' server comes first
from berryeval.evaluation.gate_rules import GateRules  # noqa: E402
from berryeval.evaluation.guards import Margin, MarginGuard  # noqa: E402
from berryeval.evaluation.verdict import GateResult  # noqa: E402
from berryeval.reports.gate import gate_table  # noqa: E402
from berryeval.reports.layout import tables_to_text  # noqa: E402
from berryeval.reports.rendering import render_quality  # noqa: E402
from berryeval.search import open_system  # noqa: E402
from berryeval.suite.gate import decide  # noqa: E402
from berryeval.suite.quality import TABLE, QualityResult, run_quality  # noqa: E402
from berryeval.suite.settings import Settings  # noqa: E402

SYSTEMS = ("hybrid", "postgres")
BASELINES = ROOT / "tests" / "quality" / "baselines"
REPORTS = {"html": "html", "json": "json", "md": "markdown", "xml": "junit"}
GUARDED = ("RR@10", "P@5", "R@10", "nDCG@10")
MARGIN = 0.02
"""About what rounding on another processor could change, and less than anybody would notice."""


def main() -> None:
    """Run the suite, write reports, and exit with 1 if it fails."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--dsn", help="an address of PostgreSQL with pgvector")
    options.add_argument("--output", type=Path, default=ROOT / "build" / "quality")
    options.add_argument("--save", action="store_true", help="replace the committed baseline")
    chosen = options.parse_args()
    logging.getLogger("berryeval").addHandler(logging.NullHandler())  # the tables show everything
    has_failed = False
    with server(chosen.dsn) as dsn:
        for name in SYSTEMS:
            result = run(name, dsn)
            write_reports(result, chosen.output)
            if chosen.save:
                save_baseline(result)
            print(render_quality(result, "table"))
            has_failed |= not holds(result)
    print(f"The reports are in {chosen.output}.")
    sys.exit(1 if has_failed else 0)


@contextmanager
def server(dsn: str | None) -> Iterator[str]:
    """Give the address of PostgreSQL, of a server of our own unless one is named."""
    if dsn is not None:
        yield dsn
        return
    from search.postgres_server import running_server

    with running_server() as (address, _):
        yield address


def run(name: str, dsn: str | None) -> QualityResult:
    """Run the golden set that ships against a system."""
    place = dsn if name.startswith("postgres") else None
    with open_system(name, dsn=place, table=TABLE) as system:
        return run_quality(system)


def write_reports(result: QualityResult, folder: Path) -> None:
    """Write the reports of a system; before anything is decided, so that a failure has them."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, form in REPORTS.items():
        (folder / f"{result.system}.{ending}").write_text(
            render_quality(result, form), encoding="utf-8"
        )


def holds(result: QualityResult) -> bool:
    """Return whether a system may pass, and print why not."""
    if result.failures:
        print(f"FAIL: {result.system} failed on {len(result.failures)} queries\n")
        return False
    decided = against_baseline(result)
    print(f"Against the committed baseline: {result.system}")
    print(tables_to_text(gate_table(decided)))
    return result.gate.verdict == decided.verdict == "pass"


def against_baseline(result: QualityResult) -> GateResult:
    """Compare a result with the committed baseline, by the point difference."""
    golden = result.golden
    guards = tuple(MarginGuard(m, Margin(MARGIN)) for m in golden.at_level(GUARDED))
    return decide(
        Settings(gate=GateRules(guards, inference="set", holes="report")),
        golden.judgments,
        result.run,
        {query.query_id: query for query in golden.queries},
        baseline=Baseline.read(BASELINES / f"{result.system}.json"),
    )


def save_baseline(result: QualityResult) -> None:
    """Make what is found today the committed baseline."""
    golden = result.golden
    BASELINES.mkdir(parents=True, exist_ok=True)
    Baseline.make(
        result.system,
        golden.judgments,
        result.run,
        golden.at_level(GUARDED),
        queries={query.query_id: query for query in golden.queries},
        corpus=golden.content_hash[:16],
        settings=result.settings,
    ).save(BASELINES / f"{result.system}.json")


if __name__ == "__main__":
    main()
