"""A first gate that makes sense for what the archive holds."""

from __future__ import annotations

from typing import Any

from berryeval.archive import Archive
from berryeval.errors import BerryEvalError
from berryeval.evaluation.guard_entries import entry_of
from berryeval.evaluation.guards import Guard, Margin, MarginGuard
from berryeval.evaluation.proposal import SMALLEST_MARGIN, propose_guards
from berryeval.service.references import find_run
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["propose"]


def propose(archive: Archive, scoring: Scoring) -> dict[str, Any]:
    """Return settings against the baseline ``main``, or else the first there is."""
    names = [baseline.name for baseline in archive.baselines.page(limit=1000).items]
    if not names:
        return {"guards": [{"measure": str(scoring.measures[0]), "at_least": 0.5}]}
    name = "main" if "main" in names else names[0]
    guards: tuple[Guard, ...]
    try:
        guards = propose_guards(scoring.evaluation(find_run(archive, name).run_id))
    except BerryEvalError:  # it cannot be scored
        guards = (MarginGuard(scoring.measures[0], Margin(SMALLEST_MARGIN)),)
    return {"guards": [entry_of(guard) for guard in guards], "baseline": name}
