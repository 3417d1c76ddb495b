"""Pages that poll while something is being computed, and update in place."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from fastapi import Request

from berryeval.service.workbench.state.run_summaries import Kept

__all__ = ["is_seen", "renewal_of"]

_SEEN = "seen"


def renewal_of(request: Request, kept: Kept) -> str | None:
    """Return the address to poll; None if nothing is being computed.

    The address identifies the shown state, so that the response can be empty if it is current.
    """
    if kept.is_current:
        return None
    query = parse_qsl(request.url.query, keep_blank_values=True, errors="surrogateescape")
    others = [(name, value) for name, value in query if name != _SEEN]
    asked = urlencode([*others, (_SEEN, _shown(kept))], errors="surrogateescape")
    return f"{request.scope['path']}?{asked}"


def is_seen(request: Request, kept: Kept) -> bool:
    """Whether a polling page already shows the current state."""
    return request.query_params.get(_SEEN) == _shown(kept)


def _shown(kept: Kept) -> str:
    """Identify the state that a page shows, whatever the number of pending judgments."""
    state = "" if kept.state is None else f"{kept.state.hash[:12]}{kept.state.sampling[:4]}"
    return f"{state}.{kept.n_waiting}.{min(kept.n_newer, 1)}"
