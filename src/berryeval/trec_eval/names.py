"""trec_eval's measures by name: which there are, in which order, and what ``-m`` asks for.

Measures stand in the order in which trec_eval prints them, whatever the order of ``-m``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from berryeval.errors import TrecEvalError

__all__ = ["GROUP_MEASURES", "PREFERENCE_MEASURES", "Version", "read_names"]

Version: TypeAlias = Literal["9.0.8", "10.0"]
"""The trec_eval to behave as."""

PREFERENCE_MEASURES = (
    "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp",
    "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret",
    "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp",
    "prefs_avgjg_imp",
)  # fmt: skip
"""What is computed from preferences, in the order of printing."""

GROUP_MEASURES = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
"""What is computed from judgment groups, in the order of printing."""

_REGISTRY = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref",
    "Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel",
    "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P",
    "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", *PREFERENCE_MEASURES,
    *GROUP_MEASURES, "yaap", "rbp_resid", "unj",
)  # fmt: skip
_ONLY_IN_10 = {"dcg", "ideal_dcg", "rbp_resid", "unj"}
_NOT_IN_ALL_TREC = {"dcg", "ideal_dcg", "yaap", *PREFERENCE_MEASURES, *GROUP_MEASURES}
_NICKNAMES = {
    "official": set(_REGISTRY[: _REGISTRY.index("relstring")]),
    "set": {
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    },
    "all_trec": set(_REGISTRY) - _NOT_IN_ALL_TREC,
    "all_prefs": {"runid", "num_q", *PREFERENCE_MEASURES},
    "prefs": {"runid", "num_q", *PREFERENCE_MEASURES[:6]},
    "qrels_jg": {"runid", "num_q", *GROUP_MEASURES},
}  # fmt: skip


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
            message = "rbp has no defined value in trec_eval 10.0: use berryeval evaluate -m RBP"
            raise TrecEvalError(message, 1)
        if (dot and not rest) or not (name in known or name in _NICKNAMES):
            raise TrecEvalError(f"illegal measure {word!r}", 1)
        if dot:
            parameters.setdefault(name, rest)
        marked |= _NICKNAMES.get(name, {name}) & known
    return {name: parameters.get(name) for name in _REGISTRY if name in marked}
