"""A RAG application's retriever: the chunks of help articles, ranked with BM25.

It has the interface of LangChain's retrievers, so yours can take its place.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARTICLES = Path(__file__).with_name("articles.json")


@dataclass
class Chunk:
    """A chunk, with the attributes of LangChain's `Document`."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


def split_articles() -> list[Chunk]:
    """Return one chunk per sentence, with the name of its article."""
    articles = json.loads(ARTICLES.read_text(encoding="utf-8"))
    return [
        Chunk(sentence.group(), {"source": name, "start_index": sentence.start()})
        for name, text in articles.items()
        for sentence in re.finditer(r"[^.]+\.", text)
    ]


def words_of(text: str) -> list[str]:
    """Return the words of a text, as they are compared."""
    return re.findall(r"\w+", text.lower())


class Retriever:
    """BM25 over chunks."""

    def __init__(self, chunks: list[Chunk], k: int = 4) -> None:
        self.chunks = chunks
        self.k = k
        self.counts = [Counter(words_of(chunk.page_content)) for chunk in chunks]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.mean_length = sum(self.lengths) / len(chunks)
        self.n_chunks_with = Counter(word for counts in self.counts for word in counts)

    def score(self, number: int, query: list[str]) -> float:
        """Return how well a chunk matches the words of a query."""
        total = 0.0
        counts, length = self.counts[number], self.lengths[number] / self.mean_length
        for word in query:
            n_with = self.n_chunks_with[word]
            rarity = math.log(1 + (len(self.chunks) - n_with + 0.5) / (n_with + 0.5))
            total += rarity * counts[word] * 2.2 / (counts[word] + 1.2 * (0.25 + 0.75 * length))
        return total

    def invoke(self, query: str) -> list[Chunk]:
        """Return the best k chunks."""
        words = words_of(query)
        scores = [self.score(number, words) for number in range(len(self.chunks))]
        best = sorted(range(len(scores)), key=lambda number: -scores[number])
        return [self.chunks[number] for number in best[: self.k] if scores[number] > 0]


retriever = Retriever(split_articles())
