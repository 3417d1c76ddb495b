"""Agreement of judges: weighted kappa and Krippendorff's alpha."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import ArgumentError
from berryeval.stats import krippendorff_alpha, weighted_kappa

GRADES = st.integers(0, 3)

# Krippendorff (2011), section C: four observers, twelve units, some values missing.
OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
UNITS = [
    [int(value) for value in column if value != "."]
    for column in zip(*(line.split() for line in OBSERVERS), strict=True)
]


def kappa_by_definition(pairs, power):
    """Return 1 minus the mean distance of pairs, over that of all combinations."""
    seen = [abs(a - b) ** power for a, b in pairs]
    mixed = [abs(a - b) ** power for (a, _), (_, b) in product(pairs, pairs)]
    return 1 - (sum(seen) / len(seen)) / (sum(mixed) / len(mixed))


def alpha_by_definition(units, distance):
    """Return 1 minus the mean distance within units, over that of all values."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    within = sum(
        distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)
    )
    across = [distance(a, b) for a, b in permutations(values, 2)]
    return 1 - (within / len(values)) / (sum(across) / len(across))


def ordinal_distance(values):
    """Return Krippendorff's distance: values in between and half of both ends, squared."""

    def distance(a, b):
        low, high = min(a, b), max(a, b)
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(a) + values.count(b)) / 2) ** 2 if a != b else 0

    return distance


def test_kappa_matches_the_textbook():
    """By hand, 100 pairs have an observed disagreement of 0.35, and 0.795 by chance."""
    table = {(0, 0): 40, (0, 1): 10, (1, 0): 5, (1, 1): 20, (1, 2): 5, (2, 1): 5, (2, 2): 10,
             (0, 2): 5}  # fmt: skip
    pairs = [pair for pair, times in table.items() for _ in range(times)]
    found = weighted_kappa(pairs)
    assert found.value == pytest.approx(1 - 0.35 / 0.795)
    assert found.n == 100


def test_with_two_grades_kappa_is_unweighted():
    """Fifty proposals, 20 yes from both and 15 no from both: kappa is 0.4."""
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert weighted_kappa(pairs).value == pytest.approx(0.4)
    assert weighted_kappa(pairs, "quadratic").value == pytest.approx(0.4)


def test_a_far_disagreement_costs_more_than_a_near_one():
    """Grades 0 and 3 are three times as far as 2 and 3, and nine times squared."""
    agreed = [(0, 0), (3, 3), (1, 1), (2, 2)] * 5
    near, far = [*agreed, (2, 3)], [*agreed, (0, 3)]
    assert weighted_kappa(far).value < weighted_kappa(near).value < 1
    assert weighted_kappa(far, "quadratic").value < weighted_kappa(far).value


@pytest.mark.parametrize(("weights", "power"), [("linear", 1), ("quadratic", 2)])
@given(pairs=st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=12))
def test_kappa_matches_its_definition(weights, power, pairs):
    """Every pair is compared with every other, without shortcuts."""
    found = weighted_kappa(pairs, weights)
    if len({grade for pair in pairs for grade in pair}) == 1:
        assert found.value is None
        assert found.reason == "both gave the same grade everywhere"
    else:
        assert found.value == pytest.approx(kappa_by_definition(pairs, power), abs=1e-12)


def test_kappa_is_undefined_if_chance_cannot_disagree():
    """X9: there is no NaN, and the reason is reported."""
    assert weighted_kappa([]).reason == "no pair was graded by both"
    found = weighted_kappa([(0, 0), (0, 0)])
    assert (found.value, found.n) == (None, 2)
    assert weighted_kappa([(0, 1), (0, 1)]).value == 0.0


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_matches_the_published_example(level, published):
    """It is Krippendorff's own example, with four observers and missing values."""
    found = krippendorff_alpha(UNITS, level)
    assert found.value == pytest.approx(published, abs=5e-4)
    assert found.n == 11  # the last unit has one value


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@given(units=st.lists(st.lists(GRADES, max_size=4), max_size=8))
def test_alpha_matches_its_definition(level, units):
    """Every value is compared with every other, without shortcuts."""
    found = krippendorff_alpha(units, level)
    values = [value for unit in units if len(unit) > 1 for value in unit]
    if len(set(values)) < 2:
        assert found.value is None
        assert found.reason
        return
    distance = {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal_distance(values),
        "interval": lambda a, b: (a - b) ** 2,
    }[level]
    assert found.value == pytest.approx(alpha_by_definition(units, distance), abs=1e-12)


def test_alpha_is_undefined_if_nothing_was_graded_twice():
    """X9: there is no NaN, and the reason is reported."""
    assert krippendorff_alpha([[1], [2]]).reason == "nothing was graded by two judges"
    found = krippendorff_alpha([[1, 1], [1, 1, 1], [2]])
    assert (found.value, found.n) == (None, 2)
    assert found.reason == "all gave the same grade everywhere"


def test_the_order_of_judges_and_units_does_not_matter():
    """The same opinions give identical bits."""
    units = [[0.1, 0.7, 2.3], [0.1, 0.1], [2.3, 0.7], [1.9, 2.3, 0.7, 0.1]]
    mixed = [unit[1:] + unit[:1] for unit in reversed(units)]
    for level in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha(units, level) == krippendorff_alpha(mixed, level)


def test_unknown_weights_and_levels_are_rejected():
    """The message lists the known ones."""
    with pytest.raises(ArgumentError, match="weights: expected 'linear' or 'quadratic'"):
        weighted_kappa([(0, 1)], "cubic")
    with pytest.raises(ArgumentError, match="level: expected 'nominal', 'ordinal' or 'interval'"):
        krippendorff_alpha([[0, 1]], "ratio")
