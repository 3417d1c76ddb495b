"""Evaluate two small search engines on a small, judged help centre.

Both are SQLite's full-text search with BM25; one matches words as written, the other their
stems. Run it with ``make demo``.
"""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

from berryeval.ranking import mean_metrics
from berryeval.reports.means import means_table
from berryeval.reports.terminal import show_table

ENGINES = {"words": "unicode61", "stems": "porter unicode61"}


def build_index(documents: dict[str, str], tokenizer: str) -> sqlite3.Connection:
    """Index the documents in memory."""
    index = sqlite3.connect(":memory:")
    index.execute(
        f"CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, text, tokenize='{tokenizer}')"
    )
    index.executemany("INSERT INTO pages VALUES (?, ?)", documents.items())
    return index


def search(index: sqlite3.Connection, query: str) -> list[str]:
    """Return the ids of the ten best pages that hold any word of the query."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    found = index.execute(
        "SELECT id FROM pages WHERE pages MATCH ? ORDER BY bm25(pages), id LIMIT 10", (words,)
    )
    return [doc_id for (doc_id,) in found]


def main() -> None:
    """Search, score, and show both engines side by side."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("help_centre.json").read_text())
    means = {}
    for engine, tokenizer in ENGINES.items():
        index = build_index(data["documents"], tokenizer)
        means[engine] = mean_metrics(
            {"retrieved": search(index, query["query"]), "relevant": query["relevant"]}
            for query in data["queries"]
        )
    n_documents, n_queries = len(data["documents"]), len(data["queries"])
    print(f"Two search engines, {n_documents} documents, {n_queries} judged queries.\n")
    show_table(means_table(means))
    best = max(means, key=lambda engine: means[engine]["ndcg"][10])
    print(f"\nBy nDCG@10, {best!r} ranks better on these queries.")


if __name__ == "__main__":
    main()
