"""The tuning of a fusion: as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.notes import count_queries
from berryeval.reports.layout import Table, csv_text, json_text

if TYPE_CHECKING:
    from berryeval.evaluation.fusion_ways import FusionChoice
    from berryeval.evaluation.tuning import FusionTuning

__all__ = ["tuning_sentences", "tuning_tables", "tuning_to_csv", "tuning_to_json"]

JSON_VERSION = 1


def tuning_sentences(tuning: FusionTuning) -> list[str]:
    """Return the result, one sentence per line."""
    held_out = f"{tuning.held_out.mean:.4f}"
    if tuning.interval is not None:
        held_out += f" [{tuning.interval.low:.4f}, {tuning.interval.high:.4f}]"
    return [
        tuning.sentence,
        f"{'Recommended' if tuning.is_better else 'Best of what was tried'}: "
        f"{_described(tuning, tuning.choice)}.",
        f"{tuning.measure} on held-out folds: {held_out}. "
        f"On training folds: {tuning.training:.4f}, which is optimistic.",
    ]


def tuning_tables(tuning: FusionTuning) -> list[Table]:
    """Lay out runs, candidates and folds."""
    runs = Table(
        f"{tuning.measure}, {count_queries(tuning.n_queries)}",
        ("run", "mean"),
        (
            *((name, f"{mean:.4f}") for name, mean in tuning.singles.items()),
            ("fusion, held out", f"{tuning.held_out.mean:.4f}"),
        ),
    )
    candidates = Table(
        "Candidates",
        ("fusion", "weights", "training", "held out"),
        tuple(
            (
                one.choice.name,
                _weights(one.choice) or "-",
                f"{one.training:.4f}",
                f"{one.held_out:.4f}",
            )
            for one in tuning.candidates
        ),
        (
            "held out: mean of the queries that a candidate was not fitted to. The best of several "
            "is a little too high; the figure above is not.",
            *tuning.notes,
        ),
        n_keys=2,
    )
    folds = Table(
        "Folds",
        ("fold", "chosen on the others", "weights", "queries", "training", "held out"),
        tuple(
            (
                str(number),
                fold.choice.name,
                _weights(fold.choice) or "-",
                f"{len(fold.query_ids):,}",
                f"{fold.training:.4f}",
                f"{fold.held_out:.4f}",
            )
            for number, fold in enumerate(tuning.folds, start=1)
        ),
        n_keys=3,
    )
    return [runs, candidates, folds]


def tuning_to_csv(tuning: FusionTuning) -> str:
    """Return one line per candidate."""
    header = ("method", "norm", "parameters", *(f"weight of {name}" for name in tuning.runs),
              "training", "held_out")  # fmt: skip
    return csv_text(header, _rows(tuning))


def _rows(tuning: FusionTuning) -> Iterator[list[object]]:
    for one in tuning.candidates:
        choice = one.choice
        parameters = " ".join(f"{name}={number:g}" for name, number in choice.parameters.items())
        weights = choice.weights or [None] * len(tuning.runs)
        yield [choice.method, choice.norm, parameters, *weights, one.training, one.held_out]


def tuning_to_json(tuning: FusionTuning) -> str:
    """Return one JSON object: the recommendation, its expected score, and all candidates."""
    interval, difference = tuning.interval, tuning.difference
    between = difference.interval
    shape: dict[str, Any] = {
        "version": JSON_VERSION,
        "kind": "fusion-tuning",
        "measure": str(tuning.measure),
        "queries": tuning.n_queries,
        "seed": tuning.seed,
        "sentence": tuning.sentence,
        "choice": _as_dict(tuning, tuning.choice),
        "held_out": {
            "mean": tuning.held_out.mean,
            "interval": None if interval is None else [interval.low, interval.high],
        },
        "training": tuning.training,
        "singles": dict(tuning.singles),
        "best_single": tuning.best_single,
        "difference": {
            "mean": difference.mean,
            "interval": None if between is None else [between.low, between.high],
            "p_value": difference.p_value,
            "finding": difference.finding,
        },
        "candidates": [
            {
                **_as_dict(tuning, one.choice),
                "training": one.training,
                "held_out": one.held_out,
            }
            for one in tuning.candidates
        ],
        "folds": [
            {
                "queries": list(fold.query_ids),
                "choice": _as_dict(tuning, fold.choice),
                "training": fold.training,
                "held_out": fold.held_out,
            }
            for fold in tuning.folds
        ],
        "curves": {
            name: [{"weight": share, "mean": mean} for share, mean in line]
            for name, line in tuning.curves.items()
        },
        "notes": list(tuning.notes),
    }
    return json_text(shape)


def _as_dict(tuning: FusionTuning, choice: FusionChoice) -> dict[str, Any]:
    weights = None
    if choice.weights is not None:
        weights = dict(zip(tuning.runs, choice.weights, strict=True))
    return {
        "method": choice.method,
        "norm": choice.norm,
        "weights": weights,
        "parameters": dict(choice.parameters),
    }


def _described(tuning: FusionTuning, choice: FusionChoice) -> str:
    if choice.weights is None:
        return choice.name
    pairs = zip(tuning.runs, choice.weights, strict=True)
    return f"{choice.name}, with weights {', '.join(f'{n} {w:.2f}' for n, w in pairs)}"


def _weights(choice: FusionChoice) -> str:
    return ", ".join(f"{weight:.2f}" for weight in choice.weights or ())
