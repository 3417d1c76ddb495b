"""Features for operators: health, metrics, logs, limits, and a complete API description."""

import asyncio
import json
import logging
import re
import threading
import time

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from berryeval import errors
from berryeval.errors import ArgumentError
from berryeval.service.middleware import limits
from berryeval.service.middleware.limits import Limits
from berryeval.service.routes import ROUTERS, operations
from berryeval.service.settings import ServiceSettings, service_settings
from berryeval.service.workbench.problems import answer_to
from service_data import fill, judgments


def test_health_needs_nothing_and_readiness_needs_an_archive(client, monkeypatch):
    """Readiness is 503 if the archive does not answer, or the service is about to stop."""
    assert client.get("/healthz").json()["status"] == "ok"
    assert client.get("/readyz").json()["database"] == "sqlite"
    client.app.state.is_stopping = True
    assert client.get("/readyz").json()["type"].endswith(":stopping")
    client.app.state.is_stopping = False

    def fail():
        raise errors.ArchiveError("a.db", "is damaged")

    monkeypatch.setattr(client.app.state.archive, "check", fail)
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert client.head("/readyz").status_code == 503


def test_health_checks_accept_head(client):
    """Load balancers send HEAD, which every route with GET accepts."""
    for path in ("/healthz", "/readyz"):
        answer = client.head(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert client.post(path).headers["allow"] == "GET, HEAD"
    assert client.head("/v1/runs").status_code == 200
    assert client.head("/v1/comparisons").status_code == 405


def test_metrics_are_counted_by_route(client):
    """There are as many series as routes, for any paths that clients request."""
    for number in range(5):
        client.get(f"/v1/queries/q{number}")
        client.get(f"/nothing/{number}")
    client.request("BREW", "/healthz")
    text = client.get("/metrics").text
    assert (
        'berryeval_requests_total{method="GET",route="/v1/queries/{query_id}",status="404"} 5.0'
        in text
    )
    assert 'berryeval_requests_total{method="GET",route="none",status="404"} 5.0' in text
    assert 'method="other"' in text
    assert 'berryeval_jobs{state="running"} 0.0' in text
    assert "q3" not in text


def test_each_request_has_an_id_and_a_log_line(client, caplog):
    """The caller's id is used if it is a plain word, otherwise a new one."""
    with caplog.at_level(logging.INFO, "berryeval.service"):
        named = client.get("/v1/queries/q1", headers={"X-Request-ID": "build-7"})
        other = client.get("/v1/queries/q1", headers={"X-Request-ID": "no good\x7f"})
    assert named.headers["x-request-id"] == "build-7"
    assert re.fullmatch("[0-9a-f]{16}", other.headers["x-request-id"])
    record = next(record for record in caplog.records if record.event == "request")
    assert (record.request_id, record.method, record.status) == ("build-7", "GET", 404)
    assert (record.route, record.path) == ("/v1/queries/{query_id}", "/v1/queries/q1")
    assert record.caller == "local"
    start, end = record.message.split(" milliseconds=")
    assert start.startswith("request request_id=build-7 method=GET path=/v1/queries/q1 route=")
    assert start.endswith(" status=404")
    assert re.fullmatch(r"\d+\.\d{3} caller=local collection=default", end)


def test_a_body_that_is_too_large_is_rejected(service):
    """Its length decides, before it is read."""
    client = service(max_body=1000)
    answer = client.post("/v1/judgments", json={"judgments": judgments()})
    assert (answer.status_code, answer.json()["expected"]) == (413, "at most 1000 bytes")
    assert client.post("/v1/judgments", json={"judgments": judgments(1, 1)}).status_code == 200


def test_a_body_sent_in_chunks_is_counted(service):
    """It has no length; files of runs have a separate limit."""
    client = service(max_body=1000, max_upload=5000)
    pieces = (b" " * 400 for _ in range(5))
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/judgments", content=pieces, headers=headers).status_code == 413
    lines = "q1 Q0 d{} 1 1 t\n"
    for n_lines, status in ((100, 201), (1000, 413)):
        pieces = (lines.format(n).encode() for n in range(n_lines))
        assert client.post("/v1/runs?name=a", content=pieces).status_code == status


def test_a_response_that_takes_too_long_is_504(service, monkeypatch):
    """The message suggests a job, and other requests are still answered."""
    usual, hasty = service(), service(timeout=0.2)
    first = fill(usual)[0]
    late = threading.Event()
    meanwhile = []

    def time_out(seconds, too_slow=limits._too_slow):
        late.set()
        return too_slow(seconds)

    def slow(*_arguments, **_more):
        assert late.wait(60)
        meanwhile.append(usual.get(f"/v1/runs/{first}").status_code)
        return ()

    monkeypatch.setattr(limits, "_too_slow", time_out)
    monkeypatch.setattr(hasty.app.state.archive, "trend", slow)
    answer = hasty.get("/v1/history")
    assert answer.status_code == 504
    assert "respond-async" in answer.json()["way_out"]
    assert meanwhile == [200]


def test_every_route_is_described(client):
    """It has a summary, a description, a listed tag, and every response."""
    description = client.get("/openapi.json").json()
    described = {
        operation["operationId"]
        for methods in description["paths"].values()
        for operation in methods.values()
    }
    routes = [
        route
        for router in (operations.router, *ROUTERS)
        for route in router.routes
        if isinstance(route, APIRoute) and route.include_in_schema
    ]
    assert described == {route.name for route in routes}
    assert len(described) == len(routes)
    tags = {tag["name"] for tag in description["tags"]}
    for path, methods in description["paths"].items():
        for operation in methods.values():
            assert operation["description"], path
            assert set(operation["tags"]) <= tags
            assert len(operation["tags"]) == 1
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (path, parameter["name"])
            for status, answer in operation["responses"].items():
                assert answer["description"]
                if path.endswith("_rank_eval"):
                    continue  # errors there are in Elasticsearch's format
                is_problem = "application/problem+json" in answer.get("content", {})
                assert is_problem is (int(status) >= 400), (path, status)


def test_a_response_at_the_timeout_does_not_break_the_504():
    """Work that ends while the 504 is being sent does not interrupt it."""
    sent = []

    async def app(_scope, _receive, send):
        time.sleep(0.05)  # noqa: ASYNC251 - the timer is due when the loop gets its turn
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask():
        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": "/", "headers": [], "method": "GET"}
        await Limits(app, ServiceSettings(timeout=0.01), answer_to)(scope, None, send)
        return [message.get("status") for message in sent]

    assert asyncio.run(ask()) == [504, None]


def test_every_body_has_a_valid_example(client):
    """A copied example is a valid request."""
    description = client.get("/openapi.json").json()
    checked = 0
    for router in ROUTERS:
        for route in router.routes:
            for parameter in route.dependant.body_params:
                model = parameter.field_info.annotation
                schema = description["components"]["schemas"][model.__name__]
                for example in schema["examples"]:
                    TypeAdapter(model).validate_python(example)
                    checked += 1
    assert checked >= 9


def test_every_example_in_the_description_matches_its_schema(client):
    """Bodies, responses and all their models have examples."""
    import jsonschema_rs  # installed with schemathesis

    description = client.get("/openapi.json").json()
    schemas = description["components"]["schemas"]
    assert len(schemas) > 60
    for name, schema in schemas.items():
        assert schema["description"], name
        assert schema["examples"], name
        whole = {"$ref": f"#/components/schemas/{name}", "components": description["components"]}
        for example in schema["examples"]:
            jsonschema_rs.validator_for(whole).validate(example)


def test_every_parameter_and_plain_body_has_an_example(client):
    """A default, an enumeration or a boolean needs none."""
    import jsonschema_rs

    shown = re.compile(r'"(examples?|default|enum|const)":|"type": "boolean"')
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", ()):
                schema = parameter["schema"]
                assert shown.search(json.dumps(parameter)), (method, path, parameter["name"])
                for example in schema.get("examples", ()):
                    jsonschema_rs.validator_for(schema).validate(example)
            parts = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (one for part in parts for one in part.get("content", {}).values()):
                is_plain = "$ref" not in json.dumps(content)
                assert not is_plain or "example" in content, (method, path)


def test_all_references_of_the_description_exist(client):
    """No schema is missing, and none of FastAPI's own errors is left."""
    text = client.get("/openapi.json").text
    schemas = json.loads(text)["components"]["schemas"]
    assert set(re.findall(r"#/components/schemas/([^\"]+)", text)) <= set(schemas)
    assert "HTTPValidationError" not in schemas


def test_the_reference_page_has_every_route_and_loads_nothing(client):
    """It works without a network."""
    answer = client.get("/docs")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    page = answer.text
    for path in client.get("/openapi.json").json()["paths"]:
        assert f"<code>{path}</code>" in page
    assert "<code>If-Match: *</code> replaces any judgment." in page
    assert "<span class='summary'>Upload the file of a run in any supported format" in page
    assert "<pre>q1 Q0 d7 1 12.5 bm25\n" in page  # a body that is not JSON
    assert "&quot;retrieved&quot;: 100" in page  # a response
    assert "<a href='#gates'>gates</a>" in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=.https?://", page)


@pytest.mark.parametrize(
    "setting", [{"port": 70000}, {"max_body": 0}, {"timeout": 0}, {"max_jobs": 0}]
)
def test_invalid_settings_are_rejected(setting):
    """The message names the setting."""
    with pytest.raises(ArgumentError, match=next(iter(setting))):
        ServiceSettings(**setting)


def test_flags_take_precedence_over_the_file():
    """Megabytes are converted to bytes."""
    table = {"port": 1, "max_body_mb": 2, "require_token": True, "allowed_hosts": ["a"]}
    flags = {"port": 9, "host": None, "allowed_hosts": (), "is_token_required": None}
    found = service_settings(table, {"s": {"system": "bm25"}}, flags)
    assert (found.port, found.max_body, found.is_token_required) == (9, 2 << 20, True)
    assert (found.allowed_hosts, found.systems) == (("a",), {"s": {"system": "bm25"}})
    assert service_settings({"require_token": False}, {}, {"is_token_required": True}).needs_token
