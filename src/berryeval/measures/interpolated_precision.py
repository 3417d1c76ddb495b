"""Interpolated precision: the best precision from a level of recall on."""

from __future__ import annotations

from berryeval.kernels.interpolated_precision import (
    RecallRounding,
    eleven_point_average,
    interpolated_precision,
)
from berryeval.measures._base import Measure, register

__all__ = ["ElevenPointAverage", "InterpolatedPrecision"]


@register
class InterpolatedPrecision(Measure):
    """Interpolated precision at a recall. Equals trec_eval's ``iprec_at_recall``.

    Parameters
    ----------
    recall : float
        The recall to reach, from 0 to 1.
    rel : float
        The lowest grade that is relevant.
    rounding : {"up", "nearest"}
        How a share of the relevant documents becomes a number of them: up, unless it ends in
        less than a tenth, as in trec_eval 9.0.8; to the nearest, as in 10.0.
    """

    recall: float = 0.0
    rel: float = 1.0
    rounding: RecallRounding = "up"

    kernel = staticmethod(interpolated_precision)
    name = "IPrec"
    title = "Interpolated precision"
    aliases = ("iprec_at_recall",)
    at = "recall"
    at_example = "0.5"
    definition = "The highest precision at any rank that reaches the recall after the @."
    use_when = "You plot precision against recall."
    avoid_when = (
        "You want a single number; or queries have few relevant documents, so that most points are "
        "the same."
    )
    edge_cases = (
        "The recall is never reached: 0.",
        "Recall 0: the highest precision at any rank.",
        "The number of documents to find is rounded as in trec_eval 9.0.8; "
        "IPrec(rounding=nearest)@0.1 rounds as in 10.0.",
    )


@register
class ElevenPointAverage(Measure):
    """Eleven-point average of interpolated precision. Equals trec_eval's ``11pt_avg``.

    Parameters
    ----------
    rel : float
        The lowest grade that is relevant.
    rounding : {"up", "nearest"}
        As in IPrec: "up" as in trec_eval 9.0.8, "nearest" as in 10.0.
    """

    rel: float = 1.0
    rounding: RecallRounding = "up"

    kernel = staticmethod(eleven_point_average)
    name = "AP11"
    title = "Eleven-point average precision"
    aliases = ("11pt_avg",)
    at = None
    definition = "The mean of the interpolated precision at recall 0, 0.1 and so on to 1."
    use_when = "You reproduce the numbers of old papers."
    avoid_when = "You have a choice: average precision needs no interpolation."
    edge_cases = (
        "Rounded like interpolated precision; AP11(rounding=nearest) rounds as in trec_eval 10.0.",
        "No relevant document: 0.",
    )
