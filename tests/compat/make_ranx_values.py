"""Write ranx_values.json: what ranx 0.3.21 returns for a small test set.

ranx compiles for a minute and installs 700 MB, so the tests compare with stored values. To write
them again::

    python -m venv ranx && ranx/bin/pip install ranx==0.3.21
    ranx/bin/python tests/compat/make_ranx_values.py
"""

import json
import random
from pathlib import Path

METRICS = [
    *(f"{name}{k}{level}"
      for name in ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg",
                   "dcg_burges", "ndcg", "ndcg_burges")
      for k in ("", "@1", "@3", "@10", "@100")
      for level in ("", "-l2")),
    *("r-precision", "r-precision-l2", "bpref", "bpref-l2"),
]  # fmt: skip
BINARY_METRICS = ["rbp.95", "rbp.8", "rbp.50", "rbp@95"]
COMPARED = ["map@10", "mrr", "ndcg@10"]


def make_data():
    """Return judgments and three runs without ties, all with the same queries."""
    draw = random.Random(20)  # noqa: S311 - a test set
    queries = [f"q_{number}" for number in range(1, 13)]
    documents = [f"d_{number}" for number in range(1, 31)]
    qrels = {}
    runs = {"one": {}, "two": {}, "three": {}}
    for query in queries:
        judged = draw.sample(documents, draw.randint(6, 14))
        qrels[query] = {document: draw.choice([0, 0, 1, 1, 2, 3]) for document in judged}
        qrels[query] |= {"d_31": 0, "d_32": 2}  # bpref of ranx needs both kinds
        for quality, run in enumerate(runs.values()):
            scores = draw.sample(range(1000), len(documents))
            run[query] = {
                document: score / 8 + 40.3 * quality * qrels[query].get(document, 0)
                for document, score in zip(documents, scores, strict=True)
                if draw.random() < 0.8
            }
    return qrels, runs


def main():
    """Write the file next to this one."""
    from ranx import Qrels, Run, compare, evaluate

    qrels, runs = make_data()
    binary = {q: {d: min(grade, 1) for d, grade in own.items()} for q, own in qrels.items()}
    judged = Qrels(qrels)
    named = [Run(run, name=name) for name, run in runs.items()]
    scores = evaluate(judged, named[1], METRICS, return_mean=False)
    scores |= evaluate(Qrels(binary), named[1], BINARY_METRICS, return_mean=False)
    spread = evaluate(judged, named[1], "ndcg@10", return_std=True)
    found = {
        "qrels": qrels,
        "runs": runs,
        "scores": {name: list(map(float, values)) for name, values in scores.items()},
        "spread": {name: float(value) for name, value in spread.items()},
        "query_ids": named[1].get_query_ids(),
        "reports": {
            test: compare(judged, named, COMPARED, stat_test=test, max_p=0.05).to_dict()
            for test in ("student", "fisher", "tukey")
        },
        "table": str(compare(judged, named, COMPARED, max_p=0.05)),
    }
    path = Path(__file__).with_name("ranx_values.json")
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
