"""Write beir_values.json: what the metrics of BEIR 2.2.0 return for a small test set.

BEIR requires PyTorch, so the tests compare with stored values. To write them again::

    python -m venv beir && beir/bin/pip install --no-deps beir==2.2.0
    beir/bin/python tests/compat/make_beir_values.py
"""

import importlib.util
import json
import random
from pathlib import Path

K_VALUES = [1, 3, 5, 10, 100]


def make_data():
    """Return judgments with grades below 0, and a run without ties that lacks two queries."""
    draw = random.Random(18)  # noqa: S311 - a test set
    documents = [f"d_{number}" for number in range(1, 61)]
    qrels, run = {}, {}
    for number in range(1, 21):
        query = f"q_{number}"
        judged = draw.sample(documents[:40], draw.randint(1, 4))
        qrels[query] = {document: draw.choice([-1, 0, 1, 1, 2]) for document in judged}
        qrels[query][documents[number]] = 1
        scores = draw.sample(range(1000), len(documents))
        run[query] = {
            document: score / 8
            for document, score in zip(documents, scores, strict=True)
            if draw.random() < 0.5
        }
    del run["q_7"], run["q_11"]
    run["q_3"] = dict([*run["q_3"].items()][:4])  # shorter than most cutoffs
    return qrels, run


def main():
    """Write the file next to this one."""
    import beir

    # The package itself imports PyTorch; the module of the metrics does not.
    path = Path(beir.__file__).parent / "retrieval" / "custom_metrics.py"
    spec = importlib.util.spec_from_file_location("custom_metrics", path)
    metrics = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metrics)
    qrels, run = make_data()
    means = {}
    for metric in (metrics.mrr, metrics.recall_cap, metrics.hole, metrics.top_k_accuracy):
        means |= metric(qrels, run, K_VALUES)
    found = {"qrels": qrels, "run": run, "means": means}
    path = Path(__file__).with_name("beir_values.json")
    path.write_text(json.dumps(found, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
