"""Stratified samples."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from berryeval.judges.sampling import allocate, draw_stratified


def test_rare_strata_are_drawn_as_often_as_frequent_ones():
    """Ten of 100 are drawn, and all of three."""
    strata = ["frequent"] * 100 + ["rare"] * 3
    drawn = draw_stratified(strata, 13, seed=1)
    assert Counter(strata[position] for position, _ in drawn) == {"frequent": 10, "rare": 3}
    assert {strata[position]: chance for position, chance in drawn} == {
        "frequent": 0.1,
        "rare": 1.0,
    }


@given(st.lists(st.sampled_from("abc")), st.integers(0, 40), st.integers())
def test_weights_of_a_sample_add_up_to_the_population(strata, n, seed):
    """The inverse probabilities count every stratum that was drawn from."""
    drawn = draw_stratified(strata, n, seed)
    assert len(drawn) == min(n, len(strata))
    assert drawn == draw_stratified(strata, n, seed)
    for name, size in Counter(strata).items():
        own = [1 / chance for position, chance in drawn if strata[position] == name]
        assert not own or abs(sum(own) - size) < 1e-9


def test_the_seed_decides():
    """Another seed draws other pairs."""
    assert draw_stratified([0] * 1000, 10, seed=1) != draw_stratified([0] * 1000, 10, seed=2)
    assert allocate({}, 5) == {}
