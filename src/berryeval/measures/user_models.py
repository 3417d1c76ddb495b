"""Measures of the C/W/L framework: what a reader gains per document that they look at."""

from __future__ import annotations

from berryeval.errors import ArgumentError
from berryeval.kernels.user_models import (
    bejeweled_player_model,
    insq,
    inst,
    nerr8,
    nerr9,
    nerr10,
    nerr11,
    scaled_dcg,
)
from berryeval.measures._base import Measure, register
from berryeval.measures._parameters import written

__all__ = [
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "BejeweledPlayerModel",
    "ReaderMeasure",
    "ScaledDCG",
]

_GAIN = (
    "A document gains (grade - min_grade) / (max_grade - min_grade), at least 0 and at most 1. "
    "With the defaults, each document of grade 1 or more gains 1."
)
_AT_MOST = (
    "Ranks after the 1,000th do not exist, as in cwl_eval; ranks after the last document gain "
    "nothing."
)
_SLOW_TAIL = (
    "A reader without a last rank would lower values slightly: by up to 0.2% for T = 1, and by up "
    "to 1% for T = 5."
)


class ReaderMeasure(Measure):
    """A measure with a reader who gains something from each document they look at."""

    min_grade: float
    max_grade: float

    def _check(self) -> None:
        super()._check()
        if not self.min_grade < self.max_grade:
            expected = f"a number above min_grade, which is {written(self.min_grade)}"
            raise ArgumentError("max_grade", expected, written(self.max_grade))


@register
class BejeweledPlayerModel(ReaderMeasure):
    """The static Bejeweled Player Model.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means 1,000, which is also the effective maximum.
    T : float
        The gain that satisfies the reader.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Zhang, Liu, Li, Zhang, Xu and Ma (2017), SIGIR, 425-434.
    """

    T: float = 1.0
    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(bejeweled_player_model)
    name = "BPM"
    title = "Bejeweled Player Model"
    aliases = ("bejeweled_player_model",)
    definition = (
        "The mean gain of the documents that a reader sees who stops as soon as the gains reach T, "
        "or at rank k."
    )
    use_when = "Readers know how much they need, and give up after a known number of results."
    avoid_when = (
        "A smooth measure is needed: one more document above the stopping point can change the "
        "value abruptly, and a better document can lower it."
    )
    edge_cases = (
        _GAIN,
        "Fewer than k documents returned and T not reached: still divided by k.",
        "The dynamic model, in which good documents raise T and k, is not available.",
        _AT_MOST,
    )


@register
class INSQ(ReaderMeasure):
    """INSQ: a reader with a goal who does not notice what was gained.

    Parameters
    ----------
    T : float
        The number of relevant documents that the reader expects to need.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Moffat, Scholer and Thomas (2012), Australasian Document Computing Symposium, 47-54.
    """

    T: float = 1.0
    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(insq)
    name = "INSQ"
    title = "INSQ"
    at = None
    definition = (
        "The mean gain, with weights proportional to 1 / (rank + 2T - 1)^2: a reader who wants T "
        "documents continues from rank i with probability ((i + 2T - 1) / (i + 2T))^2."
    )
    use_when = "Queries need different numbers of documents, and T is known or estimated for them."
    avoid_when = "Readers stop once they have found enough: INST models that."
    edge_cases = (
        _GAIN,
        "A perfect ranking stays below 1: nothing is relevant at the ranks after it.",
        _AT_MOST,
        _SLOW_TAIL,
    )


@register
class INST(ReaderMeasure):
    """INST: a reader with a goal, who is less likely to continue the more was gained.

    Parameters
    ----------
    T : float
        The number of relevant documents that the reader expects to need.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Moffat, Bailey, Scholer and Thomas (2015), Australasian Document Computing Symposium, 5:1-5:4.
    """

    T: float = 1.0
    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(inst)
    name = "INST"
    title = "INST"
    at = None
    definition = (
        "The expected gain per document seen. The reader continues from rank i with probability "
        "((i + a - 1) / (i + a))^2, where a is 2T minus the gains down to rank i."
    )
    use_when = (
        "Queries need different numbers of documents, and readers stop earlier when results are "
        "good."
    )
    avoid_when = "The number of documents that readers need is unknown: T decides the value."
    edge_cases = (
        _GAIN,
        "For T below 0.5 a reader who gained more than 2T stops for certain; cwl_eval's formula "
        "lets them continue.",
        "A perfect ranking stays below 1.",
        _AT_MOST,
        _SLOW_TAIL,
    )


@register
class ScaledDCG(ReaderMeasure):
    """Scaled discounted cumulative gain: DCG as an average.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means 1,000, which is also the effective maximum.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Järvelin and Kekäläinen (2002), ACM TOIS 20(4), 422-446. Moffat, Bailey, Scholer and Thomas
    (2017), ACM TOIS 35(3), 24:1-24:38.
    """

    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(scaled_dcg)
    name = "SDCG"
    title = "Scaled discounted cumulative gain"
    aliases = ("scaled_dcg",)
    definition = (
        "The sum of gain / log2(rank + 1) over the first k ranks, divided by that of k documents "
        "of the highest grade."
    )
    use_when = (
        "Judgments are incomplete: unlike nDCG, its value cannot fall when more relevant documents "
        "become known."
    )
    avoid_when = "Perfect rankings should score 1: queries with few relevant documents stay below."
    edge_cases = (
        _GAIN,
        "Fewer than k documents returned: the missing ones gain nothing.",
        _AT_MOST,
        "It is not the session DCG that others write sDCG: `berryeval sessions` reports that.",
    )


_NEARLY = (
    "Unlike ERR, the discount is part of the reader's decision to continue, so the value is an "
    "average over the documents seen."
)
_NEARLY_AVOID = "Several documents are needed: after a perfect one, the others do not count."


@register
class NERR8(ReaderMeasure):
    """Nearly ERR: a reader who stops at good documents.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means 1,000, which is also the effective maximum.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), ICTIR, "ERR is not C/W/L", equation 8.
    """

    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(nerr8)
    name = "NERR8"
    title = "Nearly expected reciprocal rank, equation 8"
    definition = (
        "The expected gain per document seen, where the reader continues with probability 1 - "
        "gain, down to rank k."
    )
    use_when = "One good document is enough, and readers look at up to k results to find it."
    avoid_when = _NEARLY_AVOID
    edge_cases = (_GAIN, _NEARLY, "Gains 0 and 1 only: reciprocal rank.", _AT_MOST)


@register
class NERR9(ReaderMeasure):
    """Nearly ERR: a reader who stops at good documents, and loses interest by rank.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means 1,000, which is also the effective maximum.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), ICTIR, "ERR is not C/W/L", equation 9.
    """

    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(nerr9)
    name = "NERR9"
    title = "Nearly expected reciprocal rank, equation 9"
    definition = (
        "The expected gain per document seen, where the reader continues from rank i with "
        "probability (1 - gain) i / (i + 1), down to rank k."
    )
    use_when = "Values should be as close to ERR as the C/W/L framework allows."
    avoid_when = _NEARLY_AVOID
    edge_cases = (_GAIN, _NEARLY, _AT_MOST)


@register
class NERR10(ReaderMeasure):
    """Nearly ERR: a reader who stops at good documents, and is patient as in RBP.

    Parameters
    ----------
    p : float
        The probability of continuing from a document that gains nothing, between 0 and 1.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), ICTIR, "ERR is not C/W/L", equation 10.
    """

    p: float = 0.9
    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(nerr10)
    name = "NERR10"
    title = "Nearly expected reciprocal rank, equation 10"
    at = None
    definition = (
        "The expected gain per document seen, where the reader continues with probability "
        "p (1 - gain)."
    )
    use_when = "One good document is enough, and patience is known as for RBP."
    avoid_when = _NEARLY_AVOID
    edge_cases = (_GAIN, _NEARLY, "Values for different p cannot be compared.", _AT_MOST)


@register
class NERR11(ReaderMeasure):
    """Nearly ERR: a reader who stops at good documents, and has a goal as in INSQ.

    Parameters
    ----------
    T : float
        The number of relevant documents that the reader expects to need.
    min_grade, max_grade : float
        The grades that gain 0 and 1.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), ICTIR, "ERR is not C/W/L", equation 11.
    """

    T: float = 1.0
    min_grade: float = 0.0
    max_grade: float = 1.0

    kernel = staticmethod(nerr11)
    name = "NERR11"
    title = "Nearly expected reciprocal rank, equation 11"
    at = None
    definition = (
        "The expected gain per document seen, where the reader continues from rank i with "
        "probability (1 - gain) ((i + 2T - 1) / (i + 2T))^2."
    )
    use_when = "One good document is enough, and effort is known as for INSQ."
    avoid_when = _NEARLY_AVOID
    edge_cases = (_GAIN, _NEARLY, _AT_MOST, _SLOW_TAIL)
