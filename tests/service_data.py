"""Small judgments and runs, and functions that upload them to a service."""

import random

N_QUERIES = 30


def judgments(n_queries=N_QUERIES, n_documents=5):
    """Return grades 0 to 2 for the first documents of each query."""
    return [
        {"query_id": f"q{i}", "doc_id": f"d{j}", "grade": (i + j) % 3}
        for i in range(n_queries)
        for j in range(n_documents)
    ]


def run_lines(seed=1, n_queries=N_QUERIES, n_documents=8):
    """Return a TREC run in random order, reproducible by its seed."""
    chance = random.Random(seed)  # noqa: S311
    return "".join(
        f"q{i} Q0 d{j} 1 {chance.random():.6f} tag\n"
        for i in range(n_queries)
        for j in range(n_documents)
    )


def upload(client, seed=1, name="bm25", **parameters):
    """Upload a run, and return its id."""
    answer = client.post("/v1/runs", params={"name": name, **parameters}, content=run_lines(seed))
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["run_id"]


def fill(client):
    """Store judgments and two runs in a service, and return the ids of the runs."""
    answer = client.post("/v1/judgments", json={"judgments": judgments()})
    assert answer.status_code == 200, answer.text
    return upload(client, 1, "bm25"), upload(client, 2, "dense")
