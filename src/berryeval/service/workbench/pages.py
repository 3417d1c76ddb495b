"""All pages, in two routers: those that anybody may open, and those for who may read."""

from __future__ import annotations

from fastapi import APIRouter

from berryeval.service.workbench import assets, palette, sessions
from berryeval.service.workbench.gates import editing as gates
from berryeval.service.workbench.gates import verdict_pages

__all__ = ["open_router", "router"]

open_router = APIRouter(include_in_schema=False)
"""Logging in, and the files that pages are made of."""

router = APIRouter(include_in_schema=False)
"""Everything else."""

for module in (assets, sessions):
    open_router.include_router(module.router)

for module in (palette, gates, verdict_pages):
    router.include_router(module.router)
