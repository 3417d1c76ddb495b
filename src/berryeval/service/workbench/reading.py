"""A page to look at while a large archive is being read after a start."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, Request

from berryeval.archive import Archive
from berryeval.service.problems import Problem
from berryeval.service.warming import WarmUp

__all__ = ["LARGE", "once_read"]

LARGE = 100_000
"""So many changes of judgments take longer to read than a page may take."""

_PATIENCE_SECONDS = 0.02


def _check(request: Request) -> None:
    warm_up: WarmUp = request.app.state.warm_up
    if request.method != "GET" or warm_up.wait(0):
        return
    archive: Archive = request.app.state.archive
    if archive.judgments.revision() > LARGE and not warm_up.wait(_PATIENCE_SECONDS):
        raise Problem(
            503,
            "the service has just started, and reads the judgments; "
            "this page opens by itself in some seconds",
            kind="reading",
            headers={"Retry-After": "1", "Refresh": "1"},
        )


once_read: Any = Depends(_check)
"""A dependency of pages that need all judgments: tells so, rather than let anybody wait."""
