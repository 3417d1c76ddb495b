"""Measures that need more than the archive has are problems that say so."""

import pytest


@pytest.mark.parametrize(
    ("measure", "detail"),
    [
        ("alpha_nDCG@10", "judgments: {} requires subtopics, found none; name them in the column"),
        ("ERR_IA@20", "judgments: {} requires subtopics, found none; name them in the column"),
        ("xinfAP", "{} looks at strata, which archives do not store; score files with"),
        ("infNDCG@100", "{} looks at strata, which archives do not store; score files with"),
        ("tokens@5", "{} requires the lengths of documents, which archives do not store"),
        ("ms@p95", "{} is not scored for stored runs; compare files with"),
    ],
)
def test_a_measure_whose_needs_are_not_met_is_a_problem_with_a_way_out(client, measure, detail):
    """The run and the judgments are there; what the measure looks at besides is not."""
    client.post(
        "/v1/evaluation/judgments", json=[{"query_id": "q1", "doc_id": "d1", "relevance": 1}]
    )
    uploaded = client.post("/v1/runs?name=words", content="q1 Q0 d1 1 2.5 t\n")
    wanted = {"run": uploaded.json()["run_id"], "measures": [measure]}
    answer = client.post("/v1/evaluations", json=wanted)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(detail.format(measure))
