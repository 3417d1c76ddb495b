"""Cautions of the service about suspicious scores."""

RISING = "".join(f"q1 Q0 d{rank} {rank} {rank} t\n" for rank in range(1, 11))
SOUND = "".join(f"q1 Q0 d{rank} {rank} {-rank} t\n" for rank in range(1, 11))


def test_an_upload_and_its_evaluation_caution_about_distances(client):
    """The caution is in the response to the upload and in every response about the evaluation."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    uploaded = client.post("/v1/runs?name=distances", content=RISING)
    assert uploaded.status_code == 201
    (note,) = uploaded.json()["notes"]
    assert note.startswith("Caution: scores rise from the first document to the last")
    scored = client.post("/v1/evaluations", json={"run": uploaded.json()["run_id"]}).json()
    assert scored["notes"] == [note]
    place = f"/v1/evaluations/{scored['evaluation_id']}"
    assert client.get(place).json()["notes"] == [note]
    assert client.get(f"{place}/report").json()["notes"] == [note]


def test_a_valid_run_has_no_notes(client):
    """A run without problems has no cautions."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    uploaded = client.post("/v1/runs?name=sound", content=SOUND).json()
    assert "notes" not in uploaded
    assert client.post("/v1/evaluations", json={"run": uploaded["run_id"]}).json()["notes"] == []


def test_ranks_that_contradict_the_scores_are_remembered(client):
    """Ranks are not stored, but their contradictions are, for every later response."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    lines = [f"q1 Q0 d{rank} {rank} {rank * 7 % 11} t\n" for rank in range(1, 11)]
    uploaded = client.post("/v1/runs?name=reranked", content="".join(lines)).json()
    (note,) = uploaded["notes"]
    assert note.startswith("Caution: ranks contradict the scores")
    again = client.post("/v1/runs?name=reranked", content="".join(lines))
    assert (again.status_code, again.json()["run_id"]) == (200, uploaded["run_id"])
    scored = client.post("/v1/evaluations", json={"run": uploaded["run_id"]}).json()
    assert scored["notes"] == [note]
    client.put("/v1/gates/g", json={"guards": [{"measure": "RR", "at_least": 0.01}]})
    verdict = client.post("/v1/gates/g/verdicts", json={"run": uploaded["run_id"]}).json()
    assert (
        f" Caution: in the run, {note.removeprefix('Caution: ')}" in verdict["report"]["sentence"]
    )


def test_consistent_ranks_are_remembered(client):
    """Rows in another order cause no caution later."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    rows = "".join(reversed(SOUND.splitlines(keepends=True)))
    uploaded = client.post("/v1/runs?name=sound", content=rows).json()
    assert "notes" not in uploaded
    assert client.post("/v1/evaluations", json={"run": uploaded["run_id"]}).json()["notes"] == []


def test_ids_of_another_set_are_a_caution_through_http_and_on_the_page(client):
    """An evaluation, its report and the page of the run have it."""
    judged = [{"query_id": "q1", "doc_id": "a.md", "relevance": 1}]
    client.post("/v1/evaluation/judgments", json=judged)
    run_id = client.post("/v1/runs?name=other", content="q1 Q0 docs/a.md 1 1 t\n").json()["run_id"]
    scored = client.post("/v1/evaluations", json={"run": run_id}).json()
    (note,) = scored["notes"]
    assert note == (
        "Caution: every score is 0; check that the run has the document ids of the judgments, "
        "such as 'a.md'."
    )
    report = client.get(f"/v1/evaluations/{scored['evaluation_id']}/report").json()
    assert report["notes"] == [note]
    page = client.get(f"/runs/{run_id}", headers={"Accept": "text/html"}).text
    assert "Caution: every score is 0; check that the run has the document ids" in page
