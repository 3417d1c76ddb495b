"""The figures in docs/reference/service.md: blocks between marks, written by programs."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

__all__ = ["machine", "replace_block"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "service.md"
SOAK = "make soak"
COMMANDS = {
    "figures": "make bench-service",
    "kills": SOAK,
    "examples": SOAK,
    "crowd": SOAK,
    "attacked": SOAK,
}


def machine() -> str:
    """Return what the figures were measured with, in a line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("fastapi", "starlette", "uvicorn"))
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} processors"


def replace_block(name: str, lines: Sequence[str]) -> None:
    """Write lines between the marks of a block, and print them."""
    begin = f"<!-- {name}: written by `{COMMANDS[name]}` -->"
    end = f"<!-- end of {name} -->"
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise SystemExit(f"{PAGE}: expected {begin} and {end}, found no such block")
    text = "\n".join((begin, "", *lines, "", end))
    PAGE.write_text(before + text + after, encoding="utf-8")
    print("\n".join(lines))
