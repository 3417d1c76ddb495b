"""Near-duplicates: chunks that share sequences of words, and queries that share trigrams."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from berryeval.core.query import Query
from berryeval.search.stop_words import STOP_WORDS

__all__ = [
    "OVERLAP",
    "SIMILARITY",
    "QueryGroup",
    "find_query_groups",
    "near_duplicates",
    "normalised",
    "shingles",
    "similarity",
]

OVERLAP = 0.5
"""The minimum share of common word sequences of near-duplicates."""

SIMILARITY = 0.7
"""The share of common trigrams from which two queries are near-duplicates.

Of 10,903 different questions to the documents of the handbook, 447 pairs reach it, nearly all of
them paraphrases. Among its 50 queries, which are meant to differ, no pair exceeds 0.3.
"""

_WORD = re.compile(r"\w+")
_WORDS = 4
_TRIGRAM = 3

_HEAD = 4
_RAREST = 3
_MOST = 50
"""Two queries are compared if they share the first four letters of one of their three rarest
words, each with the 50 of the nearest length. This finds all 447 pairs above, in time that is
linear in the number of queries."""


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return every sequence of four words of a text; all of its words if it has fewer."""
    words = _WORD.findall(text.lower())
    if len(words) <= _WORDS:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(tuple(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1))


def near_duplicates(
    shingled: Mapping[str, frozenset[tuple[str, ...]]], overlap: float = OVERLAP
) -> Iterator[tuple[str, str, float]]:
    """Iterate over pairs of texts that share at least this part of their shingles (Jaccard)."""
    holders: dict[tuple[str, ...], list[str]] = {}
    for name, own in shingled.items():
        for shingle in own:
            holders.setdefault(shingle, []).append(name)
    n_common: Counter[tuple[str, str]] = Counter()
    for names in holders.values():
        n_common.update(combinations(names, 2))
    for (a, b), common in sorted(n_common.items()):
        share = common / (len(shingled[a]) + len(shingled[b]) - common)
        if share >= overlap:
            yield a, b, share


@dataclass(frozen=True)
class QueryGroup:
    """Queries that ask almost the same."""

    name: str
    """The group of one of them, or the id of the first."""
    queries: tuple[Query, ...]


def normalised(text: str) -> str:
    """Return a text without differences of case, white space and Unicode form (NFKC)."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def similarity(a: str, b: str) -> float:
    """Return the share of trigrams that two queries have in common (Jaccard).

    Trigrams are those of each word, so the order of words does not matter; stop words are ignored.
    Queries with different numbers share nothing: an error 401 is not an error 403.

    Examples
    --------
    >>> similarity("How do I reset my password?", "password reset")
    1.0
    >>> similarity("error 401 on login", "error 403 on login")
    0.0
    """
    first, second = _Features.of(a), _Features.of(b)
    if first.numbers != second.numbers:
        return 0.0
    n_all = len(first.trigrams | second.trigrams)
    return len(first.trigrams & second.trigrams) / n_all if n_all else 0.0


def find_query_groups(
    queries: Sequence[Query], least: float = SIMILARITY
) -> tuple[QueryGroup, ...]:
    """Return groups of queries that ask almost the same, unless they share a group already.

    Each query of a group is similar to another one in it. Groups and their queries are in the order
    of the queries.
    """
    members: dict[int, list[Query]] = {}
    for first, query in zip(_firsts(queries, least), queries, strict=True):
        members.setdefault(first, []).append(query)
    return tuple(
        QueryGroup(_name(group), tuple(group))
        for group in members.values()
        if len(group) > 1 and not _is_named(group)
    )


def _name(group: Sequence[Query]) -> str:
    return next((query.group for query in group if query.group is not None), group[0].query_id)


def _is_named(group: Sequence[Query]) -> bool:
    return group[0].group is not None and len({query.group for query in group}) == 1


@dataclass(frozen=True, slots=True)
class _Features:
    """The features by which queries are compared."""

    trigrams: frozenset[str]
    heads: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Features:
        words = _WORD.findall(normalised(text))
        kept = [word for word in words if word not in STOP_WORDS] or words
        return cls(
            frozenset(
                padded[i : i + _TRIGRAM]
                for padded in (f" {word} " for word in kept)
                for i in range(len(padded) - _TRIGRAM + 1)
            ),
            frozenset(word[:_HEAD] for word in kept),
            frozenset(word for word in words if any(map(str.isdigit, word))),
        )


def _firsts(queries: Sequence[Query], least: float) -> list[int]:
    """Return for each query the position of the first query of its group; its own if alone."""
    known = [_Features.of(query.text) for query in queries]
    n_holders = Counter(head for features in known for head in features.heads)
    holders: dict[tuple[frozenset[str], str], list[int]] = {}
    first = list(range(len(queries)))

    def find(position: int) -> int:
        while first[position] != position:
            first[position] = first[first[position]]
            position = first[position]
        return position

    # Shorter ones first: those added last are of the nearest length.
    for position in sorted(range(len(known)), key=lambda i: (len(known[i].trigrams), i)):
        features = known[position]
        rarest = sorted(features.heads, key=lambda head: (n_holders[head], head))[:_RAREST]
        keys = [(features.numbers, head) for head in rarest]
        own = features.trigrams
        fewest = math.ceil(least * len(own))
        for other in {other for key in keys for other in holders.get(key, ())[-_MOST:]}:
            others = known[other].trigrams
            if len(others) < fewest:
                continue
            n_common = len(own & others)
            if n_common >= least * (len(own) + len(others) - n_common):
                a, b = find(position), find(other)
                first[max(a, b)] = min(a, b)
        for key in keys:
            holders.setdefault(key, []).append(position)
    return [find(position) for position in range(len(queries))]
