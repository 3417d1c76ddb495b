"""A small archive to judge: three queries, two runs, documents of every kind."""

import json

from berryeval import Document, Query, Run
from berryeval.archive import JudgmentEntry, RunFacts

ORIGIN = {"Origin": "http://localhost:8765"}


def fill(archive):
    """Write everything; d3 to d6 of each query are unjudged. Return the ids of the runs."""
    archive.queries.put(
        [
            Query("q1", "bake bread", description="How to bake it at home", category="kitchen"),
            Query("q2", "<script>alert(1)</script>"),
        ]
    )
    archive.documents.put(
        [
            Document("d3", "Mix flour and water.", title="Dough"),
            Document("d4", "x" * 30_000, title="<b>Long</b>"),
        ]
    )
    archive.judgments.put(
        [JudgmentEntry(query, doc, 1) for query in ("q1", "q2", "q3") for doc in ("d1", "d2")],
        author="ada",
        source="file",
    )
    first = {query: ["d3", "d1", "d4", "d2"] for query in ("q1", "q2", "q3")}
    second = {query: ["d3", "d2", "d1", "d5"] for query in ("q1", "q2", "q3")}
    a = archive.runs.put(Run.from_lists(first), RunFacts("bm25"))
    b = archive.runs.put(Run.from_lists(second), RunFacts("dense"))
    archive.baselines.put("main", a.run_id)
    return a.run_id, b.run_id


def ask(client, address="/judge/next", author="local", **body):
    """Request the next documents, like the page's script."""
    body = {"author": author, "session": "one", "n": 10, "have": [], **body}
    answer = client.post(address, json=body, headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    return answer.json()


def say(client, *answers, author="local", status=200):
    """Send answers like the page's script, and return the result of each."""
    content = json.dumps({"author": author, "answers": answers})
    kind = {"Content-Type": "application/json", **ORIGIN}
    answer = client.post("/judge/answers", content=content, headers=kind)
    assert answer.status_code == status, answer.text
    return answer.json().get("outcomes")


def graded(card, grade, **more):
    """Return the answer to a card with a grade."""
    return {
        "key": f"{card['query_id']} {card['doc_id']} {grade}",
        "kind": "grade",
        "grade": grade,
        **{name: card[name] for name in ("query_id", "doc_id", "revision", "hash")},
        **more,
    }


def token(archive, name, role="judge"):
    """Return the headers of a user with a token."""
    return {"Authorization": f"Bearer {archive.tokens.create(name, role)}"}
