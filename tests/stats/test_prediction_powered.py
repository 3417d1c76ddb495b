"""Prediction-powered means, checked by enumeration, by hand and by simulation."""

from itertools import combinations

import numpy as np
import pytest

from berryeval.errors import ArgumentError
from berryeval.stats import allocate_labels, correct_scores, mean_of, powered_mean
from berryeval.stats.prediction_powered import MIN_DIFFERING

NAN = float("nan")


def noisy_queries(seed=0, n_queries=400, n_labelled=60):
    """Return scores by people, NaN where unlabelled, and by a model that errs on most queries."""
    random = np.random.default_rng(seed)
    truth = random.beta(2, 3, n_queries)
    model = 0.1 + 0.8 * truth + random.normal(0, 0.1, n_queries)
    people = np.full(n_queries, NAN)
    labelled = random.choice(n_queries, n_labelled, replace=False)
    people[labelled] = truth[labelled]
    return people, model


def test_the_mean_is_the_models_plus_the_correction():
    """It is lambda mean_N(f) + mean_n(Y - lambda f), with the stated variance and n - 2 degrees."""
    people, model = noisy_queries()
    is_labelled = ~np.isnan(people)
    y, f = people[is_labelled], model[is_labelled]
    found = powered_mean(people, model)
    weight = np.cov(y, f)[0, 1] / f.var(ddof=1)
    assert found.weight == pytest.approx(weight)
    residuals = y - weight * f
    assert found.sample.mean == pytest.approx(weight * model.mean() + residuals.mean())
    spread = residuals.var(ddof=1) * 59 / 58  # lambda was fitted
    variance = y.var(ddof=1) / 400 + (1 / 60 - 1 / 400) * spread
    assert found.sample.standard_error == pytest.approx(np.sqrt(variance))
    assert found.sample.degrees_of_freedom == 58
    assert (found.n_labelled, found.n_queries, found.sample.n) == (60, 400, 60)


@pytest.mark.parametrize(
    ("weight", "mean", "low", "high"),
    [
        (1.0, 0.49539330721471025, 0.4642489232762661, 0.5265376911531544),
        (0.4, 0.4923157387274683, 0.44507441353442634, 0.5395570639205103),
    ],
)
def test_it_matches_ppi_python(weight, mean, low, high):
    """Samples of ppi-python 0.2.3 are not nested, so its lambda is ours times 1 - n/N.

    Its variance takes the spread of the model's scores from the 340 unlabelled queries, ours from
    the 60 labelled ones, and it divides by n. With both adapted, 90% intervals have its width.
    """
    i, j = np.arange(60), np.arange(340)
    y = (i * 37 % 101) / 101
    f = 0.1 + 0.7 * y + 0.2 * ((i * 53 % 89) / 89)
    unlabelled = 0.1 + 0.7 * ((j * 41 % 103) / 103) + 0.2 * ((j * 29 % 97) / 97)
    people = np.concatenate([y, np.full(340, NAN)])
    found = powered_mean(people, np.concatenate([f, unlabelled]), weight=weight).sample
    assert found.mean == pytest.approx(mean, abs=1e-12)
    theirs = weight * 340 / 400
    variance = ((high - low) / 2 / 1.6448536269514722) ** 2
    adapted = variance + theirs**2 * (f.var() - unlabelled.var()) / 340
    assert found.standard_error**2 == pytest.approx(adapted * 60 / 59, rel=1e-9)


def test_a_fixed_weight_has_the_plain_variance():
    """At lambda = 1 the variance is S2_Y / N + (1/n - 1/N) S2_(Y - f)."""
    people, model = noisy_queries()
    is_labelled = ~np.isnan(people)
    y, f = people[is_labelled], model[is_labelled]
    found = powered_mean(people, model, weight=1.0).sample
    variance = y.var(ddof=1) / 400 + (1 / 60 - 1 / 400) * (y - f).var(ddof=1)
    assert found.mean == pytest.approx(model.mean() + (y - f).mean())
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    of_set = powered_mean(people, model, weight=1.0, inference="set").sample
    assert of_set.standard_error == pytest.approx(np.sqrt((1 / 60 - 1 / 400) * (y - f).var(ddof=1)))


@pytest.mark.parametrize("inference", ["population", "set"])
def test_at_weight_one_every_draw_together_is_unbiased(inference):
    """Averaged over all ways to draw 10 of 13 queries, mean and variance are those of the draw."""
    random = np.random.default_rng(3)
    truth, model = random.beta(1, 3, 13), random.beta(2, 2, 13)
    means, variances = [], []
    for labelled in combinations(range(13), 10):
        people = np.full(13, NAN)
        people[list(labelled)] = truth[list(labelled)]
        found = powered_mean(people, model, weight=1.0, inference=inference).sample
        means.append(found.mean)
        variances.append(found.standard_error**2)
    assert np.mean(means) == pytest.approx(truth.mean(), abs=1e-12)
    of_draw = np.var(means)
    of_queries = truth.var(ddof=1) / 13 if inference == "population" else 0.0
    assert np.mean(variances) == pytest.approx(of_draw + of_queries)


def test_the_skewness_of_a_set_is_that_of_all_draws():
    """With known residuals, it is the third moment over all draws of 10 of 14 queries."""
    random = np.random.default_rng(5)
    truth = random.gamma(0.5, 0.2, 14)
    model = np.zeros(14)
    thirds, means = [], []
    for labelled in combinations(range(14), 10):
        people = np.full(14, NAN)
        people[list(labelled)] = truth[list(labelled)]
        found = powered_mean(people, model, weight=1.0, inference="set").sample
        means.append(found.mean)
        thirds.append(found.skewness * found.standard_error**3 / np.sqrt(found.n))
    of_draws = np.mean((np.array(means) - truth.mean()) ** 3)
    assert np.mean(thirds) == pytest.approx(of_draws, rel=1e-9)


def test_without_the_model_it_is_students_mean():
    """At lambda = 0 mean, error, skewness and their parts are those of people's labels alone."""
    people, model = noisy_queries()
    alone = mean_of(people[~np.isnan(people)])
    found = powered_mean(people, model, weight=0.0).sample
    assert found.mean == pytest.approx(alone.mean)
    assert found.standard_error == pytest.approx(alone.standard_error)
    assert found.skewness == pytest.approx(alone.skewness)
    assert found.skewness_error == alone.skewness_error
    assert found.degrees_of_freedom == alone.degrees_of_freedom == 59


def test_where_all_is_labelled_the_model_has_no_say():
    """The result is that of people's labels, and there is no weight."""
    people, model = noisy_queries(n_queries=50, n_labelled=50)
    found, alone = powered_mean(people, model), mean_of(people)
    assert found.weight == 0.0
    assert found.reason is None
    assert found.sample.mean == pytest.approx(alone.mean)
    assert found.sample.standard_error == pytest.approx(alone.standard_error)
    assert powered_mean(people, model, inference="set").sample.standard_error == 0.0


@pytest.mark.parametrize(("n_wrong", "is_used"), [(9, False), (10, True)])
def test_fewer_than_ten_differences_leave_people_alone(n_wrong, is_used):
    """A model whose errors are too rare to be seen does not narrow the interval."""
    people, model = noisy_queries()
    labelled = np.flatnonzero(~np.isnan(people))
    model[labelled] = people[labelled]
    model[labelled[:n_wrong]] += 0.05
    found = powered_mean(people, model)
    assert found.n_differing == n_wrong
    assert (found.weight > 0) == is_used
    assert (found.reason is None) == is_used
    if not is_used:
        assert "9 of the labelled queries; at least 10" in found.reason
        alone = powered_mean(people, model, weight=0.0).sample
        assert found.sample == alone


def test_a_useless_model_gets_no_weight():
    """An adversarial model is ignored, and an exaggerating one has at most a weight of 1."""
    people, model = noisy_queries()
    assert powered_mean(people, 1 - model).weight == 0.0
    assert powered_mean(people, model / 5).weight == 1.0


def test_strata_have_corrections_of_their_own():
    """A model that errs only in one stratum is corrected there, whatever was labelled elsewhere."""
    random = np.random.default_rng(1)
    truth = random.beta(2, 2, 300)
    strata = np.repeat(["easy", "hard"], [200, 100])
    model = truth + np.where(strata == "hard", 0.4, 0.0) + random.normal(0, 0.02, 300)
    people = np.full(300, NAN)
    labelled = [*range(0, 200, 10), *range(200, 300, 2)]
    people[labelled] = truth[labelled]
    found = powered_mean(people, model, strata=strata.tolist(), weight=1.0)
    assert found.sample.mean == pytest.approx(truth.mean(), abs=0.01)
    assert powered_mean(people, model, weight=1.0).sample.mean < truth.mean() - 0.05
    easy, hard = labelled[:20], labelled[20:]
    unseen = [
        (size / 300) ** 2 * (1 / len(own) - 1 / size) * (truth[own] - model[own]).var(ddof=1)
        for size, own in ((200, easy), (100, hard))
    ]
    of_set = powered_mean(people, model, strata=strata.tolist(), weight=1.0, inference="set")
    assert of_set.sample.standard_error == pytest.approx(np.sqrt(sum(unseen)))
    assert of_set.sample.degrees_of_freedom == pytest.approx(
        sum(unseen) ** 2 / (unseen[0] ** 2 / 19 + unseen[1] ** 2 / 49)
    )


def test_what_peoples_labels_show_alone_is_kept():
    """It has its own error, by stratum, and is None if the model does not count anyway."""
    people, model = noisy_queries()
    strata = ["a" if row < 150 else "b" for row in range(len(model))]
    shuffled = np.random.default_rng(2).permutation(len(model))
    people, model = people[shuffled], model[shuffled]
    found = powered_mean(people, model, strata=strata)
    by_stratum = [np.nanmean(people[:150]), np.nanmean(people[150:])]
    expected = (150 * by_stratum[0] + (len(model) - 150) * by_stratum[1]) / len(model)
    alone = powered_mean(people, model, strata=strata, weight=0.0).sample
    assert alone.mean == pytest.approx(expected, rel=1e-12)
    assert alone.standard_error > found.sample.standard_error
    assert found.sample.people == alone
    assert (-found.sample).people == -alone
    assert alone.people is None


def test_chosen_queries_count_for_themselves_alone():
    """A completely labelled stratum adds no sampling error, and corrects no other query."""
    people, model = noisy_queries()
    chosen = np.flatnonzero(np.isnan(people))[:5]
    labelled = people.copy()
    labelled[chosen] = model[chosen] - 0.9  # wildly wrong where the prompt was tuned
    strata = ["chosen" if row in chosen else "drawn" for row in range(400)]
    found = powered_mean(labelled, model, strata=strata, weight=1.0)
    rest = np.setdiff1d(np.arange(400), chosen)
    others = powered_mean(people[rest], model[rest], weight=1.0)
    expected = (395 * others.sample.mean + labelled[chosen].sum()) / 400
    assert found.sample.mean == pytest.approx(expected)
    assert found.n_differing == others.n_differing


def test_few_labels_in_a_stratum_are_rejected():
    """A stratum needs ten labels, or labels for all of its queries."""
    people, model = noisy_queries()
    strata = ["few" if row < 100 else "many" for row in range(400)]
    people[:100] = NAN
    people[:9] = 0.5
    with pytest.raises(ArgumentError, match=r"at least 10 labelled .*, got 9 of 100 in one str"):
        powered_mean(people, model, strata=strata)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"people": [1.0]}, "people: expected one number per query, 400, got 1"),
        ({"people": "many"}, "people: expected numbers, got str"),
        ({"people": [np.inf] * 400}, "NaN for no label, got infinity"),
        ({"weight": 1.5}, "weight: expected a number from 0 to 1, got 1.5"),
        ({"strata": ["a"]}, "strata: expected one label per query, 400, got 1"),
        ({"inference": "all"}, "inference: expected one of 'population', 'set'"),
    ],
)
def test_bad_arguments_are_named(change, message):
    """Every message has what was expected and what was found."""
    people, model = noisy_queries()
    with pytest.raises((ArgumentError, TypeError), match=message):
        powered_mean(**{"people": people, "model": model, **change})


def test_a_single_label_says_nothing():
    """There is no spread to estimate."""
    assert powered_mean([0.5], [0.4]) is None
    assert powered_mean([], []) is None


def test_pairs_correct_the_models_sums():
    """Averaged over all draws of 11 of 12 pairs, the corrected score is that of people."""
    random = np.random.default_rng(2)
    people, model = random.random(12), random.random(12)
    query = np.repeat([0, 1], 6)
    by_model = np.array([model[:6].sum(), model[6:].sum()])
    drawn = []
    for labelled in map(list, combinations(range(12), 11)):
        found = correct_scores(
            by_model, query[labelled], people[labelled], model[labelled], [11 / 12] * 11
        )
        assert found.uses_model
        drawn.append(found.values)
    assert np.mean(drawn, axis=0) == pytest.approx([people[:6].sum(), people[6:].sum()])


def test_deciding_pairs_count_once():
    """With probability 1, the grade of people replaces that of the model for this pair only."""
    found = correct_scores([0.5, 0.5], [1], [0.3], [0.1], [1.0])
    assert found.values.tolist() == pytest.approx([0.5, 0.7])
    assert found.uses_model
    assert found.n_differing == 0


def test_few_differing_pairs_leave_people_alone():
    """Below ten, scores are only the sums of people's grades divided by probabilities."""
    people = [0.2] * 30
    model = [0.2] * (30 - MIN_DIFFERING + 1) + [0.0] * (MIN_DIFFERING - 1)
    found = correct_scores([9.0], [0] * 30, people, model, [0.5] * 30)
    assert not found.uses_model
    assert found.values.tolist() == pytest.approx([12.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"queries": [0, 2]}, "queries: expected positions from 0 to 1, got others"),
        ({"queries": [0.0, 1.0]}, "queries: expected positions from 0 to 1, got others"),
        ({"model": [0.1]}, "model: expected one per pair, 2, got 1"),
        ({"probabilities": [0.5, 0.0]}, "probabilities: expected numbers above 0, at most 1"),
    ],
)
def test_bad_pairs_are_named(change, message):
    """Every message says what was expected."""
    good = {"queries": [0, 1], "people": [0.1, 0.2], "model": [0.1, 0.3]}
    with pytest.raises(ArgumentError, match=message):
        correct_scores([0.5, 0.5], **{**good, "probabilities": [0.5, 0.5], **change})


def test_labels_go_where_size_and_spread_are_large():
    """Labels follow size times spread, with at least ten each, and never more than exist."""
    sizes = {"a": 1000, "b": 100, "c": 12}
    found = allocate_labels(sizes, 200, spreads={"a": 0.1, "b": 0.9, "c": 5.0})
    assert sum(found.values()) == 200
    assert found == {"a": 99, "b": 89, "c": 12}
    assert allocate_labels(sizes, 5000) == sizes
    assert allocate_labels({"a": 50, "b": 50}, 40, spreads={"a": 0, "b": 0}) == {"a": 20, "b": 20}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": 50, "b": 5}, 14), "n_labels: expected at least 15: 10 per stratum"),
        (({"a": 50}, 0), "n_labels: expected a whole number of at least 1"),
        (({"a": 0}, 10), r"sizes\['a'\]: expected a whole number of at least 1"),
    ],
)
def test_too_few_labels_are_named(arguments, message):
    """An allocation that leaves a stratum below its minimum is rejected."""
    with pytest.raises(ArgumentError, match=message):
        allocate_labels(*arguments)


def test_an_unknown_spread_is_named():
    """Each stratum needs one."""
    with pytest.raises(ArgumentError, match=r"spreads\['b'\]: expected a finite number"):
        allocate_labels({"a": 50, "b": 50}, 30, spreads={"a": 0.1})
