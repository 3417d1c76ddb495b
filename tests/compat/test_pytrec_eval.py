"""The interface of pytrec_eval, compared with pytrec_eval."""

import io
import math
import threading

import numpy as np
import pytest
import pytrec_eval as theirs
from hypothesis import given
from hypothesis import strategies as st

from berryeval.compat import pytrec_eval as ours
from berryeval.errors import FormatError, InputTypeError, UnknownMeasureError
from compat.rankings import judged_runs
from depth import examples

QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {}}
MEASURES = [
    {"all_trec"},
    {"official", "set", "ndcg"},
    ["ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "P", "P_3", "success.2"],
    {"iprec_at_recall.0.25,0.5", "Rprec_mult_0.30", "set_F.0.5", "relative_P_3", "recall_7"},
    ("map_cut_100", "map_cut.9", "11pt_avg", "gm_map", "gm_bpref", "num_q", "relstring"),
]


def is_undefined(value, name):
    """Return whether pytrec_eval divides 0 by 0: if no retrieved document is judged."""
    return math.isnan(value) and name.startswith(("iprec_at_recall_", "11pt_avg"))


@examples(1000)
@given(
    case=judged_runs(),
    measures=st.sampled_from(MEASURES),
    level=st.sampled_from([1, 1, 2, 3]),
    judged_only=st.booleans(),
)
def test_values_equal_those_of_pytrec_eval(case, measures, level, judged_only):
    """All bits are the same, queries and measures have the same order."""
    qrel, run = case
    expected = theirs.RelevanceEvaluator(qrel, measures, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(qrel, measures, level, judged_only).evaluate(run)
    assert [(query, list(own)) for query, own in found.items()] == [
        (query, list(own)) for query, own in expected.items()
    ]
    for query, values in expected.items():
        for name, value in values.items():
            assert found[query][name] == (0.0 if is_undefined(value, name) else value), name


@pytest.mark.parametrize("name", ["supported_measures", "supported_nicknames"])
def test_the_same_measures_are_supported(name):
    """Both are sets of names, as in pytrec_eval."""
    assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize(
    ("qrel", "measures", "run", "expected"),
    [
        (QREL, {"map"}, {}, {}),
        (QREL, set(), RUN, {"q1": {}, "q2": {}}),
        ({}, {"map"}, RUN, {}),
        ({}, {}, {}, {}),
        ({"q1": {}}, {"map"}, RUN, {}),
    ],
)
def test_nothing_in_is_nothing_out(qrel, measures, run, expected):
    """An empty run, no measures, and no judgments are not errors."""
    assert ours.RelevanceEvaluator(qrel, measures).evaluate(run) == expected


def test_numbers_can_have_any_type():
    """pytrec_eval rejects np.float32 scores, np.int64 grades and fractions."""
    qrel = {"q": {"a": np.int64(2), "b": 0.5, "c": True}}
    run = {"q": {"a": np.float32(0.5), "b": np.float64(2), "c": 1}}
    found = ours.RelevanceEvaluator(qrel, {"ndcg", "recip_rank"}).evaluate(run)
    gains = 0.5 + 1 / math.log2(3) + 2 / math.log2(4)
    ideal = 2 + 1 / math.log2(3) + 0.5 / math.log2(4)
    assert found == {"q": {"recip_rank": 0.5, "ndcg": pytest.approx(gains / ideal)}}


def test_scores_that_are_equal_in_32_bits_are_tied():
    """The higher document id then comes first, as in trec_eval 9."""
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"})
    assert evaluator.evaluate({"q": {"a": 1.00000002, "b": 1.0}}) == {"q": {"recip_rank": 0.5}}
    assert evaluator.evaluate({"q": {"a": 1.0000002, "b": 1.0}}) == {"q": {"recip_rank": 1.0}}


def test_a_query_without_results_scores_0():
    """pytrec_eval returns NaN for interpolated precision, or crashes."""
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"all_trec"})
    found = {name: value for name, value in evaluator.evaluate({"q": {}})["q"].items() if value}
    assert found == {
        "num_q": 1.0, "num_rel": 1.0, "gm_map": math.log(1e-5), "gm_bpref": math.log(1e-5),
    }  # fmt: skip


def test_a_query_of_negative_grades_scores_0():
    """pytrec_eval returns numbers of another query."""
    found = ours.RelevanceEvaluator({"q": {"a": -1}}, {"map", "ndcg"}).evaluate({"q": {"a": 1.0}})
    assert found == {"q": {"map": 0.0, "ndcg": 0.0}}


def test_an_evaluator_can_be_used_again_and_by_several_threads():
    """Every call returns the same values."""
    evaluator = ours.RelevanceEvaluator(QREL, {"ndcg_cut.3", "map"})
    expected = evaluator.evaluate(RUN)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(evaluator.evaluate(RUN))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize("lines", ["q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 1e3 x\nq2\tQ0 d1 1 -1 y\n"])
def test_runs_are_parsed_as_by_pytrec_eval(lines):
    """The result is a defaultdict, so that a missing query has no documents."""
    found = ours.parse_run(io.StringIO(lines))
    assert found == theirs.parse_run(io.StringIO(lines))
    assert found["missing"] == {}


def test_judgments_are_parsed_as_by_pytrec_eval():
    """Grades are whole numbers."""
    lines = ["q1 0 d1 2", "q1 0 d2 -1", "q2 x d1 0"]
    assert ours.parse_qrel(lines) == theirs.parse_qrel(lines)


@pytest.mark.parametrize(
    ("parse", "lines", "message"),
    [
        (ours.parse_run, ["q1 Q0 d1 1 0.5"], "lines:1: expected 6 columns, found 5"),
        (ours.parse_run, ["q Q0 d 1 x tag"], "lines:1: expected a score, found 'x'"),
        (ours.parse_qrel, ["q 0 d 1", "q 0 d 1"], "lines:2: document 'd' twice for query 'q'"),
        (ours.parse_qrel, ["q 0 d 1.5"], "lines:1: expected a whole number, found '1.5'"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(parse, lines, message):
    """The error is a ValueError, as in pytrec_eval."""
    with pytest.raises(FormatError) as caught:
        parse(lines)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)


@given(
    measure=st.sampled_from(["map", "num_ret", "gm_map", "P_5"]),
    values=st.lists(st.floats(-10, 1), min_size=1, max_size=300),
)
@examples(200)
def test_aggregates_equal_those_of_pytrec_eval(measure, values):
    """Sums, geometric means and means have the same bits."""
    expected = theirs.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((QREL, {"mpa"}), UnknownMeasureError, "unknown measure 'mpa': did you mean 'map'?"),
        ((QREL, {"P_x"}), UnknownMeasureError, "unknown measure 'P_x'"),
        ((QREL, {"prefs"}), UnknownMeasureError, "unknown measure 'prefs_"),
        ((QREL, "map"), InputTypeError, "measures: expected a set of names, got str 'map'"),
        (([], {"map"}), InputTypeError, "query_relevance: expected a dict of dicts, got list"),
        ((QREL, {"map"}, 0), InputTypeError, "relevance_level: expected a number, at least 1"),
        (({"q": {"d": "1"}}, {"map"}), InputTypeError, "judgments['q']['d']: expected a number"),
    ],
)
def test_errors_have_the_types_of_pytrec_eval(arguments, error, message):
    """Unsupported measures are a ValueError, and wrong types a TypeError."""
    with pytest.raises(error) as caught:
        ours.RelevanceEvaluator(*arguments)
    assert message in str(caught.value)
    expected = ValueError if error is UnknownMeasureError else TypeError
    assert isinstance(caught.value, expected)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ([], "scores: expected a dict of dicts, got list"),
        ({"q1": ["d1"]}, "run['q1']: expected a mapping"),
        ({"q1": {"d1": "high"}}, "run['q1']['d1']: expected a number, got str 'high'"),
    ],
)
def test_an_invalid_run_is_a_type_error(run, message):
    """The message names the place."""
    with pytest.raises(InputTypeError) as caught:
        ours.RelevanceEvaluator(QREL, {"map"}).evaluate(run)
    assert message in str(caught.value)


def test_beir_returns_the_same_numbers():
    """BEIR asks for cutoffs with one string per measure, adds up, divides and rounds."""
    qrel = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}, "q3": {"d1": 1}}
    run = {"q1": {"d2": 0.9, "d1": 0.5, "d5": 0.7}, "q2": {"d1": 0.1, "d3": 0.05}}
    k_values = [1, 3, 5, 10, 100, 1000]

    def means(tool):
        names = ("map_cut", "ndcg_cut", "recall", "P")
        wanted = {f"{name}.{','.join(map(str, k_values))}" for name in names}
        scores = tool.RelevanceEvaluator(qrel, wanted).evaluate(run)
        totals = {}
        for values in scores.values():
            for name in (f"{name}_{k}" for name in names for k in k_values):
                totals[name] = totals.get(name, 0.0) + values[name]
        return {name: round(total / len(scores), 5) for name, total in totals.items()}

    assert means(ours) == means(theirs)
