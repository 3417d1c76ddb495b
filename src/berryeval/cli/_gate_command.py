"""The command of a gate, as messages of other commands suggest it."""

from __future__ import annotations

import shlex

__all__ = ["EXAMPLE_MARGIN", "gate_command"]

EXAMPLE_MARGIN = "0.05"


def gate_command(judgments: str, baseline: str, run: str, margin: str) -> str:
    """Return the command that compares a run with a baseline, for a shell."""
    options = {"--judgments": judgments, "--baseline": baseline, "--run": run, "--margin": margin}
    flags = " ".join(f"{flag} {shlex.quote(value)}" for flag, value in options.items())
    return f"berryeval gate {flags}"
