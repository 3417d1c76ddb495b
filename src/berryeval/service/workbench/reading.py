"""The page shown while a large archive is being read after the service starts."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, Request

from berryeval.service.problems import Problem
from berryeval.service.workbench.state.warming import is_reading

__all__ = ["once_read"]

_PATIENCE_SECONDS = 0.02


def _check(request: Request) -> None:
    state = request.app.state
    if request.method == "GET" and is_reading(state) and not state.warm_up.wait(_PATIENCE_SECONDS):
        raise Problem(
            503,
            "the service has just started and is reading the judgments; "
            "this page opens automatically in a few seconds",
            kind="reading",
            headers={"Retry-After": "1", "Refresh": "1"},
        )


once_read: Any = Depends(_check)
"""A dependency of pages that need all judgments: shows this page while they are being read."""
