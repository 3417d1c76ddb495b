"""E7: which measure suits which use."""

import pytest

from berryeval.measures.guidance import ADVICE, FIRST_QUESTION, RECOMMENDATIONS, Question

RECOMMENDED = {
    "qa": (["RR"], ["Success@1"]),
    "search": (["nDCG@10"], ["P@10"]),
    "legal": (["R@100"], ["P@100"]),
    "recommendation": (["nDCG@5"], ["P@5"]),
    "fact-checking": (["Success@3"], ["RR"]),
    "rag": (["R@5", "P@5"], ["RR"]),
}


@pytest.mark.parametrize("use", RECOMMENDED)
def test_each_use_has_its_measures(use):
    """E7: first choice and second, with the reason."""
    recommendation = RECOMMENDATIONS[use]
    first, then = RECOMMENDED[use]
    assert [str(measure) for measure in recommendation.first] == first
    assert [str(measure) for measure in recommendation.then] == then
    assert recommendation.why.endswith(".")


def test_the_list_of_uses_is_complete():
    """E7: no use is missing."""
    assert set(RECOMMENDATIONS) == set(RECOMMENDED)


PATHS = {
    "y": "R@100",
    "nyy": "nDCG@10",
    "nyny": "RR",
    "nynn": "P@10",
    "nny": "Success@10",
    "nnn": "P@10",
}
"""Answers, and the measure that they lead to."""


@pytest.mark.parametrize("answers", PATHS)
def test_the_questions_lead_to_one_measure(answers):
    """E7: find everything, order, grades, first hit; without order, whether one hit is enough."""
    step = FIRST_QUESTION
    for answer in answers:
        assert isinstance(step, Question)
        step = step.yes if answer == "y" else step.no
    assert str(step.measure) == PATHS[answers]


def test_every_path_of_the_questions_is_tested():
    """E7: there are no other leaves, and only one of them has a suggestion."""

    def paths(step, taken):
        if isinstance(step, Question):
            return paths(step.yes, f"{taken}y") | paths(step.no, f"{taken}n")
        return {taken: step}

    found = paths(FIRST_QUESTION, "")
    assert found.keys() == PATHS.keys()
    assert {taken: str(leaf.also) for taken, leaf in found.items() if leaf.also} == {"nynn": "AP"}


def test_the_advice_covers_common_mistakes():
    """E7: k by use, one k, several measures, ties."""
    advice = " ".join(ADVICE)
    for words in (
        "10 for search",
        "1 to 3 for question answering",
        "different k",
        "several",
        "ties",
    ):
        assert words in advice
