"""Alpha-nDCG, intent-aware ERR and NRBP: results that serve several meanings of a query."""

from __future__ import annotations

from berryeval.errors import ArgumentError
from berryeval.kernels.novelty import alpha_dcg, alpha_ndcg, err_ia, nerr_ia, nnrbp, nrbp
from berryeval.measures._base import Measure, declare, register
from berryeval.measures._parameters import written

__all__ = [
    "AlphaDCG",
    "AlphaNDCG",
    "IntentAwareERR",
    "NormalisedIntentAwareERR",
    "NormalisedNoveltyRBP",
    "NoveltyRBP",
]

_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
_GAIN = (
    "A document gains the weight of each intent that it serves, times 1 - alpha for each document "
    "above it that serves the same intent. "
)
_IDEAL = (
    "the ideal ranking, which has at each rank the judged document that gains most there; of equal "
    "ones, the one with the highest id."
)
_NO_SUBTOPICS = (
    "A query without subtopics has one intent, the query itself. If no query has subtopics, the "
    "measure is an error."
)
_UNSERVED = "Intents that no judged document serves at the level rel do not count."
_ABOVE_IDEAL = (
    "The ideal ranking is greedy, as published. The value of a ranking that gains more is 1."
)
_MAX_RANKS = 1_000_000
_MIN_ALPHA = 1e-4


def _check_most_ranks(k: int | None, alpha: float) -> None:
    """Reject cutoffs whose highest possible gain would take long to add up."""
    if k is not None and k > _MAX_RANKS and alpha < _MIN_ALPHA:
        expected = f"at most {_MAX_RANKS:,} if alpha is below {_MIN_ALPHA}"
        raise ArgumentError("k", expected, f"{k:,}")


@register
class AlphaDCG(Measure):
    """Alpha-DCG with collection-independent normalisation.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means as many as were retrieved.
    alpha : float
        The share of an intent's gain that is lost with each document that serves it, 0 to 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), SIGIR, 659-666.
    Clarke, Craswell, Soboroff and Ashkan (2011), WSDM, 75-84.
    """

    alpha: float = 0.5
    rel: float = 1.0

    kernel = staticmethod(alpha_dcg)
    uses_intents = True
    name = "alpha_DCG"
    title = "Alpha-DCG"
    aliases = ("alpha-dcg", f"{_ALPHA}_dcg", f"{_ALPHA}-dcg")
    definition = (
        _GAIN + "The sum of the gains, each divided by log2(rank + 1), is divided by that of k "
        "documents that each serve every intent."
    )
    use_when = "Values should be comparable across collections: 1 is the best of any collection."
    avoid_when = "The best ranking of the judged documents should score 1: use alpha_nDCG."
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        "ndeval does not normalise alpha-DCG@1, and its cutoffs end at 20.",
        "Without k the value depends on the number of documents retrieved, as in P.",
    )

    def _check(self) -> None:
        super()._check()
        _check_most_ranks(self.k, self.alpha)


@register
class AlphaNDCG(Measure):
    """Alpha-nDCG.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    alpha : float
        The share of an intent's gain that is lost with each document that serves it, 0 to 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), SIGIR, 659-666.
    """

    alpha: float = 0.5
    rel: float = 1.0

    kernel = staticmethod(alpha_ndcg)
    uses_intents = True
    name = "alpha_nDCG"
    title = "Alpha-nDCG"
    aliases = ("alpha-ndcg", f"{_ALPHA}_ndcg", f"{_ALPHA}-ndcg")
    definition = (
        _GAIN
        + "The sum of the gains, each divided by log2(rank + 1), is divided by that of "
        + _IDEAL
    )
    use_when = "Queries have several meanings, and the first page should serve all of them."
    avoid_when = "Judgments have no subtopics, or degrees of relevance matter: use nDCG."
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        _ABOVE_IDEAL,
        "A grade above rel counts no more than rel.",
    )


@register
class IntentAwareERR(Measure):
    """Intent-aware expected reciprocal rank with collection-independent normalisation.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means as many as were retrieved.
    alpha : float
        The probability that a document satisfies a reader whose intent it serves, 0 to 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu (2011), Information Retrieval 14, 572-592.
    Clarke, Craswell, Soboroff and Ashkan (2011), WSDM, 75-84.
    """

    alpha: float = 0.5
    rel: float = 1.0

    kernel = staticmethod(err_ia)
    uses_intents = True
    name = "ERR_IA"
    title = "Intent-aware ERR"
    aliases = ("err-ia",)
    definition = (
        _GAIN + "The sum of the gains, each divided by its rank, is divided by that of k documents "
        "that each serve every intent."
    )
    use_when = "Readers with different intents each look for one good document."
    avoid_when = "Readers need several documents: after the first, others hardly count."
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        "ERR of each intent, averaged, is this value times the highest possible ERR at k, if "
        "documents satisfy with probability alpha. Grades above rel do not satisfy more.",
        "ndeval does not normalise ERR-IA@1, and its cutoffs end at 20.",
        "Without k the value depends on the number of documents retrieved, as in P.",
    )

    def _check(self) -> None:
        super()._check()
        _check_most_ranks(self.k, self.alpha)


@register
class NormalisedIntentAwareERR(Measure):
    """Intent-aware expected reciprocal rank, divided by that of the ideal ranking.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    alpha : float
        The probability that a document satisfies a reader whose intent it serves, 0 to 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan (2011), WSDM, 75-84.
    """

    alpha: float = 0.5
    rel: float = 1.0

    kernel = staticmethod(nerr_ia)
    uses_intents = True
    name = "nERR_IA"
    title = "Normalised intent-aware ERR"
    aliases = ("nerr-ia",)
    definition = (
        _GAIN + "The sum of the gains, each divided by its rank, is divided by that of " + _IDEAL
    )
    use_when = "You report ERR_IA, and the best possible ranking should score 1."
    avoid_when = "Readers need several documents: after the first, others hardly count."
    edge_cases = (_NO_SUBTOPICS, _UNSERVED, _ABOVE_IDEAL)


@declare
class _NoveltyRBP(Measure):
    """The common part of both kinds of NRBP."""

    alpha: float = 0.5
    beta: float = 0.5
    rel: float = 1.0

    def _check(self) -> None:
        super()._check()
        if not 0.0 < self.beta < 1.0:
            raise ArgumentError("beta", "a number between 0 and 1", written(self.beta))


@register
class NoveltyRBP(_NoveltyRBP):
    """Novelty- and rank-biased precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    alpha : float
        The share of an intent's gain that is lost with each document that serves it, 0 to 1.
    beta : float
        The probability that a reader continues to the next document, between 0 and 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Clarke, Kolla and Vechtomova (2009), ICTIR, 188-199.
    """

    kernel = staticmethod(nrbp)
    uses_intents = True
    name = "NRBP"
    title = "Novelty- and rank-biased precision"
    aliases = ("novelty_rbp",)
    definition = (
        _GAIN + "The sum of the gains, each times beta^(rank - 1), is divided by that of an "
        "endless ranking of documents that each serve every intent."
    )
    use_when = "You know how patient readers are, and rankings differ in length."
    avoid_when = "A perfect ranking should score 1: use nNRBP."
    edge_cases = (_NO_SUBTOPICS, _UNSERVED, "Values for different alpha or beta are incomparable.")


@register
class NormalisedNoveltyRBP(_NoveltyRBP):
    """Novelty- and rank-biased precision, divided by that of the ideal ranking.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    alpha : float
        The share of an intent's gain that is lost with each document that serves it, 0 to 1.
    beta : float
        The probability that a reader continues to the next document, between 0 and 1.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan (2011), WSDM, 75-84.
    """

    kernel = staticmethod(nnrbp)
    uses_intents = True
    name = "nNRBP"
    title = "Normalised novelty- and rank-biased precision"
    aliases = ("normalised_nrbp",)
    definition = (
        _GAIN + "The sum of the gains, each times beta^(rank - 1), is divided by that of " + _IDEAL
    )
    use_when = "You report NRBP, and the best possible ranking should score 1."
    avoid_when = "Rankings are short pages: alpha_nDCG at their length is easier to explain."
    edge_cases = (_NO_SUBTOPICS, _UNSERVED, _ABOVE_IDEAL)
