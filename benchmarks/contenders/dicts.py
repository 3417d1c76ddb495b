"""Print, as JSON, how long a dict of dicts takes: LIBRARY N_QUERIES DEPTH in-order|shuffled.

The best of three calls in one process, after one that warms up; making the judgments ready
counts, reading them from a file does not.
"""

from __future__ import annotations

import json
import random
import sys
import time


def make(n_queries: int, depth: int, *, shuffled: bool) -> tuple[dict, dict]:
    """Return judgments (12 a query) and a run."""
    draw = random.Random(3)
    run, judgments = {}, {}
    for i in range(n_queries):
        documents = [f"doc{draw.randrange(10**7)}" for _ in range(depth)]
        scores = sorted((draw.random() * 30 for _ in documents), reverse=True)
        rows = list(zip(documents, scores, strict=True))
        if shuffled:
            draw.shuffle(rows)
        run[f"q{i}"] = dict(rows)
        judged = draw.sample(documents, 8) + [f"doc{draw.randrange(10**7)}" for _ in range(4)]
        judgments[f"q{i}"] = {doc_id: draw.choice((0, 1, 1, 2)) for doc_id in judged}
    return judgments, run


def berryeval(judgments: dict, run: dict) -> object:
    import berryeval as be

    return be.evaluate(judgments, run, ["nDCG@10", "AP", "RR", "R@100", "P@10"]).to_dict()


def pytrec_eval(judgments: dict, run: dict) -> object:
    import pytrec_eval as peer

    names = {"ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10"}
    return peer.RelevanceEvaluator(judgments, names).evaluate(run)


def ranx(judgments: dict, run: dict) -> object:
    from ranx import Qrels, Run, evaluate

    names = ["ndcg@10", "map", "mrr", "recall@100", "precision@10"]
    return evaluate(Qrels(judgments), Run(run), names)


def main() -> None:
    """Measure one library."""
    library, n_queries, depth, order = sys.argv[1:]
    judgments, run = make(int(n_queries), int(depth), shuffled=order == "shuffled")
    small = {query_id: judgments[query_id] for query_id in list(judgments)[:10]}
    call = globals()[library]
    call(small, {query_id: run[query_id] for query_id in small})
    seconds = []
    for _ in range(1 if library == "ranx" else 3):
        start = time.perf_counter()
        call(judgments, run)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(seconds)}))


if __name__ == "__main__":
    main()
