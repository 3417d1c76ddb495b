"""The methods of fusion and the normalisations of scores: names, parameters, definitions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "DEFAULT_METHOD",
    "DEFAULT_NORM",
    "METHODS",
    "NORMS",
    "Method",
    "Norm",
    "Parameter",
    "find_method",
    "find_norm",
]

DEFAULT_METHOD = "rrf"
DEFAULT_NORM = "min-max"

_NOTHING = "adds nothing"
_LEFT_OUT = "is left out for this document"


@dataclass(frozen=True)
class Parameter:
    """A number that a method takes."""

    default: float
    low: float
    high: float
    text: str
    is_whole: bool = False

    def check(self, name: str, value: object) -> float:
        """Return the number, or raise if it is outside the range."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputTypeError(name, self.range_text, f"{type(value).__name__} {value!r}")
        if not self.low <= value <= self.high or (self.is_whole and value != int(value)):
            raise ArgumentError(name, self.range_text, repr(value))
        return int(value) if self.is_whole else float(value)

    @property
    def range_text(self) -> str:
        """The allowed numbers, in words."""
        kind = "a whole number" if self.is_whole else "a number"
        if math.isinf(self.high):
            return f"{kind} from {self.low:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Method:
    """A method of fusion."""

    name: str
    title: str
    uses: Literal["scores", "ranks", "ranks and scores"]
    """Which part of a run counts. Methods that use ranks alone ignore normalisations, except
    ``min-max-inverted``, which reverses the ranks."""
    formula: str
    """The fused score of document d. s is its normalised score, r its rank from 1, w the weight of
    the run, n the number of runs with d, c the number of documents of all runs together; sums are
    over the runs with d."""
    absent: str
    """The effect of a run without the document."""
    reference: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    is_weighted: bool = False
    is_trained: bool = False
    """Whether it learns from judgments."""


@dataclass(frozen=True)
class Norm:
    """A normalisation: it brings the scores of a run, query by query, to a scale."""

    name: str
    title: str
    formula: str
    """Formula for a document; lowest, highest, mean and sum are over the documents of the query."""
    equal: str
    """The score of documents if all scores are equal."""
    reference: str


_FOX = "Fox and Shaw (1993), TREC-2, 243-252"
_MOURAO = "Mourão, Martins and Magalhães (2015), Comput. Med. Imaging Graph. 39, 35-45"
_ASLAM = "Aslam and Montague (2001), SIGIR, 276-284"
_CONDORCET = "Montague and Aslam (2002), CIKM, 538-548"
_WU = "Wu and Crestani (2002), CIKM, 648-651"
_LILLIS_2008 = "Lillis, Toolan, Collier and Dunnion (2008), ECIR, 358-369"
_MONTAGUE = "Montague and Aslam (2001), CIKM, 427-433"
_RENDA = "Renda and Straccia (2003), SAC, 841-846"

_REL = Parameter(1.0, 0.0, math.inf, "Lowest grade that counts as relevant in training.")

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("min", "CombMIN", "scores", "min s", _LEFT_OUT, _FOX),
        Method("max", "CombMAX", "scores", "max s", _LEFT_OUT, _FOX),
        Method(
            "med",
            "CombMED",
            "scores",
            "median of s; the mean of the middle two if n is even",
            _LEFT_OUT,
            _FOX,
        ),
        Method("sum", "CombSUM", "scores", "Σ s", _NOTHING, _FOX),
        Method("anz", "CombANZ", "scores", "Σ s / n", _LEFT_OUT, _FOX),
        Method("mnz", "CombMNZ", "scores", "n Σ s", "adds nothing, and is not counted in n", _FOX),
        Method(
            "gmnz",
            "CombGMNZ",
            "scores",
            "n^gamma Σ s",
            "adds nothing, and is not counted in n",
            "Lee (1997), SIGIR, 267-276",
            {"gamma": Parameter(1.0, 0.0, math.inf, "Power of n; 0 is CombSUM, 1 CombMNZ.")},
        ),
        Method(
            "isr",
            "Inverse square rank",
            "ranks",
            "n Σ 1/r²",
            "adds nothing, and is not counted in n",
            _MOURAO,
        ),
        Method(
            "log_isr",
            "Logarithmic inverse square rank",
            "ranks",
            "ln(n) Σ 1/r²; 0 for a document of one run",
            "adds nothing, and is not counted in n",
            _MOURAO,
        ),
        Method(
            "logn_isr",
            "Logarithmic inverse square rank with sigma",
            "ranks",
            "ln(n + sigma) Σ 1/r²",
            "adds nothing, and is not counted in n",
            _MOURAO,
            {"sigma": Parameter(0.01, 0.0, 1.0, "Added to n within the logarithm.")},
        ),
        Method(
            "rrf",
            "Reciprocal rank fusion",
            "ranks",
            "Σ w / (k + r)",
            _NOTHING,
            "Cormack, Clarke and Büttcher (2009), SIGIR, 758-759",
            {"k": Parameter(60.0, 0.0, math.inf, "Constant added to ranks.")},
            is_weighted=True,
        ),
        Method(
            "rbc",
            "Rank-biased centroids",
            "ranks",
            "Σ w (1 - phi) phi^(r - 1)",
            _NOTHING,
            "Bailey, Moffat, Scholer and Thomas (2017), SIGIR, 395-404",
            {"phi": Parameter(0.9, 0.0, 1.0, "Persistence of the reader.")},
            is_weighted=True,
        ),
        Method(
            "bordafuse",
            "Borda count",
            "ranks",
            "Σ (c - r + 1)",
            "gives each such document (c - m + 1) / 2 points, m being the length of its ranking: "
            "an equal share of the points that are left",
            _ASLAM,
        ),
        Method(
            "w_bordafuse",
            "Weighted Borda count",
            "ranks",
            "Σ w (c - r + 1)",
            "gives each such document w (c - m + 1) / 2 points",
            _ASLAM,
            is_weighted=True,
        ),
        Method(
            "condorcet",
            "Condorcet fusion",
            "ranks",
            "documents sorted by pairwise majority of the runs; scores c, c - 1, …, 1",
            "ranks it below all its own documents; between two that it lacks it has no vote",
            _CONDORCET,
        ),
        Method(
            "w_condorcet",
            "Weighted Condorcet fusion",
            "ranks",
            "documents sorted by weighted pairwise majority; scores c, c - 1, …, 1",
            "ranks it below all its own documents; between two that it lacks it has no vote",
            _CONDORCET,
            is_weighted=True,
        ),
        Method("wsum", "Weighted sum", "scores", "Σ w s", _NOTHING, _WU, is_weighted=True),
        Method(
            "wmnz",
            "Weighted CombMNZ",
            "scores",
            "Σ s times Σ w, both over the runs with d",
            "adds nothing to either sum",
            _WU,
            is_weighted=True,
        ),
        Method(
            "mixed",
            "Mixed",
            "scores",
            "√n Σ w s",
            "adds nothing, and is not counted in n",
            _WU,
            is_weighted=True,
        ),
        Method(
            "mapfuse",
            "MAPFuse",
            "ranks",
            "Σ MAP / r, with the mean average precision of the run",
            _NOTHING,
            "Lillis, Zhang, Toolan, Collier, Leonard and Dunnion (2010), SIGIR, 347-354",
            {"rel": _REL},
            is_trained=True,
        ),
        Method(
            "posfuse",
            "PosFuse",
            "ranks",
            "Σ P(r), the share of relevant documents at rank r among training queries with at "
            "least r documents; 0 below the ranks seen in training",
            _NOTHING,
            _LILLIS_2008,
            {"rel": _REL},
            is_trained=True,
        ),
        Method(
            "slidefuse",
            "SlideFuse",
            "ranks",
            "Σ of the mean of P over the ranks from r - window to r + window that the ranking has",
            _NOTHING,
            _LILLIS_2008,
            {
                "window": Parameter(
                    5, 0, 1e6, "Ranks on either side of a document.", is_whole=True
                ),
                "rel": _REL,
            },
            is_trained=True,
        ),
        Method(
            "probfuse",
            "ProbFuse",
            "ranks",
            "Σ P(g) / g, where g is the segment of r if the ranking is cut into n_segments of "
            "equal size, and P(g) the mean share of relevant documents in it",
            _NOTHING,
            "Lillis, Toolan, Collier and Dunnion (2006), SIGIR, 139-146",
            {
                "n_segments": Parameter(
                    25, 1, 1e6, "Segments that a ranking is cut into.", is_whole=True
                ),
                "rel": _REL,
            },
            is_trained=True,
        ),
        Method(
            "segfuse",
            "SegFuse",
            "ranks and scores",
            "Σ P(g) (s + 1), where g is the segment of r and segment i has 10 · 2^(i - 1) - 5 "
            "documents: 5, 15, 35, 75, …",
            _NOTHING,
            "Shokouhi (2007), ECIR, 185-197",
            {"rel": _REL},
            is_trained=True,
        ),
        Method(
            "bayesfuse",
            "BayesFuse",
            "ranks",
            "Σ ln(p / (1 - p)), where p is the mean precision between the ranks 0, 5, 10, 15, 20, "
            "30, 100, 200, 500 and 1000 around r, kept within 0.001 and 0.999",
            "adds ln(0.001 / 0.999), as do ranks below 1000",
            _ASLAM,
            {"rel": _REL},
            is_trained=True,
        ),
    )
}
"""All methods by name."""

NORMS: Mapping[str, Norm] = {
    norm.name: norm
    for norm in (
        Norm(
            "min-max",
            "From 0 to 1",
            "(s - lowest) / (highest - lowest)",
            "1",
            "Lee (1997), SIGIR, 267-276",
        ),
        Norm(
            "min-max-inverted",
            "From 0 to 1, for distances",
            "(highest - s) / (highest - lowest); the lowest score ranks first",
            "1",
            "Lee (1997), SIGIR, 267-276, of distances",
        ),
        Norm(
            "max",
            "Share of the highest",
            "s / highest; an error if the highest is not above 0",
            "1",
            "Lee (1997), SIGIR, 267-276",
        ),
        Norm(
            "sum",
            "Shares of the sum",
            "(s - lowest) / Σ (s - lowest)",
            "1 / number of documents",
            _MONTAGUE,
        ),
        Norm(
            "zmuv",
            "Zero mean, unit variance",
            "(s - mean) / standard deviation, which divides by the number of documents",
            "0",
            _MONTAGUE,
        ),
        Norm(
            "rank",
            "By rank",
            "1 - (r - 1) / m, m being the number of documents",
            "as without ties: by document id",
            _RENDA,
        ),
        Norm(
            "borda",
            "By Borda count",
            "1 - (r - 1) / c; a document that the run lacks has 1/2 - (m - 1) / (2 c), and counts "
            "as one of the run's",
            "as without ties: by document id",
            _RENDA,
        ),
    )
}
"""All normalisations by name."""


def find_method(name: str) -> Method:
    """Return a method by name, or raise with the available names."""
    if name not in METHODS:
        raise ArgumentError("method", f"one of {', '.join(METHODS)}", repr(name))
    return METHODS[name]


def find_norm(name: str | None) -> str | None:
    """Return the name of a normalisation; None, and ``"none"``, leave scores unchanged."""
    known = None if name in (None, "none") else str(name).replace("_", "-")
    if known is not None and known not in NORMS:
        raise ArgumentError("norm", f"one of none, {', '.join(NORMS)}", repr(name))
    return known
