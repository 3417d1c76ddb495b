"""Counts of long-running tests, stored for the page that reports them."""

import json
import os
from pathlib import Path


def note(name, counts):
    """Write counts to the folder in `SOAK_FIGURES`, if it is set."""
    folder = os.environ.get("SOAK_FIGURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.json").write_text(json.dumps(counts), encoding="utf-8")
