"""Print, as JSON, how long the local engine takes for a data set, in a process of its own.

``local.py ROWS CORES``. Readers have threads of their own, so the process is kept on its cores.
For the time of the engine alone, each file is scored by itself when it is in memory, as a task of
Spark scores what it has. That time is the processor's, since Java and Python share two processors
in Spark.
"""

from __future__ import annotations

import json
import os
import sys
import time

from pyarrow import parquet
from rows import JUDGED_PER_QUERY, ROWS_PER_QUERY, dataset

import berryeval as be
from berryeval.formats.parquet_folder import files_in

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Success@5"]


def main() -> None:
    """Measure a whole evaluation, and the engine on tables that are in memory."""
    n_cores = int(sys.argv[2])
    os.sched_setaffinity(0, range(n_cores))
    os.environ["BERRYEVAL_THREADS"] = str(n_cores)
    data = dataset(int(sys.argv[1]))
    start = time.perf_counter()
    whole = be.evaluate(data.judgments, data.run, MEASURES).to_dict()
    seconds = time.perf_counter() - start
    judgments = parquet.read_table(data.judgments)  # in the order of the run, 20 rows per query
    scoring, n_judged = 0.0, 0
    for file in files_in(data.run):
        table = parquet.read_table(file)
        n_own = table.num_rows // ROWS_PER_QUERY * JUDGED_PER_QUERY
        own = judgments.slice(n_judged, n_own)
        n_judged += n_own
        start = time.process_time()
        be.evaluate(own, table, MEASURES)
        scoring += time.process_time() - start
    print(json.dumps({"seconds": seconds, "scoring": scoring, "means": whole}))


if __name__ == "__main__":
    main()
