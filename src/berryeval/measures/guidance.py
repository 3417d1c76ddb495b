"""Which measure fits which use."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.measures._base import Measure
from berryeval.measures.average_precision import AveragePrecision
from berryeval.measures.hit_rate import HitRate
from berryeval.measures.ndcg import NDCG
from berryeval.measures.precision import Precision
from berryeval.measures.recall import Recall
from berryeval.measures.reciprocal_rank import ReciprocalRank

__all__ = ["ADVICE", "FIRST_QUESTION", "RECOMMENDATIONS", "Choice", "Question", "Recommendation"]


@dataclass(frozen=True)
class Recommendation:
    """What to report for one use of search."""

    use: str
    first: tuple[Measure, ...]
    then: tuple[Measure, ...]
    why: str


RECOMMENDATIONS = {
    "qa": Recommendation(
        "Question answering",
        (ReciprocalRank(),),
        (HitRate(1),),
        "One right answer is enough, and it should come first.",
    ),
    "search": Recommendation(
        "Search",
        (NDCG(10),),
        (Precision(10),),
        "People scan the first page: the best results belong on top, with few useless ones.",
    ),
    "legal": Recommendation(
        "Legal discovery",
        (Recall(100),),
        (Precision(100),),
        "A missed document can lose the case; reading one too many only costs time.",
    ),
    "recommendation": Recommendation(
        "Recommendation",
        (NDCG(5),),
        (Precision(5),),
        "A handful of items is shown, and the first is seen most.",
    ),
    "fact-checking": Recommendation(
        "Fact checking",
        (HitRate(3),),
        (ReciprocalRank(),),
        "One source that settles the claim is enough, if a reader gets to it.",
    ),
    "rag": Recommendation(
        "RAG, retrieval for a language model",
        (Recall(5), Precision(5)),
        (ReciprocalRank(),),
        "A model cannot use what is missing from the prompt, and irrelevant text misleads it.",
    ),
}

ADVICE = (
    "Choose k by what people see: 10 for search, 1 to 3 for question answering.",
    "Never compare values at different k.",
    "Report several measures: each one misses something.",
    "State how ties in the scores were broken; two tools that break them differently disagree.",
)


@dataclass(frozen=True)
class Choice:
    """The measure that the answers lead to."""

    measure: Measure
    also: Measure | None = None
    """Another measure worth reporting with it."""
    why_also: str = ""


@dataclass(frozen=True)
class Question:
    """A yes-or-no question on the way to a measure."""

    text: str
    yes: Question | Choice
    no: Question | Choice


FIRST_QUESTION = Question(
    "Must every relevant document be found?",
    yes=Choice(Recall(100)),
    no=Question(
        "Does the order of the results matter?",
        yes=Question(
            "Are documents relevant to different degrees (grades)?",
            yes=Choice(NDCG(10)),
            no=Question(
                "Is the first relevant document the one that counts?",
                yes=Choice(ReciprocalRank()),
                no=Choice(
                    Precision(10),
                    AveragePrecision(),
                    "It rewards finding every relevant document and ranking it high.",
                ),
            ),
        ),
        no=Question(
            "Is one relevant document enough?", yes=Choice(HitRate(10)), no=Choice(Precision(10))
        ),
    ),
)
"""Questions that lead to a measure: the terminal and the how-to page both ask them."""
