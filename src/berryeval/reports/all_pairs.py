"""Every system against every other, and how similar they are, as tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.evaluation.figures import interval_text, p_text, score, signed
from berryeval.evaluation.findings import WORDS
from berryeval.reports.layout import Table
from berryeval.reports.wording import pairs_note

if TYPE_CHECKING:
    from berryeval.evaluation.all_pairs import OrderSimilarity, RunSimilarity
    from berryeval.evaluation.comparison import Comparison

__all__ = ["order_similarity_table", "pairs_table", "run_similarity_table"]


def pairs_table(comparison: Comparison) -> Table:
    """Lay out the differences of every pair of systems, which the comparison has to contain."""
    return Table(
        "All pairs of systems",
        ("measure", "first", "second", "difference", "interval", "p", "second is"),
        tuple(
            (str(pair.difference.measure), pair.first, pair.second, signed(pair.difference.mean),
             interval_text(pair.difference.interval), p_text(pair.difference.p_value),
             WORDS[pair.difference.finding])
            for pair in comparison.pairs
        ),
        (pairs_note(comparison),),
        n_keys=3,
    )  # fmt: skip


def run_similarity_table(found: Iterable[RunSimilarity], depth: int | None) -> Table:
    """Lay out the similarity of the rankings of every pair of systems."""
    ranks = "whole rankings" if depth is None else f"the first {depth} ranks"
    return Table(
        "Similarity of rankings",
        ("first", "second", "overlap", "tau", "tau_AP"),
        tuple(
            (one.first, one.second, score(one.overlap), signed(one.tau), signed(one.tau_ap))
            for one in found
        ),
        (
            f"Means over queries, for {ranks}.",
            "overlap: rank-biased overlap, p 0.9; tau: Kendall's, over documents in both; "
            "tau_AP: the same, with more weight at the top.",
        ),
        n_keys=2,
    )


def order_similarity_table(found: Iterable[OrderSimilarity]) -> Table:
    """Lay out how similarly measures rank the systems."""
    return Table(
        "Similarity of system orders",
        ("measure", "measure", "tau", "tau_AP"),
        tuple((str(o.first), str(o.second), signed(o.tau), signed(o.tau_ap)) for o in found),
        n_keys=2,
    )
