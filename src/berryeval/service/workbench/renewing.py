"""Pages that ask for themselves again while something is being counted, and change in place."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from fastapi import Request

from berryeval.service.workbench.state.run_summaries import Kept

__all__ = ["is_seen", "renewal_of"]

_SEEN = "seen"


def renewal_of(request: Request, kept: Kept) -> str | None:
    """Return where a page finds its next state; None if nothing is being counted.

    The address says what the page shows, so that the answer can be that there is nothing new.
    """
    if kept.is_current:
        return None
    query = parse_qsl(request.url.query, keep_blank_values=True, errors="surrogateescape")
    others = [(name, value) for name, value in query if name != _SEEN]
    asked = urlencode([*others, (_SEEN, _shown(kept))], errors="surrogateescape")
    return f"{request.scope['path']}?{asked}"


def is_seen(request: Request, kept: Kept) -> bool:
    """Whether a page that asks for itself again shows all that is known already."""
    return request.query_params.get(_SEEN) == _shown(kept)


def _shown(kept: Kept) -> str:
    """Name what a page shows. How many judgments wait is no reason to draw it anew."""
    state = "" if kept.state is None else f"{kept.state.hash[:12]}{kept.state.sampling[:4]}"
    return f"{state}.{kept.n_waiting}.{min(kept.n_newer, 1)}"
