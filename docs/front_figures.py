"""Times in README and on other pages, taken from the benchmarks."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = [
    "DASH",
    "DIVERSITY_PAGE",
    "FRONT",
    "diversity_page",
    "front_page",
    "with_shares",
    "with_times",
]

DOCS = Path(__file__).parent
BENCHMARKS = DOCS / "reference" / "benchmarks-peers.md"
OWN_BENCHMARKS = DOCS / "reference" / "benchmarks.md"
DIVERSITY_PAGE = "../how-to/measure-diversity.md"
FRONT = ("../../README.md", "../index.md", "../explanation/limits.md", "../explanation/proofs.md")
"""Pages with such times, relative to the reference."""

_TOOLS = ("berryeval", "trec_eval", "pytrec_eval", "ranx", "ir_measures", "quepid", "ragas")
"""In the order of the columns."""
DASH = "\N{EN DASH}"
_SECTION = "### 6,980 queries x 1,000 rows"
_ROW = re.compile(r"^\| (\w+)[^|]*\| ([\d.]+) \| [\d.]+ \| (\d+) \|$", re.MULTILINE)


def front_page(name: str) -> str:
    """Return a page of `FRONT` with the times of the last run of `make bench-peers`."""
    text = (DOCS / "reference" / name).read_text(encoding="utf-8")
    return with_times(text, BENCHMARKS.read_text(encoding="utf-8"))


def with_times(text: str, benchmarks: str) -> str:
    """Return a page with the times of another; a tool that was not measured has a dash."""
    section = benchmarks[benchmarks.index(_SECTION) :]
    rows = _ROW.findall(section[: section.index("###", 3)])
    seconds = {tool: float(time) for tool, time, _ in rows}
    memory = {tool: number for tool, _, number in rows}
    shown = {tool: _shown(seconds.get(tool)) for tool in _TOOLS}
    own = shown["berryeval"]
    text = re.sub(
        r"^(\| \[(\w+)\]\(docs/how-to/[^)]*\) \| )[^|]*(?= \|)",
        lambda row: row[1] + shown[row[2].lower()],
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r"(a run of seven million rows takes )[\d.]+ s", rf"\g<1>{own}", text)
    cells = " | ".join(shown.values())
    text = re.sub(r"^(\| 7 million rows[^|]*\|).*$", rf"\g<1> {cells} |", text, flags=re.MULTILINE)
    others = ", ".join(f"{tool} {shown[tool]}" for tool in _TOOLS[1:] if tool in seconds)
    sentence = f"takes {own} and {memory['berryeval']} MB; other tools take longer: {others} ("
    return re.sub(r"takes [\d.]+ s and \d+ MB; .*? \((?=\[on two cores\])", sentence, text)


def diversity_page() -> str:
    """Return the page about measures of diversity with the times of the last `make bench`."""
    text = (DOCS / "reference" / DIVERSITY_PAGE).read_text(encoding="utf-8")
    return with_shares(text, OWN_BENCHMARKS.read_text(encoding="utf-8"))


def with_shares(text: str, benchmarks: str) -> str:
    """Return a page with the times of measures, as multiples of that of nDCG."""
    few, many = re.search(r"\| `alpha_nDCG@100` \| ([\d.]+) \| ([\d.]+) \|", benchmarks).groups()  # type: ignore[union-attr]  # a row of the table
    return re.sub(
        r"take [\d.]+ times as long as `nDCG` with 5 intents, and [\d.]+ times with",
        f"take {few} times as long as `nDCG` with 5 intents, and {many} times with",
        text,
    )


def _shown(seconds: float | None) -> str:
    if seconds is None:
        return DASH
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
