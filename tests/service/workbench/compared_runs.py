"""Two runs of six queries, small enough to compute by hand."""

JUDGMENTS = {f"q{i}": {"d1": 3, "d2": 1, "d3": 0} for i in range(6)}
BASELINE = {f"q{i}": ["d1", "d2", "d3", "x1"] for i in range(6)}
CANDIDATE = {
    **BASELINE,
    "q0": ["d3", "x9", "d2", "d1"],  # worse
    "q1": ["d1", "d3", "d2", "x1"],  # slightly worse
    "q2": ["d1", "d2", "x1", "d3"],  # other documents with the same score
}


def lines(run):
    """Return rankings as a TREC run."""
    return "".join(
        f"{query_id} Q0 {doc_id} {rank} {100 - rank} tag\n"
        for query_id, doc_ids in run.items()
        for rank, doc_id in enumerate(doc_ids, start=1)
    )


def upload(client, run, name, **facts):
    """Upload a run to the service, and return its id."""
    answer = client.post("/v1/runs", params={"name": name, **facts}, content=lines(run))
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["run_id"]


def fill(client, baseline=BASELINE, candidate=CANDIDATE):
    """Store queries, judgments and both runs in a service; the baseline is named main."""
    queries = [
        {
            "query_id": f"q{i}",
            "text": f"what is <b>{i}</b>?",
            "category": "odd" if i % 2 else "even",
            "difficulty": "easy",
            "tags": ["tag"],
            "description": f"about {i}",
        }
        for i in range(6)
    ]
    client.post("/v1/queries", json={"queries": queries})
    client.post("/v1/judgments", json={"judgments": [
        {"query_id": query_id, "doc_id": doc_id, "grade": grade}
        for query_id, grades in JUDGMENTS.items() for doc_id, grade in grades.items()
    ]})  # fmt: skip
    a, b = upload(client, baseline, "bm25"), upload(client, candidate, "hybrid")
    client.put("/v1/baselines/main", json={"run_id": a})
    return a, b
