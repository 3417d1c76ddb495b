"""Context precision and recall under the names of RAG tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.errors import ArgumentError, InputTypeError, MeasureSyntaxError
from berryeval.measures import parse_measure
from berryeval.measures.contexts import (
    edit_similarity,
    id_based_context_precision,
    id_based_context_recall,
    non_llm_context_precision_with_reference,
    non_llm_context_recall,
)

words = st.text("ab ", max_size=12)


@pytest.mark.parametrize(
    ("retrieved", "reference", "precision", "recall"),
    [
        (["a", "b", "c"], ["a", "c", "d"], 2 / 3, 2 / 3),
        ([1, 2, 2], ["2"], 0.5, 1.0),
        (["a"], ["b"], 0.0, 0.0),
        ([], ["a"], 0.0, 0.0),
        (["a"], [], 0.0, 0.0),
    ],
)
def test_ids_are_compared_as_ragas_does(retrieved, reference, precision, recall):
    """Values of Ragas 0.4.3, where the empty cases are NaN."""
    assert id_based_context_precision(retrieved, reference) == precision
    assert id_based_context_recall(retrieved, reference) == recall


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.sets(st.sampled_from("abcdef")))
def test_measures_of_these_names_agree_with_the_functions(retrieved, reference):
    """They are SetP and SetR."""
    names = ("id_based_context_precision", "IDBasedContextRecall")
    judgments = {"q": dict.fromkeys(reference, 1)}
    found = be.evaluate(judgments, be.Run.from_lists({"q": retrieved}), names)
    assert [found[name].mean for name in ("SetP", "SetR")] == [
        id_based_context_precision(retrieved, reference),
        id_based_context_recall(retrieved, reference),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("context_precision", "'id_based_context_precision' or 'P@5' .* language model judges"),
        ("ContextualRecall@5", "'id_based_context_recall' or 'R@5' for documents by id"),
        ("non_llm_context_precision_with_reference", "functions of berryeval.measures.contexts"),
        ("NonLLMContextRecall", "functions of berryeval.measures.contexts"),
        ("id_based_context_precision@5", "no cutoff, since id_based_context_precision covers"),
    ],
)
def test_other_names_are_refused_with_the_way_out(name, message):
    """The same name is another measure in another tool."""
    with pytest.raises(MeasureSyntaxError, match=message):
        parse_measure(name)


def test_recall_by_id_takes_a_cutoff():
    """Its divisor does not depend on the number of retrieved documents."""
    assert parse_measure("id_based_context_recall@5") == be.R @ 5


@pytest.mark.parametrize(
    ("retrieved", "reference", "precision", "recall"),
    [
        (
            [
                "Paris is the capital of France.",
                "Berlin is big.",
                "The Louvre is in Paris, France",
            ],
            ["Paris is the capital of France", "The Louvre is in Paris"],
            5 / 6,
            1.0,
        ),
        (["abcd", "xyz"], ["abef", "q"], 1.0, 0.0),
        (["aaaa", "bbbb", "abab"], ["abab"], 1.0, 1.0),
        (["x", "abcdefgh"], ["abcdefgh", "zz"], 0.5, 0.5),
        (["x"], ["abcdefgh"], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_texts_are_compared_as_ragas_does(retrieved, reference, precision, recall):
    """Values of Ragas 0.4.3; similarity of exactly 0.5 counts for precision, not for recall."""
    found = non_llm_context_precision_with_reference(retrieved, reference)
    assert found == pytest.approx(precision, abs=1e-9)
    assert non_llm_context_recall(retrieved, reference) == recall


def test_threshold_and_similarity_are_parameters():
    """A function of your own replaces the edit distance."""
    texts = (["Paris"], ["PARIS"])
    assert non_llm_context_recall(*texts) == 0
    assert non_llm_context_recall(*texts, threshold=0) == 1

    def same_letters(one: str, other: str) -> float:
        return float(one.lower() == other.lower())

    assert non_llm_context_recall(*texts, similarity=same_letters) == 1
    assert non_llm_context_precision_with_reference(*texts, similarity=same_letters) == 1


def test_wrong_arguments_are_rejected():
    """A text is not a list of texts or ids."""
    with pytest.raises(ArgumentError, match="threshold: expected a number from 0 to 1, got 2"):
        non_llm_context_recall(["a"], ["b"], threshold=2)
    with pytest.raises(InputTypeError, match="reference: expected a list of texts, got str"):
        non_llm_context_recall(["a"], "b")
    with pytest.raises(InputTypeError, match="retrieved: expected a list of texts, got int in it"):
        non_llm_context_precision_with_reference([7], ["b"])
    with pytest.raises(InputTypeError, match="retrieved: expected a list of ids, got str"):
        id_based_context_precision("a", ["b"])


@given(words, words)
def test_the_edit_distance_is_levenshteins(first, second):
    """It equals the table that defines it."""
    above = list(range(len(second) + 1))
    for row, sign in enumerate(first, start=1):
        now = [row]
        for column, other in enumerate(second, start=1):
            replaced = above[column - 1] + (sign != other)
            now.append(min(above[column] + 1, now[-1] + 1, replaced))
        above = now
    longest = max(len(first), len(second))
    expected = 1 - above[-1] / longest if longest else 1.0
    assert edit_similarity(first, second) == expected
