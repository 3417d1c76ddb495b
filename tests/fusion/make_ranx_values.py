"""Write ranx_values.json: what ranx 0.3.21 fuses from a small test set.

ranx compiles for minutes and installs 700 MB, so the tests compare with stored values. To write
them again::

    python -m venv ranx && ranx/bin/pip install ranx==0.3.21
    ranx/bin/python tests/fusion/make_ranx_values.py
"""

import json
import random
from pathlib import Path

NORMS = [None, "min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda"]
WEIGHTS = [0.5, 0.3, 0.2]
SCORE_METHODS = {
    **{name: {} for name in ("min", "max", "med", "sum", "anz", "mnz")},
    "gmnz": {"gamma": 0.4},
    **{name: {"weights": WEIGHTS} for name in ("wsum", "wmnz", "mixed")},
}
RANK_METHODS = {
    "isr": {},
    "log_isr": {},
    "logn_isr": {"sigma": 0.2},
    "rrf": {"k": 20},
    "rbc": {"phi": 0.7},
    "bordafuse": {},
    "w_bordafuse": {"weights": WEIGHTS},
}
TRAINED_METHODS = {
    "mapfuse": {},
    "posfuse": {},
    "probfuse": {"n_segments": 4},
    "slidefuse": {"w": 2},
    "bayesfuse": {},
    "segfuse": {},
}
OPTIMISED = {
    **{name: {} for name in ("wsum", "wmnz", "mixed", "w_bordafuse", "rrf")},
    "gmnz": {"step": 0.1, "min_gamma": 0.1},
    "rbc": {"step": 0.1, "min_phi": 0.1, "max_phi": 0.8},
    "logn_isr": {"step": 0.1, "min_sigma": 0.1},
}
"""Methods with the limits of the grid that ranx searches."""
N_FIRST_SEGMENT = 5
"""Size of SegFuse's first segment; beyond it, ranx's segments differ from the paper's."""


def make_data():
    """Return judgments and three runs without ties, all with the same queries."""
    draw = random.Random(7)  # noqa: S311 - a test set
    documents = [f"d{number}" for number in range(1, 17)]
    qrels, runs = {}, {"one": {}, "two": {}, "three": {}}
    for query in (f"q{number}" for number in range(1, 7)):
        judged = draw.sample(documents, draw.randint(4, 9))
        qrels[query] = {document: draw.choice([0, 1, 1, 2]) for document in judged}
        for run in runs.values():
            scores = draw.sample(range(1, 800), len(documents))
            run[query] = {
                document: score / 8
                for document, score in zip(documents, scores, strict=True)
                if draw.random() < 0.6
            }
    return qrels, runs


def shorten(runs, n):
    """Return the first n documents of each ranking."""
    return {
        name: {
            query: dict(sorted(own.items(), key=lambda pair: -pair[1])[:n])
            for query, own in run.items()
        }
        for name, run in runs.items()
    }


def main():
    """Write the file next to this one."""
    from ranx import Qrels, Run, fuse, optimize_fusion
    from ranx.fusion import (
        bayesfuse_train,
        mapfuse_train,
        posfuse_train,
        probfuse_train,
        segfuse_train,
    )

    qrels, runs = make_data()
    found = {}

    def add(method, norm, params, data):
        fused = fuse([Run(run) for run in data.values()], norm=norm, method=method, params=params)
        found[f"{method} {norm}"] = {
            query: {document: float(f"{score:.11g}") for document, score in own.items()}
            for query, own in fused.to_dict().items()
        }

    for norm in NORMS:
        for method, params in SCORE_METHODS.items():
            add(method, norm, params, runs)
    for method, params in RANK_METHODS.items():
        add(method, None, params, runs)
    add("rrf", "min-max-inverted", {"k": 20}, runs)
    judged = Qrels(qrels)
    several = [Run(run) for run in runs.values()]
    add("mapfuse", None, {"map_scores": mapfuse_train(judged, several)}, runs)
    add("posfuse", None, {"probs": posfuse_train(judged, several)}, runs)
    add("slidefuse", None, {"probs": posfuse_train(judged, several), "w": 2}, runs)
    add("probfuse", None, {"probs": probfuse_train(judged, several, 4)}, runs)
    add("bayesfuse", None, {"log_odds": bayesfuse_train(judged, several)}, runs)
    short = shorten(runs, N_FIRST_SEGMENT)
    add("segfuse", "min-max", {"probs": segfuse_train(judged, [Run(r) for r in short.values()])},
        short)  # fmt: skip
    optimised = {}
    for method, limits in OPTIMISED.items():
        _, report = optimize_fusion(
            judged, several, method=method, metric="ndcg@5", return_optimization_report=True,
            show_progress=False, **limits,
        )  # fmt: skip
        optimised[method] = dict(zip(report.configs, map(float, report.results), strict=True))
    stored = {"qrels": qrels, "runs": runs, "fused": found, "optimised": optimised}
    content = json.dumps(stored, separators=(",", ":"))
    Path(__file__).with_name("ranx_values.json").write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
