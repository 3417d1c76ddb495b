"""Draws of queries that people label, with more where an admitted judge sees more variation.

The number of queries of each stratum follows from the judge's differences between the runs that are
compared, by Neyman's allocation. The judge graded them before the draw, and no label of people is
used: each query has a known probability, so the estimate stays unbiased by design.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import MismatchError
from berryeval.evaluation.label_draw import LabelDraw, draw_labels
from berryeval.evaluation.label_spreads import estimate_spreads
from berryeval.golden.golden_set import GoldenSet
from berryeval.measures import NDCG
from berryeval.suite.archived_judges import grades_in
from berryeval.suite.counted_grades import grades_of_pool

if TYPE_CHECKING:
    from berryeval.archive import Archive

__all__ = ["draw_from_archive", "draw_from_golden_set"]

_MEASURE = NDCG(10)
_DEPTH = 10
_MIN_RUNS = 2
_DIGITS = 12
"""Spreads that differ by rounding alone are equal."""


def draw_from_golden_set(
    golden: GoldenSet,
    n: int,
    *,
    by: str | None = None,
    runs: Mapping[str, Run] | None = None,
    judge: str | None = None,
    chosen: Collection[str] = (),
    is_proportional: bool = False,
) -> LabelDraw:
    """Draw queries of a golden set, from all or from those of each value of a label.

    Its `why` says how the number of queries of each value was determined.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    n : int
        Number of queries.
    by : {"category", "difficulty"}, optional
        The label.
    runs : mapping of str to Run, optional
        The runs to be compared, baseline first.
    judge : str, optional
        Name of the judge. Default: the only admitted one.
    chosen : collection of str
        Queries to label regardless of the draw, as `draw_labels` takes them.
    is_proportional : bool
        Whether to draw in proportion to the number of queries, whatever the judge sees.

    Raises
    ------
    ArgumentError
        If there are too few queries for each stratum, or a chosen one is unknown.
    """
    compared = runs or {}
    return _draw(
        {query.query_id: query for query in golden.queries},
        n,
        by,
        chosen,
        compared,
        lambda: grades_of_pool(golden, compared, k=_DEPTH, judge=judge),
        is_proportional=is_proportional,
    )


def draw_from_archive(
    archive: Archive,
    n: int,
    *,
    by: str | None = None,
    runs: Mapping[str, Run] | None = None,
    chosen: Collection[str] = (),
    is_proportional: bool = False,
) -> LabelDraw:
    """Draw queries of an archive, as `draw_from_golden_set` does."""
    queries, compared = archive.queries.all(), runs or {}
    return _draw(
        queries,
        n,
        by,
        chosen,
        compared,
        lambda: grades_in(archive, compared, queries, k=_DEPTH),
        is_proportional=is_proportional,
    )


def _draw(
    queries: Mapping[str, Query],
    n: int,
    by: str | None,
    chosen: Collection[str],
    runs: Mapping[str, Run],
    read_grades: Callable[[], Judgments],
    *,
    is_proportional: bool,
) -> LabelDraw:
    if by is None:
        draw = draw_labels(queries, n, chosen=chosen)
        return replace(draw, why="Every query had the same probability.")
    strata = {query_id: getattr(query, by) or "none" for query_id, query in queries.items()}
    drawn = {name: own for name, own in strata.items() if name not in chosen}
    names = " and ".join(runs) if len(runs) <= _MIN_RUNS else f"{len(runs)} runs"
    compared = f"{_MEASURE} between {names}"
    spreads, reason = None, ""
    if is_proportional:
        reason = ", as requested"
    elif len({*drawn.values()}) == 1:
        reason = f": there is only one {by}"
    elif len(runs) < _MIN_RUNS:
        reason = ": there are no two runs to compare"
    else:
        try:
            spreads = estimate_spreads(read_grades(), runs, drawn, _MEASURE)
        except MismatchError as error:
            reason = f": {error}"
    if spreads is not None and len({round(one, _DIGITS) for one in spreads.values()}) == 1:
        reason = f": the judge's differences in {compared} vary as much for each {by}"
    draw = draw_labels(queries, n, strata=strata, spreads=spreads, chosen=chosen)
    if reason:
        return replace(draw, why=f"In proportion to the number of queries{reason}.")
    why = f"By Neyman's allocation: more where the judge's differences in {compared} vary more."
    return replace(draw, why=why)
