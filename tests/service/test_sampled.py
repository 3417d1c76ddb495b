"""The service stores no strata, and says so where they matter."""

import pytest


@pytest.mark.parametrize("measure", ["xinfAP", "infNDCG@100"])
def test_estimates_from_samples_are_a_problem_with_a_way_out(client, measure):
    """The run and the judgments are there; the strata are not."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    uploaded = client.post("/v1/runs?name=words", content="q1 Q0 d1 1 2.5 t\n")
    wanted = {"run": uploaded.json()["run_id"], "measures": [measure]}
    answer = client.post("/v1/evaluations", json=wanted)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(
        f"{measure} looks at strata, which archives do not store; score files with"
    )
