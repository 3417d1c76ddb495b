"""Custom measures."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from berryeval import evaluate
from berryeval.errors import ArgumentError, InputTypeError, UnknownMeasureError
from berryeval.measures import _base, all_measures, define_measure, find_measure, parse_measure


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Remove the measures that a test defines."""
    monkeypatch.setattr(_base, "_DEFINED", [])


def share_above_0(grades, judged):
    """Return the documents with a grade above 0, divided by all judged ones."""
    return sum(grade > 0 for grade in grades) / max(len(judged), 1)


def test_a_function_becomes_a_measure():
    """It is parsed by its name, ignoring case, and printed like any other."""
    ours = define_measure("Liked", share_above_0, title="Liked share", definition="As it says.")
    assert parse_measure("Liked") == parse_measure("liked") == ours()
    assert str(parse_measure("liked@2")) == "Liked@2"
    assert find_measure("Liked share") is ours
    assert ours.definition == "As it says."
    assert ours().native_call() is None


def test_the_cutoff_is_applied_before_the_function():
    """The function receives only the first k documents."""
    define_measure("Liked", share_above_0)
    grades, judged = [1.0, 0.0, 2.0, -1.0], [2.0, 1.0, 0.0]
    assert parse_measure("Liked").score(grades, judged) == 2 / 3
    assert parse_measure("Liked@2").score(grades, judged) == 1 / 3


def test_it_has_the_declarations_of_other_measures():
    """Bounds, direction and mean are as passed, or have defaults."""
    cost = define_measure(
        "Cost", lambda _g, _j: 7, bounds=(0, 100), higher_is_better=False, aggregate="sum"
    )
    assert (cost.bounds, cost.higher_is_better, cost.aggregate) == ((0.0, 100.0), False, "sum")
    assert cost().score([], []) == 7.0
    usual = define_measure("Usual", share_above_0)
    assert (usual.bounds, usual.higher_is_better, usual.aggregate) == ((0.0, 1.0), True, "mean")
    assert all(text.endswith(".") for text in (usual.definition, usual.use_when, usual.avoid_when))


def test_it_is_a_value_that_can_be_pickled():
    """The other process finds it by name if it also defined it."""
    measure = define_measure("Liked", share_above_0)(5)
    sent = pickle.dumps(measure)
    assert pickle.loads(sent) == measure  # noqa: S301 - our own bytes
    assert len({measure, pickle.loads(sent)}) == 1  # noqa: S301 - our own bytes
    _base._DEFINED.clear()
    with pytest.raises(UnknownMeasureError, match="'Liked'"):
        pickle.loads(sent)  # noqa: S301 - our own bytes


def test_it_is_not_among_the_built_in_measures():
    """The reference and the command line show only built-in ones."""
    assert define_measure("Liked", share_above_0) not in all_measures()


@pytest.mark.parametrize(
    "name", ["nDCG", "NDCG", "map", "P", "official", "ndcg_burges", "SetP", "P_5", "Bpref"]
)
def test_a_name_that_is_taken_is_rejected(name):
    """Measures, aliases, nicknames and spellings of other tools are taken."""
    with pytest.raises(ArgumentError, match="name: expected a name that is not in use, got"):
        define_measure(name, share_above_0)


def test_a_name_can_be_defined_once():
    """Two functions with one name would be ambiguous."""
    define_measure("Liked", share_above_0)
    with pytest.raises(ArgumentError, match="expected a name that is not in use, got 'LIKED'"):
        define_measure("LIKED", share_above_0)
    with pytest.raises(ArgumentError, match="expected a name that is not in use, got 'liked'"):
        define_measure("Other", share_above_0, title="Liked")


@pytest.mark.parametrize("name", ["", "2nd", "my measure", "a@b", "a-l2", "a.b", "ä?"])
def test_a_name_that_cannot_be_parsed_is_rejected(name):
    """Letters, digits and underscores are allowed."""
    with pytest.raises(ArgumentError, match="name: expected a name of letters"):
        define_measure(name, share_above_0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, share_above_0), {}, "name: expected a name of letters.*got int 3"),
        (("Mine", 3), {}, "function: expected a function"),
        (("Mine", share_above_0), {"bounds": (1, 0)}, "bounds: expected a lower and a higher"),
        (("Mine", share_above_0), {"aggregate": "median"}, "aggregate: expected 'mean', 'sum' or"),
    ],
)
def test_an_invalid_function_is_rejected_at_once(arguments, options, message):
    """The error is not delayed until the first query is scored."""
    with pytest.raises((ArgumentError, InputTypeError), match=message):
        define_measure(*arguments, **options)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("high", "value of Mine@3: expected a number, got str 'high'"),
        (None, "value of Mine@3: expected a number, got NoneType None"),
        (float("nan"), "value of Mine@3: expected a number, got NaN"),
        (2, "value of Mine@3: expected a number within its bounds, 0 to 1, got 2"),
        (-0.5, "value of Mine@3: expected a number within its bounds, 0 to 1, got -0.5"),
    ],
)
def test_a_function_that_returns_no_number_is_reported(value, message):
    """A NaN would silently invalidate every mean."""
    measure = define_measure("Mine", lambda _g, _j: value)(3)
    with pytest.raises((ArgumentError, InputTypeError), match=message):
        measure.score([1.0], [1.0])


def test_the_query_of_an_invalid_value_is_named():
    """Intervals are limited to the bounds, so a mean beyond them would have an impossible one."""
    define_measure("Found", lambda grades, _j: float(len(grades)))
    run = {"q1": ["a"], "q2": ["a", "b"]}
    message = r"value of Found for query 'q2': expected a number within its bounds, 0 to 1, got 2"
    with pytest.raises(ArgumentError, match=message):
        evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, run, "Found")
    define_measure("Nearly", lambda _g, _j: 1 + 1e-12)
    assert evaluate({"q1": {"a": 1}}, run, "Nearly")["Nearly"].mean == pytest.approx(1)


def test_one_of_many_threads_gets_the_name():
    """The others get an error that it is taken."""

    def define(_: int) -> bool:
        try:
            define_measure("Raced", share_above_0)
        except ArgumentError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(define, range(32))) == 1
