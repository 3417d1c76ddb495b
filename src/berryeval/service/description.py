"""The OpenAPI description: FastAPI's, completed with the responses that every route has."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from berryeval.archive.records import ROLES, Role
from berryeval.service.answers import examples_of_models
from berryeval.service.middleware.access import OPEN_PATHS
from berryeval.service.middleware.collections import is_of_service
from berryeval.service.paging import Listed
from berryeval.service.problems import Fault, ProblemDetails, documented
from berryeval.service.routes import ROUTERS

__all__ = ["SUMMARY", "TAGS", "TEXT", "openapi"]

SUMMARY = "A team's judgments, runs, scores and verdicts."

TEXT = """\
Every error is `application/problem+json` (RFC 9457): one line about what happened, and where
known, the place, what was expected, what was found, and how to fix it.

Ids in paths are percent-encoded, slashes included: `docs/a.md` is `docs%2Fa.md`.
Lists are paginated; `next` is the address of the next page.
Long requests can run as jobs with `Prefer: respond-async`.
A service may have several collections. The parameter `collection` chooses one, and so does the
beginning of a path, `/c/NAME/v1/…`; the default is the first.
"""

TAGS: list[dict[str, Any]] = [
    {"name": "queries", "description": "Queries with their labels."},
    {"name": "judgments", "description": "Grades with their authors and history."},
    {"name": "imports", "description": "Imported files of judgments, which can be undone."},
    {"name": "projects", "description": "Judging as a team: pairs, judges, progress, agreement."},
    {"name": "judges", "description": "Automated judges: their grades, checks and draws "
     "of labels, and queries that they propose."},
    {"name": "documents", "description": "Documents; judgments of changed ones become stale."},
    {"name": "runs", "description": "Rankings of search systems."},
    {"name": "evaluations", "description": "Runs scored with the judgments at a point in time."},
    {"name": "comparisons", "description": "Runs compared query by query."},
    {"name": "baselines", "description": "Named runs that candidates are compared with."},
    {"name": "gates", "description": "What a candidate must achieve, and verdicts."},
    {"name": "holes", "description": "Unjudged documents in rankings."},
    {"name": "history", "description": "A measure over time, with fixed judgments."},
    {
        "name": "stores",
        "description": "Search indexes of the service. The store `default` exists from the start, "
        "empty and hybrid.",
    },
    {
        "name": "collections",
        "description": "Separate golden sets, each with its runs and gates.",
    },
    {"name": "jobs", "description": "Long tasks: progress, result and cancellation."},
    {"name": "operations", "description": "Health, metrics and the description of the API."},
]  # fmt: skip

_COLLECTION: dict[str, Any] = {
    "name": "collection",
    "in": "query",
    "required": False,
    "description": "The collection to use. Default: the first.",
    "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,39}$"},
    "example": "default",
}

_ROLE_TEXT = "\n\nRequires the role `{role}`."


def openapi(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application, created on first use."""
    if app.openapi_schema is None:
        app.openapi_schema = _complete(app)
    return app.openapi_schema


def _complete(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        tags=app.openapi_tags,
        routes=app.routes,
    )
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    template = "#/components/schemas/{model}"
    for model in (Fault, ProblemDetails):
        schema = model.model_json_schema(ref_template=template)
        schema.pop("$defs", None)
        schemas[model.__name__] = schema
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    # FastAPI drops nulls, and with them keys that a schema requires.
    for name, examples in examples_of_models():
        if name in schemas:
            schemas[name]["examples"] = examples
    _describe_pages(schemas)
    components["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "Created by `berryeval token create`. Not required on loopback.",
        }
    }
    roles = _roles()
    for path, operations in found["paths"].items():
        for operation in operations.values():
            _finish(path, operation, roles.get(operation["operationId"]))
    found["components"]["schemas"] = dict(sorted(schemas.items()))
    return found


def _describe_pages(schemas: dict[str, Any]) -> None:
    """Add a description and an example to the page models of each kind of item."""
    for schema in schemas.values():
        items = schema.get("properties", {}).get("items", {}).get("items", {})
        name = items.get("$ref", "").rpartition("/")[2]
        if name and "next" in schema["properties"]:
            schema["description"] = Listed.__doc__
            schema["examples"] = [{"items": schemas[name].get("examples", []), "next": None}]


def _finish(path: str, operation: dict[str, Any], role: str | None) -> None:
    """Add the responses that any route may return."""
    is_open = path in OPEN_PATHS
    statuses = [403, 503, 504] if is_open else [401, 403, 503, 504]
    if not is_of_service(path):
        operation.setdefault("parameters", []).append(_COLLECTION)
        statuses.append(404)
    parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
    if parameters:
        statuses.append(422)
    if parameters & {"If-Match", "If-None-Match"}:
        statuses.append(400)
    if "requestBody" in operation:
        statuses += [400, 408, 413, 415, 422]
    answers = operation["responses"]
    if "422" in answers and "application/json" in answers["422"].get("content", {}):
        del answers["422"]  # FastAPI's own
        statuses.append(422)
    for status, answer in documented(*statuses).items():
        answers.setdefault(str(status), answer)
    operation["responses"] = dict(sorted(answers.items()))
    if not is_open:
        operation["security"] = [{"token": []}, {}]
    if role is not None:
        operation["description"] = (
            operation.get("description", "") + _ROLE_TEXT.format(role=role)
        ).strip()
        operation["x-role"] = role


def _roles() -> dict[str, Role]:
    """Return the highest role that each operation requires."""
    found: dict[str, Role] = {}
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            asked: list[Role] = ["read"]
            asked += [getattr(one.dependency, "role", "read") for one in route.dependencies]
            found[route.name] = max(asked, key=ROLES.index)
    return found
