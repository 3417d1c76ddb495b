"""Assertions as functions, and their failure messages."""

import pytest

from berryeval import ArgumentError, Judgments, MismatchError, Query, Run
from berryeval.errors import SystemUnderTestError
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.gate_rules import GateRules
from berryeval.measures import parse_measure
from berryeval.pytest_plugin import Results, assert_measure, assert_no_regression, assert_rank
from berryeval.suite.settings import Settings

JUDGMENTS = {"q1": {"d1": 2, "d2": 1, "d3": -1}, "q2": {"d4": 1}}
RUN = {"q1": ["d9", "d3", "d2", "d1"], "q2": ["d4"]}


def test_a_mean_at_the_limit_passes():
    """Equality passes, and rounding errors below the limit count as equal."""
    assert assert_measure(JUDGMENTS, RUN, "RR", at_least=2 / 3) == pytest.approx(2 / 3)
    with pytest.raises(AssertionError, match=r"^RR is 0\.6667, below 0\.67\.\nWorst queries:"):
        assert_measure(JUDGMENTS, RUN, parse_measure("RR"), at_least=0.67)


def test_a_rank_is_counted_from_one():
    """The last allowed rank passes."""
    assert assert_rank(JUDGMENTS, RUN, "q1", "d2", at_most=3) == 3
    with pytest.raises(AssertionError, match="found it at rank 3"):
        assert_rank(JUDGMENTS, RUN, "q1", "d2", at_most=2, queries=[Query("q1", "a\x1b[31m")])


def test_a_regression_is_tested_against_a_run_or_a_baseline():
    """The baseline may be given in any form."""
    better = {"q1": ["d1", "d2"], "q2": ["d4"]}
    saved = Baseline.make(
        "main", Judgments.from_dict(JUDGMENTS), Run.from_lists(better), [parse_measure("RR")]
    )
    for baseline in (better, Run.from_lists(better), saved):
        with pytest.raises(AssertionError, match=r"1 query lost:\n  q1  "):
            assert_no_regression(JUDGMENTS, RUN, baseline, "RR", margin="2%")
    assert assert_no_regression(JUDGMENTS, RUN, RUN, "RR").verdict == "pass"


def test_a_confirmed_regression_cannot_be_allowed():
    """The message suggests this only for an inconclusive one."""
    settings = Settings(gate=GateRules(inference="set"))
    better = {"q1": ["d1", "d2"], "q2": ["d4"]}
    with pytest.raises(AssertionError, match=r"RR fell by 0\.3333, beyond the margin") as failure:
        Results(JUDGMENTS, RUN, settings=settings).assert_no_regression(
            better, "RR", margin=0.1, allow_inconclusive=True
        )
    assert "allow_inconclusive" not in str(failure.value)


def test_an_inconclusive_regression_reports_that_no_query_lost():
    """Few queries cannot rule out a drop, even if all of them improved."""
    worse = {"q1": ["d9"], "q2": ["d4"]}
    with pytest.raises(AssertionError, match="No query lost"):
        assert_no_regression(JUDGMENTS, RUN, worse, "RR", margin=0.05)


def test_only_the_greatest_losses_are_shown():
    """At most five are listed."""
    judgments = {f"q{number}": {"d1": 1} for number in range(9)}
    worse = {query_id: ["d2"] * (query_id < "q7") + ["d1"] for query_id in judgments}
    with pytest.raises(AssertionError) as failure:
        assert_no_regression(judgments, worse, {query_id: ["d1"] for query_id in judgments}, "RR")
    _, head, *lines = str(failure.value).splitlines()
    assert head == "7 queries lost; those that lost most:"
    assert lines[4:6] == ["  q4  1.0000 -> 0.5000", "Documents that moved for q0:"]


def test_a_baseline_must_be_named():
    """The test or berryeval.toml names it."""
    with pytest.raises(ArgumentError, match="baseline: expected a file named in"):
        Results(JUDGMENTS, RUN).assert_no_regression()


def test_grades_below_zero_are_holes():
    """They mean in the pool, but unjudged, as everywhere."""
    results = Results(JUDGMENTS, RUN)
    assert [document.grade for document in results.ranking("q1")] == [None, None, 1, 2]
    assert results.query("q1").text is None
    assert repr(results.query("q1")) == "<QueryResults q1>"


def test_a_document_far_below_is_shown_with_a_gap():
    """The first ranks are shown, then the requested document."""
    run = {"q1": [f"x{number}" for number in range(30)] + ["d1"]}
    with pytest.raises(AssertionError) as failure:
        assert_rank(JUDGMENTS, run, "q1", "d1", at_most=3)
    lines = str(failure.value).splitlines()
    assert lines[0] == "q1: expected d1 at rank 3 or better, found it at rank 31."
    assert len(lines) == 14
    assert lines[-3:] == [
        "    10  x9        unjudged",
        "   ...",
        ">   31  d1        2",
    ]


def test_a_query_without_documents_is_reported():
    """No results is different from not found."""
    run = {"q1": [], "q2": ["d4"]}
    with pytest.raises(AssertionError, match=r"found no documents\.\n  \(no results"):
        assert_rank(JUDGMENTS, run, "q1", "d1", at_most=3)


def test_a_long_list_of_missing_documents_is_shortened():
    """The best grades come first."""
    judgments = {"q1": {f"d{number}": 1 for number in range(8)} | {"best": 3}}
    results = Results(judgments, {"q1": ["d7"]}, queries={"q1": "long " * 30})
    with pytest.raises(AssertionError) as failure:
        results.query("q1").assert_measure("R@5", at_least=0.5)
    head, *_, last = str(failure.value).splitlines()
    assert head == f'q1 "{"long " * 11}long…": R@5 is 0.1111, below 0.5.'
    assert last == "  Relevant but not found: best (3), d0 (1), d1 (1), d2 (1), d3 (1), …"


def test_a_complete_query_has_no_missing_documents():
    """Only its order can be wrong."""
    results = Results({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]})
    with pytest.raises(AssertionError) as failure:
        results.query("q1").assert_measure("RR", at_least=0.6)
    assert "Relevant" not in str(failure.value)


def test_the_worst_queries_depend_on_the_direction_of_the_measure():
    """If lower is better, the highest scores are the worst."""
    with pytest.raises(AssertionError) as failure:
        assert_measure(JUDGMENTS, RUN, "Unjudged@2", at_least=1)
    worst = str(failure.value).splitlines()[2]
    assert worst.startswith("  q1  ")


def test_a_query_without_judgments_has_no_score():
    """It can have a rank, though."""
    results = Results(JUDGMENTS, RUN | {"q3": ["d1"]})
    assert results.query("q3").assert_rank("d1", at_most=1) == 1
    with pytest.raises(ArgumentError, match="query_id: expected a judged query, got 'q3'"):
        results.query("q3").assert_measure("RR", at_least=0.1)


def test_a_threshold_above_the_ceiling_is_reported():
    """No search could pass; the message has the best possible mean."""
    with pytest.raises(AssertionError) as failure:
        assert_measure({"q1": {"d1": 1}}, {"q1": ["d1"]}, "P@5", at_least=0.7)
    assert str(failure.value).splitlines()[:2] == [
        "P@5 is 0.2000, below 0.7.",
        "The best possible P@5 is 0.2000 with these judgments, so the threshold 0.7 cannot be "
        "reached; lower the threshold, or judge more documents.",
    ]


def test_failed_queries_are_listed_and_shortened():
    """Each has its reason, and at most five are listed."""

    def search(query: str, k: int) -> list[str]:
        del k
        if query != "ok":
            raise SystemUnderTestError("engine", "is down")
        return ["d1"]

    judgments = {f"q{number}": {"d1": 1} for number in range(7)} | {"fine": {"d1": 1}}
    texts = {query_id: "ok" if query_id == "fine" else "x" for query_id in judgments}
    results = Results(judgments, search, queries=texts)
    with pytest.raises(AssertionError) as failure:
        results.assert_measure("RR", at_least=0.1)
    lines = str(failure.value).splitlines()
    assert lines[0] == "7 of 8 queries failed in the system under test:"
    assert lines[1] == "  q0: engine: is down"
    assert lines[-1] == "  and 2 more"
    with pytest.raises(AssertionError, match="q3: engine: is down"):
        results.assert_rank("q3", "d1", at_most=1)
    assert results.query("fine").assert_measure("RR", at_least=1) == 1


def test_judgments_and_run_of_other_queries_are_rejected():
    """`evaluate` does the same."""
    with pytest.raises(MismatchError, match="no query in common"):
        assert_measure(JUDGMENTS, {"q7": ["d1"]}, "RR", at_least=0.1)


def test_a_document_below_the_cutoff_is_not_called_missing():
    """Its rank is shown; only documents outside the ranking were not found."""
    judgments = {"q1": {"low": 2, "absent": 1}}
    results = Results(judgments, {"q1": ["a", "b", "c", "d", "low"]})
    with pytest.raises(AssertionError) as failure:
        results.query("q1").assert_measure("Success@3", at_least=1)
    assert str(failure.value).splitlines()[-2:] == [
        "  Relevant but below rank 3: low (2) at 5",
        "  Relevant but not found: absent (1)",
    ]
