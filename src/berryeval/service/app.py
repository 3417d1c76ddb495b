"""The application: routes, middleware, and shared state."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from berryeval import __version__
from berryeval.archive import Archive
from berryeval.errors import ArchiveError, BerryEvalError, NotFoundError
from berryeval.service import description
from berryeval.service.collections import Collection, Collections, set_up
from berryeval.service.dependencies import require
from berryeval.service.figures import Figures
from berryeval.service.jobs import Jobs
from berryeval.service.middleware.access import Access, KnownCallers
from berryeval.service.middleware.collections import InCollection, Prefixes
from berryeval.service.middleware.compression import Compression
from berryeval.service.middleware.heads import Heads
from berryeval.service.middleware.limits import Limits
from berryeval.service.middleware.rates import Rates
from berryeval.service.middleware.requests import Requests
from berryeval.service.middleware.turns import Turns
from berryeval.service.paths import RawPath
from berryeval.service.problems import Problem, problem_of, problem_of_validation
from berryeval.service.processes.supervisor import Worker
from berryeval.service.processes.write_counts import SharedWrites
from berryeval.service.rank_eval.elastic_answers import ElasticAnswers
from berryeval.service.routes import ROUTERS, operations
from berryeval.service.settings import ServiceSettings
from berryeval.service.temporary import sweep
from berryeval.service.workbench import pages
from berryeval.service.workbench.problems import answer_to, asks_for_page
from berryeval.service.workbench.rendering import compile_templates, with_judging
from berryeval.service.workbench.state import memory
from berryeval.service.workers.pool import Workers

__all__ = ["create_app", "describe"]


def create_app(
    archive: Archive, settings: ServiceSettings | None = None, worker: Worker | None = None
) -> FastAPI:
    """Return the service over an archive, as an ASGI application.

    Parameters
    ----------
    archive : Archive
        The caller closes it.
    settings : ServiceSettings, optional
        Its `archive`, `host` and `port` only determine who may call; `berryeval serve` opens the
        archive and binds the port.
    worker : Worker, optional
        The process that serves it, if there are several.
    """
    settings = settings or ServiceSettings()
    app = FastAPI(
        title="BerryEval",
        version=__version__,
        summary=description.SUMMARY,
        description=description.TEXT,
        openapi_tags=description.TAGS,
        docs_url=None,  # FastAPI's pages load scripts from other hosts
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # it would add a response to every route
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
    )
    app.state.figures = Figures(None if worker is None else worker.metrics_folder)
    app.state.jobs = Jobs(settings.max_jobs)
    app.state.workers = _workers(settings)
    app.state.callers = KnownCallers(archive)
    # The state of the application is that of the first collection.
    set_up(app.state, archive, settings)
    app.state.collections = Collections(app.state)
    app.include_router(operations.router)
    for router in ROUTERS:
        app.include_router(router, dependencies=[require("read")])
    for router in pages.OPEN_ROUTERS:
        app.include_router(router, include_in_schema=False)
    for router in pages.ROUTERS:
        dependencies = [require("read"), with_judging]
        app.include_router(router, dependencies=dependencies, include_in_schema=False)
    _add_handlers(app)
    # Each wraps the previous ones: the last is the outermost.
    app.add_middleware(InCollection)
    app.add_middleware(Heads)
    app.add_middleware(Compression)
    app.add_middleware(Turns)
    app.add_middleware(Limits, settings=settings, answer_to=answer_to)
    app.add_middleware(Rates, rate=settings.rate)
    app.add_middleware(Access, callers=app.state.callers, settings=settings)
    if worker is not None:
        app.state.jobs.on_finish = worker.writes.note
        forget = partial(_forget_trusted, app.state)
        app.add_middleware(SharedWrites, writes=worker.writes, forget=forget)
    app.add_middleware(RawPath)
    app.add_middleware(Requests, figures=app.state.figures, answer_to=answer_to)
    app.add_middleware(ElasticAnswers)
    app.add_middleware(Prefixes)
    app.openapi = lambda: description.openapi(app)  # type: ignore[method-assign]
    return app


def describe() -> dict[str, Any]:
    """Return the OpenAPI description, which requires no archive."""
    return description.openapi(create_app(cast("Archive", None)))


def _forget_trusted(service: State) -> None:
    """Discard what is cached for seconds, since another worker has written."""
    callers: KnownCallers = service.callers
    callers.forget()
    collections: Collections = service.collections
    collections.close_outdated()
    for state in collections.open_states():
        state.archive.queries.invalidate()
        state.runs.invalidate()
        state.evaluations.clear()


def _workers(settings: ServiceSettings) -> Workers:
    n_processes = math.ceil(settings.task_processes / settings.workers)
    return Workers(n_processes, memory=settings.task_memory >> 20)


def _operation_id(route: APIRoute) -> str:
    return route.name


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    compile_templates()
    sweep()
    memory.start(app.state)
    if app.state.is_stopping:  # restarted
        app.state.jobs = Jobs(app.state.settings.max_jobs)
        app.state.workers = _workers(app.state.settings)
        app.state.is_stopping = False
    yield
    app.state.is_stopping = True
    jobs: Jobs = app.state.jobs
    jobs.close()
    app.state.workers.close()
    await to_thread.run_sync(jobs.join)
    await to_thread.run_sync(app.state.collections.close)
    await to_thread.run_sync(memory.stop, app.state)
    app.state.stores.close()


def _add_handlers(app: FastAPI) -> None:
    """Turn exceptions into problems, in one place."""

    def respond(request: Request, problem: Problem) -> Response:
        return answer_to(request.scope, problem)

    async def on_problem(request: Request, error: Any) -> Response:  # noqa: ANN401 - Starlette's
        return respond(request, error)

    async def on_error(request: Request, error: Any) -> Response:  # noqa: ANN401
        if isinstance(error, ArchiveError):
            collection: Collection = request.state.collection
            if await to_thread.run_sync(app.state.collections.was_removed, collection):
                error = NotFoundError("collection", collection.name)
        return respond(request, problem_of(error))

    async def on_shape(request: Request, error: Any) -> Response:  # noqa: ANN401
        return respond(request, problem_of_validation(error))

    async def on_http(request: Request, error: Any) -> Response:  # noqa: ANN401
        return respond(request, _of_starlette(request, error))

    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(BerryEvalError, on_error)
    app.add_exception_handler(RequestValidationError, on_shape)
    app.add_exception_handler(HTTPException, on_http)


def _of_starlette(request: Request, error: HTTPException) -> Problem:
    where = f"{request.method} {request.scope['path'][:200]}"
    if error.status_code == 404:  # noqa: PLR2004
        if asks_for_page(request):
            return Problem(404, f"no such page: {request.scope['path'][:200]}", where=where)
        way_out = "GET /docs lists them"
        return Problem(404, f"no such route: {where}; {way_out}", where=where, way_out=way_out)
    if error.status_code == 405:  # noqa: PLR2004
        methods = _methods(request)
        expected = " or ".join(methods)
        return Problem(405, f"{where}: expected {expected}", headers={"Allow": ", ".join(methods)},
                       where=where, expected=expected, found=request.method)  # fmt: skip
    return Problem(error.status_code, str(error.detail), headers=error.headers, where="body")


def _methods(request: Request) -> list[str]:
    """Return the methods of a path; Starlette reports only those of the first matching route."""
    path = request.scope["path"]
    routers = (operations.router, *ROUTERS, *pages.OPEN_ROUTERS, *pages.ROUTERS)
    routes = (route for router in routers for route in router.routes if isinstance(route, Route))
    fitting = (route for route in routes if route.path_regex.match(path))
    found = {method for route in fitting for method in route.methods or ()}
    return sorted(found | {"HEAD"} if "GET" in found else found)
