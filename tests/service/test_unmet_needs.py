"""Other inputs of measures besides grades: stored over HTTP, or reported as missing."""

import pytest

import berryeval as be


@pytest.fixture
def run_id(client):
    """A run of two queries, with judgments."""
    judged = [("q1", "d1", 1), ("q2", "d3", 1)]
    client.post(
        "/v1/evaluation/judgments",
        json=[{"query_id": query, "doc_id": doc, "relevance": 1} for query, doc, _ in judged],
    )
    content = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d2 1 1 t\n"
    return client.post("/v1/runs?name=words", content=content).json()["run_id"]


def evaluated(client, run_id, *measures):
    answer = client.post("/v1/evaluations", json={"run": run_id, "measures": measures})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["means"]


@pytest.mark.parametrize(
    ("measure", "detail"),
    [
        ("alpha_nDCG@10", "judgments: {} requires subtopics, found none; name them in the column"),
        ("ERR_IA@20", "judgments: {} requires subtopics, found none; name them in the column"),
        ("tokens@5", "{} requires the lengths of documents, found none; store documents with a"),
        ("TBG", "{} requires the lengths of documents, found none; store documents with a"),
        ("ms@p95", "{} requires the times of queries, found none"),
    ],
)
def test_a_measure_whose_needs_are_not_met_is_a_problem_with_a_way_out(
    client, run_id, measure, detail
):
    """Run and judgments exist, but other inputs of the measure do not."""
    answer = client.post("/v1/evaluations", json={"run": run_id, "measures": [measure]})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(detail.format(measure))


def test_lengths_come_with_documents(client, run_id):
    """They come with a text or only a hash; a document is returned with its length."""
    body = {
        "documents": [
            {"doc_id": "d1", "text": "A text.", "length": 120},
            {"doc_id": "d2", "hash": "1a", "length": 900},
        ]
    }
    assert client.post("/v1/documents", json=body).json() == {"received": 2, "changed": 2}
    assert client.get("/v1/documents/d2").json()["length"] == 900
    assert evaluated(client, run_id, "tokens@2") == {"tokens@2": 960.0}


@pytest.mark.parametrize("length", [-1, 1.5, "long", 2 * 10**18])
def test_an_invalid_length_is_a_problem(client, length):
    """Nothing is stored."""
    body = {"documents": [{"doc_id": "d1", "text": "A text.", "length": length}]}
    assert client.post("/v1/documents", json=body).status_code == 422
    assert client.get("/v1/documents/d1").status_code == 404


def test_times_are_stored_with_a_run_once(client, run_id):
    """Sending the same times changes nothing, others are a conflict; measures of time use them."""
    place, body = f"/v1/runs/{run_id}/timings", {"timings": {"q1": 12.0, "q2": 31.5}}
    assert client.put(place, json=body).json() == {"received": 2, "changed": True}
    assert client.put(place, json=body).json() == {"received": 2, "changed": False}
    assert client.put(place, json={"timings": {"q1": 1}}).status_code == 409
    assert client.put(place, json={"timings": {"q1": -1}}).status_code == 422
    unknown = f"/v1/runs/{'0' * 64}/timings"
    assert client.put(unknown, json=body).status_code == 404
    assert evaluated(client, run_id, "ms@p50", "nDCG@1") == {"ms@p50": 31.5, "nDCG@1": 0.5}


def test_strata_come_with_judgments(client, run_id):
    """A grade below 0 is a document of the pool that was not judged."""
    entries = [
        {"query_id": "q1", "doc_id": "d1", "grade": -1, "stratum": "rest"},
        {"query_id": "q1", "doc_id": "d2", "grade": 1, "stratum": "rest"},
        {"query_id": "q1", "doc_id": "d5", "grade": 1, "stratum": "top"},
    ]
    assert client.post("/v1/judgments", json={"judgments": entries}).status_code == 200
    assert client.get("/v1/judgments/q1/d2").json()["stratum"] == "rest"
    judged = be.Judgments.from_dict({"q1": {"d1": -1, "d2": 1, "d5": 1}, "q2": {"d3": 1}})
    sampled = judged.with_strata({"q1": {"d1": "rest", "d2": "rest", "d5": "top"}})
    run = {"q1": ["d1", "d2"], "q2": ["d2"]}
    expected = be.evaluate(sampled, run, "xinfAP").to_dict()
    assert evaluated(client, run_id, "xinfAP") == expected
    assert expected != be.evaluate(judged, run, "xinfAP").to_dict()
    put = client.put(
        "/v1/judgments/q1/d1", json={"grade": 1, "stratum": ""}, headers={"If-Match": "*"}
    )
    assert put.json()["stratum"] is None


def test_files_of_judgments_keep_strata_in_both_directions(client):
    """As for sample_eval.pl, they are the fourth of five columns."""
    content = "q1 0 d1 top 1\nq1 0 d2 rest -1\nq2 0 d3 - 1\n"
    answer = client.post("/v1/judgments/file?file_name=sampled.txt", content=content)
    assert "notes" not in answer.json() or not answer.json()["notes"], answer.text
    written = client.get("/v1/judgments/file?format=trec").text
    assert sorted(written.splitlines()) == sorted(content.splitlines())


def test_costs_can_be_compared_and_gated(client, run_id):
    """Both runs are scored with the lengths of their documents, and with their times."""
    other = client.post("/v1/runs?name=short", content="q1 Q0 d1 1 2 t\nq2 Q0 d1 1 1 t\n").json()
    documents = [
        {"doc_id": doc_id, "hash": "1a", "length": length}
        for doc_id, length in (("d1", 10), ("d2", 90))
    ]
    client.post("/v1/documents", json={"documents": documents})
    for one, taken in ((run_id, 20.0), (other["run_id"], 10.0)):
        client.put(f"/v1/runs/{one}/timings", json={"timings": {"q1": taken, "q2": taken}})
    body = {
        "baseline": run_id,
        "candidates": [other["run_id"]],
        "measures": ["tokens@2", "ms"],
    }
    report = client.post("/v1/comparisons", json=body)
    assert report.status_code == 200, report.text
    found = {one["measure"]: one["difference"] for one in report.json()["differences"]}
    assert found == {"tokens@2": -85.0, "ms": -10.0}
    gate = {
        "baseline": run_id,
        "inference": "set",
        "guards": [{"measure": "tokens@2", "margin": 1}, {"measure": "ms", "margin": 1}],
    }
    assert client.put("/v1/gates/costs", json=gate).status_code == 201
    decided = client.post("/v1/gates/costs/verdicts", json={"run": other["run_id"]})
    assert decided.json()["verdict"] == "pass", decided.text
    client.put("/v1/gates/costs", json={**gate, "baseline": other["run_id"]})
    decided = client.post("/v1/gates/costs/verdicts", json={"run": run_id})
    assert decided.json()["verdict"] == "fail", decided.text


def test_pages_show_costs_and_estimates(service, archive):
    """The page of a query has the scores of Python, even after judgments and lengths changed."""
    names = ("xinfAP", "tokens@2", "ms", "nDCG@2")
    client = service(measures=names)
    runs = {"words": ["d1", "d2"], "other": ["d2", "d5"]}
    content = "q1 0 d1 rest -1\nq1 0 d2 rest 1\nq1 0 d5 top 1\nq2 0 d1 top 1\nq3 0 d1 top 1\n"
    client.post("/v1/judgments/file?file_name=sampled.txt", content=content)
    ids = {}
    for name, found in runs.items():
        rows = [
            f"{query} Q0 {doc_id} 1 {9 - rank} t\n"
            for query in ("q1", "q2", "q3")
            for rank, doc_id in enumerate(found)
        ]
        uploaded = client.post(f"/v1/runs?name={name}", content="".join(rows)).json()
        ids[name] = uploaded["run_id"]
        times = {"timings": dict.fromkeys(("q1", "q2", "q3"), 10.0 + len(ids))}
        client.put(f"/v1/runs/{uploaded['run_id']}/timings", json=times)
    assert "Drawn from the stratum" in client.get("/judgments/q1/d5").text
    address = f"/queries/q1?a={ids['words']}&b={ids['other']}"
    lengths = {"d1": 10, "d2": 90, "d5": 300}
    for changed, graded in (({}, 1), ({"d5": 500}, 1), ({}, 0)):
        lengths |= changed
        documents = [{"doc_id": one, "hash": "1a", "length": n} for one, n in lengths.items()]
        client.post("/v1/documents", json={"documents": documents})
        grade = {"grade": graded}
        client.put("/v1/judgments/q1/d5", json=grade, headers={"If-Match": "*"})
        judgments = archive.judgments.current().with_lengths(lengths)
        answer = client.get(f"{address}&measure=tokens@2")
        assert answer.status_code == 200, answer.text
        for number, found in enumerate(runs.values(), start=1):
            ranked = dict.fromkeys(("q1", "q2", "q3"), found)
            times = dict.fromkeys(ranked, 10.0 + number)
            expected = be.evaluate(judgments, ranked, names, timings=times)
            for measure in names:
                shown = f"{expected[measure].by_query['q1']:.4f}".rstrip("0").rstrip(".")
                assert shown in answer.text.replace(",", ""), measure
    assert "It is a time of the whole query" in client.get(f"{address}&measure=ms").text
    assert client.get(f"/runs/{ids['words']}").status_code == 200
    assert client.get(f"/compare?a={ids['words']}&b={ids['other']}").status_code == 200
    lacking = [{"doc_id": "d5", "hash": "2b"}]
    client.post("/v1/documents", json={"documents": lacking})
    assert "has no length" in client.get(f"{address}&measure=tokens@2").text
