"""Hybrid search in two rounds: by words, vectors and tokens, then again with feedback.

A round takes the best documents by words and by vectors, matches their tokens with those of the
query, scales the three scores to the range from 0 to 1, and adds them up. The best documents of
the first round are used as feedback: their words expand the query, and their vectors move it. The
second round searches with the result.

References
----------
Bruch, Gai and Ingber (2023), ACM TOIS 42(1): scaled scores beat reciprocal ranks.
Abdul-Jaleel et al. (2004), TREC: feedback by words, known as RM3.
Rocchio (1971), in The SMART Retrieval System: feedback by vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from berryeval.errors import ArgumentError
from berryeval.fusion.combining import weighted_sum
from berryeval.fusion.normalising import min_max
from berryeval.search.embedding.embedder import Vectors, unit_vectors
from berryeval.search.systems.late_interaction import QueryTokens, Tokens
from berryeval.search.systems.rank_fusion import Fusion, check_fusion

__all__ = [
    "HybridIndex",
    "HybridSettings",
    "default_weights",
    "fusion_facts",
    "search_hybrid",
    "search_hybrid_each",
]

_Key = TypeVar("_Key")

_N_WORDS = 20  # words of the feedback documents that expand a query


class HybridIndex(Protocol):
    """The index behind a hybrid search. Documents are identified by number."""

    def query_words(self, query: str) -> Mapping[str, float]:
        """Return the analysed words of a query, and how often they occur."""

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
    """Settings of a hybrid search.

    Parameters
    ----------
    weights : pair of float
        Weights of the scores by words and by vectors.
    late : float
        Weight of the score by tokens; 0 turns it off.
    feedback : int
        Number of documents that the second round learns from; 0 turns the second round off.
    depth : int
        Number of documents to consider by words, and by vectors.
    share : float
        Share of the original query in the second round; the rest is feedback.

    Raises
    ------
    ArgumentError
        For an invalid number.
    """

    # Chosen on public collections, so that hybrid is not worse than words alone: decision 0032.
    weights: tuple[float, float] = (4.0, 1.0)
    late: float = 1.0
    feedback: int = 5
    depth: int = 100
    share: float = 0.7

    def __post_init__(self) -> None:
        check_fusion(self.weights, 0.0, self.depth)
        if not self.late >= 0:
            raise ArgumentError("late", "a number from 0", repr(self.late))
        if self.feedback < 0:
            raise ArgumentError("feedback", "a number of documents from 0", repr(self.feedback))
        if not 0 <= self.share <= 1:
            raise ArgumentError("share", "a number from 0 to 1", repr(self.share))


def default_weights(fusion: Fusion) -> tuple[float, float]:
    """Return the weights of words and vectors where none are given; ranks count equally."""
    return (1.0, 1.0) if fusion == "ranks" else HybridSettings.weights


def search_hybrid(
    index: HybridIndex, query: str, vector: Vectors, settings: HybridSettings
) -> dict[int, float]:
    """Return documents with their scores, unordered.

    Parameters
    ----------
    index : HybridIndex
        The index to search.
    query : str
        The text of the query.
    vector : array of float32
        The vector of the query; all zeros for blank text.
    settings : HybridSettings
        Settings of the search.
    """
    return _search(index, query, vector, settings, _TokenScores(index, query))


def search_hybrid_each(
    index: HybridIndex, query: str, vector: Vectors, several: Iterable[HybridSettings]
) -> list[dict[int, float]]:
    """Search with each of several settings; as `search_hybrid`, but common steps are done once."""
    remembering, by_tokens = _Remembering(index), _TokenScores(index, query)
    return [_search(remembering, query, vector, settings, by_tokens) for settings in several]


def _search(
    index: HybridIndex,
    query: str,
    vector: Vectors,
    settings: HybridSettings,
    by_tokens: _TokenScores,
) -> dict[int, float]:
    """Search in two rounds."""
    words = _as_shares(index.query_words(query))
    scores = _search_once(index, words, vector, settings, by_tokens)
    if not scores or not settings.feedback:
        return scores
    best = sorted(scores, key=lambda number: (-scores[number], number))[: settings.feedback]
    shares = _as_shares({number: scores[number] for number in best})
    if not shares:
        return scores
    kept, by_share = settings.share, list(shares.values())
    words = _expanded(words, index.words_of(best), by_share, kept)
    vector = _moved(vector, index.vectors_of(best), by_share, kept)
    return _search_once(index, words, vector, settings, by_tokens)


class _TokenScores:
    """The scores by tokens for one query, each of which is computed only once."""

    def __init__(self, index: HybridIndex, query: str) -> None:
        self._index = index
        self._query = query
        self._tokens: QueryTokens | None = None
        self._known: dict[int, float] = {}

    def of(self, numbers: Sequence[int]) -> dict[int, float]:
        if self._tokens is None:
            self._tokens = QueryTokens(self._query)
        fresh = [number for number in numbers if number not in self._known]
        found = self._tokens.scores(self._index.tokens_of(fresh)).tolist()
        self._known.update(zip(fresh, found, strict=True))
        return {number: self._known[number] for number in numbers}


class _Remembering:
    """An index that remembers answers, so that nothing is looked up twice."""

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._query_words: dict[str, Mapping[str, float]] = {}
        self._by_words: dict[tuple[object, ...], Mapping[int, float]] = {}
        self._nearest: dict[tuple[bytes, int], Mapping[int, float]] = {}
        self._words: dict[int, Mapping[str, float]] = {}

    def query_words(self, query: str) -> Mapping[str, float]:
        if query not in self._query_words:
            self._query_words[query] = self._index.query_words(query)
        return self._query_words[query]

    def best_by_words(self, words: Mapping[str, float], k: int) -> Mapping[int, float]:
        key = (*words.items(), k)
        if key not in self._by_words:
            self._by_words[key] = self._index.best_by_words(words, k)
        return self._by_words[key]

    def nearest(self, vector: Vectors, k: int) -> Mapping[int, float]:
        key = (vector.tobytes(), k)
        if key not in self._nearest:
            self._nearest[key] = self._index.nearest(vector, k)
        return self._nearest[key]

    def words_of(self, numbers: Sequence[int]) -> Sequence[Mapping[str, float]]:
        fresh = [number for number in numbers if number not in self._words]
        if fresh:
            self._words.update(zip(fresh, self._index.words_of(fresh), strict=True))
        return [self._words[number] for number in numbers]

    def vectors_of(self, numbers: Sequence[int]) -> Vectors:
        return self._index.vectors_of(numbers)

    def tokens_of(self, numbers: Sequence[int]) -> Sequence[Tokens]:
        return self._index.tokens_of(numbers)


def fusion_facts(fusion: Fusion, settings: HybridSettings, constant: float) -> dict[str, str]:
    """Return the settings of a fusion as part of a fingerprint."""
    facts = {"fusion": str(fusion), "depth": str(settings.depth)}
    facts["weights"] = " ".join(f"{weight:g}" for weight in settings.weights)
    if fusion == "ranks":
        return facts | {"constant": f"{constant:g}"}
    return facts | {"late": f"{settings.late:g}", "feedback": str(settings.feedback)}


def _search_once(
    index: HybridIndex,
    words: Mapping[str, float],
    vector: Vectors,
    settings: HybridSettings,
    by_tokens: _TokenScores,
) -> dict[int, float]:
    """Return the scores of one round."""
    by_words = index.best_by_words(words, settings.depth)
    by_vector = index.nearest(vector, settings.depth)
    numbers = sorted({*by_words, *by_vector})
    # The lowest score by words is 0, for a missing word; the lowest cosine depends on the data.
    parts = [
        (settings.weights[0], _scaled(by_words, lowest=0.0)),
        (settings.weights[1], _scaled(by_vector)),
    ]
    if settings.late:
        parts.append((settings.late, _scaled(by_tokens.of(numbers))))
    total = weighted_sum(parts)
    return {number: total[number] for number in numbers}


def _scaled(scores: Mapping[int, float], lowest: float | None = None) -> dict[int, float]:
    """Scale scores to the range from 0 to 1; all are 1 if they are equal."""
    return dict(zip(scores, min_max([*scores.values()], lowest), strict=True))


def _as_shares(weights: Mapping[_Key, float]) -> dict[_Key, float]:
    """Divide weights by their sum; return nothing if that is 0."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()} if total > 0 else {}


def _expanded(
    words: Mapping[str, float],
    documents: Sequence[Mapping[str, float]],
    shares: Sequence[float],
    kept: float,
) -> dict[str, float]:
    """Add the most frequent words of documents to a query, which keeps a share of the weight."""
    model: defaultdict[str, float] = defaultdict(float)
    for document, share in zip(documents, shares, strict=True):
        for word, part in _as_shares(document).items():
            model[word] += share * part
    most = sorted(model.items(), key=lambda pair: (-pair[1], pair[0]))[:_N_WORDS]
    expanded = defaultdict(float, {word: kept * share for word, share in words.items()})
    for word, share in _as_shares(dict(most)).items():
        expanded[word] += (1 - kept) * share
    return dict(expanded)


def _moved(vector: Vectors, documents: Vectors, shares: Sequence[float], kept: float) -> Vectors:
    """Move a query towards the mean of documents."""
    middle = unit_vectors(np.asarray([shares], np.float32) @ documents)
    moved: Vectors = unit_vectors(kept * vector[np.newaxis] + (1 - kept) * middle)[0]
    return moved
