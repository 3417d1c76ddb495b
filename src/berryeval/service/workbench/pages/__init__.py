"""The routers of all pages; those that require no login are separate."""

from __future__ import annotations

from berryeval.service.workbench import assets
from berryeval.service.workbench.pages import (
    collections,
    login,
    overview,
    power,
    run,
    runs,
    search,
    tokens,
)
from berryeval.service.workbench.pages import documents as all_documents
from berryeval.service.workbench.pages.compare import report
from berryeval.service.workbench.pages.compare import routes as compare
from berryeval.service.workbench.pages.gates import editing, verdicts
from berryeval.service.workbench.pages.imports import routes as imports
from berryeval.service.workbench.pages.judge import routes as judge
from berryeval.service.workbench.pages.judges import draws, proposals
from berryeval.service.workbench.pages.judges import routes as judges
from berryeval.service.workbench.pages.judgments import imports as judgment_imports
from berryeval.service.workbench.pages.judgments import policy
from berryeval.service.workbench.pages.judgments import routes as judgments
from berryeval.service.workbench.pages.projects import routes as projects
from berryeval.service.workbench.pages.projects import settling
from berryeval.service.workbench.pages.query import documents
from berryeval.service.workbench.pages.query import routes as query
from berryeval.service.workbench.pages.try_out import routes as try_out
from berryeval.service.workbench.pages.try_out import systems

__all__ = ["OPEN_ROUTERS", "ROUTERS"]

OPEN_ROUTERS = (assets.router, login.router)
"""Login, styles and scripts."""

ROUTERS = (
    search.router,
    overview.router,
    runs.router,
    run.router,
    compare.router,
    report.router,
    query.router,
    documents.router,
    systems.router,
    try_out.router,
    judge.router,
    policy.router,
    judgment_imports.router,
    judgments.router,
    settling.router,
    projects.router,
    draws.router,
    proposals.router,
    judges.router,
    imports.router,
    editing.router,
    verdicts.router,
    power.router,
    all_documents.router,
    collections.router,
    tokens.router,
)
"""All others, which require the role read. The tag ``part`` marks routes that only pages call."""
