"""Problems as pages for people; programs get JSON."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from berryeval.service.paths import is_rank_eval
from berryeval.service.problems import Problem, problem_response
from berryeval.service.workbench.rendering import page

__all__ = ["answer_to", "asks_for_page"]

_API = ("/v1/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/assets/")
_UNAUTHORIZED = 401
_TITLES = {
    403: "Not allowed",
    404: "Not found",
    409: "Changed in the meantime",
    412: "Changed in the meantime",
    500: "Something went wrong",
    503: "Temporarily unavailable",
}


def answer_to(scope: Scope, problem: Problem) -> Response:
    """Return a problem as a page if the request accepts one, and as JSON otherwise."""
    request = Request(scope)
    request_id = scope.get("state", {}).get("request_id")
    if not asks_for_page(request):
        return problem_response(problem, request_id)
    is_part = "hx-request" in request.headers
    if problem.status_code == _UNAUTHORIZED:
        return _to_login(request, is_part=is_part)
    content, is_reading = problem.content(request_id), problem.kind == "reading"
    title = _TITLES.get(problem.status_code, content["title"])
    return page(
        request,
        "problem_part.html" if is_part else "problem.html",
        status=problem.status_code,
        headers=problem.headers,
        problem=content,
        title="Reading the archive" if is_reading else title,
        is_reading=is_reading,
    )


def asks_for_page(request: Request) -> bool:
    """Return whether the request comes from a browser rather than a program."""
    if request.scope["path"].startswith(_API) or is_rank_eval(request.scope):
        return False
    return "hx-request" in request.headers or "text/html" in request.headers.get("accept", "")


def _to_login(request: Request, *, is_part: bool) -> Response:
    """Redirect to the login, and back afterwards."""
    if is_part:
        came_from = request.headers.get("hx-current-url", "/")
        path = "/" + came_from.partition("://")[2].partition("/")[2]
        return Response(status_code=401, headers={"HX-Redirect": f"/login?next={quote(path)}"})
    query = f"?{request.url.query}" if request.url.query else ""
    path = request.scope["state"].get("prefix", "") + request.scope["path"]
    wanted = path + query if request.method == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(wanted)}", 303)
