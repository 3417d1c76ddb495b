"""Compare two small search engines on a small, judged help centre.

Both are SQLite's full-text search with BM25; one matches words as written, the other their
stems. Run it alone, or with a folder for judgments and runs as TREC files, and the
name of a page for the report.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

import berryeval as be
from berryeval.reports.comparison import comparison_table
from berryeval.reports.html import comparison_to_html
from berryeval.reports.terminal import show_tables

MEASURES = ["nDCG@10", "RR", "P@5", "R@10"]
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


def write_trec_files(
    folder: Path, judgments: dict[str, dict[str, int]], runs: dict[str, dict[str, list[str]]]
) -> None:
    """Write judgments and runs as trec_eval reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{q} 0 {d} {grade}" for q, grades in judgments.items() for d, grade in grades.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for engine, run in runs.items():
        lines = [
            f"{q} Q0 {d} {rank} {11 - rank} {engine}"
            for q, ranking in run.items()
            for rank, d in enumerate(ranking, start=1)
        ]
        (folder / f"{engine}.run").write_text("\n".join(lines) + "\n")


def main() -> None:
    """Search, compare, and show both engines side by side."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("help_centre.json").read_text())
    judgments = {query["id"]: query["relevant"] for query in data["queries"]}
    runs: dict[str, dict[str, list[str]]] = {}
    for engine, tokenizer in ENGINES.items():
        index = build_index(data["documents"], tokenizer)
        runs[engine] = {query["id"]: search(index, query["query"]) for query in data["queries"]}
    if sys.argv[1:]:
        write_trec_files(Path(sys.argv[1]), judgments, runs)
    queries = [be.Query(query["id"], query["query"]) for query in data["queries"]]
    comparison = be.compare(judgments, runs, MEASURES, queries=queries)

    print(f"Two search engines, {len(data['documents'])} documents.\n")
    show_tables(comparison_table(comparison))
    print(f"\n{comparison.sentence}")
    if sys.argv[2:]:
        page = Path(sys.argv[2])
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(comparison_to_html(comparison), encoding="utf-8")
        print(f"Open {page} in a browser.")


if __name__ == "__main__":
    main()
