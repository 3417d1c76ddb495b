"""Every native kernel is bit-for-bit identical to its Python twin, over sparse rankings."""

import math
import struct
import subprocess
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from berryeval._native import Plan
from berryeval.core.lengths import SizedGrade, length_of
from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.interpolated_precision import average_over_points
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import (
    DCG,
    NDCG,
    Measure,
    NormalisedGain,
    Utility,
    Yaap,
    all_measures,
    parse_measures,
)
from cases import PARAMETERS, parameters_of
from depth import examples

OF_RANKINGS = [measure for measure in all_measures() if not measure.uses_timings]
every_measure = pytest.mark.parametrize("measure", OF_RANKINGS, ids=lambda m: m.name)

HIGHEST = 1e290
JUST_ABOVE_A_TENTH = math.nextafter(0.1, 1)

few_grades = st.integers(0, 4).map(float)
any_grades = st.one_of(
    few_grades,
    st.floats(0.0, 1e6),
    st.floats(0.0, HIGHEST),
    st.sampled_from([0.0, -0.0, 5e-324, 0.1, JUST_ABOVE_A_TENTH, 963.0, 963.5, 964.0, HIGHEST]),
)
no_grades = st.sampled_from([NOT_IN_POOL, UNJUDGED, -0.5, -3.0])

WILD = PARAMETERS | {
    "rel": PARAMETERS["rel"] | st.floats(0.0, HIGHEST),
    "beta": PARAMETERS["beta"] | st.floats(0.0, 1e100),
    "x": PARAMETERS["x"] | st.floats(0.0, HIGHEST),
    "recall": st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]) | st.floats(0.0, 1.0),
    "times": st.sampled_from([0.2, 1.0, 1.1]) | st.floats(1e-9, 1000.0),
    "p": st.floats(0.0, 1.0, exclude_min=True, exclude_max=True),
    "max_grade": st.floats(0.5, 10.0) | st.floats(5e-324, HIGHEST),
    "optional max_grade": st.none() | st.floats(0.5, 10.0) | st.floats(5e-324, HIGHEST),
    "gain": st.sampled_from(["linear", "exp2"])
    | st.dictionaries(few_grades, st.floats(0.0, 20.0), min_size=1)
    | st.dictionaries(any_grades, st.floats(-HIGHEST, HIGHEST), min_size=1),
    "worth": st.tuples(*[st.integers(-2, 2) | st.floats(-HIGHEST, HIGHEST)] * 4),
    "n_documents": st.integers(0, 10**6) | st.floats(0.0, HIGHEST).map(math.floor),
    "T": PARAMETERS["T"] | st.floats(1e-9, 1000.0),
    "min_grade": PARAMETERS["min_grade"] | st.floats(0.0, HIGHEST),
    "halflife": PARAMETERS["halflife"] | st.floats(1e-9, HIGHEST),
    "scan": PARAMETERS["scan"] | st.floats(0.0, 1e9),
    "page": PARAMETERS["page"] | st.floats(0.0, 1e9),
    "pace": PARAMETERS["pace"] | st.floats(0.0, 1e9),
    "L": PARAMETERS["L"] | st.floats(1e-9, 1e18),
    "snippet": PARAMETERS["snippet"] | st.floats(0.0, 1e18),
}
cutoffs = st.none() | st.integers(1, 12) | st.integers(1, 500) | st.integers(1, 2**53)
LOGARITHMS = log2_ranks(1000)
log2_tables = st.sampled_from([0, 1, 7, 1000]).map(lambda size: LOGARITHMS[:size])


@st.composite
def rankings(draw, grades: st.SearchStrategy = any_grades):
    """Draw a ranking, usually short, otherwise with long unjudged gaps."""
    documents = draw(st.lists(grades | no_grades, max_size=30))
    if not draw(st.booleans()):
        return documents
    spread = []
    for grade in documents:
        spread += [NOT_IN_POOL] * draw(st.integers(0, 40)) + [grade]
    return spread + [NOT_IN_POOL] * draw(st.integers(0, 400))


@st.composite
def consistent_cases(draw):
    """Draw a ranking and the grades of all judged documents, including retrieved ones."""
    kind = draw(st.sampled_from([few_grades, any_grades]))
    grades = draw(rankings(kind))
    missed = draw(st.lists(kind, max_size=30))
    return grades, sorted([g for g in grades if g >= 0] + missed, reverse=True)


@st.composite
def inconsistent_cases(draw):
    """Draw both lists independently, a case that no engine produces."""
    judged = draw(st.lists(any_grades | no_grades, max_size=40))
    return draw(rankings()), sorted(judged, reverse=True)


LENGTHS = (120.0, 0.0, 0.1, 31.5, 5e-324, 1e6, 1e18)


def sized(grades: list[float]) -> list[float]:
    """Give every document a length."""
    return [SizedGrade(grade, LENGTHS[i % len(LENGTHS)]) for i, grade in enumerate(grades)]


def bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


def computed(measures: list[Measure], case, table: array = LOGARITHMS) -> list[bytes]:
    calls = [measure.native_call() for measure in measures]
    grades, judged = case
    lengths = [length_of(grade) for grade in sized(grades)]
    return [bits(value) for value in Plan(calls, table).score_lists(grades, judged, lengths)]


def specified(measures: list[Measure], case) -> list[bytes]:
    grades, judged = case
    return [bits(measure.score(sized(grades), judged)) for measure in measures]


def drawn(data, measure: type[Measure]) -> list[Measure]:
    one = parameters_of(measure, k=cutoffs, parameters=WILD)
    return data.draw(st.lists(one, min_size=1, max_size=4), label="measures")


@every_measure
@examples(100)
@given(data=st.data(), case=consistent_cases(), table=log2_tables)
def test_both_twins_give_identical_bits(measure, data, case, table):
    """Any parameters, grades and ranks beyond the table of logarithms give the same 64 bits."""
    measures = drawn(data, measure)
    expected = specified(measures, case)
    assert computed(measures, case, table) == expected
    assert b"nan" not in expected


@every_measure
@examples(50)
@given(data=st.data(), case=inconsistent_cases())
def test_contradictory_lists_give_identical_bits(measure, data, case):
    """More relevant documents may be retrieved than exist."""
    measures = drawn(data, measure)
    try:
        expected = specified(measures, case)
    except (ValueError, ZeroDivisionError):
        assert measure is Yaap  # the log of a negative number
        return
    assert computed(measures, case) == expected


@given(case=consistent_cases())
@example(case=([], []))
@example(case=([NOT_IN_POOL] * 5, []))
@example(case=([UNJUDGED] * 5, [0.0]))
@example(case=([-0.0, 1.0], [1.0, -0.0]))
def test_many_measures_at_once_keep_their_order(case):
    """trec_eval's measures and custom gains are in the order of the calls."""
    measures = [
        *parse_measures("all_trec"),
        NDCG(10, gain="exp2"),
        NDCG(gain={1: 3, 2: 9}),
        NDCG(10),
        *(measure() for measure in OF_RANKINGS),
    ]
    assert computed(measures, case) == specified(measures, case)


@pytest.mark.parametrize("judged", [[3.5, 1 + 25 / 30], [1.1, 1.1], [2.0**53, 1.0], [1e200, 3.0]])
@pytest.mark.parametrize("gap", [1, 10, 100, 1000])
def test_fractional_costs_are_added_one_by_one(judged, gap):
    """Adding 1 a hundred times to a fraction or to 2^53 differs from adding 100."""
    case = ([judged[1], *[NOT_IN_POOL] * gap, judged[0]], judged)
    assert computed([NormalisedGain()], case) == specified([NormalisedGain()], case)


def test_a_zero_keeps_its_sign():
    """The costs of an empty ranking give -0.0."""
    costs = Utility(worth=(-1, -1, -1, -1))
    assert math.copysign(1.0, costs.score([], [])) == -1.0
    assert computed([costs], ([], [])) == specified([costs], ([], []))


def test_powers_of_two_match_python():
    """exp2 of the C library differs from pow in the last bit of one number in a thousand."""
    plan = Plan([DCG(gain="exp2").native_call()], LOGARITHMS)
    grades = [i / 1009 for i in range(20_000)]
    values = [plan.score_lists([grade], [])[0] for grade in grades]
    assert values == [2.0**grade - 1.0 for grade in grades]


@examples(100)
@given(
    case=consistent_cases(),
    points=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=12).map(sorted),
    level=st.integers(0, 3),
    rounding=st.sampled_from(["up", "nearest"]),
)
def test_any_recall_points_can_be_averaged_over(case, points, level, rounding):
    """trec_eval's 11pt_avg accepts other points, and whole numbers."""
    call = ("average_over_points", {"points": points, "level": level, "rounding": rounding})
    expected = average_over_points(*case, points, level, rounding)
    assert Plan([call], log2_ranks(1)).score_lists(*case) == [expected]


@every_measure
def test_every_measure_has_a_native_kernel(measure):
    """No built-in measure is left to Python."""
    call = measure().native_call()
    assert call is not None
    assert len(Plan([call], log2_ranks(1))) == 1


def test_threads_may_share_a_plan():
    """Scoring does not change it."""
    measures = [*parse_measures("all_trec"), NDCG(gain="exp2"), NDCG(gain={0: 4, 1: 2})]
    plan = Plan([measure.native_call() for measure in measures], log2_ranks(100))
    judged = [3.0, 2.0, 2.0, 1.0, 0.0]
    rankings = [[float((i * j) % 5 - 1) for j in range(1, 200 + i)] for i in range(64)]
    alone = [plan.score_lists(grades, judged) for grades in rankings]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda grades: plan.score_lists(grades, judged), rankings))
    assert together == alone


LEVEL = {"level": 1.0}
AT_5 = {"k": 5, "level": 1.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("velocity", {}), "no kernel is called velocity"),
        (("recall", LEVEL), "kernel recall: argument k does not fit"),
        (("bpref", AT_5), "kernel bpref: argument k does not fit"),
        (("recall", AT_5 | {"k": "5"}), "argument k"),
        (("recall", AT_5 | {"k": -1}), "argument k"),
        (("recall", AT_5 | {"k": 2**60}), "argument k"),
        (("recall", AT_5 | {"level": None}), "argument level"),
        (("recall", AT_5 | {"level": -1.0}), "argument level"),
        (("recall", AT_5 | {"level": math.nan}), "argument level"),
        (("ndcg", AT_5 | {"gain": "cubic"}), "argument gain"),
        (("ndcg", AT_5 | {"gain": 2.0}), "argument gain"),
        (("eleven_point_average", LEVEL | {"rounding": "down"}), "argument rounding"),
        (("utility", LEVEL | {"n_documents": 0, "worth": (1.0, 2.0)}), "argument worth"),
        (("average_over_points", LEVEL | {"rounding": "up", "points": ()}), "argument points"),
        (("recall", AT_5 | {"judged_only": 0.5}), "argument judged_only"),
        (("compatibility", {"p": 0.5, "normalise": 2.0}), "argument normalise"),
        (("inst", {"goal": 1.0, "min_grade": 2.0, "max_grade": 2.0}), "argument max_grade"),
    ],
)
def test_an_invalid_call_is_rejected(call, message):
    """The error is raised when the plan is created."""
    with pytest.raises(ValueError, match=message):
        Plan([call], log2_ranks(1))


def test_a_plan_does_not_import_numpy():
    """Evaluating files must not wait for it."""
    program = (
        "import sys; from berryeval import _native; from berryeval.kernels import discounts\n"
        "plan = _native.Plan([('n_queries', {})], discounts.log2_ranks(9))\n"
        "assert plan.score_lists([1.0], [1.0]) == [1.0]\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
