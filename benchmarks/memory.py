"""Print, as JSON, how much memory a call over five million queries takes beyond its inputs.

Linux only: there the high-water mark of a process can be reset before the call.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from data import make_arrays

from berryeval import metrics


def status(field: str) -> int:
    """Return a field of this process's status, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def main() -> None:
    """Score five million queries, and see how far memory rose."""
    arrays = make_arrays(5_000_000, 10, 5)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = metrics.ndcg(*arrays, 10)
    added = status("VmHWM") - before
    inputs = arrays.retrieved.nbytes + arrays.relevant.nbytes
    print(json.dumps({"inputs": inputs, "outputs": result.nbytes, "added": added}))


if __name__ == "__main__":
    main()
