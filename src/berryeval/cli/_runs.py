"""What commands that take several runs have in common."""

from __future__ import annotations

import os
from collections.abc import Sequence

from berryeval.errors import ArgumentError

__all__ = ["run_names"]


def run_names(paths: Sequence[str]) -> list[str]:
    """Call runs by the names of their files, or by their paths where names are alike."""
    names = [os.path.basename(path) for path in paths]  # noqa: PTH119 - pathlib is slow to import
    if len(set(paths)) < len(paths):
        raise ArgumentError("RUN", "each run once", ", ".join(paths))
    return names if len(set(names)) == len(names) else list(paths)
