"""trec_eval's measures by name: which there are, in which order, and what ``-m`` asks for.

Measures stand in the order in which trec_eval prints them, whatever the order of ``-m``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from berryeval.errors import InputError, TrecEvalError
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
from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.kernels.utility import utility
from berryeval.kernels.yaap import yaap
from berryeval.trec_eval.numbers import atof, atol

__all__ = ["Column", "Rules", "Version", "columns", "read_names"]

Version: TypeAlias = Literal["9.0.8", "10.0"]
"""The trec_eval to behave as."""

Grades: TypeAlias = Sequence[float]

Kind: TypeAlias = Literal["mean", "sum", "geometric", "runid", "num_q", "relstring"]
"""How queries become one; or which of the lines it is that are no measure."""


@dataclass(frozen=True)
class Rules:
    """What the flags of the command mean for measures."""

    level: int = 1
    n_documents: int = 0
    rounding: RecallRounding = "up"


@dataclass(frozen=True)
class Column:
    """A value that is printed for a query, for all, or for both."""

    name: str
    kind: Kind
    score: Callable[[Grades, Grades], float]
    length: int = 0
    """Of a relstring: how many documents it shows."""


_REGISTRY = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref",
    "Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel",
    "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P",
    "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp_resid", "unj",
)  # fmt: skip
_ONLY_IN_10 = {"dcg", "ideal_dcg", "rbp_resid", "unj"}
_NOT_IN_ALL_TREC = {"dcg", "ideal_dcg", "yaap"}
_NICKNAMES = {
    "official": set(_REGISTRY[: _REGISTRY.index("relstring")]),
    "set": {
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    },
    "all_trec": set(_REGISTRY) - _NOT_IN_ALL_TREC,
}  # fmt: skip

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_WORTHS = (1.0, -1.0, 0.0, 0.0)
_PATIENCE = 0.9
_RELSTRING = 10

_SUMS: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "num_ret": lambda g, j, _rules: n_retrieved(g, j),
    "num_rel": lambda g, j, rules: n_relevant(g, j, rules.level),
    "num_rel_ret": lambda g, j, rules: n_relevant_retrieved(g, j, None, rules.level),
    "num_nonrel_judged_ret": lambda g, j, rules: n_nonrelevant_retrieved(g, j, None, rules.level),
}
_GEOMETRIC: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "gm_map": lambda g, j, rules: average_precision(g, j, None, rules.level),
    "gm_bpref": lambda g, j, rules: bpref(g, j, rules.level),
}
_MEANS: dict[str, Callable[[Grades, Grades, Rules], float]] = {
    "map": lambda g, j, rules: average_precision(g, j, None, rules.level),
    "Rprec": lambda g, j, rules: r_precision(g, j, rules.level),
    "bpref": lambda g, j, rules: bpref(g, j, rules.level),
    "recip_rank": lambda g, j, rules: reciprocal_rank(g, j, None, rules.level),
    "infAP": lambda g, j, rules: inferred_average_precision(g, j, rules.level),
    "binG": lambda g, j, rules: binary_normalised_gain(g, j, rules.level),
    "set_P": lambda g, j, rules: precision(g, j, None, rules.level),
    "set_relative_P": lambda g, j, rules: relative_precision(g, j, None, rules.level),
    "set_recall": lambda g, j, rules: recall(g, j, None, rules.level),
    "set_map": lambda g, j, rules: set_average_precision(g, j, rules.level),
    "yaap": lambda g, j, rules: yaap(g, j, rules.level),
}
_AT_RANK: dict[str, Callable[[Grades, Grades, int, Rules], float]] = {
    "P": lambda g, j, k, rules: precision(g, j, k, rules.level),
    "recall": lambda g, j, k, rules: recall(g, j, k, rules.level),
    "ndcg_cut": lambda g, j, k, _rules: ndcg(g, j, k),
    "map_cut": lambda g, j, k, rules: average_precision(g, j, k, rules.level),
    "relative_P": lambda g, j, k, rules: relative_precision(g, j, k, rules.level),
    "success": lambda g, j, k, rules: hit_rate(g, j, k, rules.level),
    "unj": lambda g, j, k, _rules: unjudged_share(g, j, k),
}
_RANKS = {"success": (1, 5, 10), "unj": (5, 10, 20)}
_AT_SHARE: dict[str, Callable[[Grades, Grades, float, Rules], float]] = {
    "iprec_at_recall": lambda g, j, x, rules: interpolated_precision(
        g, j, x, rules.level, rules.rounding
    ),
    "Rprec_mult": lambda g, j, x, rules: r_precision_at_multiple(g, j, x, rules.level),
}
_SHARES = {"iprec_at_recall": ELEVEN_POINTS, "Rprec_mult": _MULTIPLES}
_WITH_GAINS: dict[str, Callable[[Grades, Grades, Gain, Rules], float]] = {
    "G": lambda g, j, gain, _rules: normalised_gain(g, j, gain),
    "dcg": lambda g, j, gain, _rules: dcg(g, j, None, gain),
    "ideal_dcg": lambda g, j, gain, _rules: ideal_dcg(g, j, None, gain),
    "ndcg": lambda g, j, gain, _rules: ndcg(g, j, None, gain),
    "ndcg_rel": lambda g, j, gain, _rules: ndcg_at_relevant(g, j, gain),
    "Rndcg": lambda g, j, gain, rules: ndcg_at_gain_levels(g, j, gain, rules.level),
}


def read_names(words: Sequence[str], version: Version) -> dict[str, str | None]:
    """Return the measures that are asked for, in the order of printing, with their parameters.

    Of several lists of parameters for a measure the first one counts, as in trec_eval; so do
    parameters given beside a nickname that holds the measure.

    Raises
    ------
    TrecEvalError
        If there is no such measure.
    """
    known = set(_REGISTRY) if version == "10.0" else set(_REGISTRY) - _ONLY_IN_10
    marked: set[str] = set()
    parameters: dict[str, str] = {}
    for word in words or ("official",):
        name, dot, rest = word.partition(".")
        if name == "rbp" and version == "10.0":
            message = "rbp has no defined value in trec_eval 10.0: take berryeval evaluate -m RBP"
            raise TrecEvalError(message, 1)
        if (dot and not rest) or not (name in known or name in _NICKNAMES):
            raise TrecEvalError(f"illegal measure {word!r}", 1)
        if dot:
            parameters.setdefault(name, rest)
        marked |= _NICKNAMES.get(name, {name}) & known
    return {name: parameters.get(name) for name in _REGISTRY if name in marked}


def columns(names: dict[str, str | None], rules: Rules) -> list[Column]:
    """Return what is to be computed and printed.

    Raises
    ------
    InputError
        If the parameters of a measure cannot be used.
    TrecEvalError
        If utility has other than four of them.
    """
    return [
        column for name, parameters in names.items() for column in _columns(name, parameters, rules)
    ]


def _columns(name: str, text: str | None, rules: Rules) -> list[Column]:
    if name in ("runid", "num_q"):
        return [Column(name, "runid" if name == "runid" else "num_q", _nothing)]
    if name in _AT_RANK:
        ranks = _RANKS.get(name, _CUTOFFS) if text is None else _ranks(name, text)
        return [Column(f"{name}_{k}", "mean", _bind(_AT_RANK[name], k, rules)) for k in ranks]
    if name in _AT_SHARE:
        shares = _SHARES[name] if text is None else _shares(name, text)
        return [
            Column(f"{name}_{x:3.2f}", "mean", _bind(_AT_SHARE[name], x, rules)) for x in shares
        ]
    return [_one_column(name, text, rules)]


def _one_column(name: str, text: str | None, rules: Rules) -> Column:
    full_name = name if text is None else f"{name}_{text}"
    if name in _WITH_GAINS:
        gain = LINEAR if text is None else _gains(name, text)
        return Column(full_name, "mean", _bind(_WITH_GAINS[name], gain, rules))
    if name == "relstring":
        length = _RELSTRING if text is None else max(int(_numbers(name, text)[0]), 0)
        return Column(full_name, "relstring", _nothing, length)
    if name in ("utility", "11pt_avg", "set_F", "rbp_resid"):
        return Column(full_name, "mean", _with_numbers(name, text, rules))
    # What takes no parameters passes over them, and is called the same.
    table = _SUMS if name in _SUMS else _GEOMETRIC if name in _GEOMETRIC else _MEANS
    kind: Kind = "sum" if name in _SUMS else "geometric" if name in _GEOMETRIC else "mean"
    score = table[name]
    return Column(name, kind, lambda grades, judged: score(grades, judged, rules))


def _nothing(grades: Grades, judged: Grades) -> float:  # noqa: ARG001 - as a measure
    return 0.0


def _bind(
    score: Callable[..., float], parameter: object, rules: Rules
) -> Callable[[Grades, Grades], float]:
    return lambda grades, judged: score(grades, judged, parameter, rules)


def _with_numbers(name: str, text: str | None, rules: Rules) -> Callable[[Grades, Grades], float]:
    if name == "rbp_resid":
        p = _PATIENCE if text is None else _patience(text)
        # trec_eval 10.0 leaves out the ranks after the last unless a document is unjudged.
        return lambda g, j: rank_biased_residual(g, j, None, p) if count_unjudged(g) else 0.0
    if name == "utility":
        worths = _WORTHS if text is None else _numbers(name, text)
        if len(worths) != len(_WORTHS):
            raise TrecEvalError(f"utility: expected 4 coefficients, found {len(worths)}", 4)
        first, second, third, fourth = worths
        worth = (first, second, third, fourth)
        return lambda g, j: utility(g, j, worth, rules.n_documents, rules.level)
    if name == "set_F":
        weight = 1.0 if text is None else _numbers(name, text)[0]
        if weight < 0:
            raise _unusable(name, text, "a weight, at least 0")
        return lambda g, j: set_f(g, j, weight, rules.level)
    points = ELEVEN_POINTS if text is None else _numbers(name, text)
    if list(points) != sorted(points) or points[0] < 0:
        raise _unusable(name, text, "rising recall points, at least 0")
    return lambda g, j: average_over_points(g, j, points, rules.level, rules.rounding)


def _ranks(name: str, text: str) -> tuple[int, ...]:
    ranks = tuple(sorted(atol(part) for part in _parts(text)))
    if ranks[0] <= 0 or len(set(ranks)) < len(ranks):
        raise _unusable(name, text, "cutoffs, at least 1, each once")
    return ranks


def _shares(name: str, text: str) -> tuple[float, ...]:
    shares = tuple(sorted(_numbers(name, text)))
    if shares[0] < 0 or len(set(shares)) < len(shares):
        raise _unusable(name, text, "cutoffs, at least 0, each once")
    return shares


def _numbers(name: str, text: str) -> tuple[float, ...]:
    numbers = tuple(atof(part) for part in _parts(text))
    if not all(math.isfinite(number) for number in numbers):
        raise _unusable(name, text, "finite numbers")
    return numbers


def _gains(name: str, text: str) -> Gain:
    pairs = [part.split(b"=") for part in _parts(text)]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a pair
        raise _unusable(name, text, "pairs grade=gain")
    gains = tuple((float(atol(grade)), atof(gain)) for grade, gain in pairs)
    if not all(0.0 <= gain < math.inf for _, gain in gains) or len(dict(gains)) < len(gains):
        raise _unusable(name, text, "gains, at least 0, each grade once")
    return gains


def _patience(text: str) -> float:
    p = atof(text.removeprefix("p=").encode())
    if not text.startswith("p=") or not 0.0 < p < 1.0:
        raise _unusable("rbp_resid", text, "p= and a number between 0 and 1")
    return p


def _parts(text: str) -> list[bytes]:
    return [part.encode("utf-8", "surrogateescape") for part in text.split(",")]


def _unusable(name: str, text: str | None, expected: str) -> InputError:
    return InputError(f"measure {name}: expected {expected}, found {text!r}")
