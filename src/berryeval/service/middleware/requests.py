"""The outermost layer: an id for each request, a line in the log, and metrics."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.figures import Figures
from berryeval.service.problems import Problem, problem_of, problem_of_disk

__all__ = ["Requests"]

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_log = event_logger("berryeval.service")


class Requests:
    """Identify, time, count and log each request, and handle uncaught errors.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    figures : Figures
        Where requests are counted.
    answer_to : callable
        Returns the response for a problem, as a page or JSON.
    """

    def __init__(
        self, app: ASGIApp, figures: Figures, answer_to: Callable[[Scope, Problem], Response]
    ) -> None:
        self._app = app
        self._figures = figures
        self._answer_to = answer_to

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and log its outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        began = time.perf_counter()
        status = 0

        async def named_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        self._figures.in_flight.inc()
        try:
            await self._app(scope, receive, named_send)
        except Exception as error:  # noqa: BLE001 - the last handler
            problem = _problem(error)
            if problem.kind == "bug":
                _log.exception("bug", extra={"request_id": request_id})
            if status == 0:
                response = self._answer_to(scope, problem)
                await response(scope, receive, named_send)
        finally:
            self._figures.in_flight.dec()
            self._log_request(scope, request_id, status, time.perf_counter() - began)

    def _log_request(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path_format", "none")
        self._figures.count(scope["method"], route, status, seconds)
        if _log.isEnabledFor(logging.INFO):
            caller = scope["state"].get("caller")
            collection = scope["state"].get("collection")
            _log.info(
                "request",
                extra={
                    "request_id": request_id,
                    "method": scope["method"],
                    "path": scope["path"],
                    "route": route,
                    "status": status,
                    "milliseconds": round(1000 * seconds, 3),
                    "caller": None if caller is None else caller.name,
                    "collection": None if collection is None else collection.name,
                },
            )


def _problem(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, BerryEvalError):
        return problem_of(error)
    bug = "an internal error; see the log of the server"
    return problem_of_disk(error) or Problem(500, bug, kind="bug")
