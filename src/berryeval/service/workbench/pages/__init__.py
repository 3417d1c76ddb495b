"""The routers of all pages; those that require no login are separate."""

from __future__ import annotations

from berryeval.service.workbench import assets
from berryeval.service.workbench.pages import login, overview, power, run, runs, search
from berryeval.service.workbench.pages.compare import routes as compare
from berryeval.service.workbench.pages.gates import editing, verdicts
from berryeval.service.workbench.pages.imports import routes as imports
from berryeval.service.workbench.pages.judge import routes as judge
from berryeval.service.workbench.pages.judgments import policy
from berryeval.service.workbench.pages.judgments import routes as judgments
from berryeval.service.workbench.pages.query import documents
from berryeval.service.workbench.pages.query import routes as query

__all__ = ["OPEN_ROUTERS", "ROUTERS"]

OPEN_ROUTERS = (assets.router, login.router)
"""Login, styles and scripts."""

ROUTERS = (
    search.router,
    overview.router,
    runs.router,
    run.router,
    compare.router,
    query.router,
    documents.router,
    judge.router,
    policy.router,
    judgments.router,
    imports.router,
    editing.router,
    verdicts.router,
    power.router,
)
"""All others, which require the role read. The tag ``part`` marks routes that only pages call."""
