"""Evaluations, comparisons, holes and history over HTTP have the library's figures."""

import pytest

import berryeval as be
from berryeval.formats import read_run
from service_data import fill, judgments, run_lines, upload

JUDGED = be.Judgments.from_dict(
    {f"q{i}": {f"d{j}": (i + j) % 3 for j in range(5)} for i in range(30)}
)


@pytest.fixture
def runs(tmp_path):
    """The two runs as read by the library."""
    found = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.run"
        path.write_text(run_lines(seed))
        found.append(read_run(path))
    return found


def test_an_evaluation_has_the_librarys_means(client, runs):
    """They are equal to the last digit, and can be read again."""
    first, _ = fill(client)
    measures = ["nDCG@10", "AP", "R@5"]
    made = client.post("/v1/evaluations", json={"run": first, "measures": measures})
    assert made.status_code == 200
    assert made.json()["means"] == be.evaluate(JUDGED, runs[0], measures).to_dict()
    found = client.get(made.headers["location"])
    assert found.json() == made.json()
    again = client.get(made.headers["location"], headers={"If-None-Match": found.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/v1/evaluations", params={"run_id": first}).json()["items"] == [made.json()]


def test_an_evaluation_is_removed_with_its_run(client, monkeypatch):
    """Cached evaluations are not used for long."""
    run = fill(client)[0]
    made = client.post("/v1/evaluations", json={"run": run})
    assert client.get(made.headers["location"]).status_code == 200
    client.delete(f"/v1/runs/{run}")
    monkeypatch.setattr("berryeval.service.lru_cache.time.monotonic", lambda: 1e12)
    assert client.get(made.headers["location"]).status_code == 404


def test_a_run_is_scored_with_the_requested_judgments(client):
    """The current ones give another evaluation; a hash gives the old one."""
    run = fill(client)[0]
    before = client.post("/v1/evaluations", json={"run": run, "measures": ["AP"]}).json()
    client.post("/v1/judgments", json={"judgments": judgments(1, 6)[5:]})
    after = client.post("/v1/evaluations", json={"run": run, "measures": ["AP"]}).json()
    assert after["judgments_hash"] != before["judgments_hash"]
    then = {"run": run, "measures": ["AP"], "at": before["judgments_hash"]}
    assert client.post("/v1/evaluations", json=then).json() == before


def test_a_report_has_queries_slices_and_intervals(client, runs):
    """They are the same as in `berryeval evaluate --json`."""
    run = fill(client)[0]
    labelled = [
        {"query_id": f"q{i}", "text": "?", "category": "odd" if i % 2 else "even"}
        for i in range(30)
    ]
    client.post("/v1/queries", json={"queries": labelled})
    made = client.post("/v1/evaluations", json={"run": run, "measures": ["AP"]}).headers["location"]
    plain = client.get(f"{made}/report").json()
    assert "per_query" not in plain
    asked = {"per_query": True, "by": "category", "intervals": True}
    report = client.get(f"{made}/report", params=asked).json()
    expected = be.evaluate(JUDGED, runs[0], "AP")["AP"]
    assert report["per_query"]["q3"] == {"AP": expected.by_query["q3"]}
    assert report["slices"]["category"]["odd"]["queries"] == 15
    assert report["intervals"]["AP"] == pytest.approx(
        [expected.interval.low, expected.interval.high]
    )
    assert client.get(f"/v1/evaluations/{'0' * 64}/report").status_code == 404


def test_a_comparison_has_the_librarys_figures(client, runs):
    """The response has the structure of `berryeval compare --json`, with ids as names."""
    first, second = fill(client)
    client.put("/v1/baselines/main", json={"run_id": first})
    asked = {"baseline": "main", "candidates": [second], "measures": ["AP"], "bounds": True,
             "per_query": True}  # fmt: skip
    report = client.post("/v1/comparisons", json=asked).json()
    comparison = be.compare(JUDGED, {"bm25": runs[0], "dense": runs[1]}, "AP", bounds=True)
    difference = comparison.difference("dense", "AP")
    (shown,) = report["differences"]
    assert shown["difference"] == difference.mean
    assert shown["p_value"] == difference.p_value
    assert shown["finding"] == difference.finding
    assert shown["bounds"]["low"] == difference.bounds.low
    assert report["run_ids"] == {"bm25": first, "dense": second}
    assert len(report["per_query"]) == 30


def test_a_comparison_has_the_librarys_risks(client, runs):
    """There is one for each weight of losses; negative weights are rejected."""
    first, second = fill(client)
    asked = {"baseline": first, "candidates": [second], "measures": ["AP"], "risk": [0, 2.5]}
    report = client.post("/v1/comparisons", json=asked).json()
    expected = be.compare(JUDGED, {"bm25": runs[0], "dense": runs[1]}, "AP", risk=[0, 2.5]).risks
    assert [one["t_risk"] for one in report["risks"]] == [one.t_risk for one in expected]
    assert [one["alpha"] for one in report["risks"]] == [0, 2.5]
    refused = client.post("/v1/comparisons", json={**asked, "risk": [-1]})
    assert refused.status_code == 422


def test_runs_of_the_same_name_are_distinguished(client):
    """The beginning of the id is added."""
    fill(client)
    first, second = upload(client, 1, "same"), upload(client, 2, "same")
    report = client.post("/v1/comparisons", json={"baseline": first, "candidates": [second]}).json()
    assert report["candidates"] == [f"same ({second[:8]})"]
    twice = client.post("/v1/comparisons", json={"baseline": first, "candidates": [first]})
    assert (twice.status_code, twice.json()["expected"]) == (422, "each run once")


def test_holes_are_listed_with_their_effects(client, runs):
    """The list is the library's, most decisive first, with known texts."""
    from berryeval.evaluation.holes import find_holes
    from berryeval.measures import NDCG

    first, second = fill(client)
    client.put("/v1/queries/q1", json={"text": "what?"})
    report = client.post("/v1/holes", json={"runs": [second], "against": first, "limit": 5}).json()
    expected = find_holes(JUDGED, {"bm25": runs[0], "dense": runs[1]}, [NDCG(10)], baseline="bm25")
    assert report["n_holes"] == len(expected)
    assert [(one["query_id"], one["doc_id"], one["effect"]) for one in report["holes"]] == [
        (hole.query_id, hole.doc_id, hole.effect) for hole in expected[:5]
    ]
    alone = client.post("/v1/holes", json={"runs": [second], "k": 2}).json()
    assert alone["baseline"] is None


def test_history_follows_a_measure_with_fixed_judgments(client):
    """Each run is scored with the same judgments; a run without judged queries has a reason."""
    first, second = fill(client)
    worse = client.post(
        "/v1/runs?name=bm25", content="".join(f"q{i} Q0 x{i} 1 1 t\n" for i in range(30))
    ).json()["run_id"]
    client.post("/v1/runs?name=lost", content="zz Q0 d1 1 1 t\n")
    report = client.get("/v1/history", params={"measure": "ndcg_cut_10"}).json()
    points, [look] = report["points"], report["looks"]
    by_run = {point["run_id"]: point for point in points}
    assert by_run[first]["change"] is None
    assert by_run[worse]["mean"] == 0
    assert by_run[worse]["change"] == -by_run[first]["mean"]
    assert (by_run[worse]["decline"], by_run[second]["decline"]) == ("step", None)
    assert "no query in common" in points[-1]["reason"]
    assert (look["name"], look["is_decline"], look["level"]) == ("bm25", True, 0.05)
    assert look["sentence"].startswith("Decline: a step at ")
    daily = client.get("/v1/history", params={"daily": True}).json()
    assert [point["is_alarm"] for point in daily["points"]] == [False, False, True, False]
    assert daily["looks"][0]["level"] == 0.05 / 51
    named = client.get("/v1/history", params={"name": "dense"}).json()["points"]
    assert [point["run_id"] for point in named] == [second]


@pytest.mark.parametrize(
    ("measures", "where"),
    [
        (["ndgc@10"], "measures"),
        (["nDCG@0"], "measure 'nDCG@0'"),
        ([f"P@{k}" for k in range(1, 10_001)], "body.measures"),
    ],
)
def test_invalid_measures_are_named(client, measures, where):
    """They may be unknown, malformed, or ten thousand."""
    run = fill(client)[0]
    answer = client.post("/v1/evaluations", json={"run": run, "measures": measures})
    assert (answer.status_code, answer.json()["where"]) == (422, where)


def test_one_name_may_stand_for_too_many_measures(client):
    """The limit counts measures, not names."""
    run = fill(client)[0]
    names = ["P." + ",".join(str(k) for k in range(n, n + 40)) for n in range(1, 241, 40)]
    answer = client.post("/v1/evaluations", json={"run": run, "measures": names})
    assert (answer.status_code, answer.json()["expected"]) == (422, "at most 200")


@pytest.mark.parametrize("reference", ["nobody", "0" * 64])
def test_a_missing_run_is_named(client, reference):
    """It is given by id or as a baseline, in every route that takes one."""
    run = fill(client)[0]
    for route, body in (
        ("evaluations", {"run": reference}),
        ("comparisons", {"baseline": reference, "candidates": [run]}),
        ("holes", {"runs": [reference]}),
    ):
        answer = client.post(f"/v1/{route}", json=body)
        assert answer.status_code == 404
        assert reference in answer.json()["detail"]


def test_without_judgments_nothing_is_scored(client):
    """422 says what is missing."""
    run = upload(client)
    answer = client.post("/v1/evaluations", json={"run": run})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:berryeval:problem:mismatch")


def test_too_few_resamples_are_rejected(client):
    """The message names the field and the minimum."""
    run, _ = fill(client)
    asked = {"baseline": run, "candidates": [run], "resamples": 1}
    answer = client.post("/v1/comparisons", json=asked)
    assert answer.status_code == 422, answer.text
    assert "resamples" in answer.text
    assert "100" in answer.json()["detail"]


@pytest.mark.parametrize("rule", [{"seed": 7}, {"resamples": 500}, {"noise": {"P@5": 0.1}}])
def test_a_rule_that_no_longer_exists_is_rejected(client, rule):
    """Gates use no resampling; the message names the field."""
    body = {"guards": [{"measure": "P@5", "at_least": 0.5}], **rule}
    answer = client.put("/v1/gates/nightly", json=body)
    assert answer.status_code == 422, answer.text
    assert next(iter(rule)) in answer.json()["detail"]
