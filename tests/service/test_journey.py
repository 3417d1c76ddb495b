"""From an empty archive to a verdict, in either database."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from archive.databases import new_database
from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from service_data import fill, upload
from service_server import new_app


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path):
    """A file, or a database on a real PostgreSQL server."""
    if request.param == "sqlite":
        yield str(tmp_path / "berryeval.db")
        return
    with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
        yield dsn


@pytest.fixture
def start(location):
    """Start a service over the archive, with the data stored by the previous one."""

    def start_service():
        archive = Archive.open(location)
        opened.append(archive)
        app = new_app(archive, ServiceSettings())
        return TestClient(app, base_url="http://localhost:8765")

    opened = []
    yield start_service
    for archive in opened:
        archive.close()


def test_everything_is_restored_after_a_restart(start):
    """Judgments, runs, baselines, gates and verdicts are in the archive, not in the service."""
    client = start()
    first, second = fill(client)
    client.put("/v1/queries/q%00%F0%9F%8D%93", json={"text": "null \x00 and 🍓", "tags": ["\x00"]})
    client.put("/v1/baselines/main", json={"run_id": first})
    guards = [{"measure": "RR", "at_least": 0.1}, {"measure": "nDCG@10", "margin": 0.9}]
    client.put("/v1/gates/release", json={"baseline": "main", "guards": guards})
    verdict = client.post("/v1/gates/release/verdicts", json={"run": second})
    assert verdict.json()["verdict"] == "pass"
    asked = {"baseline": "main", "candidates": [second]}
    compared = client.post("/v1/comparisons", json=asked).json()
    lists = ("judgments", "queries", "runs", "baselines", "gates", "history")
    paths = [f"/v1/{name}" for name in lists]
    paths += [verdict.headers["location"], f"/v1/runs/{first}/rankings/q1"]
    before = [client.get(path).json() for path in paths]
    again = start()
    assert [again.get(path).json() for path in paths] == before
    assert again.post("/v1/comparisons", json=asked).json() == compared
    assert upload(again, 1, "bm25") == first


def test_of_concurrent_judges_at_two_services_one_is_first(start):
    """Two processes may serve the same archive."""
    clients = [start(), start()]
    for client in clients:  # the first request prepares the routes, without output
        assert client.get("/v1/judgments/q/d").status_code == 404

    def judge(number):
        answer = clients[number % 2].put("/v1/judgments/q/d", json={"grade": number})
        return answer.status_code

    with ThreadPoolExecutor(6) as people:
        found = list(people.map(judge, range(12)))
    assert found.count(201) == 1
    assert set(found) <= {201, 412, 428}
