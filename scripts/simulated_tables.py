"""Tables of simulations, written into the pages that explain them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["EXPLANATION", "write_table"]

EXPLANATION = Path(__file__).parents[1] / "docs" / "explanation"


def write_table(page: str, name: str, rows: Iterable[str]) -> None:
    """Replace what stands between two comments of a page, and print it."""
    path = EXPLANATION / page
    table = "\n".join(rows)
    print(table, flush=True)
    start, end = f"<!-- simulated: {name} -->\n", "<!-- end of simulated -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    _, found, after = rest.partition(end)
    assert found, f"{page} has no place for the table {name!r}"
    path.write_text(f"{before}{start}\n{table}\n\n{end}{after}", encoding="utf-8")
