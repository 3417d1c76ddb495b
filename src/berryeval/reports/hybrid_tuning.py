"""Proposed settings of a hybrid search: as tables, CSV, JSON and points of a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berryeval.charts.settings import SettingsPoint
from berryeval.evaluation.notes import count_queries
from berryeval.reports.layout import Table, csv_text, json_text, tables_to_text
from berryeval.reports.markdown import tables_to_markdown
from berryeval.suite.tuning import CURRENT, WORDS, settings_line

if TYPE_CHECKING:
    from berryeval.search.systems.hybrid import HybridSettings
    from berryeval.suite.tuning import HybridTuning

__all__ = [
    "hybrid_tuning_sentences",
    "hybrid_tuning_tables",
    "render_hybrid_tuning",
    "settings_points",
    "use_line",
]

JSON_VERSION = 1


def hybrid_tuning_sentences(tuning: HybridTuning) -> list[str]:
    """Return the result, one sentence per line."""
    choice = tuning.choice
    held_out = f"{choice.held_out.mean:.4f}"
    if choice.interval is not None:
        held_out += f" [{choice.interval.low:.4f}, {choice.interval.high:.4f}]"
    return [
        *tuning.sentences,
        f"{choice.measure} on held-out folds: {held_out}. "
        f"On training folds: {choice.training:.4f}, which is optimistic.",
    ]


def hybrid_tuning_tables(tuning: HybridTuning) -> list[Table]:
    """Lay out settings and folds."""
    choice = tuning.choice
    settings = Table(
        f"{choice.measure} of {tuning.system}, {count_queries(len(choice.held_out.values))}",
        ("settings", "weights", "late", "feedback", "mean"),
        (
            ("tuned, held out", "-", "-", "-", f"{choice.held_out.mean:.4f}"),
            *(
                (name if name in (CURRENT, WORDS) else "", *_cells(tuning.tried[name]), mean)
                for name, mean in _ordered(tuning)
            ),
        ),
        (
            "The means of single settings are over all queries. The best of many is a little too "
            "high; the held-out mean is not.",
        ),
        n_keys=2,
    )
    folds = Table(
        "Folds",
        ("fold", "chosen on the others", "queries", "training", "held out"),
        tuple(
            (
                str(number),
                fold.choice,
                f"{len(fold.query_ids):,}",
                f"{fold.training:.4f}",
                f"{fold.held_out:.4f}",
            )
            for number, fold in enumerate(choice.folds, start=1)
        ),
        n_keys=2,
    )
    return [settings, folds]


def render_hybrid_tuning(tuning: HybridTuning, form: str) -> str:
    """Return the result in a format: ``table``, ``csv``, ``json`` or ``markdown``."""
    if form == "json":
        return json_text(_as_dict(tuning))
    if form == "csv":
        header = ("settings", "weight_of_words", "weight_of_vectors", "late", "feedback", "mean")
        rows = (
            [name, *one.weights, one.late, one.feedback, tuning.choice.means[name]]
            for name, one in tuning.tried.items()
        )
        return csv_text(header, rows)
    sentences, tables = hybrid_tuning_sentences(tuning), hybrid_tuning_tables(tuning)
    use = use_line(tuning)
    if form == "markdown":
        return "\n\n".join([*sentences, tables_to_markdown(tables).rstrip(), use]) + "\n"
    return "\n".join([*sentences, "", tables_to_text(tables).rstrip(), "", use]) + "\n"


def use_line(tuning: HybridTuning) -> str:
    """Return the last line: the settings to use."""
    kept = " (unchanged)" if tuning.recommended == CURRENT else ""
    return f"Settings to use{kept}: {settings_line(tuning.settings)}"


def settings_points(tuning: HybridTuning) -> tuple[list[SettingsPoint], list[SettingsPoint]]:
    """Return points of a chart: all settings by their means, and the choices of the folds."""
    tried = [_point(tuning, name, name, mean) for name, mean in tuning.choice.means.items()]
    folds = [
        _point(tuning, fold.choice, f"fold {number}, {fold.choice}", fold.held_out)
        for number, fold in enumerate(tuning.choice.folds, start=1)
    ]
    return tried, folds


def _point(tuning: HybridTuning, name: str, shown: str, mean: float) -> SettingsPoint:
    settings = tuning.tried[name]
    words, vectors = settings.weights
    share = words / (words + vectors + settings.late)
    return SettingsPoint(shown, share, mean, settings.feedback > 0, shown == CURRENT)


def _ordered(tuning: HybridTuning) -> list[tuple[str, str]]:
    """Return the current settings and words alone, then the others, the best first."""
    means, sign = tuning.choice.means, 1 if tuning.choice.measure.higher_is_better else -1
    others = sorted(means, key=lambda name: (name not in (CURRENT, WORDS), -sign * means[name]))
    return [(name, f"{means[name]:.4f}") for name in others]


def _cells(settings: HybridSettings) -> tuple[str, str, str]:
    words, vectors = settings.weights
    return f"{words:g},{vectors:g}", f"{settings.late:g}", str(settings.feedback)


def _as_dict(tuning: HybridTuning) -> dict[str, Any]:
    choice, interval = tuning.choice, tuning.choice.interval
    return {
        "version": JSON_VERSION,
        "kind": "hybrid-tuning",
        "system": tuning.system,
        "measure": str(choice.measure),
        "queries": len(choice.held_out.values),
        "seed": choice.seed,
        "sentences": list(tuning.sentences),
        "use": {**_shape(tuning.settings), "options": settings_line(tuning.settings)},
        "is_better": tuning.is_better,
        "held_out": {
            "mean": choice.held_out.mean,
            "interval": None if interval is None else [interval.low, interval.high],
        },
        "training": choice.training,
        "differences": {
            name: {
                "mean": difference.mean,
                "interval": None if between is None else [between.low, between.high],
                "p_value": difference.p_value,
                "finding": difference.finding,
            }
            for name, comparison in choice.comparisons.items()
            for difference in comparison.differences[:1]
            for between in [difference.interval]
        },
        "tried": [
            {"name": name, **_shape(settings), "mean": choice.means[name]}
            for name, settings in tuning.tried.items()
        ],
        "folds": [
            {
                "queries": list(fold.query_ids),
                "choice": fold.choice,
                "training": fold.training,
                "held_out": fold.held_out,
            }
            for fold in choice.folds
        ],
    }


def _shape(settings: HybridSettings) -> dict[str, Any]:
    return {
        "weights": list(settings.weights),
        "late": settings.late,
        "feedback": settings.feedback,
    }
