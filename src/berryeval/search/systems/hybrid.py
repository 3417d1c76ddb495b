"""Hybrid search in two rounds: words, vectors and tokens, and again with what was found.

A round takes the best documents by words and by vectors, lets the tokens of each meet those of
the query, scales the three scores to the range from 0 to 1, and adds them up. The first round's
best documents then tell what else such texts say: their words widen the query, and their vectors
move it. The second round searches with that.

References
----------
Bruch, Gai and Ingber (2023), ACM TOIS 42(1): scaled scores beat reciprocal ranks.
Abdul-Jaleel et al. (2004), TREC: feedback by words, known as RM3.
Rocchio (1971), in The SMART Retrieval System: feedback by vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from berryeval.errors import ArgumentError
from berryeval.search.embedding.embedder import Vectors, unit_vectors
from berryeval.search.systems.late_interaction import Tokens, late_scores
from berryeval.search.systems.rank_fusion import Fusion, check_fusion

__all__ = ["HybridIndex", "HybridSettings", "fusion_facts", "search_hybrid"]

_Key = TypeVar("_Key")

_N_WORDS = 20  # of the documents fed back that widen a query
_SHARE = 0.5  # of the query in what is searched for in the second round


class HybridIndex(Protocol):
    """What a hybrid search asks. Documents go by number."""

    def query_words(self, query: str) -> Mapping[str, float]:
        """Return the words of a query as the index has them, and how often they occur."""

    def best_by_words(self, words: Mapping[str, float], k: int) -> Mapping[int, float]:
        """Return the best k documents by weighted words, with scores above 0."""

    def nearest(self, vector: Vectors, k: int) -> Mapping[int, float]:
        """Return the k nearest documents with their cosines."""

    def words_of(self, numbers: Sequence[int]) -> Sequence[Mapping[str, float]]:
        """Return the words of documents, and how often they occur."""

    def vectors_of(self, numbers: Sequence[int]) -> Vectors:
        """Return the vectors of documents."""

    def tokens_of(self, numbers: Sequence[int]) -> Sequence[Tokens]:
        """Return the tokens of documents."""


@dataclass(frozen=True)
class HybridSettings:
    """How to search.

    Parameters
    ----------
    weights : pair of float
        What the scores by words and by vectors are worth.
    late : float
        What the score by tokens is worth; 0 does without.
    feedback : int
        How many documents of the first round the second learns from; 0 does without a second.
    depth : int
        How many documents by words, and by vectors, are looked at.

    Raises
    ------
    ArgumentError
        For a number that cannot be used.
    """

    weights: tuple[float, float] = (1.0, 1.0)
    late: float = 1.0
    feedback: int = 10
    depth: int = 100

    def __post_init__(self) -> None:
        check_fusion(self.weights, 0.0, self.depth)
        if not self.late >= 0:
            raise ArgumentError("late", "a number from 0", repr(self.late))
        if self.feedback < 0:
            raise ArgumentError("feedback", "a number of documents from 0", repr(self.feedback))


def search_hybrid(
    index: HybridIndex, query: str, vector: Vectors, settings: HybridSettings
) -> dict[int, float]:
    """Return documents with their scores, in no order.

    Parameters
    ----------
    index : HybridIndex
        What is searched.
    query : str
        What is searched for.
    vector : array of float32
        The same as a vector; all zeros if it says nothing.
    settings : HybridSettings
        How.
    """
    words = _as_shares(index.query_words(query))
    met: dict[int, float] = {}
    scores = _search_once(index, query, words, vector, settings, met)
    if not scores or not settings.feedback:
        return scores
    best = sorted(scores, key=lambda number: (-scores[number], number))[: settings.feedback]
    shares = _as_shares({number: scores[number] for number in best})
    if not shares:
        return scores
    words = _widened(words, index.words_of(best), list(shares.values()))
    vector = _moved(vector, index.vectors_of(best), list(shares.values()))
    return _search_once(index, query, words, vector, settings, met)


def fusion_facts(fusion: Fusion, settings: HybridSettings, constant: float) -> dict[str, str]:
    """Return the settings of a fusion as part of a fingerprint."""
    facts = {"fusion": str(fusion), "depth": str(settings.depth)}
    facts["weights"] = " ".join(f"{weight:g}" for weight in settings.weights)
    if fusion == "ranks":
        return facts | {"constant": f"{constant:g}"}
    return facts | {"late": f"{settings.late:g}", "feedback": str(settings.feedback)}


def _search_once(
    index: HybridIndex,
    query: str,
    words: Mapping[str, float],
    vector: Vectors,
    settings: HybridSettings,
    met: dict[int, float],
) -> dict[int, float]:
    """Return the scores of one round; `met` keeps those by tokens, which stay as they are."""
    by_words = index.best_by_words(words, settings.depth)
    by_vector = index.nearest(vector, settings.depth)
    numbers = sorted({*by_words, *by_vector})
    # A word that is not there scores 0; how low a cosine can be is for the data to say.
    parts = [
        (settings.weights[0], _scaled(by_words, lowest=0.0)),
        (settings.weights[1], _scaled(by_vector)),
    ]
    if settings.late:
        fresh = [number for number in numbers if number not in met]
        met.update(zip(fresh, late_scores(query, index.tokens_of(fresh)).tolist(), strict=True))
        parts.append((settings.late, _scaled({number: met[number] for number in numbers})))
    total = dict.fromkeys(numbers, 0.0)
    for weight, scores in parts:
        for number, score in scores.items():
            total[number] += weight * score
    return total


def _scaled(scores: Mapping[int, float], lowest: float | None = None) -> dict[int, float]:
    """Bring scores to the range from 0 to 1; all are 1 if they are the same."""
    if not scores:
        return {}
    low = min(scores.values()) if lowest is None else lowest
    high = max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {number: (score - low) / (high - low) for number, score in scores.items()}


def _as_shares(weights: Mapping[_Key, float]) -> dict[_Key, float]:
    """Divide weights by their sum; nothing is left if that is 0."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()} if total > 0 else {}


def _widened(
    words: Mapping[str, float],
    documents: Sequence[Mapping[str, float]],
    shares: Sequence[float],
) -> dict[str, float]:
    """Add to a query the words that documents use most."""
    model: defaultdict[str, float] = defaultdict(float)
    for document, share in zip(documents, shares, strict=True):
        for word, part in _as_shares(document).items():
            model[word] += share * part
    most = sorted(model.items(), key=lambda pair: (-pair[1], pair[0]))[:_N_WORDS]
    wide = defaultdict(float, {word: _SHARE * share for word, share in words.items()})
    for word, share in _as_shares(dict(most)).items():
        wide[word] += (1 - _SHARE) * share
    return dict(wide)


def _moved(vector: Vectors, documents: Vectors, shares: Sequence[float]) -> Vectors:
    """Move a query to the middle between itself and documents."""
    middle = unit_vectors(np.asarray([shares], np.float32) @ documents)
    moved: Vectors = unit_vectors(_SHARE * vector[np.newaxis] + (1 - _SHARE) * middle)[0]
    return moved
