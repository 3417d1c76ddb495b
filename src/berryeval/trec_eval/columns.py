"""What is printed for the measures that are asked for, and how each value comes about."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from berryeval.kernels.gains import LINEAR, Gain
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
from berryeval.kernels.rank_biased_precision import rank_biased_residual
from berryeval.kernels.recall import recall
from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.kernels.relative_precision import relative_precision
from berryeval.kernels.relevance import count_unjudged
from berryeval.kernels.set_based import set_average_precision
from berryeval.kernels.utility import utility
from berryeval.kernels.yaap import yaap
from berryeval.trec_eval import judgment_groups, parameters, preferences
from berryeval.trec_eval.from_below import interpolated_from_below, multiple_from_below
from berryeval.trec_eval.names import Version

__all__ = ["Column", "Rules", "Source", "columns"]

Grades: TypeAlias = Sequence[float]

Kind: TypeAlias = Literal["mean", "sum", "geometric", "runid", "num_q", "relstring"]
"""How queries become one; or which of the lines it is that are no measure."""

Source: TypeAlias = Literal["qrels", "groups", "preferences"]
"""What a measure is computed from."""


@dataclass(frozen=True)
class Rules:
    """What the flags of the command mean for measures."""

    level: int = 1
    n_documents: int = 0
    version: Version = "9.0.8"

    @property
    def rounding(self) -> RecallRounding:
        """How recall points become numbers of documents."""
        return "nearest" if self.version == "10.0" else "up"

    @property
    def counted(self) -> int:
        """The level by which documents are counted: with ``-l -1`` all that have a grade."""
        return max(self.level, 0)


@dataclass(frozen=True)
class Column:
    """A value that is printed for a query, for all, or for both.

    `score` takes what its `source` gives for a query: the grades of the ranking and those of all
    judgments; such a pair for each group; or the preferences. Without a source it is not asked.
    """

    name: str
    kind: Kind
    score: Callable[..., float]
    source: Source | None = "qrels"
    length: int = 0
    """Of a relstring: how many documents it shows."""


_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_WORTHS = (1.0, -1.0, 0.0, 0.0)
_PATIENCE = 0.9
_RELSTRING = 10

_SUMS: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "num_ret": lambda g, _j, _rules: n_retrieved(g),
    "num_rel": lambda _g, j, rules: n_relevant(j, rules.level),
    "num_rel_ret": lambda g, _j, rules: n_relevant_retrieved(g, None, rules.counted),
    "num_nonrel_judged_ret": lambda g, _j, rules: n_nonrelevant_retrieved(g, None, rules.counted),
}
_GEOMETRIC: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "gm_map": lambda g, j, rules: average_precision(g, j, None, rules.level),
    "gm_bpref": lambda g, j, rules: bpref(g, j, rules.counted),
}
_MEANS: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "map": lambda g, j, rules: average_precision(g, j, None, rules.level),
    "Rprec": lambda g, j, rules: r_precision(g, j, rules.level),
    "bpref": lambda g, j, rules: bpref(g, j, rules.counted),
    "recip_rank": lambda g, _j, rules: reciprocal_rank(g, None, rules.level),
    "infAP": lambda g, j, rules: inferred_average_precision(g, j, rules.counted),
    "binG": lambda g, j, rules: binary_normalised_gain(g, j, rules.level),
    "set_P": lambda g, _j, rules: precision(g, len(g), len(g), rules.counted),
    "set_relative_P": lambda g, j, rules: relative_precision(g, j, None, rules.counted),
    "set_recall": lambda g, j, rules: recall(g, j, None, rules.counted),
    "set_map": lambda g, j, rules: set_average_precision(g, j, rules.counted),
    "yaap": lambda g, j, rules: _yaap(g, j, rules.level),
}
_AT_RANK: dict[str, Callable[[Grades, Grades, int, Rules], float]] = {
    "P": lambda g, _j, k, rules: precision(g, k, k, rules.level),
    "recall": lambda g, j, k, rules: recall(g, j, k, rules.level),
    "ndcg_cut": lambda g, j, k, _rules: ndcg(g, j, k),
    "map_cut": lambda g, j, k, rules: average_precision(g, j, k, rules.level),
    "relative_P": lambda g, j, k, rules: relative_precision(g, j, k, rules.level),
    "success": lambda g, _j, k, rules: hit_rate(g, k, rules.level),
    "unj": lambda g, _j, k, _rules: unjudged_share(g, k),
}
_RANKS = {"success": (1, 5, 10), "unj": (5, 10, 20)}
_WITH_GAINS: dict[str, Callable[[Grades, Grades, Gain, Rules], float]] = {
    "G": lambda g, j, gain, _rules: normalised_gain(g, j, gain),
    "dcg": lambda g, _j, gain, _rules: dcg(g, None, gain),
    "ideal_dcg": lambda _g, j, gain, _rules: ideal_dcg(j, None, gain),
    "ndcg": lambda g, j, gain, _rules: ndcg(g, j, None, gain),
    "ndcg_rel": lambda g, j, gain, _rules: ndcg_at_relevant(g, j, gain),
    "Rndcg": lambda g, j, gain, rules: ndcg_at_gain_levels(g, j, gain, rules.level),
}


def _interpolated(grades: Grades, judged: Grades, x: float, rules: Rules) -> float:
    if rules.level < 0 or x < 0.0:
        return interpolated_from_below(grades, judged, [x], rules.level, rules.rounding)[0]
    return interpolated_precision(grades, judged, x, rules.level, rules.rounding)


def _multiple(grades: Grades, judged: Grades, x: float, rules: Rules) -> float:
    if rules.level < 0 or x < 0.0:
        return multiple_from_below(grades, judged, x, rules.level)
    return r_precision_at_multiple(grades, judged, x, rules.level)


_AT_SHARE: dict[str, Callable[[Grades, Grades, float, Rules], float]] = {
    "iprec_at_recall": _interpolated,
    "Rprec_mult": _multiple,
}
_SHARES = {"iprec_at_recall": ELEVEN_POINTS, "Rprec_mult": _MULTIPLES}


def columns(names: dict[str, str | None], rules: Rules) -> list[Column]:
    """Return what is to be computed and printed.

    Raises
    ------
    InputError
        If the parameters of a measure cannot be used.
    """
    return [
        column for name, text in names.items() for column in _columns(name, text, rules)
    ]  # fmt: skip


def _columns(name: str, text: str | None, rules: Rules) -> list[Column]:
    if name in ("runid", "num_q"):
        return [Column(name, "runid" if name == "runid" else "num_q", _nothing, None)]
    if name in preferences.SCORES:
        kind: Kind = "sum" if name.startswith("prefs_num_") else "mean"
        return [Column(name, kind, preferences.SCORES[name], "preferences")]
    if name.endswith("_avgjg"):
        return _group_columns(name, text, rules)
    if name in _AT_RANK:
        ranks = _RANKS.get(name, _CUTOFFS) if text is None else parameters.read_ranks(name, text)
        return [Column(f"{name}_{k}", "mean", _bind(_AT_RANK[name], k, rules)) for k in ranks]
    if name in _AT_SHARE:
        shares = _SHARES[name] if text is None else parameters.read_shares(name, text)
        return [
            Column(f"{name}_{x:3.2f}", "mean", _bind(_AT_SHARE[name], x, rules)) for x in shares
        ]
    return [_one_column(name, text, rules)]


def _group_columns(name: str, text: str | None, rules: Rules) -> list[Column]:
    if name == "map_avgjg":
        score = judgment_groups.average_precision_score(rules.level)
        return [Column(name, "mean", score, "groups")]
    if name == "P_avgjg":
        ranks = _CUTOFFS if text is None else parameters.read_ranks(name, text)
        scores = {f"{name}_{k}": judgment_groups.precision_score(k, rules.level) for k in ranks}
    else:
        shares = _MULTIPLES if text is None else parameters.read_shares(name, text)
        scores = {
            f"{name}_{x:3.2f}": judgment_groups.multiple_score(x, rules.level) for x in shares
        }
    return [Column(full_name, "mean", score, "groups") for full_name, score in scores.items()]


def _one_column(name: str, text: str | None, rules: Rules) -> Column:
    full_name = name if text is None else f"{name}_{text}"
    if name in _WITH_GAINS:
        gain = LINEAR if text is None else parameters.read_gains(name, text, rules.version)
        return Column(full_name, "mean", _bind(_WITH_GAINS[name], gain, rules))
    if name == "relstring":
        length = _RELSTRING if text is None else int(parameters.read_numbers(name, text)[0])
        return Column(full_name, "relstring", _nothing, length=max(length, 0))
    if name in ("utility", "11pt_avg", "set_F", "rbp_resid"):
        return Column(full_name, "mean", _with_numbers(name, text, rules))
    # What takes no parameters passes over them, and is called the same.
    table = _SUMS if name in _SUMS else _GEOMETRIC if name in _GEOMETRIC else _MEANS
    kind: Kind = "sum" if name in _SUMS else "geometric" if name in _GEOMETRIC else "mean"
    score = table[name]
    return Column(name, kind, lambda grades, judged: score(grades, judged, rules))


def _nothing(*_evidence: Any) -> float:  # noqa: ANN401 - as a measure
    return 0.0


def _bind(
    score: Callable[..., float], parameter: object, rules: Rules
) -> Callable[[Grades, Grades], float]:
    return lambda grades, judged: score(grades, judged, parameter, rules)


def _with_numbers(name: str, text: str | None, rules: Rules) -> Callable[[Grades, Grades], float]:
    if name == "rbp_resid":
        p = _PATIENCE if text is None else parameters.read_patience(name, text)
        # trec_eval 10.0 leaves out the ranks after the last unless a document is unjudged.
        return lambda g, _j: rank_biased_residual(g, None, p) if count_unjudged(g) else 0.0
    if name == "utility":
        worths = _WORTHS if text is None else parameters.read_numbers(name, text)
        return lambda g, j: _utility(g, j, worths, rules)
    if name == "set_F":
        x = 1.0 if text is None else parameters.read_numbers(name, text)[0]
        return lambda g, j: _set_f(g, j, x, rules)
    points = ELEVEN_POINTS if text is None else parameters.read_numbers(name, text)
    return lambda g, j: _average_over_points(g, j, points, rules)


def _utility(grades: Grades, judged: Grades, worths: Sequence[float], rules: Rules) -> float:
    if len(worths) != len(_WORTHS):
        raise TrecEvalError(f"utility: expected 4 coefficients, found {len(worths)}", 4)
    first, second, third, fourth = worths
    worth = (first, second, third, fourth)
    return utility(grades, judged, worth, rules.n_documents, rules.counted)


def _set_f(grades: Grades, judged: Grades, x: float, rules: Rules) -> float:
    """Weigh recall by any x, also below 0, where the sum of both can be so, too."""
    p = precision(grades, len(grades), len(grades), rules.counted)
    r = recall(grades, judged, None, rules.counted)
    value, total = (x + 1.0) * p * r, x * p + r
    if total == 0.0:
        return math.copysign(math.inf, value) if value else 0.0
    return value / total


def _yaap(grades: Grades, judged: Grades, level: int) -> float:
    """Return yaap; below level 0 more can be found than is relevant."""
    try:
        return yaap(grades, judged, level)
    except ZeroDivisionError:
        return math.inf
    except ValueError as error:
        raise TrecEvalError("yaap is undefined for this level and ranking", 4) from error


def _average_over_points(
    grades: Grades, judged: Grades, points: Sequence[float], rules: Rules
) -> float:
    if rules.level < 0 or points[0] < 0.0 or list(points) != sorted(points):
        values = interpolated_from_below(grades, judged, points, rules.level, rules.rounding)
        total = 0.0
        for value in values:
            total += value
        return total / len(points)
    return average_over_points(grades, judged, points, rules.level, rules.rounding)
