"""A golden set small enough to compute by hand."""

import json

GUIDE = """# Guide

How to begin with the product.

## Configure OAuth

Register a client, and configure OAuth with its secret.

## Token lifetime

An OAuth token expires after one hour.
"""
TUNING = """# Tuning

Make searches faster.

## Slow searches

Slow searches need an index on the table.

## Bananas

Ripe bananas are yellow.
"""
QUERIES = [
    {"id": "Q1", "query": "configure OAuth", "category": "procedural", "difficulty": "easy",
     "description": "How to set up OAuth."},
    {"id": "Q2", "query": "why are slow searches slow", "category": "troubleshoot",
     "difficulty": "hard", "description": "What makes searches slow."},
]  # fmt: skip
JUDGMENTS = {
    "Q1": {"guide.md#configure-oauth": 3, "guide.md#token-lifetime": 1, "tuning.md#bananas": 0},
    "Q2": {"tuning.md#slow-searches": 3, "tuning.md#tuning": 2, "guide.md#guide": 0},
}


def judged(query_id, grades):
    """Return one query of relevance-judgments.json."""
    relevant = sorted((grade, chunk_id) for chunk_id, grade in grades.items() if grade)
    return {
        "query_id": query_id,
        "relevant": [{"chunk_id": chunk_id, "grade": g} for g, chunk_id in reversed(relevant)],
        "not_relevant": [chunk_id for chunk_id, grade in grades.items() if not grade],
    }


def write_golden_set(folder, judgments=None, queries=None, passes=None, **facts):
    """Write the files of a golden set; judgments may be a dict of dicts, or raw entries."""
    (folder / "test-documents").mkdir(parents=True, exist_ok=True)
    (folder / "test-documents" / "guide.md").write_text(GUIDE)
    (folder / "test-documents" / "tuning.md").write_text(TUNING)
    (folder / "GUIDELINE.md").write_text("# How to judge\n")
    (folder / "test-queries.json").write_text(
        json.dumps({"queries": QUERIES if queries is None else queries})
    )
    grades = JUDGMENTS if judgments is None else judgments
    if isinstance(grades, dict):
        grades = [judged(query_id, own) for query_id, own in grades.items()]
    content = {"version": 1, "pool_depth": 20, "scale": 3, "judgments": grades, **facts}
    (folder / "relevance-judgments.json").write_text(json.dumps(content))
    if passes is not None:
        (folder / "judging-passes.json").write_text(json.dumps(passes))
    return folder
