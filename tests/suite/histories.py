"""Histories shared by the tests of files and of declines."""

from datetime import datetime, timedelta, timezone

import numpy as np

import berryeval as be
from berryeval.suite import trends
from berryeval.suite.history import Entry, History

JUDGMENTS = {f"q{i:02}": {"a": 1} for i in range(10)}


START = datetime(2026, 1, 5, 6, 30, tzinfo=timezone.utc)


def evaluated(n_right=10, measures=("RR", "P@1")):
    """Evaluate a run that ranks the document first for some queries, and second for others."""
    run = {q: ["a", "x"] if i < n_right else ["x", "a"] for i, q in enumerate(JUDGMENTS)}
    return be.evaluate(JUDGMENTS, run, list(measures))


def entry(scores, *, days=0, run="bm25", judgments="j1", queries="q1", measure="RR", note=None):
    """Return an entry with scores of one measure."""
    mean = sum(scores) / len(scores)
    time = START + timedelta(days=days)
    return Entry(
        time, run, note, judgments, queries, len(scores), {measure: mean}, {measure: tuple(scores)}
    )


def trend_of(*entries, **options):
    (trend,) = trends.trends(History("h.jsonl", entries), **options)
    return trend


HIGH = [0.8, 0.9, 1.0, 0.7, 0.8, 0.9, 1.0, 0.7, 0.8, 0.9]


LOW = [0.6, 0.7, 0.7, 0.5, 0.5, 0.7, 0.8, 0.6, 0.5, 0.7]


def noisy(n_entries, n_queries=40, drop=0.0, step=None, share=1.0, seed=3, since=0, **options):
    """Return entries of a stable system; some of its queries fall at a step or gradually.

    The first is `since` days after the start.
    """
    random = np.random.default_rng(seed)
    scores = 0.6 + random.normal(0, 0.05, size=(n_entries, n_queries))
    fallen = np.linspace(0, 1, n_entries) if step is None else np.arange(n_entries) >= step
    scores[:, : round(share * n_queries)] -= drop * fallen[:, None]
    return [entry(row.tolist(), days=day, **options) for day, row in enumerate(scores, since)]
