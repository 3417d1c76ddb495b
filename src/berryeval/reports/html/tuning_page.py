"""The pages of a tuning: the result, a chart of weights, and everything that was tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from berryeval.charts.settings import settings_chart
from berryeval.charts.weights import weights_chart
from berryeval.evaluation.figures import score
from berryeval.evaluation.notes import count_queries
from berryeval.reports.html.charts import figure
from berryeval.reports.html.document import document
from berryeval.reports.html.markup import escaped, figure_text, notes_to_html, table_to_html
from berryeval.reports.hybrid_tuning import (
    hybrid_tuning_sentences,
    hybrid_tuning_tables,
    settings_points,
    use_line,
)
from berryeval.reports.layout import Table
from berryeval.reports.tuning import tuning_sentences, tuning_tables
from berryeval.suite.tuning import WORDS

if TYPE_CHECKING:
    from berryeval.evaluation.result import MeasureResult
    from berryeval.evaluation.tuning import FusionTuning
    from berryeval.suite.tuning import HybridTuning

__all__ = ["hybrid_tuning_to_html", "tuning_to_html"]


def tuning_to_html(tuning: FusionTuning) -> str:
    """Return the page of a fusion's tuning."""
    names = ", ".join(tuning.runs)
    alone = tuning.singles[tuning.best_single]
    tiles = [*_tiles(tuning.held_out, tuning.training), (f"{tuning.best_single} alone", alone, "")]
    drawn = ""
    if tuning.curve_choice is not None:
        drawn = figure(
            f"{tuning.measure} by weight",
            "Lines: mean over all queries at fixed weights. Dots: weights chosen without a fold, "
            "at the mean of that fold.",
            partial(weights_chart, tuning),
        )
    return _page(
        f"Tuned fusion of {names} · {count_queries(tuning.n_queries)}",
        tuning_sentences(tuning),
        tiles,
        drawn,
        tuning_tables(tuning),
    )


def hybrid_tuning_to_html(tuning: HybridTuning) -> str:
    """Return the page of the tuning of a hybrid search."""
    choice = tuning.choice
    tried, folds = settings_points(tuning)
    words = choice.means[WORDS]
    drawn = figure(
        f"{choice.measure} by the share of words",
        "Each dot is one set of settings: weights of words, vectors and tokens. A ring marks the "
        "current ones.",
        partial(settings_chart, choice.measure, tried, folds, words),
    )
    return _page(
        f"Settings of {tuning.system} on {tuning.golden.name} · "
        f"{count_queries(len(choice.held_out.values))}",
        [*hybrid_tuning_sentences(tuning), f"{use_line(tuning)}."],
        [*_tiles(choice.held_out, choice.training), ("Words alone", words, "")],
        drawn,
        hybrid_tuning_tables(tuning),
    )


_Tile = tuple[str, float, str]
"""A label, the mean, and a remark."""


def _tiles(held_out: MeasureResult, training: float) -> Iterable[_Tile]:
    interval = held_out.interval
    between = "" if interval is None else f"{score(interval.low)} to {score(interval.high)}"
    yield "Held-out folds", held_out.mean, between
    yield "Training folds", training, "optimistic"


def _page(
    about: str,
    sentences: Sequence[str],
    tiles: Iterable[_Tile],
    drawn: str,
    tables: Iterable[Table],
) -> str:
    first, *others = sentences
    cells = "".join(
        f'<div><dt>{escaped(name)}</dt><dd><div class="figure">{score(mean)}</div>'
        f'<div class="beside">{escaped(remark)}</div></dd></div>'
        for name, mean, remark in tiles
    )
    parts = "".join(
        f'<section class="part"><h2>{escaped(table.title)}</h2>{table_to_html(table)}</section>'
        for table in tables
    )
    body = (
        f'<div class="hero"><p class="eyebrow">{escaped(about)}</p>'
        f"<h1>{escaped(figure_text(first))}</h1></div>"
        f'<dl class="numbers">{cells}</dl>{notes_to_html(map(figure_text, others))}{drawn}{parts}'
    )
    return document(f"{about} · BerryEval", body)
