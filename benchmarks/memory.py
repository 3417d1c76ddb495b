"""Print, as JSON, how much memory two calls take beyond their inputs.

One scores five million queries, the other resamples 6,980 queries 10,000 times. Linux only: there
the high-water mark of a process can be reset before the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from data import make_arrays, make_differences

from berryeval import metrics
from berryeval.stats.resampling import flipped_means


def status(field: str) -> int:
    """Return a field of this process's status, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def measure(call: Callable, *arguments) -> dict[str, int]:
    """Call, and see how far memory rose."""
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = call(*arguments)
    added = status("VmHWM") - before
    inputs = sum(getattr(argument, "nbytes", 0) for argument in arguments)
    return {"inputs": inputs, "outputs": result.nbytes, "added": added}


def main() -> None:
    """Measure both."""
    resampling = measure(flipped_means, make_differences(), 10_000)
    scoring = measure(metrics.ndcg, *make_arrays(5_000_000, 10, 5), 10)
    print(json.dumps({"scoring": scoring, "resampling": resampling}))


if __name__ == "__main__":
    main()
