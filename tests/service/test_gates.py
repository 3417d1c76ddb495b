"""Baselines and gates over HTTP: the library's verdicts, stored permanently."""

import pytest

from berryeval.archive import RunFacts
from service_data import fill, run_lines

GATE = {
    "baseline": "main",
    "guards": [{"measure": "RR", "at_least": 0.1}, {"measure": "nDCG@10", "margin": 0.5}],
}


@pytest.fixture
def runs(client):
    """Two runs, the first of which is the baseline ``main``."""
    first, second = fill(client)
    assert client.put("/v1/baselines/main", json={"run_id": first}).status_code == 201
    return first, second


def test_a_baseline_is_a_name_for_a_run(client, runs):
    """It can be moved, if the client has its current state, and removed."""
    first, second = runs
    found = client.get("/v1/baselines/main")
    assert (found.json()["run_id"], found.headers["etag"]) == (first, f'"{first}"')
    tag = {"If-Match": found.headers["etag"]}
    assert client.put("/v1/baselines/main", json={"run_id": second}, headers=tag).status_code == 200
    assert client.put("/v1/baselines/main", json={"run_id": first}, headers=tag).status_code == 412
    assert [one["run_id"] for one in client.get("/v1/baselines").json()["items"]] == [second]
    assert client.delete("/v1/baselines/main").status_code == 204
    assert client.delete("/v1/baselines/main").status_code == 404
    assert client.get("/v1/baselines/main").status_code == 404


def test_a_baseline_requires_a_run_and_a_distinct_name(client, runs):
    """A missing run is 404; a name as long as an id is rejected."""
    assert client.put("/v1/baselines/x", json={"run_id": "0" * 64}).status_code == 404
    body = {"run_id": runs[0]}
    assert client.put(f"/v1/baselines/{'a' * 64}", json=body).status_code == 422
    assert client.put("/v1/baselines/a%20b", json=body).status_code == 422


def test_a_gate_decides_like_the_command_line(client, runs, tmp_path, monkeypatch):
    """The report equals `berryeval gate --json`, and has its Markdown."""
    import json

    from click.testing import CliRunner

    from berryeval.cli import main
    from service_data import judgments

    assert client.put("/v1/gates/release", json=GATE).status_code == 201
    made = client.post("/v1/gates/release/verdicts", json={"run": runs[1]})
    assert made.status_code == 201
    monkeypatch.chdir(tmp_path)
    for name, seed in (("main.run", 1), ("new.run", 2)):
        (tmp_path / name).write_text(run_lines(seed))
    lines = (f"{one['query_id']} 0 {one['doc_id']} {one['grade']}\n" for one in judgments())
    (tmp_path / "qrels").write_text("".join(lines))
    arguments = ["gate", "--judgments", "qrels", "--run", "new.run", "--baseline", "main.run",
                 "--at-least", "RR=0.1", "--margin", "nDCG@10=0.5", "--json"]  # fmt: skip
    (tmp_path / "berryeval.toml").write_text('history = "history.jsonl"\n')
    shown = json.loads(CliRunner().invoke(main, arguments).stdout)
    report = made.json()["report"]
    assert report.pop("markdown").startswith("### ✅ Pass: ")
    assert report == shown
    assert made.json()["verdict"] == shown["verdict"] == "pass"
    assert made.json()["baseline_id"] == runs[0]


def test_an_archive_counts_looks_and_tries(client, runs):
    """Repeated data count as neither; another baseline is a try, and more queries are a look."""
    client.put("/v1/gates/release", json=GATE)

    def decide(baseline=runs[0]):
        body = {"run": runs[1], "baseline": baseline}
        report = client.post("/v1/gates/release/verdicts", json=body).json()["report"]
        return report["memory"]["looks"], report["memory"]["tries"], report["level"]

    assert [decide(), decide()] == [(1, 1, 0.025)] * 2
    assert decide(runs[1]) == (1, 2, 0.025)
    client.put("/v1/judgments/a-new-query/d1", json={"grade": 1})
    assert decide() == (2, 1, 0.0125)
    report = client.get("/v1/gates/release/verdicts").json()["items"][0]["report"]
    assert "Second check of these runs on this set, at significance" in report["sentence"]


def test_the_last_release_is_the_anchor_of_a_gate(client, runs):
    """It is used once one is marked; the gate may name another, or none."""
    first, second = runs

    def decide(**settings):
        client.put("/v1/gates/release", json={**GATE, **settings})
        made = client.post("/v1/gates/release/verdicts", json={"run": second})
        assert made.status_code == 201, made.text
        margins = [one for one in made.json()["report"]["guards"] if one["kind"] == "margin"]
        return [one["baseline"] for one in margins]

    assert decide() == [None]
    marked = client.put("/v1/baselines/v1", json={"run_id": second, "is_release": True})
    assert marked.json()["released_at"] is not None
    assert client.get("/v1/baselines/v1").headers["etag"] == f'"{second}-release"'
    assert decide() == ["baseline", "v1"]
    assert decide(anchor="none") == [None]
    assert decide(anchor="main") == [None]
    client.put("/v1/baselines/v2", json={"run_id": first, "is_release": True})
    assert decide() == [None]  # the run is the baseline itself
    assert decide(anchor="v1") == ["baseline", "v1"]
    client.put("/v1/gates/release", json={**GATE, "anchor": "gone"})
    assert client.post("/v1/gates/release/verdicts", json={"run": second}).status_code == 404


def test_a_reserve_is_opened_by_a_request(client, runs):
    """The report has its gain over the anchor; without a release the request is rejected."""
    client.put("/v1/gates/release", json={**GATE, "reserve": 0.4})
    body = {"run": runs[1], "open_reserve": True}
    refused = client.post("/v1/gates/release/verdicts", json=body)
    assert (refused.status_code, "a release to compare with" in refused.text) == (422, True)
    client.put("/v1/baselines/v1", json={"run_id": runs[1], "is_release": True})
    report = client.post("/v1/gates/release/verdicts", json=body).json()["report"]
    found = report["opening"]
    assert (found["anchor"], found["number"], found["openings"], found["gain"]) == ("v1", 1, 5, 0)
    n_seen = max(guard["queries"] for guard in report["guards"])
    assert (found["seen"], found["reserved"] > 0) == (n_seen, True)


def test_verdicts_are_kept_when_their_gate_is_removed(client, runs):
    """They are listed newest first, and each can be read."""
    client.put("/v1/gates/release", json=GATE)
    strict = {"guards": [{"measure": "RR", "at_least": 1}]}
    client.post("/v1/gates/release/verdicts", json={"run": runs[1]})
    client.put("/v1/gates/release", json=strict)
    failed = client.post("/v1/gates/release/verdicts", json={"run": "main"})
    assert failed.json()["verdict"] == "fail"
    assert client.delete("/v1/gates/release").status_code == 204
    assert client.delete("/v1/gates/release").status_code == 404
    found = client.get("/v1/gates/release/verdicts").json()["items"]
    assert [one["verdict"] for one in found] == ["fail", "pass"]
    assert client.get(failed.headers["location"]).json() == failed.json()
    assert client.get("/v1/gates/other/verdicts/1").status_code == 404
    gone = client.post("/v1/gates/release/verdicts", json={"run": runs[1]})
    assert gone.status_code == 404


def test_a_gate_is_not_replaced_with_an_outdated_etag(client):
    """A non-matching If-Match is 412, and equal content has an equal ETag."""
    etag = client.put("/v1/gates/release", json=GATE).headers["etag"]
    found = client.get("/v1/gates/release")
    assert found.headers["etag"] == etag
    assert client.get("/v1/gates/release", headers={"If-None-Match": etag}).status_code == 304
    strict = {"guards": [{"measure": "RR", "at_least": 1}]}
    assert client.put("/v1/gates/release", json=strict, headers={"If-Match": etag}).is_success
    late = client.put("/v1/gates/release", json=GATE, headers={"If-Match": etag})
    assert late.status_code == 412
    assert [one["name"] for one in client.get("/v1/gates").json()["items"]] == ["release"]
    assert client.get("/v1/gates/other").status_code == 404


def test_a_concurrent_write_is_not_overwritten(client, runs, archive, monkeypatch):
    """ETags are compared inside the writing transaction: another write before it is 412."""
    first, second = runs
    client.put("/v1/gates/release", json=GATE)
    client.put("/v1/queries/q1", json={"text": "a"})
    loose = {"guards": [{"measure": "RR", "at_least": 0.2}]}
    for path, mine, theirs, kept in (
        ("/v1/gates/release", GATE, loose, archive.gates),
        ("/v1/baselines/main", {"run_id": first}, {"run_id": second}, archive.baselines),
        ("/v1/queries/q1", {"text": "b"}, {"text": "c"}, archive.queries),
    ):
        for method, name in (("PUT", "put"), ("DELETE", "remove")):
            write = getattr(kept, name)

            def write_first(*given, _path=path, _theirs=theirs, _write=write, **named):
                monkeypatch.undo()
                assert client.put(_path, json=_theirs).status_code == 200
                return _write(*given, **named)

            client.put(path, json=mine)
            seen = client.get(path)
            monkeypatch.setattr(kept, name, write_first)
            body = {"json": mine} if method == "PUT" else {}
            tag = {"If-Match": seen.headers["etag"]}
            late = client.request(method, path, headers=tag, **body)
            assert (late.status_code, late.json()["where"]) == (412, "If-Match"), (path, method)
            assert client.get(path).headers["etag"] != seen.headers["etag"]


@pytest.mark.usefixtures("runs")
def test_a_gate_or_baseline_is_not_removed_with_an_outdated_etag(client):
    """If-Match applies to DELETE, too: 412 unless it matches."""
    client.put("/v1/gates/release", json=GATE)
    for path in ("/v1/gates/release", "/v1/baselines/main"):
        assert client.delete(path, headers={"If-Match": '"other"'}).status_code == 412
        tag = {"If-Match": client.get(path).headers["etag"]}
        assert client.delete(path, headers=tag).status_code == 204
        assert client.delete(path, headers=tag).status_code == 412


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ({}, "gate.guard 1: expected measure or latency, found neither"),
        ({"measure": "RR"}, "gate.guard 1: expected at_least, margin or equivalent for RR"),
        ({"measure": "RRR", "at_least": 0.1}, "gate.guard 1: unknown measure 'RRR'"),
        ({"measure": "RR", "at_least": 7}, "gate.guard 1: at_least: expected at most 1"),
        ({"measure": "RR", "margin": "much"}, "gate.guard 1: margin: expected a number above 0"),
        ({"latency": "fast", "at_most_ms": 1}, "gate.guard 1: latency: expected a percentile"),
    ],
)
def test_a_guard_without_a_limit_is_rejected(client, guard, expected):
    """The message has the number of the guard, as for berryeval.toml."""
    answer = client.put("/v1/gates/release", json={"guards": [guard]})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(expected)


def test_a_margin_requires_a_baseline_of_the_same_corpus(client, runs):
    """A missing baseline is an error, and another corpus is rejected unless the gate allows it."""
    guards = [{"measure": "RR", "margin": 0.9}]
    client.put("/v1/gates/g", json={"guards": guards})
    alone = client.post("/v1/gates/g/verdicts", json={"run": runs[1]})
    assert (alone.status_code, alone.json()["where"]) == (422, "baseline")
    ids = [
        client.post(f"/v1/runs?name=x&corpus_hash={corpus}", content=run_lines(3)).json()["run_id"]
        for corpus in ("old", "new")
    ]
    asked = {"run": ids[0], "baseline": ids[1]}
    other = client.post("/v1/gates/g/verdicts", json=asked)
    assert (other.status_code, other.json()["type"]) == (422, "urn:berryeval:problem:mismatch")
    client.put("/v1/gates/g", json={"guards": guards, "allow_other_corpus": True})
    assert client.post("/v1/gates/g/verdicts", json=asked).status_code == 201


def test_a_gate_of_judged_documents_equals_guards_that_name_them(client, runs):
    """The rule is applied to every guard; the stored guards stay as they were sent."""
    reports = []
    for measure, rule in (("P@5", {"judged_only": True}), ("P(judged_only=True)@5", {})):
        gate = {"guards": [{"measure": measure, "margin": 0.3}], "baseline": "main", **rule}
        stored = client.put("/v1/gates/g", json=gate).json()
        assert stored["settings"]["guards"][0]["measure"] == measure
        found = client.post("/v1/gates/g/verdicts", json={"run": runs[1]}).json()
        reports.append((found["verdict"], found["report"]["guards"]))
    assert reports[0] == reports[1]
    assert reports[0][1][0]["measure"] == "P(judged_only=True)@5"


def test_a_latency_guard_uses_the_durations_of_the_request(client, runs):
    """Slow queries fail the gate."""
    client.put("/v1/gates/g", json={"guards": [{"latency": "p95", "at_most_ms": 100}]})
    for milliseconds, verdict in ((50, "pass"), (500, "fail")):
        asked = {"run": runs[1], "milliseconds": {"q1": milliseconds, "q2": 1}}
        assert client.post("/v1/gates/g/verdicts", json=asked).json()["verdict"] == verdict
    assert client.post("/v1/gates/g/verdicts", json={"run": runs[1]}).status_code == 422


def test_a_report_keeps_the_most_decisive_holes(client, runs, monkeypatch):
    """Thousands of them in each report would make lists of verdicts slow."""
    close = {"baseline": "main", "guards": [{"measure": "nDCG@10", "margin": 0.01}]}
    client.put("/v1/gates/close", json=close)
    whole = client.post("/v1/gates/close/verdicts", json={"run": runs[1]}).json()["report"]
    assert "n_holes" not in whole
    n_holes = len(whole["holes"])
    assert n_holes > 1
    monkeypatch.setattr("berryeval.service.verdicts.MAX_HOLES", n_holes - 1)
    short = client.post("/v1/gates/close/verdicts", json={"run": runs[1]}).json()["report"]
    assert short["n_holes"] == n_holes
    assert short["holes"] == whole["holes"][:-1]


def test_a_run_from_a_list_still_has_its_durations(client, runs):
    """Lists leave them out, but latency guards need them."""
    from berryeval.service.jobs import no_progress
    from berryeval.service.verdicts import decide_on

    archive, loaded = client.app.state.archive, client.app.state.runs
    run = loaded.load(runs[0])
    archive.runs.put(run, RunFacts("timed", durations={"q1": 20.0, "q2": 400.0}))
    listed = archive.runs.page(name="timed").items[0]
    gate = archive.gates.put("quick", {"guards": [{"latency": "p50", "at_most_ms": 500}]})
    verdict = decide_on(
        archive, loaded, gate, listed, None, milliseconds=None, progress=no_progress
    )
    assert verdict.verdict == "pass"


def test_a_threshold_above_the_best_possible_mean_has_no_verdict(client):
    """As on the command line, it is an error, since no run could pass."""
    run, _ = fill(client)
    client.put("/v1/gates/high", json={"guards": [{"measure": "P@10", "at_least": 0.99}]})
    answer = client.post("/v1/gates/high/verdicts", json={"run": run})
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("mismatch")
    assert "the best possible P@10 is 0." in answer.json()["detail"]
    assert "lower the threshold, or judge more documents" in answer.json()["detail"]
    assert client.get("/v1/gates/high/verdicts").json()["items"] == []
