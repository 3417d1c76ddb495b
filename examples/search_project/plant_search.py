"""A small search over the advice pages of a plant shop."""

import json
import math
import re
from collections import Counter
from pathlib import Path

__all__ = ["PlantSearch"]

_PAGES = Path(__file__).with_name("pages.json")
_STOP_WORDS = frozenset({"a", "and", "are", "for", "from", "how", "in", "my", "or", "the", "to"})
_ENDINGS = ("ing", "es", "s", "ed", "e")


def _words(text: str) -> list[str]:
    return [_stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


class PlantSearch:
    """Ranks pages by their words, rare ones first."""

    def __init__(self) -> None:
        pages: dict[str, str] = json.loads(_PAGES.read_text(encoding="utf-8"))
        self._counts = {page: Counter(_words(text)) for page, text in pages.items()}
        self._n_pages_with = Counter(word for words in self._counts.values() for word in words)

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pages with their scores, best first."""
        scores = {page: self._score(_words(query), page) for page in self._counts}
        found = [(page, score) for page, score in scores.items() if score > 0]
        return sorted(found, key=lambda hit: -hit[1])[:k]

    def _score(self, words: list[str], page: str) -> float:
        counts = self._counts[page]
        return sum(
            math.log(1 + len(self._counts) / self._n_pages_with[word])
            * counts[word]
            / (counts[word] + 1)
            for word in words
            if word in counts
        )
