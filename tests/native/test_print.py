"""Lines printed by C++ equal those of printf."""

from array import array
from functools import reduce
from operator import add

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from berryeval.backend import backend

if backend().name != "native":
    pytest.skip("there is no extension to compare with", allow_module_level=True)

from berryeval import _native
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine.session import Session
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.trec_eval.report import relstring
from depth import examples

numbers = (
    st.floats(allow_nan=False)
    | st.floats(0.0, 1.0)
    | st.integers(0, 20000).map(lambda n: n / 20000)
)


@examples(1000)
@given(numbers)
@example(-0.0)
@example(-0.00001)
@example(0.00005)
@example(0.12345)
@example(1e308)
@example(99.99995)
@example(99999.99999)
@example(100000.0)
@example(0.5 / 10000)
@example(1.5 / 10000)
@example(12.34565)
def test_numbers_have_four_decimals(number):
    """Rounding is exact as in printf, with at least six characters."""
    printed = _native.print_rows([b"q"], [(b"map", array("d", [number]), False)])
    assert printed == b"map\tq\t%6.4f\n" % number


@given(st.integers(-(2**53), 2**53))
def test_counts_have_no_decimals(number):
    """They are whole numbers."""
    printed = _native.print_rows([b"q"], [(b"num_ret", array("d", [number]), True)])
    assert printed == b"num_ret\tq\t%d\n" % number


def test_queries_are_printed_in_order():
    """Each has all of its columns, numbers and words."""
    columns = [(b"a", array("d", [0.5, 1.0]), False), (b"b", [b"'1-'", b"''"], False)]
    assert _native.print_rows([b"q1", b"\xff%s"], columns) == (
        b"a\tq1\t0.5000\nb\tq1\t'1-'\na\t\xff%s\t1.0000\nb\t\xff%s\t''\n"
    )


def test_columns_must_have_a_value_for_each_query():
    """No memory outside of the arrays is read."""
    with pytest.raises(ValueError, match="sizes differ"):
        _native.print_rows([b"q1", b"q2"], [(b"a", array("d", [0.5]), False)])


@given(st.lists(st.floats(allow_nan=False)))
def test_totals_are_added_from_left_to_right(numbers):
    """The order of the twin gives identical bits."""
    expected = reduce(add, numbers, 0.0)
    assert repr(_native.add_up(array("d", numbers))) == repr(expected)


@given(st.lists(st.sampled_from([-3, -1, 0, 1, 2, 9, 10, 11, None]), max_size=8), st.integers(0, 9))
def test_relstrings_equal_those_of_the_twin(grades, length):
    """Each of the first documents has a letter: its grade, or why it has none."""
    judged = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
    run = Run.from_dict({"q": {f"d{i}": -float(i) for i in range(len(grades))}})
    session = Session(Judgments.from_dict({"q": judged | {"other": 1}}), [], n_grades=length)
    session.score_run(run)
    seen = [NOT_IN_POOL if grade is None else grade if grade >= 0 else UNJUDGED for grade in grades]
    assert session.board.relstrings(length) == [relstring(seen[:length])]
