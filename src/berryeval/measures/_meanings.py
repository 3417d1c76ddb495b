"""The measures behind words that are not names here: ``hit_ratio``, ``top_k_accuracy``."""

from __future__ import annotations

import re

__all__ = ["meant_by"]

_PARTS = {
    "meanaverageprecision": "AP",
    "averageprecision": "AP",
    "reciprocalrank": "RR",
    "rankbiased": "RBP",
    "cumulativegain": "nDCG",
    "cumulatedgain": "nDCG",
    "cappedrecall": "RelP",
    "relativeprecision": "RelP",
    "rprecision": "Rprec",
    "binarypreference": "Bpref",
    "ndcg": "nDCG",
    "hitrat": "Success",
    "accuracy": "Success",
    "success": "Success",
    "unjudged": "Unjudged",
    "judged": "Judged",
    "fmeasure": "F1",
    "fscore": "F1",
    "f1score": "F1",
    "sensitivity": "R",
    "precision": "P",
    "recall": "R",
}
"""Parts of names without their separators, the most specific ones first."""

_WORDS = {
    "dcg": "DCG",
    "map": "AP",
    "gmap": "GMAP",
    "mrr": "RR",
    "rr": "RR",
    "rbp": "RBP",
    "hr": "Success",
    "hit": "Success",
    "hits": "Success",
    "hole": "Hole",
    "holes": "Unjudged",
    "err": "ERR",
    "bpref": "Bpref",
    "prec": "P",
    "rec": "R",
    "tpr": "R",
}
"""Words that are too short to be looked for within other words."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def meant_by(name: str) -> str | None:
    """Return the name of the measure that an unknown name describes; None if no word of it does.

    Examples
    --------
    >>> meant_by("HitRatio"), meant_by("mean_average_precision"), meant_by("cosine_map")
    ('Success', 'AP', 'AP')
    >>> meant_by("ndgc") is None
    True
    """
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    for part, measure in _PARTS.items():
        if part in letters:
            return measure
    words = (word.lower() for word in _WORD.findall(name))
    return next((_WORDS[word] for word in words if word in _WORDS), None)
