"""Runs over HTTP: files in any format, stored completely or not at all."""

import base64
import gzip
import hashlib
import json
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from archive.databases import new_database
from berryeval.archive import Archive, RunFacts
from berryeval.core.run import Run
from berryeval.formats import write_run
from berryeval.service import ServiceSettings
from berryeval.service.stored_runs import RunCache
from service_data import fill, run_lines, upload
from service_server import new_app

RUN = {"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d3": 0.5}}
NO_RUN = "0" * 64


def written(tmp_path, name):
    """Return the content of a file written by the library."""
    path = tmp_path / name
    write_run(Run.from_dict(RUN), path)
    return path.read_bytes()


@pytest.mark.parametrize(
    "name", ["a.run", "a.run.gz", "a.run.zst", "a.jsonl", "a.json", "a.csv", "a.tsv.gz",
             "a.parquet", "a.arrow"]
)  # fmt: skip
def test_a_run_in_any_format_is_the_same_run(client, tmp_path, name):
    """The format is detected, and the rankings are unchanged."""
    answer = client.post("/v1/runs?name=bm25", content=written(tmp_path, name))
    assert answer.status_code == 201
    assert (answer.json()["queries"], answer.json()["rows"]) == (2, 3)
    ranking = client.get(f"{answer.headers['location']}/rankings/q1").json()
    assert [(one["rank"], one["doc_id"], one["score"]) for one in ranking["documents"]] == [
        (1, "d1", 2.5),
        (2, "d2", 1.0),
    ]


def test_a_run_keeps_its_metadata(client):
    """Name, tags, commit, corpus and settings are returned."""
    facts = {"name": "bm25", "tag": ["nightly", "ci"], "commit": "4f1c2d3", "corpus_hash": "abc",
             "settings": json.dumps({"k1": 0.9})}  # fmt: skip
    stored = client.post("/v1/runs", params=facts, content=run_lines()).json()
    assert client.get(f"/v1/runs/{stored['run_id']}").json() == stored
    assert (stored["tags"], stored["commit"], stored["settings"]) == (
        ["nightly", "ci"],
        "4f1c2d3",
        {"k1": 0.9},
    )


def test_storing_the_same_run_again_changes_nothing(client):
    """The status is 200 instead of 201; another name is another run of the same content."""
    first = client.post("/v1/runs?name=bm25", content=run_lines())
    again = client.post("/v1/runs?name=bm25", content=run_lines())
    other = client.post("/v1/runs?name=other", content=run_lines())
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert first.json() == again.json()
    assert other.json()["run_id"] != first.json()["run_id"]
    assert other.json()["content_hash"] == first.json()["content_hash"]
    assert [one["name"] for one in client.get("/v1/runs").json()["items"]] == ["other", "bm25"]
    assert len(client.get("/v1/runs?name=bm25").json()["items"]) == 1


@pytest.mark.parametrize(
    ("content", "where", "expected"),
    [
        (b"q1 Q0 d1 1 0.5 x\nq1 Q0\n", "new.run:2", "6 columns"),
        (b"q1 Q0 d1 1 nan x\n", "new.run:1", "number"),
        (b"q1 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n", "new.run:2", ""),
        pytest.param(gzip.compress(b"q1 Q0 d1 1 0.5 x\n" * 9)[:-9], "new.run", "", id="cut"),
        (b"\n\n", "new.run", "judgments or a run"),
        (b"PAR1\x15\x00", "new.run", ""),
    ],
)
def test_an_invalid_file_leaves_nothing(client, content, where, expected):
    """The response names the caller's file and the line, and no run is stored."""
    answer = client.post("/v1/runs?name=bm25&file_name=new.run", content=content)
    assert answer.status_code == 422
    assert answer.json()["where"] == where
    assert expected in answer.json().get("expected", "")
    assert "berryeval-service" not in answer.text
    assert client.get("/v1/runs").json()["items"] == []


def test_an_empty_body_is_not_a_run(client):
    """It is rejected with a message."""
    answer = client.post("/v1/runs?name=bm25")
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:berryeval:problem:no-body")


def test_a_corrupted_upload_is_rejected(client):
    """Content-Digest must match the content; unknown algorithms are ignored."""
    content = run_lines().encode()
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    for header, status in ((f"sha-256=:{digest}:", 201), ("sha-256=:AAAA:", 400),
                           ("md5=:AAAA:", 200)):  # fmt: skip
        answer = client.post("/v1/runs?name=a", content=content, headers={"Content-Digest": header})
        assert answer.status_code == status


def test_a_decompressed_file_that_is_too_large_is_rejected(service):
    """The limit applies to the content of a gzip file, too."""
    client = service(max_upload=100_000)
    bomb = gzip.compress(b"q1 Q0 d1 1 0.5 x\n" * 100_000)
    assert len(bomb) < 100_000
    answer = client.post("/v1/runs?name=a", content=bomb)
    assert (answer.status_code, answer.json()["expected"]) == (413, "at most 100,000 bytes")


@pytest.mark.parametrize("settings", ["[1]", "{", "[" * 5000, "1"])
def test_settings_must_be_a_json_object(client, settings):
    """The message shows anything else."""
    answer = client.post("/v1/runs", params={"name": "a", "settings": settings}, content="x")
    assert (answer.status_code, answer.json()["where"]) == (422, "settings")


@pytest.mark.parametrize("form", ["trec", "jsonl", "json", "table"])
def test_a_run_can_be_downloaded_as_a_file(client, tmp_path, form, monkeypatch):
    """Uploading it again gives the same content, and no temporary file is left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stored = client.post("/v1/runs?name=a", content=written(tmp_path, "a.run")).json()
    file = client.get(f"/v1/runs/{stored['run_id']}/file", params={"format": form})
    assert file.headers["content-disposition"].endswith(f'.{form}"')
    again = client.post("/v1/runs?name=b", content=file.content)
    assert again.json()["content_hash"] == stored["content_hash"]
    assert not list(tmp_path.glob("berryeval-service-*"))


@pytest.mark.parametrize(("name", "tag"), [("bm25", "bm25"), ("my search", "berryeval")])
def test_a_downloaded_run_is_tagged_with_its_name(client, name, tag):
    """The name must be a single word in a TREC file."""
    stored = client.post("/v1/runs", params={"name": name}, content="q1 Q0 d1 1 1 t\n").json()
    file = client.get(f"/v1/runs/{stored['run_id']}/file")
    assert file.text == f"q1 Q0 d1 1 1 {tag}\n"


def test_a_run_that_a_format_cannot_represent_is_rejected(client):
    """A TREC file cannot have white space in an id."""
    table = pa.table({"query_id": ["q 1"], "doc_id": ["d1"], "score": [1.0]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    stored = client.post("/v1/runs?name=a", content=sink.getvalue().to_pybytes())
    answer = client.get(f"{stored.headers['location']}/file")
    assert answer.status_code == 422
    assert answer.json()["detail"] == "a TREC file cannot hold the id 'q 1'"


def test_a_ranking_has_the_current_grades(client):
    """Unjudged documents have none, and an unknown query is 404."""
    run, _ = fill(client)
    ranking = client.get(f"/v1/runs/{run}/rankings/q1", params={"depth": 3}).json()
    assert (ranking["retrieved"], len(ranking["documents"])) == (8, 3)
    by_id = {one["doc_id"]: one["grade"] for one in ranking["documents"]}
    grades = {f"d{n}": (1 + n) % 3 if n < 5 else None for n in range(8)}
    assert by_id == {doc_id: grades[doc_id] for doc_id in by_id}
    assert client.get(f"/v1/runs/{run}/rankings/nothing").status_code == 404


def test_an_infinite_score_is_null(client):
    """JSON has no infinity."""
    stored = client.post("/v1/runs?name=a", content="q1 Q0 d1 1 inf x\n")
    ranking = client.get(f"{stored.headers['location']}/rankings/q1").json()
    assert ranking["documents"] == [{"rank": 1, "doc_id": "d1", "score": None, "grade": None}]


def test_an_id_that_is_not_valid_text_is_escaped(client):
    """JSON represents it with lone surrogates."""
    stored = client.post("/v1/runs?name=a", content=b"q1 Q0 d\xff 1 1 x\n")
    ranking = client.get(f"{stored.headers['location']}/rankings/q1")
    assert b'"d\\udcff"' in ranking.content


def test_a_removed_run_is_gone_unless_it_is_a_baseline(client):
    """409 names the baseline; otherwise the run and its evaluations are removed."""
    run = fill(client)[0]
    client.put("/v1/baselines/main", json={"run_id": run})
    refused = client.delete(f"/v1/runs/{run}")
    assert (refused.status_code, "main" in refused.json()["detail"]) == (409, True)
    client.delete("/v1/baselines/main")
    assert client.delete(f"/v1/runs/{run}").status_code == 204
    for path in (f"/v1/runs/{run}", f"/v1/runs/{run}/file", f"/v1/runs/{run}/rankings/q1"):
        assert client.get(path).status_code == 404
    assert client.delete(f"/v1/runs/{run}").status_code == 404


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_run_removed_on_one_instance_is_gone_on_the_others(
    tmp_path, database, request, monkeypatch
):
    """Runs in the memory of an instance are trusted for a second; in this test, not at all."""
    monkeypatch.setattr("berryeval.service.stored_runs._TRUSTED_SECONDS", 0.0)
    with ExitStack() as opened:
        location = str(tmp_path / "shared.db")
        if database == "postgresql":
            dsn = request.getfixturevalue("postgres_dsn")
            location = opened.enter_context(new_database(dsn))
        archives = [opened.enter_context(Archive.open(location)) for _ in range(2)]
        apps = (new_app(archive, ServiceSettings()) for archive in archives)
        one, other = (
            opened.enter_context(TestClient(app, base_url="http://localhost:8765")) for app in apps
        )
        check_removal(one, other)


def check_removal(one, other):
    """Remove a run with one client, and look for it with the other."""
    ranking = f"/v1/runs/{fill(one)[0]}/rankings/q1"
    assert [client.get(ranking).status_code for client in (one, other, other)] == [200] * 3
    assert one.delete(ranking.removesuffix("/rankings/q1")).status_code == 204
    assert [client.get(ranking).status_code for client in (one, other)] == [404] * 2


def test_the_archive_is_not_asked_for_a_run_each_time(archive, monkeypatch):
    """Pages that show many runs use them from memory."""
    run_id = archive.runs.put(Run.from_dict(RUN), RunFacts("a")).run_id
    runs, asked = RunCache(archive), []
    find = archive.runs.exists
    monkeypatch.setattr(archive.runs, "exists", lambda run_id: asked.append(run_id) or find(run_id))
    assert len({id(runs.load(run_id)) for _ in range(10)}) == 1
    assert 1 <= len(asked) <= 2, "once per second"


def test_few_runs_stay_in_memory(client, archive, monkeypatch):
    """The least recently used one is evicted, and read again when needed."""
    monkeypatch.setattr("berryeval.service.stored_runs._MAX_BYTES", 8_000)
    cache = RunCache(archive)
    first, second = (upload(client, seed, f"run {seed}") for seed in (1, 2))
    loaded = cache.load(first)
    assert cache.load(first) is loaded
    assert len(loaded.doc_ids.data) + 16 * loaded.n_rows > 4_000, "two do not fit"
    cache.load(second)
    assert cache.load(first) is not loaded


def test_work_on_many_runs_keeps_none_of_them(client, archive):
    """Those that pages keep in memory are used, and none is evicted."""
    cache = RunCache(archive)
    first, second = (upload(client, seed, f"run {seed}") for seed in (1, 2))
    loaded, passing = cache.load(first), cache.passing()
    assert passing.load(first) is loaded
    assert passing.load(second) is not passing.load(second)
    assert cache.load(second) is passing.load(second), "it is kept once a page shows it"


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("kind", "content", "status"),
    [
        ("multipart/form-data; boundary=x", run_lines(), 415),
        (FORM, run_lines().replace("\n", ""), 415),  # as sent by `curl --data @FILE`
        (FORM, run_lines(), 201),  # as sent by `curl --data-binary @FILE`
        ("application/octet-stream", "q1 Q0 d1 1 1.0 x", 201),
    ],
)
def test_a_form_is_not_mistaken_for_a_run(client, kind, content, status):
    """Without its line ends, a run would silently be read as one long row."""
    headers = {"Content-Type": kind}
    answer = client.post("/v1/runs?name=a&file_name=a.run", content=content, headers=headers)
    assert answer.status_code == status
    if status == 415:
        assert answer.json()["detail"].startswith("a.run: expected the unmodified file, found ")
        assert "--data-binary" in answer.json()["way_out"]
        assert client.get("/v1/runs").json()["items"] == []


def test_a_small_compressed_file_from_curl_is_accepted(client):
    """Binary data without a line feed is not mistaken for text."""
    files = (gzip.compress(b"q1 Q0 d1 1 1.0 %d\n" % n, mtime=0) for n in range(1000))
    packed = next(file for file in files if b"\n" not in file)
    answer = client.post("/v1/runs?name=a", content=packed, headers={"Content-Type": FORM})
    assert answer.status_code == 201


def test_a_removed_run_is_gone_at_once(client):
    """Cached copies are not used."""
    run_id = upload(client)
    ranking = f"/v1/runs/{run_id}/rankings/q0"
    assert client.get(ranking).status_code == 200
    assert client.delete(f"/v1/runs/{run_id}").status_code == 204
    assert client.get(ranking).status_code == 404
    assert client.get(f"/v1/runs/{run_id}/file").status_code == 404
