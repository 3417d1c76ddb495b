"""Jobs: progress, results, failures, and cancellation."""

import asyncio
import threading
import time

import pytest
from starlette.responses import Response

from berryeval.errors import MismatchError
from berryeval.service.jobs import Jobs
from berryeval.service.problems import Problem
from service_data import fill

ASYNC = {"Prefer": "wait=1, respond-async"}


def finished(client, job_id):
    """Wait until a job has finished, and return its description."""
    for _ in range(2000):
        job = client.get(f"/v1/jobs/{job_id}").json()
        if job["state"] in ("done", "failed", "cancelled"):
            return job
        time.sleep(0.01)
    raise AssertionError(job)


@pytest.fixture
def jobs():
    """Jobs without a service."""
    found = Jobs(most=3)
    yield found
    found.close()
    found.join()


def ended(job):
    """Wait until a job has ended, and return its state."""
    while job.finished is None:
        time.sleep(0.005)
    return job.state


def test_a_job_has_the_result_of_the_request(client):
    """The response is 202 with the job's address; the result is byte-identical."""
    first, second = fill(client)
    asked = {"baseline": first, "candidates": [second]}
    started = client.post("/v1/comparisons", json=asked, headers=ASYNC)
    assert started.status_code == 202
    assert started.headers["preference-applied"] == "respond-async"
    job = finished(client, started.json()["id"])
    assert (job["state"], job["done"], job["total"]) == ("done", 3, 3)
    result = client.get(job["result"])
    assert result.content == client.post("/v1/comparisons", json=asked).content
    assert client.get(started.headers["location"]).json() == job
    assert client.get("/v1/jobs").json()["items"] == [job]


def test_every_long_request_can_be_a_job(client):
    """These are evaluations, comparisons, verdicts, holes and history."""
    first, second = fill(client)
    client.put("/v1/gates/g", json={"guards": [{"measure": "RR", "at_least": 0.1}]})
    started = [
        client.post("/v1/evaluations", json={"run": first}, headers=ASYNC),
        client.post("/v1/gates/g/verdicts", json={"run": second}, headers=ASYNC),
        client.post("/v1/holes", json={"runs": [second]}, headers=ASYNC),
        client.get("/v1/history", headers=ASYNC),
    ]
    kinds = [finished(client, one.json()["id"]) for one in started]
    assert [(job["kind"], job["state"]) for job in kinds] == [
        ("evaluation", "done"),
        ("verdict", "done"),
        ("holes", "done"),
        ("history", "done"),
    ]


def test_a_failed_job_has_a_reason(client):
    """It has the problem that the request would have returned."""
    fill(client)
    lost = client.post("/v1/runs?name=lost", content="zz Q0 d1 1 1 t\n").json()["run_id"]
    started = client.post("/v1/evaluations", json={"run": lost}, headers=ASYNC)
    job = finished(client, started.json()["id"])
    assert (job["state"], job["problem"]["status"]) == ("failed", 422)
    refused = client.get(f"/v1/jobs/{job['id']}/result")
    assert (refused.status_code, "no query in common" in refused.json()["detail"]) == (409, True)
    assert client.delete(f"/v1/jobs/{job['id']}").status_code == 409


def test_an_unknown_job_is_not_found(client):
    """This holds for every route of jobs."""
    for path in ("", "/result", "/events"):
        assert client.get(f"/v1/jobs/{'0' * 16}{path}").status_code == 404
    assert client.delete(f"/v1/jobs/{'0' * 16}").status_code == 404


def test_events_report_each_step_and_end_with_the_job(client):
    """The last event is the finished job."""
    first, second = fill(client)
    asked = {"baseline": first, "candidates": [second]}
    job_id = client.post("/v1/comparisons", json=asked, headers=ASYNC).json()["id"]
    events = client.get(f"/v1/jobs/{job_id}/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    last = events.text.strip().split("\n\n")[-1]
    assert last.startswith("event: done\ndata: {")


def test_events_are_sent_while_the_work_continues(jobs):
    """Each step is sent before the next one starts, with keep-alives in between."""
    go_on = threading.Event()

    def work(progress):
        progress(1, 2, "first")
        go_on.wait(10)
        progress(2, 2, "second")
        return Response(b"{}")

    async def listen():
        job = jobs.start("test", work, owner="ada")
        found = []
        async for event in jobs.events(job):
            found.append(event)
            if b'"step":"first"' in event:
                go_on.set()
        return found

    found = asyncio.run(listen())
    assert found[-1].startswith(b"event: done\n")
    assert any(b'"step":"first"' in event for event in found)


def test_an_idle_stream_is_kept_open(jobs, monkeypatch):
    """Periodic comments keep proxies from closing it."""
    monkeypatch.setattr("berryeval.service.jobs._HEARTBEAT_SECONDS", 0.01)
    go_on = threading.Event()

    def work(_progress):
        go_on.wait(10)
        return Response(b"{}")

    async def listen():
        found = []
        async for event in jobs.events(jobs.start("test", work, owner="ada")):
            found.append(event)
            if event.startswith(b":"):
                go_on.set()
        return found

    assert b": keep-alive\n\n" in asyncio.run(listen())


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_at_its_next_step(jobs):
    """The thread is free again afterwards."""
    go_on, has_begun = threading.Event(), threading.Barrier(3)

    def work(progress):
        has_begun.wait(10)
        go_on.wait(10)
        progress(1, 2, "never reported")
        return Response(b"{}")

    running = [jobs.start("test", work, owner="ada") for _ in range(2)]
    waiting = jobs.start("test", work, owner="ada")
    has_begun.wait(10)
    jobs.cancel(waiting)
    assert waiting.state == "cancelled"
    for job in running:
        jobs.cancel(job)
    go_on.set()
    assert [ended(job) for job in running] == ["cancelled", "cancelled"]
    assert jobs.counts()["cancelled"] == 3


def test_too_many_jobs_are_rejected(jobs):
    """The status is 503 until another job has ended."""
    go_on = threading.Event()

    def work(_progress):
        go_on.wait(10)
        return Response(b"{}")

    started = [jobs.start("test", work, owner="ada") for _ in range(3)]
    with pytest.raises(Problem, match="3 are waiting") as refused:
        jobs.start("test", work, owner="ada")
    assert (refused.value.status_code, refused.value.headers["Retry-After"]) == (503, "5")
    go_on.set()
    assert {ended(job) for job in started} == {"done"}
    assert ended(jobs.start("test", work, owner="ada")) == "done"


@pytest.mark.parametrize(
    ("error", "status"), [(Problem(409, "no"), 409), (MismatchError("no"), 422), (OSError(), 500)]
)
def test_any_exception_of_a_job_becomes_its_problem(jobs, error, status):
    """This includes bugs, without their text."""

    def work(_progress):
        raise error

    job = jobs.start("test", work, owner="ada")
    assert (ended(job), job.problem.status_code) == ("failed", status)


def test_old_jobs_are_removed(jobs, monkeypatch):
    """They are removed an hour after they ended."""
    job = jobs.start("test", lambda _progress: Response(b"{}"), owner="ada")
    assert ended(job) == "done"
    monkeypatch.setattr("berryeval.service.jobs.time.monotonic", lambda: 1e12)
    assert jobs.all() == []


def test_few_results_are_kept(jobs, monkeypatch):
    """The oldest are removed first."""
    monkeypatch.setattr("berryeval.service.jobs._MAX_KEPT", 2)
    started = []
    for _ in range(4):
        started.append(jobs.start("test", lambda _progress: Response(b"{}"), owner="ada"))
        ended(started[-1])
    assert {job.id for job in jobs.all()} == {job.id for job in started[2:]}


def test_stopping_the_service_cancels_jobs_and_ends_streams(jobs):
    """New jobs are rejected."""
    has_begun, go_on = threading.Event(), threading.Event()

    def work(progress):
        has_begun.set()
        go_on.wait(10)
        progress(1, 1, "never reported")
        raise AssertionError

    async def listen():
        job = jobs.start("test", work, owner="ada")
        found = []
        async for event in jobs.events(job):
            found.append(event)
            has_begun.wait(10)
            jobs.close()
        return found, job

    found, job = asyncio.run(listen())
    go_on.set()
    assert (ended(job), found[-1][:16]) == ("cancelled", b"event: progress\n")
    with pytest.raises(Problem, match="is stopping"):
        jobs.start("test", work, owner="ada")


def test_a_job_is_stopped_by_its_owner_or_an_admin(service, archive):
    """Others are rejected."""
    tokens = {name: archive.tokens.create(name, role) for name, role in
              (("ada", "judge"), ("bob", "judge"), ("root", "admin"))}  # fmt: skip
    client = service(is_token_required=True)
    go_on = threading.Event()

    def work(progress):
        go_on.wait(10)
        progress(1, 1, "")
        return Response(b"{}")

    jobs = client.app.state.jobs
    found = []
    for name in ("bob", "ada", "root"):
        job = jobs.start("test", work, owner="ada")
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        found.append(client.delete(f"/v1/jobs/{job.id}", headers=headers).status_code)
    go_on.set()
    assert found == [403, 200, 200]


def test_finished_jobs_keep_only_their_description(jobs):
    """However fast they are, they are not stored twice."""
    for _ in range(200):
        ended(jobs.start("fast", lambda _progress: Response(), owner="ada"))
    time.sleep(0.05)
    assert not jobs._futures
