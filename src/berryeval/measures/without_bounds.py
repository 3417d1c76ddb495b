"""Why some measures have no bounds over the grades of unjudged documents.

`berryeval.evaluation.bounds` finds the bounds of the others. The reasons have a module of
their own, since texts about measures are shown without loading its arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping

from berryeval import measures
from berryeval.measures import Measure

__all__ = ["WITHOUT_BOUNDS", "why_no_bounds"]

_ESTIMATED = "it already estimates the unjudged documents"
_BY_INTENT = "an unjudged document may serve any of the intents, with any effect on the ideal"

WITHOUT_BOUNDS: Mapping[type[Measure], str] = {
    measures.AlphaDCG: _BY_INTENT,
    measures.AlphaNDCG: _BY_INTENT,
    measures.Bpref: "it ignores unjudged documents on purpose",
    measures.GeometricBpref: "it ignores unjudged documents, like bpref",
    measures.GradedIntentAwareERR: _BY_INTENT,
    measures.IntentAwareAveragePrecision: _BY_INTENT,
    measures.IntentAwareERR: _BY_INTENT,
    measures.IntentAwarePrecision: _BY_INTENT,
    measures.InferredAveragePrecision: _ESTIMATED,
    measures.InferredNDCG: _ESTIMATED,
    measures.Hole: "it is the share of documents judged for no query",
    measures.Holes: "it counts unjudged documents",
    measures.Judged: "it is the share of judged documents",
    measures.NormalisedIntentAwareERR: _BY_INTENT,
    measures.NormalisedNoveltyRBP: _BY_INTENT,
    measures.NoveltyRBP: _BY_INTENT,
    measures.Milliseconds: "grades do not matter to it",
    measures.RankBiasedResidual: "it is itself the width of such bounds",
    measures.StratifiedInferredAP: _ESTIMATED,
    measures.SubtopicRecall: _BY_INTENT,
    measures.TimeBiasedGain: "a grade changes the time at which all later documents are reached",
    measures.Tokens: "grades do not matter to it",
    measures.UMeasure: "a grade changes the position of all later documents",
    measures.Unjudged: "it is the share of unjudged documents",
}
"""Measures whose queries have no bounds, and why. Custom measures have none either, nor any measure
with judged_only: it leaves unjudged documents out on purpose."""


def why_no_bounds(measure: type[Measure]) -> str | None:
    """Return why comparisons by a measure have no bounds; None if they do.

    Examples
    --------
    >>> from berryeval.measures import NDCG, Tokens
    >>> why_no_bounds(Tokens), why_no_bounds(NDCG)
    ('grades do not matter to it', None)
    """
    if measure.aggregate == "geometric" and measure not in WITHOUT_BOUNDS:
        return "queries have them, but their differences do not add up to that of geometric means"
    return WITHOUT_BOUNDS.get(measure)
