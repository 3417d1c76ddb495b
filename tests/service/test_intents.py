"""The service stores one grade per document, and says so where subtopics are required."""

import pytest


@pytest.mark.parametrize("measure", ["alpha_nDCG@10", "ERR_IA@20"])
def test_intent_aware_measures_are_a_problem_with_a_way_out(client, measure):
    """The run and the judgments are there; the subtopics are not."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    uploaded = client.post("/v1/runs?name=words", content="q1 Q0 d1 1 2.5 t\n")
    wanted = {"run": uploaded.json()["run_id"], "measures": [measure]}
    answer = client.post("/v1/evaluations", json=wanted)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(
        f"{measure} requires subtopics, which archives do not store; score files with"
    )
