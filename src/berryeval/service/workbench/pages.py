"""All pages: the router of each module, those that anybody may open apart."""

from __future__ import annotations

from berryeval.service.workbench import assets, palette, sessions

__all__ = ["OPEN_ROUTERS", "ROUTERS"]

OPEN_ROUTERS = (assets.router, sessions.router)
"""Logging in, and the files that pages are made of."""

ROUTERS = (palette.router,)
"""Everything else, for who may read. What only scripts and other pages ask for has the tag part."""
