"""Fuse runs from any source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.formats import Duplicates
from berryeval.formats.lines import path_name
from berryeval.fusion.fuse import QuerySets, fuse_runs
from berryeval.fusion.methods import DEFAULT_METHOD, DEFAULT_NORM
from berryeval.fusion.training import Training

__all__ = ["fuse", "load_runs", "weights_by_name"]


def fuse(
    runs: Mapping[str, RunSource] | Iterable[RunSource],
    method: str = DEFAULT_METHOD,
    *,
    norm: str | None = DEFAULT_NORM,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    judgments: JudgmentsSource | None = None,
    training: Training | None = None,
    queries: QuerySets = "all",
    depth: int | None = None,
    duplicates: Duplicates = "error",
    **parameters: float,
) -> Run:
    """Fuse several runs into one.

    `berryeval.fusion.METHODS` and `NORMS` have the definition of each method and normalisation.

    Parameters
    ----------
    runs : mapping of str to run, or several runs
        At least two, each as `evaluate` takes it. The order matters only for rounding, and for
        weights that are given without names.
    method : str
        ``"rrf"`` uses ranks only, and is the default. ``"wsum"`` adds weighted, normalised scores.
        Others: ``"min"``, ``"max"``, ``"med"``, ``"sum"``, ``"anz"``, ``"mnz"``, ``"gmnz"``,
        ``"isr"``, ``"log_isr"``, ``"logn_isr"``, ``"rbc"``, ``"bordafuse"``, ``"w_bordafuse"``,
        ``"condorcet"``, ``"w_condorcet"``, ``"wmnz"``, ``"mixed"``, and those that learn from
        judgments: ``"mapfuse"``, ``"posfuse"``, ``"slidefuse"``, ``"probfuse"``, ``"segfuse"``,
        ``"bayesfuse"``.
    norm : {"min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda"} or None
        How to bring scores to one scale, query by query; None leaves them unchanged. Methods
        that use ranks only ignore it, except ``"min-max-inverted"``, for runs of distances.
    weights : sequence of float, or mapping of str to float, optional
        One per run, in their order or by name, for rrf, rbc, wsum, wmnz, mixed, w_bordafuse and
        w_condorcet. Default: 1 each.
    judgments : judgments, optional
        For methods that learn: the judgments of training queries, as `evaluate` takes them. All
        queries are fused, but a score on the training queries would be too optimistic.
    training : Training, optional
        In place of judgments: what `berryeval.fusion.train` returned.
    queries : {"all", "common", "error"}
        Which queries to fuse if the runs have different ones. If all, a run that lacks a query
        takes no part in it; `Run.cautions` of the result says so, as does every report about it.
    depth : int, optional
        Documents to keep per query. Default: all.
    duplicates : {"error", "keep-best"}
        What to do with a document that a file or frame has twice for one query.
    **parameters : float
        Those of the method: ``k`` of rrf (60), ``phi`` of rbc (0.9), ``gamma`` of gmnz (1),
        ``sigma`` of logn_isr (0.01), ``window`` of slidefuse (5), ``n_segments`` of probfuse (25),
        and ``rel``, the lowest relevant grade, of those that learn (1).

    Returns
    -------
    Run
        The documents of all runs, in order of the fused score. Ties break by document id.

    Raises
    ------
    ArgumentError
        For an unknown method, and for weights or parameters that it does not take.
    MismatchError
        If no query is in more than one run; with ``queries="common"``, if none is in all of them.

    Examples
    --------
    >>> words = {"q1": {"a": 12.1, "b": 9.0, "c": 2.2}}
    >>> vectors = {"q1": {"b": 0.81, "d": 0.75}}
    >>> fuse([words, vectors]).ranking("q1")
    ['b', 'a', 'd', 'c']
    >>> fuse({"words": words, "vectors": vectors}, "wsum", weights=[0.7, 0.3]).ranking("q1")
    ['b', 'a', 'd', 'c']
    """
    loaded = load_runs(runs, duplicates)
    trained = None if judgments is None else load_judgments(judgments, duplicates)
    return fuse_runs(
        loaded,
        method,
        norm=norm,
        weights=weights_by_name(weights, loaded),
        parameters=parameters,
        judgments=trained,
        training=training,
        queries=queries,
        depth=depth,
    )


def load_runs(
    runs: Mapping[str, RunSource] | Iterable[RunSource], duplicates: Duplicates = "error"
) -> dict[str, Run]:
    """Return runs by name; those without one have that of their file, or run_1, run_2 and so on."""
    if isinstance(runs, (str, os.PathLike, Run)):
        raise InputTypeError("runs", "several runs", f"one {type(runs).__name__}")
    if isinstance(runs, Mapping):
        return {name: load_run(source, duplicates) for name, source in runs.items()}
    sources = [*runs]
    names = [
        path_name(source) if isinstance(source, (str, os.PathLike)) else f"run_{number}"
        for number, source in enumerate(sources, start=1)
    ]
    if len({*names}) < len(names):
        names = [f"run_{number}" for number in range(1, len(names) + 1)]
    loaded = (load_run(source, duplicates) for source in sources)
    return dict(zip(names, loaded, strict=True))


def weights_by_name(
    weights: Mapping[str, float] | Sequence[float] | None, runs: Mapping[str, Run]
) -> Sequence[float] | None:
    """Return weights in the order of the runs; a mapping needs one for each name."""
    if not isinstance(weights, Mapping):
        return weights
    if weights.keys() != runs.keys():
        raise ArgumentError("weights", f"one for each of {', '.join(runs)}", ", ".join(weights))
    return [weights[name] for name in runs]
