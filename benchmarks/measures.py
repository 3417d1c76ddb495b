"""Time every measure natively, relative to nDCG. `make bench` has the table in its page.

Run it alone to print the table::

    python benchmarks/measures.py
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import _native
from berryeval.errors import BerryEvalError
from berryeval.measures import Measure, all_measures, parse_measure

__all__ = ["SETS", "WHY", "lines"]

N_QUERIES = 1000
DEPTH = 100
ROUNDS = 15
LIMIT = 3.0
"""Slower measures than this are explained on the page."""

SETS = {"5 intents, 100 judged": (5, 100), "10 intents, 300 judged": (10, 300)}
"""Intents and judged documents per query. A document serves each intent with probability 0.15."""

WHY = (
    "`alpha_nDCG`, `nERR_IA` and `nNRBP` build the greedy ideal ranking of each query, which nDCG "
    "has by sorting the grades. Every rank takes the document that gains most after those above "
    "it, so that the gains of all groups of documents that serve the same intents are added up "
    "again for each rank: their cost grows with ranks times groups. To keep gains in a heap, and "
    "look again only at those that could be the highest, takes longer: after every document "
    "nearly all gains have fallen. Reading the grades of all judged documents for all intents "
    "alone takes as long as nDCG, whose judgments are a tenth of them."
)


def lines() -> list[str]:
    """Return the section of the page."""
    found = {name: _ratios(*shape) for name, shape in SETS.items()}
    first = next(iter(found.values()))
    names = sorted(first, key=lambda name: -max(one[name] for one in found.values()))
    return [
        "## By measure",
        "",
        f"Best processor time of each measure divided by that of `nDCG@{DEPTH}`, for a run of "
        f"{N_QUERIES:,} queries x {DEPTH} documents in memory; the time of finding the documents "
        "among the judged ones is in both. The target is at most 3 times.",
        "",
        f"| measure | {' | '.join(found)} |",
        f"|---|{'---:|' * len(found)}",
        *(
            f"| `{name}` | {' | '.join(f'{ratios[name]:.1f}' for ratios in found.values())} |"
            for name in names
        ),
        "",
        WHY,
        "",
    ]


def _ratios(n_intents: int, n_judged: int) -> dict[str, float]:
    judgments, run = _data(n_intents, n_judged)
    measures = _measures()
    best = _times(judgments, run, measures)
    base = best[f"nDCG@{DEPTH}"]
    return {name: seconds / base for name, seconds in best.items()}


def _measures() -> list[Measure]:
    """Return every measure of rankings, at the depth if it has a cutoff."""
    found = []
    for kind in all_measures():
        for name in (f"{kind.name}@{DEPTH}", kind.name):
            try:
                measure = parse_measure(name)
            except BerryEvalError:
                continue
            if not measure.uses_timings:
                found.append(measure)
            break
    return found


def _times(judgments: Judgments, run: Run, measures: Sequence[Measure]) -> dict[str, float]:
    """Return the best time of each measure; they take turns, so that noise meets all of them."""
    best = {str(measure): float("inf") for measure in measures}
    for _ in range(ROUNDS):
        for measure in measures:
            start = time.process_time()  # CPU time of all threads, unaffected by other processes
            _native.score(judgments, run, [measure])
            best[str(measure)] = min(best[str(measure)], time.process_time() - start)
    return best


def _data(n_intents: int, n_judged: int) -> tuple[Judgments, Run]:
    draw = random.Random(1)
    grades, rankings, lengths = {}, {}, {}
    for number in range(N_QUERIES):
        documents = [f"doc{one}" for one in draw.sample(range(10**7), n_judged + DEPTH)]
        judged = documents[:n_judged]
        lengths.update((document, draw.randrange(50, 500)) for document in documents)
        grades[f"q{number}"] = {
            document: {str(i): int(draw.random() < 0.15) for i in range(n_intents)}
            for document in judged
        }
        ranked = draw.sample(judged, DEPTH // 2) + documents[n_judged : n_judged + DEPTH // 2]
        draw.shuffle(ranked)
        rankings[f"q{number}"] = ranked
    judgments = Judgments.from_dict(grades).with_lengths(lengths)
    judgments.is_kept_ready = True
    return judgments, Run.from_lists(rankings)


if __name__ == "__main__":
    print("\n".join(lines()))
