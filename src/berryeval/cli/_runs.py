"""What commands that take several runs have in common."""

from __future__ import annotations

import os
from collections.abc import Sequence

from berryeval.errors import ArgumentError

__all__ = ["run_names"]

_STANDARD_INPUT = {"-": "standard input"}


def run_names(paths: Sequence[str]) -> list[str]:
    """Call runs by the names of their files, or by their paths where names are alike."""
    names = [_STANDARD_INPUT.get(path) or os.path.basename(path) for path in paths]  # noqa: PTH119
    if len(set(paths)) < len(paths):
        raise ArgumentError("RUN", "each run only once", ", ".join(paths))
    return names if len(set(names)) == len(names) else list(paths)
