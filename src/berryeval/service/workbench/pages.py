"""All pages: the router of each module, those that anybody may open apart."""

from __future__ import annotations

from berryeval.service.workbench import assets, overview, palette, run, runs, sessions
from berryeval.service.workbench.compare import actions
from berryeval.service.workbench.compare import routes as compare
from berryeval.service.workbench.gates import deciding, editing, verdict_pages
from berryeval.service.workbench.importing import routes as importing
from berryeval.service.workbench.judged import policy
from berryeval.service.workbench.judged import routes as judged
from berryeval.service.workbench.judging import routes as judging
from berryeval.service.workbench.power import page as power
from berryeval.service.workbench.query import documents
from berryeval.service.workbench.query import routes as query

__all__ = ["OPEN_ROUTERS", "ROUTERS"]

OPEN_ROUTERS = (assets.router, sessions.router)
"""Logging in, and the files that pages are made of."""

ROUTERS = (
    palette.router,
    overview.router,
    runs.router,
    run.router,
    compare.router,
    actions.router,
    query.router,
    documents.router,
    judging.router,
    policy.router,
    judged.router,
    importing.router,
    editing.router,
    deciding.router,
    verdict_pages.router,
    power.router,
)
"""Everything else, for who may read. What only scripts and other pages ask for has the tag part."""
