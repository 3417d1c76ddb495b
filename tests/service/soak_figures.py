"""Counts of long tests, kept for the page that states them."""

import json
import os
from pathlib import Path


def note(name, counts):
    """Write counts into the folder that `SOAK_FIGURES` names, if it names one."""
    folder = os.environ.get("SOAK_FIGURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.json").write_text(json.dumps(counts), encoding="utf-8")
