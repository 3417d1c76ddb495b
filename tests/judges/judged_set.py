"""A golden set with known true grades, for tests of judges.

Each query has eight documents of its own, with the grades of GRADES. People judged the first six.
The run ``old`` has the first six, ``new`` the last six, so two of them are unjudged.
"""

from __future__ import annotations

import json

GRADES = (3, 2, 2, 1, 1, 0, 0, 3)
N_JUDGED = 6


def query_text(number):
    """Return the text of a query."""
    return f"topic {number}"


def document_text(number, place):
    """Return the text of a document; its length depends on both numbers."""
    words = " word" * (5 + (number * 7 + place * 13) % 60)
    return f"Page {place} about topic {number}.{words}"


def truth(query, document):
    """Return the true grade of a document, by the texts."""
    number = query.removeprefix("topic ")
    place = int(document.split()[1])
    return GRADES[place] if f"topic {number}." in document else 0


def write_judged_set(folder, n_queries=40):
    """Write the set and both runs, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = [
        {"_id": f"d{number}-{place}", "text": document_text(number, place)}
        for number in range(n_queries)
        for place in range(len(GRADES))
    ]
    queries = [
        {"id": f"q{number}", "query": query_text(number), "description": f"About {number}."}
        for number in range(n_queries)
    ]
    judged = [
        {
            "query_id": f"q{number}",
            "relevant": [
                {"chunk_id": f"d{number}-{place}", "grade": GRADES[place]}
                for place in range(N_JUDGED)
                if GRADES[place]
            ],
            "not_relevant": [
                f"d{number}-{place}" for place in range(N_JUDGED) if not GRADES[place]
            ],
        }
        for number in range(n_queries)
    ]
    _write_lines(folder / "documents.jsonl", documents)
    (folder / "test-queries.json").write_text(json.dumps({"queries": queries}))
    judgments = {"scale": 3, "labels": ["no", "marginal", "partly", "yes"], "judgments": judged}
    (folder / "relevance-judgments.json").write_text(json.dumps(judgments))
    (folder / "GUIDELINE.md").write_text("Judge from the text.\n")
    _write_run(folder.parent / "old.run", n_queries, range(N_JUDGED))
    _write_run(folder.parent / "new.run", n_queries, range(7, 1, -1))
    return folder


def _write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def _write_run(path, n_queries, places):
    lines = [
        f"q{number} Q0 d{number}-{place} {rank} {10 - rank} x\n"
        for number in range(n_queries)
        for rank, place in enumerate(places, start=1)
    ]
    path.write_text("".join(lines))
