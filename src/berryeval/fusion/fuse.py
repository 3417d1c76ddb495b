"""Fuse runs: check the arguments, choose a twin, report what cannot be fused."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from berryeval.backend import backend
from berryeval.core.cutoff import check_k
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputError, MismatchError
from berryeval.fusion import _python
from berryeval.fusion.methods import DEFAULT_METHOD, DEFAULT_NORM, Method, find_method, find_norm
from berryeval.fusion.recipes import Recipe, check_weights, make_recipe
from berryeval.fusion.training import Training, train

__all__ = ["QuerySets", "check_parameters", "fuse_runs"]

QuerySets: TypeAlias = Literal["all", "common", "error"]
"""Which queries to fuse if runs have different ones: all; those that every run has; or none."""

_N_SHOWN = 3


def fuse_runs(
    runs: Mapping[str, Run],
    method: str = DEFAULT_METHOD,
    *,
    norm: str | None = DEFAULT_NORM,
    weights: Sequence[float] | None = None,
    parameters: Mapping[str, float] | None = None,
    judgments: Judgments | None = None,
    training: Training | None = None,
    queries: QuerySets = "all",
    depth: int | None = None,
) -> Run:
    """Fuse runs into one.

    Parameters
    ----------
    runs : mapping of str to Run
        At least two, by the names that messages use.
    method : str
        One of `METHODS`.
    norm : str or None
        One of `NORMS`, or None for unchanged scores.
    weights : sequence of float, optional
        One per run, for methods that take them. Default: 1 each.
    parameters : mapping of str to float, optional
        Those of the method, such as ``k`` of rrf.
    judgments : Judgments, optional
        For supervised methods: those of the training queries.
    training : Training, optional
        In place of judgments: what was learned before.
    queries : {"all", "common", "error"}
        Which queries to fuse if the runs have different ones. With ``"all"``, a run that lacks a
        query takes no part in it, and `Run.cautions` of the result counts them.
    depth : int, optional
        Documents to keep per query. Default: all.

    Raises
    ------
    ArgumentError
        For an unknown method or normalisation, and for other invalid arguments.
    InputError
        If scores cannot be normalised.
    MismatchError
        If runs have different queries, and `queries` is ``"error"``; or if no query is in more than
        one run, or in all of them where `queries` is ``"common"``.
    """
    known, chosen_norm = find_method(method), find_norm(norm)
    if len(runs) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two", f"{len(runs)}")
    kept = None if depth is None else min(check_k(depth, "depth"), sys.maxsize)
    settings = check_parameters(known, parameters or {})
    shares = check_weights(weights, len(runs), known)
    query_ids, notes = _choose_queries(runs, queries)
    several = [*runs.values()]
    if known.is_trained and training is None:
        if judgments is None:
            expected = f"those of training queries, from which {method!r} learns"
            raise ArgumentError("judgments", expected, "none")
        training = train(method, several, judgments, settings)
    _check_training(known, training, len(several))
    depths = [_depth(run) for run in several]
    recipe = make_recipe(known, chosen_norm, shares, settings, depths, training)
    fused = _fuse(several, query_ids, recipe, kept)
    if not isinstance(fused, Run):
        raise _not_normalised(fused, [*runs], recipe)
    fused.tag = method
    fused.cautions = tuple(notes)
    return fused


def check_parameters(method: Method, given: Mapping[str, float]) -> dict[str, float]:
    """Return all parameters of a method, with defaults, or raise for one that it does not take."""
    for name in given:
        if name not in method.parameters:
            able = ", ".join(method.parameters) or "no parameters"
            raise ArgumentError(name, f"a parameter of {method.name} ({able})", repr(given[name]))
    return {
        name: one.check(name, given.get(name, one.default))
        for name, one in method.parameters.items()
    }


def _choose_queries(
    runs: Mapping[str, Run], queries: QuerySets
) -> tuple[Sequence[bytes], list[str]]:
    """Return the queries to fuse, in the order of their first appearance, and what they lack."""
    if queries not in get_args(QuerySets):
        raise ArgumentError("queries", "'all', 'common' or 'error'", repr(queries))
    first, *others = runs.values()
    if all(run.query_ids == first.query_ids for run in others):
        return [*first.query_ids.iter_bytes()], []
    asked = {name: {*run.query_ids.iter_bytes()} for name, run in runs.items()}
    union = [*dict.fromkeys(q for run in runs.values() for q in run.query_ids.iter_bytes())]
    common = set(union).intersection(*asked.values())
    is_shared = sum(map(len, asked.values())) > len(union)
    if not (common if queries == "common" else is_shared):
        where = "all runs" if queries == "common" else "more than one run"
        names = ", ".join(runs)
        raise MismatchError(f"no query is in {where}: {names}; fuse runs of the same queries")
    notes = []
    for name, own in asked.items():
        lacking = [query_id for query_id in union if query_id not in own]
        if lacking:
            shown = ", ".join(map(shown_id, lacking[:_N_SHOWN])) + ", …" * (len(lacking) > _N_SHOWN)
            notes.append(f"{name} lacks {len(lacking):,} of {len(union):,} queries ({shown})")
    if notes and queries == "error":
        way_out = "queries='all', or --different-queries all, fuses them from the other runs"
        raise MismatchError(f"{'; '.join(notes)}; {way_out}")
    if queries == "common":
        kept = [query_id for query_id in union if query_id in common]
        return kept, [f"{note}, which are left out" for note in notes]
    return union, [f"{note}, which are fused from the other runs" for note in notes]


def _check_training(method: Method, training: Training | None, n_runs: int) -> None:
    if training is None:
        return
    if training.method != method.name or len(training.tables) != n_runs:
        expected = f"what {method.name} learned of {n_runs} runs"
        raise ArgumentError("training", expected, f"{training.method}, {len(training.tables)} runs")


def _fuse(
    runs: Sequence[Run], query_ids: Sequence[bytes], recipe: Recipe, depth: int | None
) -> Run | tuple[bytes, int]:
    if backend().name == "native":
        from berryeval.fusion import _native

        return _native.fuse(runs, query_ids, recipe, depth)
    return _python.fuse(runs, query_ids, recipe, depth)


def _depth(run: Run) -> int:
    return max((end - start for start, end in pairwise(run.starts)), default=0)


def _not_normalised(where: tuple[bytes, int], names: Sequence[str], recipe: Recipe) -> InputError:
    query_id, number = where
    query = f"query {shown_id(decode_id(query_id))}"
    way_out = "choose norm 'rank', or a method that uses ranks"
    if number == len(names):
        return InputError(f"{query}: the fused scores exceed a float; {way_out}")
    what = "scores above 0" if recipe.norm == "max" else "finite scores"
    how = "sum up" if recipe.norm is None else f"normalise by {recipe.norm!r}"
    return InputError(f"{names[number]}: {query}: expected {what} to {how}; {way_out}")
