"""trec_eval's measures and formats by name: what ``-m`` selects, and what ``-h`` shows.

Measures are in the order in which trec_eval prints them, whatever the order of ``-m``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from berryeval.errors import TrecEvalError

__all__ = [
    "FORMATS",
    "GROUP_MEASURES",
    "PREFERENCE_MEASURES",
    "RelevanceFormat",
    "Version",
    "explain",
    "explain_all",
    "read_names",
]

Version: TypeAlias = Literal["9.0.8", "10.0"]
"""The version of trec_eval to behave as."""

RelevanceFormat: TypeAlias = Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"]
"""The formats of ``-R``."""

FORMATS: dict[RelevanceFormat, str] = {
    "qrels": "query iteration document grade; the iteration is ignored",
    "qrels_jg": "query group document grade; each group is evaluated on its own",
    "prefs": "query group subgroup document level; higher levels are preferred",
    "qrels_prefs": "query group document level; as prefs, without subgroups",
}
"""Formats of QRELS, and the columns of their lines."""

PREFERENCE_MEASURES = (
    "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp",
    "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret",
    "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp",
    "prefs_avgjg_imp",
)  # fmt: skip
"""Measures of preferences, in the order of printing."""

GROUP_MEASURES = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
"""Measures of judgment groups, in the order of printing."""

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


_SCOPES = {
    "": "of all preferences",
    "ret": "of those between retrieved documents",
    "imp": "of those with a retrieved document",
}
_PREFERENCES = {
    "simp": "The share of preferences that the ranking satisfies",
    "pair": "The same for each pair of documents, averaged over pairs",
    "avgjg": "The same for each judgment group, averaged over groups",
    "avgjg_Rnonrel": "Like avgjg, with as many non-relevant documents as relevant ones",
}
_OTHERS = {
    "runid": "The tag in the last line of the run.",
    "relstring": "The grades of the first documents: - not judged, . below 0, > above 9.",
    "prefs_num_prefs_poss": "The number of preferences.",
    "prefs_num_prefs_ful": "The number of preferences that the ranking satisfies.",
    "prefs_num_prefs_ful_ret": "The same between retrieved documents.",
    "map_avgjg": "Average precision for each judgment group, averaged over groups.",
    "P_avgjg": "Precision at k for each judgment group, averaged over groups.",
    "Rprec_mult_avgjg": "Precision at multiples of R for each group, averaged over groups.",
}


def read_names(words: Sequence[str], version: Version) -> dict[str, str | None]:
    """Return the selected measures, in the order of printing, with their parameters.

    If a measure has several lists of parameters, the first one counts, as in trec_eval; so do
    parameters given in addition to a nickname that contains the measure. Raises `TrecEvalError` for
    an unknown measure.
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


def explain(name: str) -> str:
    """Return a sentence about a measure."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name.startswith("prefs_"):
        kind, _, scope = name.removeprefix("prefs_").rpartition("_")
        if scope not in ("ret", "imp"):
            kind, scope = name.removeprefix("prefs_"), ""
        return f"{_PREFERENCES[kind]}: {_SCOPES[scope]}."
    from berryeval.measures.parse import parse_trec_eval  # only -h requires it

    measure = parse_trec_eval(name)[0]
    return f"{measure.title}. {measure.definition}"


def explain_all(format: str, names: Iterable[str]) -> list[str]:
    """Return lines about a format, if it is one, and about measures."""
    formats = [f"{name}: {text}" for name, text in FORMATS.items() if name == format]
    return [*formats, *(f"{name}: {explain(name)}" for name in names)]
