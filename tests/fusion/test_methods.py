"""Each method, computed by hand for two or three small rankings."""

import math

import pytest

import berryeval as be
from berryeval.fusion import METHODS, NORMS

# b is in both runs; a and c only in the first, d only in the second.
WORDS = {"q": {"a": 8.0, "b": 6.0, "c": 2.0}}
VECTORS = {"q": {"b": 0.9, "d": 0.4}}


def fused(method, *runs, norm=None, **given):
    return be.fuse([*runs] or [WORDS, VECTORS], method, norm=norm, **given).to_dict()["q"]


@pytest.mark.parametrize(
    ("method", "given", "expected"),
    [
        ("sum", {}, {"a": 8, "b": 6.9, "c": 2, "d": 0.4}),
        ("min", {}, {"a": 8, "b": 0.9, "c": 2, "d": 0.4}),
        ("max", {}, {"a": 8, "b": 6, "c": 2, "d": 0.4}),
        ("med", {}, {"a": 8, "b": 3.45, "c": 2, "d": 0.4}),
        ("anz", {}, {"a": 8, "b": 3.45, "c": 2, "d": 0.4}),
        ("mnz", {}, {"a": 8, "b": 13.8, "c": 2, "d": 0.4}),
        ("gmnz", {"gamma": 2}, {"a": 8, "b": 27.6, "c": 2, "d": 0.4}),
        ("wsum", {"weights": [0.5, 10]}, {"a": 4, "b": 12, "c": 1, "d": 4}),
        ("wmnz", {"weights": [0.5, 2]}, {"a": 4, "b": 17.25, "c": 1, "d": 0.8}),
        ("mixed", {"weights": [1, 10]}, {"a": 8, "b": 15 * math.sqrt(2), "c": 2, "d": 4}),
        ("isr", {}, {"a": 1, "b": 2 * (1 / 4 + 1), "c": 1 / 9, "d": 1 / 4}),
        ("log_isr", {}, {"a": 0, "b": math.log(2) * 1.25, "c": 0, "d": 0}),
        ("logn_isr", {"sigma": 1}, {"a": math.log(2), "b": math.log(3) * 1.25,
                                    "c": math.log(2) / 9, "d": math.log(2) / 4}),
        ("rrf", {"k": 1}, {"a": 1 / 2, "b": 1 / 3 + 1 / 2, "c": 1 / 4, "d": 1 / 3}),
        ("rrf", {"k": 1, "weights": [2, 1]}, {"a": 1, "b": 2 / 3 + 1 / 2, "c": 1 / 2, "d": 1 / 3}),
        ("rbc", {"phi": 0.5}, {"a": 0.5, "b": 0.75, "c": 0.125, "d": 0.25}),
        # Four candidates: 4, 3, 2 points and 1 for d; 4, 3 and 1.5 each for a and c.
        ("bordafuse", {}, {"a": 5.5, "b": 7, "c": 3.5, "d": 4}),
        ("w_bordafuse", {"weights": [1, 2]}, {"a": 7, "b": 11, "c": 5, "d": 7}),
    ],
)  # fmt: skip
def test_fused_scores_are_those_of_the_formula(method, given, expected):
    """The arithmetic of each definition, with documents that one run lacks."""
    assert fused(method, **given) == pytest.approx(expected)


def test_a_majority_of_three_runs_decides():
    """Two of three prefer b to a; c, which two runs lack, is below both."""
    one, two, three = ({"q": ranking} for ranking in (["a", "b", "c"], ["b", "a"], ["b", "a"]))
    assert fused("condorcet", one, two, three) == {"b": 3.0, "a": 2.0, "c": 1.0}


def test_a_heavy_run_outvotes_two():
    """With weights 3, 1 and 1 the first run decides alone."""
    one, two, three = ({"q": ranking} for ranking in (["a", "b"], ["b", "a"], ["b", "a"]))
    found = fused("w_condorcet", one, two, three, weights=[3, 1, 1])
    assert found == {"a": 2.0, "b": 1.0}


def test_a_run_has_no_vote_between_two_documents_that_it_lacks():
    """One run prefers x to y, and the two others have neither: x is first."""
    one, two, three = ({"q": ranking} for ranking in (["x", "y"], ["z"], ["z"]))
    assert [*fused("condorcet", one, two, three)] == ["z", "x", "y"]


def test_cyclic_majorities_have_a_defined_order():
    """a beats b, b beats c, and c beats a: each document still beats the next one."""
    runs = [{"q": ranking} for ranking in (["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"])]
    order = [*fused("condorcet", *runs)]
    beaten = {"a": "b", "b": "c", "c": "a"}
    assert [beaten[one] for one in order[:-1]] == order[1:]


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("min-max", {"a": 1, "b": 2 / 3 + 1, "c": 0, "d": 0}),
        ("min-max-inverted", {"a": 0, "b": 1 / 3 + 0, "c": 1, "d": 1}),
        ("max", {"a": 1, "b": 0.75 + 1, "c": 0.25, "d": 4 / 9}),
        ("sum", {"a": 0.6, "b": 0.4 + 1, "c": 0, "d": 0}),
        ("rank", {"a": 1, "b": 2 / 3 + 1, "c": 1 / 3, "d": 1 / 2}),
        ("borda", {"a": 1 + 0.375, "b": 0.75 + 1, "c": 0.5 + 0.375, "d": 0.25 + 0.75}),
        (None, {"a": 8, "b": 6.9, "c": 2, "d": 0.4}),
        ("none", {"a": 8, "b": 6.9, "c": 2, "d": 0.4}),
    ],
)
def test_normalised_scores_are_those_of_the_formula(norm, expected):
    """Scores are the sums of both runs after each normalisation."""
    assert fused("sum", norm=norm) == pytest.approx(expected)


def test_standardised_scores_have_mean_0_and_variance_1():
    """1, 2, 3 have the deviation sqrt(2/3); two scores become 1 and -1."""
    three, two = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"x": 9.0, "y": 5.0}}
    side = math.sqrt(3 / 2)
    expected = {"a": side, "b": 0, "c": -side, "x": 1, "y": -1}
    assert fused("sum", three, two, norm="zmuv") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("norm", "value"),
    [("min-max", 1), ("min-max-inverted", 1), ("max", 1), ("sum", 0.5), ("zmuv", 0)],
)
def test_equal_scores_have_a_defined_value(norm, value):
    """A run of equal scores still shows that it found these documents."""
    equal, other = {"q": {"a": 0.1, "b": 0.1}}, {"q": {"z": 1.0}}
    found = fused("sum", equal, other, norm=norm)
    assert (found["a"], found["b"]) == (value, value)


def test_documents_without_a_run_count_by_borda_normalisation():
    """CombMNZ then multiplies by the number of all runs, as ranx does."""
    expected = {"a": 2 * 1.375, "b": 2 * 1.75, "c": 2 * 0.875, "d": 2 * 1}
    assert fused("mnz", norm="borda") == pytest.approx(expected)


def test_ranks_of_distances_start_at_the_lowest():
    """min-max-inverted reverses ranks, even for methods that use only ranks."""
    distances = {"q": {"far": 0.9, "near": 0.1}}
    found = fused("rrf", distances, distances, norm="min-max-inverted", k=0)
    assert found == {"near": 2.0, "far": 1.0}


def test_ties_break_by_document_id():
    """Within a run and among fused scores, d10 < d2 < d9, as in trec_eval."""
    tied = {"q": {"d2": 1.0, "d10": 1.0, "d9": 1.0}}
    assert fused("rrf", tied, tied, k=0) == {"d9": 2.0, "d2": 1.0, "d10": 2 / 3}
    assert [*fused("sum", tied, tied)] == ["d9", "d2", "d10"]


def test_lists_keep_their_order():
    """Runs without scores are fused by rank."""
    run = be.fuse([{"q": ["x", "a"]}, {"q": ["x", "b"]}])
    assert run.ranking("q") == ["x", "b", "a"]


def test_the_registry_is_complete():
    """25 methods and 7 normalisations, each with a formula and a source."""
    assert (len(METHODS), len(NORMS)) == (25, 7)
    for one in (*METHODS.values(), *NORMS.values()):
        assert one.title
        assert one.formula
        assert one.reference
    for method in METHODS.values():
        assert method.absent
        for parameter in method.parameters.values():
            assert parameter.low <= parameter.default <= parameter.high
            assert parameter.text.endswith(".")
