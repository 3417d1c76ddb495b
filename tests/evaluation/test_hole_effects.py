"""Whether grades of unjudged documents could change a result."""

import pytest

from berryeval import compare
from berryeval.evaluation.hole_effects import hole_effect
from berryeval.measures import parse_measure

N = 30
JUDGMENTS = {f"q{i:02}": {"d": 1, "n": 0} for i in range(N)}
BEFORE = {query: ["d", "n"] for query in JUDGMENTS}
AFTER = {q: ["x", "d"] if i % 2 else ["d", "n"] for i, q in enumerate(JUDGMENTS)}
RR = parse_measure("RR")


def compared(*measures, **options):
    return compare(JUDGMENTS, {"a": BEFORE, "b": AFTER}, measures or "RR", **options)


def test_holes_could_change_a_result():
    """Fifteen losses of RR are clear, unless the new first documents are relevant."""
    found = hole_effect(compared(), RR)
    assert (found.n_queries, found.n_holes) == (15, 15)
    assert found.findings == ("worse", "worse", "untested")
    assert found.could_change
    assert (found.low, found.high) == pytest.approx((-0.25, 0.0))


def test_bounds_are_those_of_the_comparison():
    """`compare(..., bounds=True)` computes the same for every difference."""
    comparison = compared("RR", "P@1", "nDCG@2", bounds=True)
    for difference in comparison.differences:
        found = hole_effect(comparison, difference.measure)
        assert (found.low, found.high) == (difference.bounds.low, difference.bounds.high)


def test_a_measure_of_a_family_is_tested_within_it():
    """The current result equals that of the comparison, even if lower is better."""
    comparison = compared("nDCG@2", "RR", "P@1", "Unjudged@1")
    for name in ("RR", "P@1", "Unjudged@1"):
        measure = parse_measure(name)
        found = hole_effect(comparison, measure, system="b")
        assert found.is_known == (name != "Unjudged@1")
        if found.is_known:
            assert found.findings[0] == comparison.difference("b", measure).finding


def test_noise_is_included_for_every_grade():
    """No grades make the result of a noisy system clear."""
    lost = {query: ["n"] for query in JUDGMENTS}
    found = hole_effect(compared(repeats={"b": [lost]}), RR)
    assert found.findings == ("unclear", "unclear", "unclear")
    assert (found.low, found.high) == pytest.approx((-0.625, -0.5))


def test_only_queries_of_the_headline_are_considered():
    """Holes of queries that one run lacks cannot change the result."""
    lacking = {query: BEFORE[query] for query in list(BEFORE)[10:]}
    comparison = compare(JUDGMENTS, {"a": lacking, "b": AFTER}, "RR")
    over_common = {query: JUDGMENTS[query] for query in lacking}
    common = {query: AFTER[query] for query in lacking}
    expected = hole_effect(compare(over_common, {"a": lacking, "b": common}, "RR"), RR)
    assert hole_effect(comparison, RR) == expected


def test_without_holes_a_result_cannot_change():
    """Every document that counts is judged."""
    complete = {q: ["n", "d"] if i % 2 else ["d", "n"] for i, q in enumerate(JUDGMENTS)}
    found = hole_effect(compare(JUDGMENTS, {"a": BEFORE, "b": complete}, "RR"), RR)
    assert (found.n_queries, found.n_holes, found.could_change) == (0, 0, False)
    assert found.low == found.high


def test_expensive_results_are_not_computed():
    """The number of holes is still reported; a geometric mean has no bounds."""
    found = hole_effect(compared(), RR, most_queries=10)
    assert (found.is_known, found.could_change) == (False, False)
    assert (found.n_queries, found.n_holes) == (15, 15)
    assert not hole_effect(compared("GMAP"), parse_measure("GMAP")).is_known


def test_a_comparison_notes_what_is_unjudged():
    """With the share judged in each run, and a reversal only if grades allow it."""
    assert compared().notes[-1] == (
        "Unjudged documents in the rankings: a 0 of 60 (100.0% judged), b 15 of 60 (75.0% judged)."
    )
    late = {q: ["x", "d", "n"] if i % 3 else ["d", "n"] for i, q in enumerate(JUDGMENTS)}
    other = {q: ["n", "d", "x"] for q in JUDGMENTS}
    comparison = compare(JUDGMENTS, {"a": other, "b": late}, "nDCG@3", bounds=True)
    [difference] = comparison.differences
    assert difference.bounds.low < 0 < difference.mean
    ends = f"{difference.bounds.low:+.4f} to {difference.bounds.high:+.4f}"
    assert comparison.notes[-2:] == (
        "Unjudged documents in the first 3: a 30 of 90 (66.7% judged), b 20 of 80 (75.0% judged).",
        f"Grades for them could reverse the difference in nDCG@3: b {ends}.",
    )
    whole = compare(JUDGMENTS, {"a": BEFORE, "b": BEFORE}, "RR")
    assert not any("njudged" in note for note in whole.notes)
