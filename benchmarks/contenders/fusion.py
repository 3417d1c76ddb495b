"""Fuse two runs in memory: LIBRARY N_QUERIES DEPTH.

Calls every method once, which compiles or loads what it needs, and prints their names. Then reads
names from standard input, calls each method, and prints the seconds that it took, and those of
all processors.
"""

import json
import random
import sys
import time

METHODS = {
    "rrf": ("rrf", None, {"k": 60}),
    "wsum, min-max": ("wsum", "min-max", {"weights": [0.7, 0.3]}),
    "mnz, zmuv": ("mnz", "zmuv", {}),
}


def make_run(n_queries: int, depth: int, seed: int) -> dict[str, dict[str, float]]:
    """Draw half of the documents of a query from a pool that both runs share; scores fall."""
    draw = random.Random(seed)
    run = {}
    for query in range(n_queries):
        pool = range(query * 37, query * 37 + 2 * depth)
        documents = draw.sample(pool, depth)
        run[f"q{query}"] = {f"D{doc:08}": 30.0 - 0.01 * i for i, doc in enumerate(documents)}
    return run


def main() -> None:
    """Build the runs, and call methods as they are asked for."""
    library, n_queries, depth = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    runs = [make_run(n_queries, depth, seed) for seed in (1, 2)]
    if library == "ranx":
        from ranx import Run, fuse

        held = [Run(run) for run in runs]

        def call(method, norm, params):
            return fuse(held, norm, method, params)
    else:
        import berryeval as be

        held = [be.Run.from_dict(run) for run in runs]

        def call(method, norm, params):
            return be.fuse(held, method, norm=norm, **params)

    for arguments in METHODS.values():
        call(*arguments)
    print(json.dumps([*METHODS]), flush=True)
    for line in sys.stdin:
        start, used = time.perf_counter(), time.process_time()
        call(*METHODS[line.strip()])
        print(time.perf_counter() - start, time.process_time() - used, flush=True)


if __name__ == "__main__":
    main()
