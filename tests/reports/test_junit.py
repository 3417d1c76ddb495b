"""JUnit XML of a gate."""

import xml.etree.ElementTree as ET
from dataclasses import replace

from berryeval import evaluate, gate
from berryeval.core.query import Query
from berryeval.evaluation.guards import ThresholdGuard
from berryeval.measures import parse_measure
from berryeval.reports.junit import gate_to_junit
from example_results import a_comparison, a_gate, compare_these


def read(result):
    return ET.fromstring(gate_to_junit(result))  # noqa: S314 - our own


def test_each_guard_and_slice_is_a_test_case():
    """Failing guards are failures, undecided ones errors, and watched ones skipped."""
    result = a_gate(a_comparison(40))
    guards = read(result)[0]
    cases = {case.get("name"): case for case in guards.iter("testcase")}
    assert list(cases) == [guard.name for guard in result.guards]
    for guard in result.guards:
        case = cases[guard.name]
        expected = {"pass": "system-out", "fail": "failure", "inconclusive": "error"}
        wanted = "skipped" if guard.is_watched else expected[guard.verdict]
        assert [child.tag for child in case] == [wanted]


def test_totals_count_the_cases():
    """CI servers show them first."""
    root = read(a_gate(a_comparison(40)))
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert int(element.get("tests")) == len(cases)
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.get(plural)) == sum(case.find(tag) is not None for case in cases)


def test_the_queries_that_lost_most_are_separate_cases():
    """Up to 20 are listed for each failing guard, the greatest loss first."""
    result = a_gate(a_comparison(80, {"old": 1.5, "new": 0.2}))
    queries = read(result)[1]
    names = [case.get("name") for case in queries.iter("testcase")]
    assert len(names) == 20
    worst = result.comparison.changes("new", "nDCG@10")[0]
    assert names[0] == f"nDCG@10 drops by less than 0.05: {worst.query_id} {worst.text}"
    assert f"({worst.difference:+.4f})" in queries[0][0].get("message")


def test_a_failing_slice_names_its_own_queries():
    """Queries of other slices are not listed."""
    result = a_gate(a_comparison(60, {"old": 1.5, "new": 0.2}), "pass")
    part = result.guards[-1]
    failing = replace(result, verdict="fail", guards=(replace(part, verdict="fail",
                                                              is_watched=False),))  # fmt: skip
    queries = result.comparison.queries
    for case in read(failing)[1].iter("testcase"):
        query_id = case.get("name").partition(": ")[2].partition(" ")[0]
        assert queries[query_id].category == part.slice.value


def test_without_a_baseline_the_lowest_scores_are_listed():
    """They are below the threshold."""
    result = a_gate(a_comparison(30))
    failing = replace(result.guards[0], verdict="fail")
    alone = replace(result, comparison=None, guards=(failing,))
    messages = [case[0].get("message") for case in read(alone)[1].iter("testcase")]
    assert messages
    assert all(float(message.split()[1]) < 0.5 for message in messages)


def test_without_a_baseline_a_failing_slice_lists_its_own_queries():
    """Known texts are shown."""
    queries = [Query("q1", "one", category="a"), Query("q2", "two", category="b")]
    judged = {"q1": {"d": 1}, "q2": {"d": 1}}
    evaluation = evaluate(judged, {"q1": ["x", "d"], "q2": ["x", "x2", "d"]}, "RR", queries=queries)
    guard = ThresholdGuard(parse_measure("RR"), 0.45, slices=("category",))
    names = [case.get("name") for case in read(gate(evaluation, [guard], smallest_slice=1))[1]]
    assert names == [
        "RR at least 0.45: q2 two",
        "RR at least 0.45 (category=b): q2 two",
        None,
    ]


def test_a_failing_latency_lists_no_query():
    """Times are not known per query."""
    result = a_gate(a_comparison(10))
    failing = replace(result.guards[2], verdict="fail")
    assert len(read(replace(result, guards=(failing,)))) == 1


def test_characters_that_xml_forbids_are_replaced():
    """The file stays readable for ids of any bytes."""
    evil = 'q\x00\x1b\udcff<&"'
    judged = {evil: {"d": 1}, "q2": {"d": 1}}
    runs = {"old": {evil: ["d"], "q2": ["d"]}, "new": {evil: ["x", "d"], "q2": ["d"]}}
    comparison = compare_these(judged, runs, [Query(evil, "\ufffe text")])
    result = read(a_gate(comparison))
    assert 'q\ufffd\ufffd\ufffd<&" \ufffd text' in result[1][0].get("name")
