"""Rankings of the golden set, from which the runs are invented."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from berryeval.errors import MissingExtraError
from berryeval.golden.golden_set import GoldenSet
from berryeval.search.collect import collect
from berryeval.search.opening import open_system

__all__ = [
    "DEPTH",
    "SYSTEMS",
    "Rankings",
    "ranked_by_system",
    "ranked_by_systems",
    "ranked_by_words",
    "real_rankings",
]

SYSTEMS = ("bm25", "vector", "hybrid")
"""The embedded systems; each has a series of the same name."""

DEPTH = 20

Rankings: TypeAlias = "Mapping[str, list[str]]"
"""Documents of each query, best first."""

_WORD = re.compile(r"\w+")


def real_rankings(golden: GoldenSet) -> tuple[dict[str, Rankings], bool]:
    """Return the rankings of each series, and whether search systems produced them.

    Without the libraries of the embedded engine, documents are ranked by the words that they
    share with the query, in three ways.
    """
    try:
        return ranked_by_systems(golden), True
    except MissingExtraError:
        return ranked_by_words(golden), False


def ranked_by_systems(golden: GoldenSet) -> dict[str, Rankings]:
    """Return the results of the embedded systems for documents indexed with their questions.

    Raises
    ------
    MissingExtraError
        If their libraries are not installed.
    """
    return {name: ranked_by_system(golden, name, questions=True) for name in SYSTEMS}


def ranked_by_system(golden: GoldenSet, name: str, *, questions: bool) -> Rankings:
    """Return the results of one embedded system, with or without the questions of a golden set."""
    with open_system(name) as system:
        system.index(golden.documents(questions=questions))
        run = golden.credit(collect(system, golden.queries, DEPTH).run)
    return {query.query_id: run.ranking(query.query_id, DEPTH) for query in golden.queries}


def ranked_by_words(golden: GoldenSet) -> dict[str, Rankings]:
    """Return documents ranked by shared words: by rarity, by number, and by both."""
    words = {document.doc_id: _words(f"{document.title} {document.text}")
             for document in golden.documents()}  # fmt: skip
    counts = Counter(word for own in words.values() for word in own)
    rarity = {word: math.log(len(words) / count) for word, count in counts.items()}
    found: dict[str, dict[str, list[str]]] = {series: {} for series in SYSTEMS}
    for query in golden.queries:
        asked = _words(query.text)
        rare = {doc_id: sum(sorted(rarity[word] for word in asked & own))
                for doc_id, own in words.items()}  # fmt: skip
        dense = {doc_id: len(asked & own) / math.sqrt(len(own) or 1)
                 for doc_id, own in words.items()}  # fmt: skip
        both = {doc_id: rare[doc_id] * dense[doc_id] for doc_id in words}
        for series, scores in zip(SYSTEMS, (rare, dense, both), strict=True):
            ranked = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))
            found[series][query.query_id] = ranked[:DEPTH]
    return dict(found)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
