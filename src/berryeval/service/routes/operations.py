"""Health, metrics, and the description of the API."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, Response

from berryeval import __version__
from berryeval.service.answers import Answer, with_examples
from berryeval.service.check_threads import run_check
from berryeval.service.dependencies import HomeDep, require
from berryeval.service.figures import CONTENT_TYPE, Figures
from berryeval.service.problems import Problem
from berryeval.service.reference_page import reference_page

__all__ = ["router"]

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """The service is alive."""

    model_config = with_examples({"status": "ok", "version": "0.1.0"})

    status: Literal["ok"] = "ok"
    version: str = Field(examples=["0.1.0"])


class Readiness(BaseModel):
    """The service is ready: its archive responds."""

    model_config = with_examples({"status": "ok", "database": "sqlite", "schema_version": "0002"})

    status: Literal["ok"] = "ok"
    database: str = Field(
        description="The kind of database of the archive.", examples=["sqlite", "postgresql"]
    )
    schema_version: str = Field(
        description="Revision of the schema of the archive.", examples=["0002"]
    )


@router.get("/healthz", response_model=Health)
async def get_health() -> Answer:
    """Report that the process is alive."""
    return Answer({"status": "ok", "version": __version__})


@router.get("/readyz", response_model=Readiness)
async def get_readiness(request: Request, archive: HomeDep) -> Answer:
    """Return whether the archive responds; 503 if it does not, or the service is stopping."""
    if request.app.state.is_stopping:
        raise Problem(503, "the service is stopping", kind="stopping")
    facts = await run_check(archive.check)
    return Answer({"status": "ok", "database": facts.database, "schema_version": facts.version})


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": 'berryeval_jobs{state="running"} 1.0\n',
                }
            }
        }
    },
    dependencies=[require("read")],
)
async def get_metrics(request: Request) -> Response:
    """Return metrics for Prometheus: requests, their durations, and jobs."""
    figures: Figures = request.app.state.figures
    for state, n in request.app.state.jobs.counts().items():
        figures.jobs.labels(state).set(n)
    return Response(figures.to_text(), headers={"Content-Type": CONTENT_TYPE})


@router.get(
    "/openapi.json",
    responses={
        200: {
            "content": {
                "application/json": {
                    "schema": {"type": "object"},
                    "example": {"openapi": "3.1.0", "info": {"title": "BerryEval"}},
                }
            }
        }
    },
)
async def get_description(request: Request) -> Answer:
    """Return the OpenAPI description of every route."""
    return Answer(request.app.openapi())


@router.get(
    "/docs",
    response_class=HTMLResponse,
    responses={200: {"content": {"text/html": {"example": "<!doctype html>…"}}}},
)
async def get_reference_page(request: Request) -> HTMLResponse:
    """Return a page about every route, without external files."""
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return HTMLResponse(reference_page(request.app.openapi()), headers=headers)
