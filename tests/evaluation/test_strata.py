"""Stratified queries: differences between strata do not count as chance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berryeval import ArgumentError, Query, compare, evaluate, gate
from berryeval.evaluation.all_pairs import all_pairs
from berryeval.evaluation.deciding import Column, estimate_family, widened
from berryeval.evaluation.detection import detection_in
from berryeval.evaluation.margins import margin_p_values
from berryeval.evaluation.power import sensitivity
from berryeval.evaluation.sampling import PLAIN, Sampling, sampling_of
from berryeval.evaluation.standing import standings
from berryeval.evaluation.weighting import scaled
from berryeval.stats import mean_of, simultaneous_intervals
from depth import IS_DEEP
from evaluation.gating_cases import ids, judged, only, ranked

BEFORE = [3] * 90
AFTER = [4] * 28 + [3] * 2 + [3, 2, 4] * 10 + [2] * 28 + [3] * 2
"""How-to questions gain, error codes lose, others stay: three strata of thirty."""

KINDS = ("howto", "other", "errors")


def in_strata(kinds=KINDS, size=30, **labels):
    """Return queries in consecutive strata of `size`."""
    names = [kind for kind in kinds for _ in range(size)]
    return [
        Query(query_id, query_id, category=kind, stratum=kind, **labels)
        for query_id, kind in zip(ids(len(names)), names, strict=True)
    ]


def compared(before, after, queries=(), measures="P@5", **options):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    return compare(judged(len(before)), runs, measures, queries=queries, **options)


def by_hand(values, shares, strata):
    """Return the error of a stratified mean, term by term."""
    parts = [values[np.array(strata) == one] for one in shares]
    terms = zip(shares.values(), parts, strict=True)
    return np.sqrt(sum(share**2 * part.var(ddof=1) / len(part) for share, part in terms))


def test_the_interval_of_a_comparison_uses_strata():
    """The difference is unchanged, and a note explains the interval."""
    plain, found = compared(BEFORE, AFTER), compared(BEFORE, AFTER, in_strata())
    [before], [after] = plain.differences, found.differences
    strata = [kind for kind in KINDS for _ in range(30)]
    expected = mean_of(after.values, strata=strata)
    assert after.mean == before.mean
    assert (after.interval, after.p_value) == (expected.interval(), expected.p_value())
    assert expected.standard_error == pytest.approx(
        by_hand(after.values, dict.fromkeys(KINDS, 1 / 3), strata)
    )
    assert after.interval.high - after.interval.low < before.interval.high - before.interval.low
    note = "The queries come from 3 strata; only the spread within them counts."
    assert note in found.notes
    assert note not in plain.notes


def test_shares_are_those_of_the_weights():
    """Half of the traffic is how-to questions, but only a third of the queries."""
    queries = [
        Query(one.query_id, "", stratum=one.stratum, weight={"howto": 2}.get(one.stratum, 1))
        for one in in_strata()
    ]
    [found] = compared(BEFORE, AFTER, queries).differences
    sample = found.column_of(found.values).sample
    shares = {"howto": 0.5, "other": 0.25, "errors": 0.25}
    strata = [query.stratum for query in queries]
    assert sample.standard_error == pytest.approx(by_hand(found.values, shares, strata))
    assert found.mean == pytest.approx(0.5 * 0.2 * 28 / 30 - 0.25 * 0.2 * 28 / 30)


def test_a_gate_uses_the_spread_within_strata():
    """Kinds differ but cancel out: only the stratified test can decide."""
    plain = gate(compared(BEFORE, AFTER), margin=0.03)
    found = gate(compared(BEFORE, AFTER, in_strata()), margin=0.03)
    assert (plain.verdict, found.verdict) == ("inconclusive", "pass")
    assert only(found).value == only(plain).value


def test_slices_are_stratified():
    """A slice within one stratum is unaffected, and one across several is stratified."""
    halves = [
        Query(one.query_id, "", category=one.category, stratum=one.stratum,
              difficulty=("easy", "hard")[number % 2])
        for number, one in enumerate(in_strata())
    ]  # fmt: skip
    found = compared(BEFORE, AFTER, halves, slices=["category", "difficulty"])
    for difference in found.sliced:
        strata = [halves[row].stratum for row in difference.rows]
        expected = mean_of(difference.values, strata=strata)
        assert difference.column_of(difference.values).sample == expected
        if difference.slice.label == "category":
            assert expected == mean_of(difference.values)


def test_families_are_stratified():
    """Other measures and all pairs match `simultaneous_intervals`."""
    chance = np.random.default_rng(5)
    values = chance.normal(0, 0.2, 60) + np.repeat([0.5, -0.5], 30)
    sampling = Sampling(strata=("a",) * 30 + ("b",) * 30)
    rows = list(range(5, 55))
    columns = [
        Column(values, sampling=sampling),
        Column(-values[rows], rows, sampling=sampling.take(rows)),
    ]
    present = np.ones((60, 2), dtype=bool)
    present[:, 1] = np.isin(np.arange(60), rows)
    both = np.column_stack([values, np.where(present[:, 1], -values, 0.0)])
    expected = simultaneous_intervals(both, present=present, strata=sampling.strata)
    found = estimate_family(columns, sampling=sampling)
    assert [one.interval for one in found] == [member.interval for member in expected]
    assert [one.p_value for one in found] == [member.p_value for member in expected]
    comparison = compared(BEFORE, AFTER, in_strata(), measures=["P@5", "RR"])
    [pair, *_] = all_pairs(comparison)
    assert pair.difference.interval == comparison.differences[0].interval


def test_means_and_run_pages_use_strata():
    """This includes the interval of a mean, and the comparison with another run."""
    queries = in_strata()
    both = [evaluate(judged(90), ranked(one), "P@5", queries=queries) for one in (BEFORE, AFTER)]
    found = both[1]["P@5"]
    strata = [query.stratum for query in queries]
    assert found.interval == mean_of([*found.values], strata=strata).interval()
    assert found.mean == evaluate(judged(90), ranked(AFTER), "P@5")["P@5"].mean
    [standing] = standings(both[1], both[0])
    assert standing.change.interval == compared(BEFORE, AFTER, queries).differences[0].interval


def test_power_uses_the_stratified_error():
    """The spread per query follows from it, and a margin requires fewer queries."""
    runs = {"against": ranked(AFTER), "margins": [0.03]}
    [plain] = sensitivity(judged(90), ranked(BEFORE), "P@5", **runs)
    [found] = sensitivity(judged(90), ranked(BEFORE), "P@5", **runs, queries=in_strata())
    [difference] = compared(BEFORE, AFTER, in_strata()).differences
    sample = difference.column_of(difference.values).sample
    assert found.spreads[0].sd == pytest.approx(sample.standard_error * np.sqrt(90))
    assert found.spreads[0].sd < plain.spreads[0].sd
    assert found.spreads[0].needed[0][1] < plain.spreads[0].needed[0][1]
    assert plain.spreads[0].needed_ranges[0] is not None
    assert found.spreads[0].needed_ranges == (None,)  # known only for one sample of equal queries


def test_assumed_differences_do_not_depend_on_strata():
    """Differences between strata are part of the correlation of both systems."""
    plain = sensitivity(judged(90), ranked(AFTER), "P@5")
    assert sensitivity(judged(90), ranked(AFTER), "P@5", queries=in_strata()) == plain


@pytest.mark.parametrize("strata", [["a", "b"] * 30, [*"ab"] * 10 + [*map(str, range(40))]])
def test_noise_is_added_even_if_a_stratum_does_not_vary(strata):
    """Equal differences within strata do not rule out noise."""
    sampling = Sampling(strata=tuple(strata))
    values = np.array([0.1 if one == "a" else 0.0 for one in strata])
    before, after = sampling.mean_of(values), sampling.mean_of(widened(values, 0.05, sampling))
    assert before.standard_error == 0.0
    assert after.standard_error == pytest.approx(0.05)
    assert after.mean == pytest.approx(before.mean)


def test_noise_is_added_to_the_error_of_strata():
    """Variances add up."""
    values = np.random.default_rng(1).normal(0.0, 0.2, 60)
    sampling = Sampling(strata=("a",) * 20 + ("b",) * 40)
    before, after = (
        sampling.mean_of(widened(values, noise, sampling)).standard_error for noise in (0.0, 0.05)
    )
    assert after**2 == pytest.approx(before**2 + 0.05**2)


def test_queries_without_a_stratum_form_one():
    """A set without any strata is unaffected."""
    known = {one.query_id: one for one in [Query("q1", "", stratum="a"), Query("q2", "")]}
    sampling = sampling_of(known, ["q1", "q2", "unknown"])
    assert sampling.strata == ("a", None, None)
    assert sampling.take([1, 2]).strata == (None, None)
    assert sampling_of(known, ["q2", "unknown"]) is PLAIN
    values = np.random.default_rng(2).normal(size=40)
    some, named = (Sampling(strata=("a",) * 15 + (rest,) * 25) for rest in (None, "b"))
    assert some.mean_of(values) == named.mean_of(values)


rows_of_queries = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(1e-3, 1e3), st.sampled_from(["a", "b", None])),
    min_size=2,
    max_size=20,
)


@settings(deadline=None)
@given(rows=rows_of_queries, is_weighted=st.booleans())
def test_strata_do_not_change_any_mean(rows, is_weighted):
    """Shown and tested means are weighted means."""
    values, weights, strata = zip(*rows, strict=True)
    weights = scaled(weights) if is_weighted else None
    plain, found = Sampling(weights=weights), Sampling(weights=weights, strata=strata)
    assert found.mean_over(np.array(values)) == plain.mean_over(np.array(values))
    sample = found.mean_of(np.array(values))
    if sample is not None:
        assert sample.mean == plain.mean_of(np.array(values)).mean
        assert sample.mean == pytest.approx(plain.mean_over(np.array(values)), abs=1e-12)


@pytest.mark.parametrize("size", [1e-150, 1e-110, 1e-60, 1.0])
def test_tiny_differences_have_the_skewness_of_large_ones(size):
    """Squares and cubes of their errors would vanish."""
    values = np.array([0.1, 0.4, 0.2, 0.9, 0.3, 0.35, 0.8, 0.1])
    strata = ["a"] * 4 + ["b"] * 4
    large, tiny = (mean_of(one, strata=strata) for one in (values, values * size))
    assert tiny.skewness == pytest.approx(large.skewness)
    assert tiny.degrees_of_freedom == pytest.approx(large.degrees_of_freedom)
    assert tiny.standard_error == pytest.approx(large.standard_error * size)


def test_a_group_in_two_strata_is_an_error():
    """Every computation names it; queries without a stratum form their own."""
    queries = [
        Query("q000", "", group="oauth", stratum="howto"),
        Query("q001", "", group="oauth"),
    ]
    message = (
        "group 'oauth': expected queries of one stratum, got 'q000' in 'howto' and 'q001' in none"
    )
    for compute in (lambda: evaluate(judged(2), ranked([1, 2]), "P@5", queries=queries),
                    lambda: compared([1, 2], [1, 2], queries)):  # fmt: skip
        with pytest.raises(ArgumentError) as caught:
            compute()
        assert str(caught.value) == message


def test_many_small_strata_have_a_spread():
    """Strata of two queries each have as many units as queries."""
    strata = tuple(f"s{number // 2}" for number in range(60))
    values = np.random.default_rng(3).normal(0, 0.1, 60) + np.repeat(np.linspace(-1, 1, 30), 2)
    found = detection_in([Column(values, sampling=Sampling(strata=strata))], margin=0.1)
    assert (found.n_queries, found.n_changed) == (60, 60)
    assert found.sd < detection_in([Column(values)], margin=0.1).sd / 3


@pytest.mark.parametrize("sizes", [(50, 30, 40), (2,) * 50])
def test_strata_that_differ_much_keep_the_error_at_alpha(sizes):
    """At a drop of the margin with left-skewed differences, false passes are as rare as promised.

    Without strata nothing passes falsely either, but intervals are far wider than necessary.
    The bound is 0.06 plus three standard errors of the simulation.
    """
    chance = np.random.default_rng(7)
    n_draws, n_passed, widths = 600 if IS_DEEP else 200, 0, []
    number = np.repeat(np.arange(len(sizes)), sizes)
    shares, means = np.linspace(1, 2, len(sizes)), np.linspace(-0.5, 0.3, len(sizes))
    weights = (shares / sizes)[number]
    drop = -np.average(means, weights=shares)
    strata = tuple(map(str, number))
    stratified, plain = (
        Sampling(weights=scaled(weights.tolist()), strata=s) for s in (strata, None)
    )
    for _ in range(n_draws):
        values = means[number] + chance.normal(0.12 * 0.4, 0.05, len(number))
        is_lost = chance.random(len(number)) < 0.12
        values[is_lost] -= chance.beta(2, 3, is_lost.sum())
        found, wide = stratified.mean_of(values), plain.mean_of(values)
        n_passed += margin_p_values(found, drop, 0.0).passing <= 0.05
        widths.append(wide.standard_error / found.standard_error)
    assert n_passed / n_draws <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / n_draws)
    assert np.mean(widths) > 1.4
