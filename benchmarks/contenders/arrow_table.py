"""Print, as JSON, how long a Parquet file takes: JUDGMENTS RUN."""

from __future__ import annotations

import json
import sys
import time

import polars as pl

import berryeval as be


def main() -> None:
    """Measure the read by polars, and the evaluation on top of it."""
    judgments = be.read_judgments(sys.argv[1])
    best = {"read": float("inf"), "evaluate": float("inf")}
    for _ in range(3):
        start = time.perf_counter()
        frame = pl.read_parquet(sys.argv[2])
        read = time.perf_counter()
        be.evaluate(judgments, frame, ["nDCG@10", "AP", "RR", "R@100", "P@10"])
        best["read"] = min(best["read"], read - start)
        best["evaluate"] = min(best["evaluate"], time.perf_counter() - read)
    print(json.dumps(best))


if __name__ == "__main__":
    main()
