"""The columns to print for the requested measures, and how each value is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from berryeval.errors import TrecEvalError
from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.bpref import bpref
from berryeval.kernels.counts import (
    n_nonrelevant_retrieved,
    n_relevant,
    n_relevant_retrieved,
    n_retrieved,
)
from berryeval.kernels.gains import LINEAR
from berryeval.kernels.hit_rate import hit_rate
from berryeval.kernels.inferred_ap import inferred_average_precision
from berryeval.kernels.interpolated_precision import (
    ELEVEN_POINTS,
    RecallRounding,
    average_over_points,
    interpolated_precision,
)
from berryeval.kernels.judged_share import unjudged_share
from berryeval.kernels.ndcg import dcg, ideal_dcg, ndcg
from berryeval.kernels.ndcg_points import ndcg_at_gain_levels, ndcg_at_relevant
from berryeval.kernels.normalised_gain import binary_normalised_gain, normalised_gain
from berryeval.kernels.precision import precision
from berryeval.kernels.r_precision import r_precision, r_precision_at_multiple
from berryeval.kernels.recall import recall
from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.kernels.relative_precision import relative_precision
from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.kernels.utility import utility
from berryeval.kernels.yaap import yaap
from berryeval.trec_eval import parameters, preferences
from berryeval.trec_eval.names import Version
from berryeval.trec_eval.own_scores import (
    average_from_below,
    average_precision_of_groups,
    multiple_from_below,
    multiple_of_groups,
    precision_of_groups,
    residual_if_unjudged,
    set_f_below_0,
    yaap_below_0,
)

__all__ = ["Column", "Rules", "Source", "columns"]

Score: TypeAlias = "partial[float]"
"""A kernel with its arguments, or a function in its place where trec_eval differs from it."""

ColumnKind: TypeAlias = Literal["mean", "sum", "geometric", "runid", "num_q", "relstring"]
"""How queries are combined, or the kind of line if it is not a measure."""

Source: TypeAlias = Literal["qrels", "groups", "preferences"]
"""What a measure is computed from."""


@dataclass(frozen=True)
class Rules:
    """The effect of the command's flags on measures."""

    level: int = 1
    n_documents: int = 0
    version: Version = "9.0.8"

    @property
    def rounding(self) -> RecallRounding:
        """How recall points are converted to numbers of documents."""
        return "nearest" if self.version == "10.0" else "up"

    @property
    def counted(self) -> int:
        """The level from which documents are counted: with ``-l -1``, all that have a grade."""
        return max(self.level, 0)


@dataclass(frozen=True)
class Column:
    """A value that is printed for each query, for all queries, or for both.

    `score` takes what its `source` gives for a query: the grades of the ranking and those of all
    judgments; such a pair for each group; or the preferences. Without a source, it is not called.
    """

    name: str
    kind: ColumnKind
    score: Callable[..., float]
    source: Source | None = "qrels"
    length: int = 0
    """Number of documents that a relstring shows."""

    def native_call(self) -> tuple[str, dict[str, Any]] | None:
        """Return the kernel that computes the value, and its arguments; None without one.

        ``berryeval._native.Plan`` takes both.
        """
        score = self.score
        if not isinstance(score, partial) or not score.func.__module__.startswith(_KERNELS):
            return None
        return score.func.__name__, score.keywords


_KERNELS = "berryeval.kernels."
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_WORTHS = (1.0, -1.0, 0.0, 0.0)
_PATIENCE = 0.9
_RELSTRING = 10

_SUMS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
_GEOMETRIC = ("gm_map", "gm_bpref")
_AT_RANK = ("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "unj")
_WITH_GAINS = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg")
_RANKS = {"success": (1, 5, 10), "unj": (5, 10, 20)}
_SHARES = {"iprec_at_recall": ELEVEN_POINTS, "Rprec_mult": _MULTIPLES}


def _without_parameters(name: str, rules: Rules) -> Score:
    level, counted = rules.level, rules.counted
    scores: dict[str, Score] = {
        "num_ret": partial(n_retrieved),
        "num_rel": partial(n_relevant, level=level),
        "num_rel_ret": partial(n_relevant_retrieved, k=None, level=counted),
        "num_nonrel_judged_ret": partial(n_nonrelevant_retrieved, k=None, level=counted),
        "gm_map": partial(average_precision, k=None, level=level),
        "gm_bpref": partial(bpref, level=counted),
        "map": partial(average_precision, k=None, level=level),
        "Rprec": partial(r_precision, level=level),
        "bpref": partial(bpref, level=counted),
        "recip_rank": partial(reciprocal_rank, k=None, level=level),
        "infAP": partial(inferred_average_precision, level=counted),
        "binG": partial(binary_normalised_gain, level=level),
        "set_P": partial(precision, k=None, level=counted),
        "set_relative_P": partial(relative_precision, k=None, level=counted),
        "set_recall": partial(recall, k=None, level=counted),
        "set_map": partial(set_average_precision, level=counted),
        "yaap": partial(yaap_below_0 if level < 0 else yaap, level=level),
    }
    return scores[name]


def _at_rank(name: str, k: int, rules: Rules) -> Score:
    level = rules.level
    scores: dict[str, Score] = {
        "P": partial(precision, k=k, level=level),
        "recall": partial(recall, k=k, level=level),
        "ndcg_cut": partial(ndcg, k=k, gain=LINEAR, level=0.0),
        "map_cut": partial(average_precision, k=k, level=level),
        "relative_P": partial(relative_precision, k=k, level=level),
        "success": partial(hit_rate, k=k, level=level),
        "unj": partial(unjudged_share, k=k),
    }
    return scores[name]


def _at_share(name: str, x: float, rules: Rules) -> Score:
    is_below = rules.level < 0 or x < 0.0
    if name == "Rprec_mult":
        if is_below:
            return partial(multiple_from_below, x=x, level=rules.level)
        return partial(r_precision_at_multiple, times=x, level=rules.level)
    if is_below:
        return partial(average_from_below, points=[x], level=rules.level, rounding=rules.rounding)
    return partial(interpolated_precision, recall=x, level=rules.level, rounding=rules.rounding)


def _with_gains(name: str, text: str | None, rules: Rules) -> Score:
    gain = LINEAR if text is None else parameters.read_gains(name, text, rules.version)
    scores: dict[str, Score] = {
        "G": partial(normalised_gain, gain=gain),
        "dcg": partial(dcg, k=None, gain=gain, level=0.0),
        "ideal_dcg": partial(ideal_dcg, k=None, gain=gain, level=0.0),
        "ndcg": partial(ndcg, k=None, gain=gain, level=0.0),
        "ndcg_rel": partial(ndcg_at_relevant, gain=gain),
        "Rndcg": partial(ndcg_at_gain_levels, gain=gain, level=rules.level),
    }
    return scores[name]


def columns(names: dict[str, str | None], rules: Rules) -> list[Column]:
    """Return the columns to compute and print; raise `InputError` for invalid parameters."""
    return [
        column for name, text in names.items() for column in _columns(name, text, rules)
    ]  # fmt: skip


def _columns(name: str, text: str | None, rules: Rules) -> list[Column]:
    if name in ("runid", "num_q"):
        return [Column(name, "runid" if name == "runid" else "num_q", _nothing, None)]
    if name in preferences.SCORES:
        kind: ColumnKind = "sum" if name.startswith("prefs_num_") else "mean"
        return [Column(name, kind, preferences.SCORES[name], "preferences")]
    if name.endswith("_avgjg"):
        return _group_columns(name, text, rules)
    if name in _AT_RANK:
        ranks = _RANKS.get(name, _CUTOFFS) if text is None else parameters.read_ranks(name, text)
        return [Column(f"{name}_{k}", "mean", _at_rank(name, k, rules)) for k in ranks]
    if name in _SHARES:
        shares = _SHARES[name] if text is None else parameters.read_shares(name, text)
        return [Column(f"{name}_{x:3.2f}", "mean", _at_share(name, x, rules)) for x in shares]
    return [_one_column(name, text, rules)]


def _group_columns(name: str, text: str | None, rules: Rules) -> list[Column]:
    if name == "map_avgjg":
        score = average_precision_of_groups(rules.level)
        return [Column(name, "mean", score, "groups")]
    if name == "P_avgjg":
        ranks = _CUTOFFS if text is None else parameters.read_ranks(name, text)
        scores = {f"{name}_{k}": precision_of_groups(k, rules.level) for k in ranks}
    else:
        shares = _MULTIPLES if text is None else parameters.read_shares(name, text)
        scores = {f"{name}_{x:3.2f}": multiple_of_groups(x, rules.level) for x in shares}
    return [Column(full_name, "mean", score, "groups") for full_name, score in scores.items()]


def _one_column(name: str, text: str | None, rules: Rules) -> Column:
    full_name = name if text is None else f"{name}_{text}"
    if name in _WITH_GAINS:
        return Column(full_name, "mean", _with_gains(name, text, rules))
    if name == "relstring":
        length = _RELSTRING if text is None else int(parameters.read_numbers(name, text)[0])
        return Column(full_name, "relstring", _nothing, length=max(length, 0))
    if name in ("utility", "11pt_avg", "set_F", "rbp_resid"):
        return Column(full_name, "mean", _with_numbers(name, text, rules))
    # Measures without parameters ignore them, and keep their names.
    kind: ColumnKind = "sum" if name in _SUMS else "geometric" if name in _GEOMETRIC else "mean"
    return Column(name, kind, _without_parameters(name, rules))


def _nothing(*_evidence: Any) -> float:  # noqa: ANN401 - as a measure
    return 0.0


def _with_numbers(name: str, text: str | None, rules: Rules) -> Score:
    numbers = None if text is None or name == "rbp_resid" else parameters.read_numbers(name, text)
    if name == "rbp_resid":
        return partial(
            residual_if_unjudged,
            p=_PATIENCE if text is None else parameters.read_patience(name, text),
        )
    if name == "utility":
        return _utility(numbers or _WORTHS, rules)
    if name == "set_F":
        x = 1.0 if numbers is None else numbers[0]
        return partial(set_f if x >= 0.0 else set_f_below_0, x=x, level=rules.counted)
    points = ELEVEN_POINTS if numbers is None else tuple(numbers)
    is_below = rules.level < 0 or points[0] < 0.0 or list(points) != sorted(points)
    average = average_from_below if is_below else average_over_points
    return partial(average, points=points, level=rules.level, rounding=rules.rounding)


def _utility(worths: Sequence[float], rules: Rules) -> Score:
    if len(worths) != len(_WORTHS):
        return partial(_refuse, f"utility: expected 4 coefficients, found {len(worths)}")
    first, second, third, fourth = worths
    worth = (first, second, third, fourth)
    return partial(utility, worth=worth, n_documents=rules.n_documents, level=rules.counted)


def _refuse(message: str, *_evidence: Any) -> float:  # noqa: ANN401 - as a measure
    """Raise when the first query is scored, as trec_eval does."""
    raise TrecEvalError(message, 4)
