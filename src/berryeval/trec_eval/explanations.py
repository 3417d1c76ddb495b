"""What ``-h`` tells about measures and formats."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.measures import parse_measures
from berryeval.trec_eval.files import RelevanceFormat

__all__ = ["FORMATS", "explain", "explain_all"]

FORMATS: dict[RelevanceFormat, str] = {
    "qrels": "query iteration document grade; the iteration is ignored",
    "qrels_jg": "query group document grade; each group is evaluated on its own",
    "prefs": "query group subgroup document level; higher levels are preferred",
    "qrels_prefs": "query group document level; as prefs, without subgroups",
}
"""Formats of QRELS, and the columns of their lines."""

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


def explain(name: str) -> str:
    """Return a sentence about a measure."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name.startswith("prefs_"):
        kind, _, scope = name.removeprefix("prefs_").rpartition("_")
        if scope not in ("ret", "imp"):
            kind, scope = name.removeprefix("prefs_"), ""
        return f"{_PREFERENCES[kind]}: {_SCOPES[scope]}."
    measure = parse_measures(name)[0]
    return f"{measure.title}. {measure.definition}"


def explain_all(format: str, names: Iterable[str]) -> list[str]:
    """Return lines about a format, if it is one, and about measures."""
    formats = [f"{name}: {text}" for name, text in FORMATS.items() if name == format]
    return [*formats, *(f"{name}: {explain(name)}" for name in names)]
