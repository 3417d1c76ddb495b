"""Average precision: the precision at each relevant document, averaged over all of them."""

from __future__ import annotations

from berryeval.kernels.average_precision import average_precision
from berryeval.measures._base import Measure, register

__all__ = ["AveragePrecision", "GeometricAveragePrecision"]


@register
class AveragePrecision(Measure):
    """Average precision, at k or uncut. Equals trec_eval's ``map_cut`` and ``map``."""

    rel: float = 1.0

    kernel = staticmethod(average_precision)
    name = "AP"
    title = "Average precision"
    aliases = ("MAP", "map", "map_cut", "average_precision")
    definition = (
        "The precision at the rank of each relevant document in the first k, added up and "
        "divided by the number of relevant documents. The mean over queries is MAP."
    )
    use_when = "Judgments are binary, and both finding everything and ranking it high matter."
    avoid_when = (
        "Judgments are graded, since it ignores grades; or the number must be explained to people "
        "who have not seen it before."
    )
    edge_cases = (
        "Relevant documents that were not retrieved count 0.",
        "At k, it is divided by the number of relevant documents, not by min(k, that number).",
        "No relevant document: 0.",
    )
    functions = ("berryeval.ranking.average_precision", "berryeval.metrics.average_precision")


@register
class GeometricAveragePrecision(Measure):
    """Average precision, averaged by the geometric mean. Equals trec_eval's ``gm_map``."""

    rel: float = 1.0

    kernel = staticmethod(average_precision)
    name = "GMAP"
    title = "Geometric mean average precision"
    aliases = ("gm_map",)
    aggregate = "geometric"
    definition = "Average precision, averaged over queries by the geometric mean."
    use_when = (
        "The worst queries should count most: a gain from 0.01 to 0.02 is worth as much as one "
        "from 0.4 to 0.8."
    )
    avoid_when = (
        "A few queries fail completely: their number then determines the result almost alone."
    )
    edge_cases = (
        "A query counts at least 0.00001 in the mean.",
        "For a single query it equals average precision.",
    )
