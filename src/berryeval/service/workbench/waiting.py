"""Pages that wait while a large archive is being read, or scores are being computed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Request
from starlette.responses import Response

from berryeval.service.dependencies import state_of
from berryeval.service.problems import Problem
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.run_summaries import KnownSummaries
from berryeval.service.workbench.state.warming import is_reading

__all__ = ["being_computed", "is_seen", "once_read", "renewal_of"]

_PATIENCE_SECONDS = 0.02
_SEEN = "seen"


def _check(request: Request) -> None:
    state = state_of(request)
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


def being_computed(request: Request, title: str) -> Response:
    """Return a page that is replaced by the requested one as soon as that can be shown."""
    return page(request, "being_computed.html", status=202, title=title)


def renewal_of(request: Request, known: KnownSummaries) -> str | None:
    """Return the address to poll; None if nothing is being computed.

    The address identifies the shown state, so that the response can be empty if it is current.
    """
    if known.is_current:
        return None
    query = parse_qsl(request.url.query, keep_blank_values=True, errors="surrogateescape")
    others = [(name, value) for name, value in query if name != _SEEN]
    parameters = urlencode([*others, (_SEEN, _shown(known))], errors="surrogateescape")
    return f"{request.scope['path']}?{parameters}"


def is_seen(request: Request, known: KnownSummaries) -> bool:
    """Whether a polling page already shows the current state."""
    return request.query_params.get(_SEEN) == _shown(known)


def _shown(known: KnownSummaries) -> str:
    """Identify the state that a page shows; how many judgments are pending does not matter."""
    state = "" if known.state is None else f"{known.state.hash[:12]}{known.state.sampling[:4]}"
    return f"{state}.{known.n_waiting}.{min(known.n_newer, 1)}"
