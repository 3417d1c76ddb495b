"""Bodies of requests that would take far more memory and time than their size suggests."""

import asyncio
import json
import threading
import time
from typing import Annotated

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from pydantic import AfterValidator, BaseModel
from starlette.requests import Request

from berryeval.service import bodies
from berryeval.service.body_limits import BULK, UPLOADS, JsonLimit, count_values
from berryeval.service.problems import Problem
from berryeval.service.routes import ROUTERS
from berryeval.service.settings import SMALL_BODY
from berryeval.service.workbench import pages
from service_server import application, listening

JSON = {"Content-Type": "application/json"}


def fields_of(answer, status, kind):
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (status, kind)
    assert "\n" not in answer.json()["detail"]
    return answer.json()


MANY_KEYS = b"{" + b",".join(b'"%d":1' % n for n in range(9_990)) + b"}"
HOSTILE = {
    "empty objects": ("at most 300,000 objects", b'{"judgments": [' + b"{}," * 400_000 + b"{}]}"),
    "numbers": ("at most 1,000,000 values", b'{"judgments": [' + b"1," * 1_100_000 + b"1]}"),
    "empty lists": ("at most 1,000,000 values", b"[" + b"[]," * 600_000 + b"1]"),
    "keys": (
        "at most 1,000,000 values",
        b"["
        + b",".join([b"{" + b",".join(b'"%d":1' % n for n in range(9_990)) + b"}"] * 110)
        + b"]",
    ),
    "keys of one": (
        "objects of at most 10,000 keys",
        b"{" + b",".join(b'"%d":1' % n for n in range(10_001)) + b"}",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_values_are_counted_before_they_are_parsed(client, monkeypatch, name):
    """Bodies that would take much memory are never parsed."""
    expected, body = HOSTILE[name]
    monkeypatch.setattr(bodies, "_parsed", lambda *_: pytest.fail("it was parsed"))
    problem = fields_of(client.post("/v1/judgments", content=body, headers=JSON), 422, "shape")
    assert problem["detail"] == f"body: expected {expected}, found more; send less at once"


def test_keys_around_nested_objects_are_counted(client):
    """Their object has as many keys as it contains objects."""
    body = b"{" + b",".join(b'"%d":{}' % n for n in range(10_001)) + b"}"
    problem = fields_of(client.post("/v1/judgments", content=body, headers=JSON), 422, "shape")
    assert problem["expected"] == "objects of at most 10,000 keys"


def test_a_batch_of_100_000_judgments_meets_no_limit(client):
    """The judgments have all fields, and are parsed and validated up to the last one."""
    entries = [
        {"query_id": f"q{n // 100}", "doc_id": f"document {n}, with a name", "grade": n % 4,
         "document_hash": f"{n:032x}", "subtopics": {"a": 1, "b": 0}}
        for n in range(100_000)
    ]  # fmt: skip
    entries[-1]["grade"] = "high"
    answer = client.post("/v1/judgments", json={"judgments": entries})
    assert answer.json()["where"] == "body.judgments[99999].grade"


def test_ranking_evaluation_refuses_them_as_elasticsearch_would(client):
    """Its requests are invalid with 400."""
    body = b'{"requests": [' + b"{}," * 400_000 + b"{}]}"
    answer = client.post("/_rank_eval", content=body, headers=JSON)
    assert answer.status_code == 400
    assert "at most 300,000 objects" in answer.json()["error"]["reason"]


def test_texts_are_not_counted_as_values(client):
    """Documents may consist of commas, braces and quotes."""
    text = '{[,:"\\' * 50_000
    body = {"documents": [{"doc_id": f"d{n}", "text": text} for n in range(4)]}
    assert client.post("/v1/documents", json=body).json()["received"] == 4
    assert client.get("/v1/documents/d3").json()["text"] == text


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_values_are_counted_across_pieces(size):
    """Texts and escapes may be cut anywhere."""
    body = json.dumps({"a": ['x"y\\', "\\", 'b\\"', [1, 2, {"c,{": []}]], "é": {}}).encode()
    pieces = (body[start : start + size] for start in range(0, len(body), size))
    assert count_values(pieces, JsonLimit(12, 10)) == 12


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"judgments": []}'.encode("utf-16"), "JSON in UTF-8"),
        (b'{"judgments": "\xff"}', "JSON in UTF-8"),
        (b"[" * 20_000 + b"]" * 20_000, "JSON with fewer levels"),
    ],
)
def test_what_cannot_be_parsed_is_named(client, body, expected):
    """Examples are another encoding, whose values were not counted, and very deep nesting."""
    problem = fields_of(client.post("/v1/judgments", content=body, headers=JSON), 400, "not-json")
    assert problem["expected"] == expected


# Bytes

LARGE = b'"' + b"x" * SMALL_BODY + b'"'


def routes():
    """Return method, route and an address of every route that may have a body."""
    routers = (*ROUTERS, *pages.OPEN_ROUTERS, *pages.ROUTERS)
    for route in (route for router in routers for route in router.routes):
        for method in sorted(route.methods):
            if method in ("POST", "PUT", "PATCH", "DELETE") or "_rank_eval" in route.path:
                address = route.path.replace(":id}", "}")
                for name in {part.split("}")[0] for part in address.split("{")[1:]}:
                    address = address.replace(f"{{{name}}}", "x")
                yield method, route.path, address


def test_only_routes_for_many_records_accept_large_bodies(client):
    """One record fits into a megabyte, whatever its path begins with."""
    found = list(routes())
    assert len(found) > 40
    for method, route, address in found:
        answer = client.request(method, address, content=LARGE, headers=JSON)
        is_large = (method, route) in BULK or (method, route) in UPLOADS
        assert (answer.status_code == 413) != is_large, (method, route)
    known = {(method, route) for method, route, _ in found}
    assert set(BULK) | UPLOADS <= known
    assert {("PUT", "/v1/judgments/{query_id:id}/{doc_id:id}"), ("PUT", "/v1/stores/{store}")} <= (
        known - set(BULK)
    )


def test_a_verdict_takes_the_times_of_100_000_queries(client):
    """Its body is one object with as many keys."""
    times = {f"query {n}": 12.5 for n in range(100_000)}
    answer = client.post("/v1/gates/release/verdicts", json={"run": "a", "milliseconds": times})
    assert answer.status_code == 404, "there is no such gate"
    times["one more"] = 1.0
    answer = client.post("/v1/gates/release/verdicts", json={"run": "a", "milliseconds": times})
    assert answer.status_code == 422


def test_forms_have_a_limited_number_of_fields(client):
    """A login form of separators is not split."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in ("/login", "/judgments/policy"):
        answer = client.post(path, content=b"a&" * 400_000, headers=headers)
        assert answer.status_code == 422, path
        assert "at most 5,000 fields" in answer.text


# Several at once


def request_of(pieces, seconds=60.0):
    messages = [
        {"type": "http.request", "body": piece, "more_body": n + 1 < len(pieces)}
        for n, piece in enumerate(pieces)
    ]

    async def receive():
        return messages.pop(0)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [],
             "state": {"deadline": time.monotonic() + seconds}}  # fmt: skip
    return Request(scope, receive)


async def parse_several(n_bodies, seconds=60.0):
    """Parse large bodies at the same time; return how many were in memory at once."""
    body = json.dumps([1] * 900_000).encode()
    at_once, most = 0, 0

    async def handle(request):
        nonlocal at_once, most
        assert len(await request.json()) == 900_000
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1

    async def one():
        limit = BULK["POST", "/v1/judgments"]
        async with bodies.AsyncExitStack() as held:
            request = request_of([body[:100], body[100:]], seconds)
            await handle(bodies._JsonRequest(request.scope, request.receive, limit, None, held))

    await asyncio.gather(*(one() for _ in range(n_bodies)))
    return most


def test_large_bodies_are_parsed_a_few_at_a_time():
    """The others wait on disk, and all are parsed."""
    assert asyncio.run(parse_several(6)) <= 2


def test_large_bodies_are_validated_in_a_thread():
    """It takes half a second for 100,000 judgments, during which other requests are served."""
    threads = []

    def noted(text):
        threads.append(threading.current_thread())
        return text

    class Wanted(BaseModel):
        texts: list[Annotated[str, AfterValidator(noted)]]

    router = APIRouter(route_class=bodies.JsonRoute)

    @router.post("/")
    async def post(wanted: Wanted) -> list[str]:
        threads.append(threading.current_thread())
        return wanted.texts

    app = FastAPI()
    app.include_router(router)

    async def thread_of_validation(texts):
        threads.clear()
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://a") as client:
            assert (await client.post("/", json={"texts": texts})).json() == texts
        of_validation, of_loop = threads
        return of_validation, of_loop

    small, loop = asyncio.run(thread_of_validation(["x"]))
    large, its_loop = asyncio.run(thread_of_validation(["x" * 100_000]))
    assert small is loop
    assert large is not its_loop


@pytest.mark.parametrize("n", [1, 10_000])
def test_a_body_of_any_size_gets_the_same_problem(client, n):
    """It does not matter whether it is validated in a thread."""
    entries = [{"query_id": "q", "doc_id": f"d{number}", "grade": 1} for number in range(n)]
    answer = client.post(
        "/v1/judgments", json={"judgments": [*entries, {**entries[0], "grade": "high"}]}
    )
    problem = fields_of(answer, 422, "shape")
    assert (problem["where"], problem["expected"], problem["found"]) == (
        f"body.judgments[{n}].grade", "a valid number", "'high'",
    )  # fmt: skip


def test_a_body_that_waited_too_long_is_not_parsed():
    """Its client has already received a response."""
    with pytest.raises(Problem) as caught:
        asyncio.run(parse_several(1, seconds=-1.0))
    assert caught.value.kind == "timeout"


def test_the_service_answers_while_large_bodies_are_parsed(tmp_path):
    """Four large bodies of an attack are sent at once."""
    attacks = [b"[" + b"{}," * 8_000_000 + b"{}]", b"[" + b"1," * 15_000_000 + b"1]"] * 2

    async def attack(address):
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            posts = [
                asyncio.ensure_future(client.post("/v1/judgments", content=body, headers=JSON))
                for body in attacks
            ]
            while not all(post.done() for post in posts):
                assert (await client.get("/healthz")).status_code == 200
                await asyncio.sleep(0.01)
            return [(await post).status_code for post in posts]

    with application(tmp_path) as app, listening(app) as address:
        assert asyncio.run(attack(address)) == [422] * 4
