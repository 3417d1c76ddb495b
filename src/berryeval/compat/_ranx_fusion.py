"""Fusion with the interface of ranx."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from berryeval.compat._ranx_data import Qrels, Run
from berryeval.core.grouped import Grouping
from berryeval.core.run import Run as CoreRun
from berryeval.engine import score
from berryeval.errors import ArgumentError, InputError, MismatchError
from berryeval.fusion.fuse import fuse_runs
from berryeval.fusion.methods import find_method, find_norm
from berryeval.fusion.normalising import normalise
from berryeval.fusion.training import Training, train
from berryeval.reports.layout import Table, table_to_text

if TYPE_CHECKING:
    from berryeval.measures import Measure

__all__ = ["OptimizationReport", "fuse", "normalize", "optimize"]

_NAMES = {"w": "window"}
"""Parameters of ranx that have another name here."""
_LEARNED = {
    "mapfuse": "map_scores",
    "posfuse": "probs",
    "slidefuse": "probs",
    "probfuse": "probs",
    "segfuse": "probs",
    "bayesfuse": "log_odds",
}
_GRIDS: Mapping[str, tuple[str, float, float, float]] = {
    "gmnz": ("gamma", 0.01, 1.0, 0.01),
    "logn_isr": ("sigma", 0.01, 1.0, 0.01),
    "rbc": ("phi", 0.01, 1.0, 0.01),
    "rrf": ("k", 10, 100, 10),
    "probfuse": ("n_segments", 1, 100, 1),
    "slidefuse": ("w", 1, 100, 1),
}
"""Parameter, first and last value, and step."""
_WEIGHTED = ("wsum", "wmnz", "mixed", "w_bordafuse", "w_condorcet")
_LABELS = {
    "logn_isr": ("LogN_ISR", "Sigma"),
    "gmnz": ("GMNZ", "Gamma"),
    "mixed": ("Mixed", "Weights"),
    "probfuse": ("ProbFuse", "# Segments"),
    "rbc": ("RBC", "phi"),
    "rrf": ("RRF", "k"),
    "slidefuse": ("SlideFuse", "w"),
    "w_bordafuse": ("Weighted BordaFuse", "Weights"),
    "w_condorcet": ("Weighted Condorcet", "Weights"),
    "wmnz": ("WMNZ", "Weights"),
    "wsum": ("Weighted SUM", "Weights"),
}
_RUN_NAMES = {
    **{name: f"comb_{name}" for name in ("min", "max", "med", "sum", "anz", "mnz", "gmnz")},
    "wsum": "weighted_sum",
    "w_bordafuse": "weighted_bordafuse",
    "w_condorcet": "weighted_condorcet",
}
"""ranx's names of fused runs, where they differ from the method's."""


@dataclass(frozen=True)
class OptimizationReport:
    """Every configuration that was tried, and its score; prints as a table."""

    method: str
    configs: list[str]
    results: list[float]
    metric: str
    rounding_digits: int = 3
    show_percentages: bool = False

    def __str__(self) -> str:
        title, parameter = _LABELS[self.method]
        rows = tuple(
            (config, self._shown(result))
            for config, result in zip(self.configs, self.results, strict=True)
        )
        return table_to_text(Table(title, (parameter, self.metric), rows))

    def _shown(self, result: float) -> str:
        if self.show_percentages:
            return f"{100 * result:.{max(0, self.rounding_digits - 2)}f}"
        return f"{result:.{self.rounding_digits}f}"


def fuse(runs: Sequence[Run], norm: str | None, method: str, params: Mapping[str, Any]) -> Run:
    """Fuse runs of the same queries."""
    given = dict(params)
    name = given.pop("name", _RUN_NAMES.get(method, method))
    weights = given.pop("weights", None)
    training = None
    learned = given.pop(_LEARNED.get(method, ""), None)
    if learned is not None:
        training = Training(method, tuple(tuple(_numbers(one)) for one in learned))
    fused = fuse_runs(
        _tables(runs),
        method,
        norm=norm,
        weights=None if weights is None else [*weights],
        parameters={_NAMES.get(key, key): _plain(value) for key, value in given.items()},
        training=training,
        queries="error",
    )
    return Run(fused, name=name)


def normalize(run: Run, norm: str) -> Run:
    """Normalise the scores of one run."""
    known = find_norm(norm)
    if known == "borda":
        raise ArgumentError("norm", "one for a single run, not 'borda'", repr(norm))
    table, rows = run.table(), Grouping()
    for query_id, _ in table.iter_queries():
        rows.add_query(query_id)
        ranked = table.ranked_ids(query_id)
        score_of = {table.doc_ids.bytes_at(row): table.scores[row] for row in
                    table.rows_of(query_id)}  # fmt: skip
        scores = normalise(known, [score_of[doc_id] for doc_id in ranked], len(ranked))
        if any(number != number for number in scores):  # noqa: PLR0124 - NaN
            message = f"query {query_id.decode('utf-8', 'surrogateescape')!r}: its scores cannot be"
            raise InputError(f"{message} normalised by {norm!r}")
        for doc_id, number in zip(ranked, scores, strict=True):
            rows.add(query_id, doc_id, number)
    return Run(CoreRun.collect(rows), name=run.name)


def optimize(
    qrels: Qrels,
    runs: Sequence[Run],
    norm: str | None,
    method: str,
    measure: Measure,
    limits: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the parameters with the best score, and the score of each configuration."""
    judgments, tables = qrels.table(), _tables(runs)
    judged = set(judgments.query_ids.iter_bytes())
    if any(judged != set(table.query_ids.iter_bytes()) for table in tables.values()):
        raise MismatchError("qrels and runs have different queries; optimize_fusion needs the same")
    best: dict[str, Any] = {}
    results: dict[str, float] = {}
    highest = 0.0
    for shown, params in _trials(method, tables, qrels, limits):
        if shown is None:
            return params, {}
        fused = fuse(runs, norm, method, params)
        found = score(judgments, fused.table(), [measure]).values[str(measure)]
        results[shown] = _mean(found)
        if results[shown] >= highest:  # of equal results, the last one, as in ranx
            highest, best = results[shown], params
    best.pop("n_segments", None)
    return best, results


def _trials(
    method: str, tables: Mapping[str, CoreRun], qrels: Qrels, limits: Mapping[str, Any]
) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield the configurations that ranx tries; methods that only learn have one without a name."""
    given = {key: value for key, value in limits.items() if key != "show_progress"}
    several, judgments = [*tables.values()], qrels.table()
    if method in _WEIGHTED:
        for weights in _weights(len(tables), given.pop("step", 0.1)):
            yield str(weights), {"weights": weights}
    elif method in _GRIDS:
        key, first, last, step = _GRIDS[method]
        values = _grid(
            given.pop(f"min_{key}", first), given.pop(f"max_{key}", last), given.pop("step", step)
        )
        learned: dict[str, Any] = {}
        if method == "slidefuse":
            learned = _params_of(train(method, several, judgments))
        for value in values:
            if method == "probfuse":
                learned = _params_of(train(method, several, judgments, {key: value}))
            yield str(value), {**learned, key: value}
    elif find_method(method).is_trained:
        yield None, _params_of(train(method, several, judgments))
    else:
        able = ", ".join([*_WEIGHTED, *_GRIDS, *(name for name in _LEARNED if name not in _GRIDS)])
        raise ArgumentError("method", f"one that can be optimised ({able})", repr(method))
    if given:
        raise ArgumentError(next(iter(given)), f"an argument for {method!r}", repr(given))


def _weights(n_runs: int, step: float) -> Iterator[tuple[float, ...]]:
    """Yield weights that add up to 1, counted in whole steps.

    ranx adds them up in floats, and drops those whose sum is not exactly 1.
    """
    n_steps = round(1 / step)
    digits = max(0, len(f"{step:.10f}".rstrip("0").partition(".")[2]))
    for several in product(range(n_steps + 1), repeat=n_runs):
        if sum(n_each for n_each in several) == n_steps:
            yield tuple(round(n / n_steps, digits) for n in several)


def _grid(first: float, last: float, step: float) -> list[float]:
    if all(isinstance(number, int) for number in (first, last, step)):
        return [*range(int(first), int(last) + 1, int(step))]
    digits = len(f"{step:.10f}".rstrip("0").partition(".")[2])
    n_steps = int((last - first) / step + 1e-9)
    return [round(first + place * step, digits) for place in range(n_steps + 1)]


def _params_of(training: Training) -> dict[str, Any]:
    """Return the learned parameters in the form in which ranx passes them to `fuse`."""
    import numpy as np

    if training.method == "mapfuse":
        return {"map_scores": [mean for (mean,) in training.tables]}
    return {_LEARNED[training.method]: [np.array(table) for table in training.tables]}


def _tables(runs: Sequence[Run]) -> dict[str, CoreRun]:
    names = [run.name or f"run_{number}" for number, run in enumerate(runs, start=1)]
    if len({*names}) < len(names):
        names = [f"run_{number}" for number in range(1, len(names) + 1)]
    return {name: run.table() for name, run in zip(names, runs, strict=True)}


def _numbers(learned: Any) -> Iterable[float]:  # noqa: ANN401 - a number, a list or an array
    return map(float, learned) if hasattr(learned, "__len__") else [float(learned)]


def _plain(value: Any) -> float:  # noqa: ANN401 - NumPy's numbers, too
    return value if isinstance(value, (int, float)) else float(value)


def _mean(scores: Sequence[float]) -> float:
    total = 0.0
    for one in scores:
        total += one
    return total / len(scores) if scores else 0.0
