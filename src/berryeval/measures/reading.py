"""Measures of reading, which use the lengths of documents: the cost and benefit of a ranking."""

from __future__ import annotations

import math

from berryeval.kernels.reading import time_biased_gain, token_count, u_measure
from berryeval.measures._base import Measure, register

__all__ = ["TimeBiasedGain", "Tokens", "UMeasure"]

_LENGTHS = (
    "Every document in the first k needs a length, judged or not. If one has none, that is an "
    "error which names the document."
)


@register
class TimeBiasedGain(Measure):
    """Time-biased gain.

    The defaults are those of the paper, in seconds and words, measured with people who searched a
    collection of news. Other implementations of the paper have the same defaults.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    rel : float
        The lowest grade that counts as relevant.
    halflife : float
        Seconds after which half of the users have stopped.
    scan : float
        Seconds to read a summary.
    page, pace : float
        Seconds to read an opened document: `page` for any, and `pace` per unit of its length.
    click, stray : float
        Probability of opening a relevant document, and one that is not.
    save : float
        Probability of recognising an opened relevant document as relevant.

    References
    ----------
    Smucker and Clarke (2012), SIGIR, 95-104.
    """

    rel: float = 1.0
    halflife: float = 224.0
    scan: float = 4.4
    page: float = 7.8
    pace: float = 0.018
    click: float = 0.64
    stray: float = 0.39
    save: float = 0.77

    kernel = staticmethod(time_biased_gain)
    name = "TBG"
    aliases = ("time_biased_gain",)
    title = "Time-biased gain"
    bounds = (0.0, math.inf)
    uses_lengths = True
    definition = (
        "The sum of click · save · 2^(-t / halflife) over the relevant documents in the first k, "
        "where t is the time in seconds until a reader reaches the document. Each document above "
        "it takes scan seconds for its summary, and (page + pace · length) seconds times the "
        "probability of opening it: click if it is relevant, stray if not."
    )
    use_when = (
        "Readers have little time, and documents differ in length: a long document that is not "
        "relevant then costs more than a short one. The unit is relevant documents found."
    )
    avoid_when = (
        "You compare queries or collections, since it is not normalised; or lengths are not in "
        "words and pace is not changed."
    )
    edge_cases = (
        "Nothing retrieved or nothing relevant: 0.",
        "Unjudged documents take time and gain nothing.",
        _LENGTHS,
        "Documents that repeat others take time as all do. The paper lets readers skip them.",
        "cwl-eval calls the mean gain per document TBG: it divides the sum by that of all ranks up "
        "to the 1,000th, takes costs in seconds as they are, and has no clicks.",
    )


@register
class UMeasure(Measure):
    """U-measure.

    The defaults are for web pages, in characters. They could not be checked against the paper, and
    no other implementation has them: adapt them to your readers.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    L : float
        The amount of text after which readers stop.
    snippet : float
        The length of the snippet that is read for every document.
    read : float
        The share of a relevant document that is read.
    max_grade : float
        The highest grade of the scale; higher grades count as this one.

    References
    ----------
    Sakai and Dou (2013), SIGIR, 473-482.
    """

    L: float = 132_000.0
    snippet: float = 200.0
    read: float = 0.2
    max_grade: float = 4.0

    kernel = staticmethod(u_measure)
    name = "U"
    aliases = ("U-measure", "u_measure", "UMeasure")
    title = "U-measure: utility of the text read"
    bounds = (0.0, math.inf)
    uses_lengths = True
    definition = (
        "The sum of gain · max(0, 1 - position / L) over the relevant documents in the first k. "
        "The position is the amount of text read up to the end of the document: the snippet of "
        "each document, and the share read of each relevant one. A document of grade g gains "
        "(2^g - 1) / 2^max_grade."
    )
    use_when = (
        "What counts is how much text people read before they find what they need. With lengths in "
        "words, use about a sixth of L and snippet: U(L=22000,snippet=33)."
    )
    avoid_when = (
        "You compare queries or collections, since it is not normalised; or documents are so short "
        "that positions stay far below L: the order then hardly matters."
    )
    edge_cases = (
        "Nothing retrieved or no grade above 0: 0.",
        "Unjudged documents cost their snippet and gain nothing.",
        _LENGTHS,
        "cwl-eval calls another number U: weights that add up to 1, up to the 1,000th rank, of the "
        "position before a document and without snippets. Its L is 1,000.",
    )


@register
class Tokens(Measure):
    """Total length of the first k documents.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    """

    kernel = staticmethod(token_count)
    name = "tokens"
    aliases = ("n_tokens", "token_count", "context_length")
    title = "Tokens of the first k documents"
    bounds = (0.0, math.inf)
    higher_is_better = False
    uses_lengths = True
    definition = (
        "The sum of the lengths of the first k documents: tokens if lengths are in tokens. Lower "
        "is better."
    )
    use_when = (
        "A language model reads the first k documents, and each token costs time and money. Guard "
        "it together with a measure of quality."
    )
    avoid_when = "It stands alone: a system that returns nothing has the lowest costs."
    edge_cases = (
        "Nothing retrieved: 0, which is the best value.",
        "Fewer than k documents: those that there are.",
        "Grades do not matter.",
        _LENGTHS,
    )
