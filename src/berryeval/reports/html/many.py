"""Many systems on one page: their order, every pair of them, and where they disagree."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from berryeval.charts.disagreement import heat_map
from berryeval.charts.pair_matrix import pair_matrix
from berryeval.evaluation.all_pairs import all_pairs
from berryeval.evaluation.leaderboard import leaderboard
from berryeval.reports.html.charts import figure
from berryeval.reports.wording import pairs_note

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.measures import Measure

__all__ = ["MAX_PAIRED", "disagreement_figure", "pairs_figure"]

MAX_PAIRED = 20
"""Maximum number of systems for testing every pair: 190 pairs."""


def pairs_figure(comparison: Comparison, measure: Measure) -> str:
    """Return the matrix of all pairs; a note if there are too many systems."""
    systems = [place.system for place in leaderboard(comparison, measure)]
    if len(systems) > MAX_PAIRED:
        return (
            f'<p class="note">Pairs are tested for up to {MAX_PAIRED} systems; here are '
            f"{len(systems)}.</p>"
        )
    pairs = all_pairs(comparison, [measure])
    return figure(
        f"{measure}: every pair of systems",
        f"The row minus the column. {pairs_note(comparison)}",
        partial(pair_matrix, pairs, systems),
    )


def disagreement_figure(comparison: Comparison, measure: Measure) -> str:
    """Return the queries on which systems differ most."""
    return figure(
        f"{measure}: where systems disagree",
        "Queries whose scores differ most between systems, which are in the order of the "
        "leaderboard. A stronger colour is a higher score.",
        partial(heat_map, comparison, measure),
    )
