"""Print, as JSON, how long the local engine takes for a data set, in a process of its own.

``local.py ROWS`` with BERRYEVAL_THREADS set. Parquet is read file by file for the time of the
engine alone, so that 100 million rows need no memory for all of them.
"""

from __future__ import annotations

import json
import sys
import time

from pyarrow import parquet
from rows import dataset

import berryeval as be
from berryeval.formats.parquet_folder import files_in

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Success@5"]


def main() -> None:
    """Measure a whole evaluation, and the engine on tables that are in memory."""
    data = dataset(int(sys.argv[1]))
    start = time.perf_counter()
    whole = be.evaluate(data.judgments, data.run, MEASURES).to_dict()
    seconds = time.perf_counter() - start
    judgments = be.read_judgments(data.judgments)
    scoring = 0.0
    for file in files_in(data.run):
        table = parquet.read_table(file)
        start = time.perf_counter()
        be.evaluate(judgments, table, MEASURES)
        scoring += time.perf_counter() - start
    preparing = time.perf_counter()
    be.evaluate(judgments, table.slice(0, 1), MEASURES)  # judgments are made ready each time
    preparing = time.perf_counter() - preparing
    scoring -= preparing * (len(files_in(data.run)) - 1)
    print(json.dumps({"seconds": seconds, "scoring": scoring, "means": whole}))


if __name__ == "__main__":
    main()
