"""ranx's part of `study_tuning.py`, which calls it with the Python that has ranx.

Reads JSON from standard input: a list of tasks. Writes the fused rankings of all queries for each
fold of each task. A Python without ranx has `berryeval.compat.ranx` do the same.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

try:
    from ranx import Qrels, Run, evaluate, fuse, optimize_fusion
except ImportError:
    from berryeval.compat.ranx import Qrels, Run, evaluate, fuse, optimize_fusion

_OPTIMISED = ("wsum", "rrf", "rbc", "mapfuse", "slidefuse")
_BY_RANK = ("rrf", "rbc", "isr", "bordafuse", "mapfuse", "slidefuse")


def main() -> None:
    """Choose without each fold, and fuse everything."""
    found = []
    with contextlib.redirect_stdout(sys.stderr):  # ranx prints its progress
        for asked in json.load(sys.stdin):
            found.append([_rankings(asked, {*fold}) for fold in asked["folds"]])
            print(asked["name"])
    json.dump(found, sys.stdout)


def _rankings(asked: dict[str, Any], left_out: set[str]) -> dict[str, list[str]]:
    qrels = {query: own for query, own in asked["qrels"].items() if query not in left_out}
    judged = Qrels(qrels)
    best: tuple[float, str, str | None, dict[str, Any]] | None = None
    for method in asked["methods"]:
        for norm in [None] if method in _BY_RANK else asked["norms"]:
            params = _optimised(asked, judged, left_out, method, norm)
            fused = fuse(_runs(asked, left_out), norm, method, params)
            mean = evaluate(judged, fused, asked["metric"])
            if best is None or mean > best[0]:
                best = mean, method, norm, params
    assert best is not None
    _, method, norm, params = best
    fused = fuse(_runs(asked, set()), norm, method, params).to_dict()
    return {
        query: sorted(scores, key=lambda one: -scores[one])[: asked["depth"]]
        for query, scores in fused.items()
    }


def _optimised(
    asked: dict[str, Any], judged: Qrels, left_out: set[str], method: str, norm: str | None
) -> dict[str, Any]:
    if method not in _OPTIMISED:
        return {}
    quiet = {} if method == "mapfuse" else {"show_progress": False}
    found: dict[str, Any] = optimize_fusion(
        judged, _runs(asked, left_out), norm=norm, method=method, metric=asked["metric"], **quiet
    )
    return found


def _runs(asked: dict[str, Any], left_out: set[str]) -> list[Run]:
    """Return new runs each time, since ranx may sort those that it gets."""
    return [
        Run({query: own for query, own in run.items() if query not in left_out})
        for run in asked["runs"]
    ]


if __name__ == "__main__":
    main()
