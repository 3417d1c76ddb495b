"""A month of invented runs, made from real rankings.

Each series improves slowly: at first the best documents of some queries are ranked too low, and
these queries are fixed one by one. In the middle, a smaller model is tried, which harms two
categories of queries, and is reverted. A few runs lack some queries, and later ones find unjudged
documents. The last run of a series is the real ranking, so that its figures are those of the
system. The runs depend only on the rankings, and are the same every time.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.archive.records import RunFacts
from berryeval.core.query import Query
from berryeval.service.demo.rankings import Rankings

__all__ = ["N_DAYS", "InventedRun", "invent_runs"]

N_DAYS = 30

HARMED = ("procedural", "troubleshoot")
"""Categories of queries that the smaller model cannot answer."""

_TRIAL = range(13, 17)
"""The runs of a series with the smaller model."""

_RELEASES = {0: "release-1.3", 10: "release-1.4", 22: "release-1.5"}
_LACKING = {"bm25": {8: 2}, "vector": {20: 5}, "hybrid": {5: 1, 26: 3}}
"""Number of queries without results, by series and run."""

_SHARE_WEAK = 0.6
_NOISY_QUERIES = 16
"""Rankings per run with two adjacent documents swapped, as by an approximate index."""
_LATER = 18
"""From this run on, series with vectors find unjudged documents."""

_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "bm25": {"k1": 1.2, "b": 0.75, "stemmer": "english"},
    "vector": {"model": "wordllama-256", "distance": "cosine"},
    "hybrid": {"model": "wordllama-256", "k1": 1.2, "b": 0.75, "fusion": "scores"},
}
_MILLISECONDS = {"bm25": 4.0, "vector": 9.0, "hybrid": 14.0}
"""Approximate duration of a query."""


@dataclass(frozen=True)
class InventedRun:
    """A run to store."""

    number: int
    """Position in its series, from 0."""
    days_ago: float
    rankings: Rankings
    facts: RunFacts

    @property
    def is_release(self) -> bool:
        """Whether later runs are compared with it."""
        return self.number in _RELEASES


def invent_runs(
    series: str,
    rankings: Rankings,
    queries: Sequence[Query],
    grades: Mapping[str, Mapping[str, float]],
    unjudged: Mapping[str, Sequence[str]],
    corpus_hash: str,
    questions: str,
) -> Iterator[InventedRun]:
    """Iterate over the runs of a series, oldest first.

    Parameters
    ----------
    series : str
        Its name: bm25, vector or hybrid.
    rankings : Rankings
        The rankings of the last day.
    queries : sequence of Query
        Their categories determine which ones the smaller model harms.
    grades : mapping of str to mapping
        Grades, to find the documents to move down.
    unjudged : mapping of str to sequence of str
        Unjudged documents of each query.
    corpus_hash : str
        Hash of the searched documents.
    questions : str
        "indexed" if documents were indexed with their questions, otherwise "none".
    """
    chance = random.Random(f"{series}: a month")  # noqa: S311 - invented data
    weak_until = {
        query.query_id: chance.random() if chance.random() < _SHARE_WEAK else 0.0
        for query in queries
    }
    finding = sorted(chance.sample(sorted(unjudged), min(14, len(unjudged))))
    days = list(_days(series))
    for number, days_ago in enumerate(days):
        progress = number / (len(days) - 1)
        is_trial = series != "bm25" and number in _TRIAL
        chosen: dict[str, list[str]] = {}
        for query in queries:
            ranking, own = list(rankings[query.query_id]), grades[query.query_id]
            if progress < weak_until[query.query_id]:
                ranking = _moved_down(ranking, own, n=2, by=4)
            if is_trial and query.category in HARMED:
                ranking = _moved_down(ranking, own, n=3, by=9)
            chosen[query.query_id] = ranking
        is_last = number == len(days) - 1
        if series != "bm25" and number >= _LATER and not is_last:
            for query_id in finding:
                chosen[query_id].insert(chance.randrange(2, 8), chance.choice(unjudged[query_id]))
        for query_id in chance.sample(sorted(chosen), 0 if is_last else _NOISY_QUERIES):
            place = chance.randrange(2, 9)
            ranking = chosen[query_id]
            ranking[place : place + 2] = reversed(ranking[place : place + 2])
        n_lacking = _LACKING[series].get(number, 0)
        for query_id in chance.sample(sorted(chosen), n_lacking):
            del chosen[query_id]
        facts = _facts(series, number, is_trial=is_trial, is_whole=not n_lacking)
        facts["settings"]["questions"] = questions
        yield InventedRun(number, days_ago, chosen, RunFacts(
            **facts, corpus_hash=corpus_hash, durations=_durations(series, chosen, chance)
        ))  # fmt: skip


def _days(series: str) -> Iterator[float]:
    """Iterate over the ages of the runs of a series in days; the last is some hours old."""
    hour = {"bm25": 0.42, "vector": 0.31, "hybrid": 0.13}[series]
    for day in range(N_DAYS - 1, -1, -1):
        yield day + hour
        if series == "hybrid" and day % 9 == 4:  # noqa: PLR2004 - a second one now and then
            yield day + hour - 0.1


def _moved_down(ranking: list[str], grades: Mapping[str, float], *, n: int, by: int) -> list[str]:
    """Return a ranking with its n best documents moved down some ranks."""
    places = sorted(range(len(ranking)), key=lambda at: (-grades.get(ranking[at], 0), at))[:n]
    best = [ranking[at] for at in sorted(places)]
    rest = [doc_id for doc_id in ranking if doc_id not in best]
    for place, doc_id in zip(sorted(places), best, strict=True):
        rest.insert(place + by, doc_id)
    return rest


def _facts(series: str, number: int, *, is_trial: bool, is_whole: bool) -> dict[str, Any]:
    settings = dict(_SETTINGS[series])
    tags = ["nightly"]
    if is_trial:
        settings["model"] = "wordllama-64"
        tags.append("smaller-model")
    if series != "bm25" and number == _TRIAL.stop:
        tags.append("revert")
    if series == "hybrid" and number in _RELEASES:
        tags.append(_RELEASES[number])
    if not is_whole:
        tags.append("incomplete")
    # The three series of a day share a commit.
    commit = hashlib.sha256(f"commit {number}".encode()).hexdigest()[:40]
    return {"name": series, "settings": settings, "tags": tuple(tags), "commit": commit}


def _durations(series: str, rankings: Rankings, chance: random.Random) -> dict[str, float]:
    usual = _MILLISECONDS[series]
    return {query_id: round(usual * chance.lognormvariate(0, 0.35), 2) for query_id in rankings}
