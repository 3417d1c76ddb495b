"""Comparisons with the judgments of an earlier revision, which a copied link names."""

from __future__ import annotations

from typing import NamedTuple

from berryeval.service.workbench.state.scoring import Scoring, State

__all__ = ["Pinned", "pinned_at"]


class Pinned(NamedTuple):
    """The judgments that the address of a page pins."""

    state: State
    is_newest: bool
    """Whether they are the current ones."""
    newest: str
    """The address of the same page with the current judgments."""


def pinned_at(scoring: Scoring, at: int | None, newest: str) -> Pinned | None:
    """Return the judgments at a revision, for the line that names them; None without one."""
    if at is None:
        return None
    state = scoring.pinned(at)
    return Pinned(state, state.hash == scoring.recent().hash, newest)
