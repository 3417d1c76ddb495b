"""Error rates of verdicts based on model judgments, at reduced size."""

import numpy as np
import pytest

judges = pytest.importorskip("simulate_judges", reason="no scripts in a source distribution")
judged_populations = pytest.importorskip("judged_populations")

ATOMS = dict(judges.invented_atoms(5000, seed=1))
EXTREMES = (judged_populations.BLIND, judged_populations.HARSH)
N_DRAWS = 4000  # three standard errors of a rate of 0.05 are 0.0103


def rates(name, n_labels):
    return judges.simulate(
        ATOMS[name],
        n_labels,
        N_DRAWS,
        np.random.default_rng(2),
        naive=judges.trust(ATOMS[name], N_DRAWS, np.random.default_rng(3)),
    )


@pytest.mark.parametrize("n_labels", [50, 200])
@pytest.mark.parametrize("name", ATOMS)
def test_a_drop_of_the_margin_rarely_passes(name, n_labels):
    """The rate is at most 0.065 plus three standard errors, and 95% intervals cover the truth.

    Where errors are rare and large, many samples of 50 have hardly any of them: intervals are too
    narrow, and some candidates fail wrongly. Wrong passes stay rare, since two lost queries are
    assumed.
    """
    found = rates(name, n_labels)
    assert found.wrong["powered"] <= 0.065 + 0.0103
    is_extreme = name in EXTREMES
    assert found.wrong_fail <= (0.1 if is_extreme else 0.065) + 0.0103
    assert found.covered >= (0.88 if is_extreme else 0.94) - 0.0103


def test_naive_use_of_the_same_grades_passes_nearly_always():
    """Examples are a judge that does not see large losses, and one that is rarely wrong."""
    assert rates("blind to large losses", 50).wrong["naive"] > 0.9
    assert rates("3% of the queries wrong by 0.6", 50).wrong["naive"] > 0.9


def test_a_good_judge_adds_power():
    """With the same labels, an equally good candidate passes more often."""
    found = rates("good, normal differences", 100)
    assert found.power["powered"] > found.power["labels"] + 0.15


def test_the_allowance_for_lost_queries_is_needed():
    """Without it, a judge that does not see lost queries makes twice as many drops pass."""
    found = rates(judges.BLIND, 50)
    assert found.wrong["powered, no losses"] > 0.085
    assert found.wrong["powered"] < 0.05


def test_people_have_to_agree_before_a_candidate_fails():
    """A judge that harms the candidate on some queries leaves a tail that 50 labels often miss."""
    random = np.random.default_rng(0)
    people = random.normal(-0.09, 0.09, 5000)
    harm = np.where(random.random(5000) < 0.1, random.exponential(0.1, 5000), 0.0)
    atoms = judges.Atoms(people, people - harm + random.normal(0, 0.01, 5000), 0.8)
    size, n, n_rest = 4000, 50, 950
    drawn = random.integers(0, 5000, (size, n))
    means = random.normal(atoms.judge.mean(), atoms.judge.std() / n_rest**0.5, size)
    rest = judges.Rest(n_rest, means, atoms.judge.var(), 0.0)
    found, _ = judges.powered(people[drawn], atoms.judge[drawn], rest)
    drop = people.mean()
    assert np.mean(found.upper_bounds(0.05) < drop) > 0.095
    assert np.mean(found.fails(drop)) <= 0.065 + 0.0103


def test_rare_errors_leave_people_alone():
    """Without ten differences the judge does not count, and the labels decide."""
    found = rates("3% of the queries wrong by 0.6", 50)
    assert found.used < 0.01
    assert found.wrong["powered"] == pytest.approx(found.wrong["labels"], abs=0.005)


def test_judges_err_as_described():
    """Each judge keeps to the scale, and changes the grades that it should."""
    random = np.random.default_rng(0)
    grades = random.integers(0, 4, 2000).astype(float)
    is_new = np.arange(2000) < 500
    documents = judged_populations.Documents(grades, is_new, ~is_new, random)
    found = {name: judge(documents) for name, judge in judges.JUDGES.items()}
    assert all(own.min() >= 0 and own.max() <= 3 for own in found.values())
    assert np.mean(found["nearly perfect"] != grades) < 0.03
    assert (found["lenient"] >= grades).all()
    assert (found["strict"] <= grades).all()
    assert (found["favours the candidate"][~is_new] == grades[~is_new]).all()
    assert (found["hostile"] == 3 - grades).all()


def test_single_pairs_correct_a_judge_that_favours_the_candidate():
    """500 labelled pairs: naive use passes every drop of the margin, the corrected one rarely."""
    random = np.random.default_rng(5)
    amounts = np.where(np.arange(12) < 6, 0.1, -0.1) * np.ones((600, 1))
    people = (random.random((600, 12)) < np.where(amounts > 0, 0.4, 0.5)) * 1.0
    judge = np.maximum(people, (amounts > 0) & (random.random((600, 12)) < 0.3))
    atoms = judges.PairAtoms(amounts, people, judge, 0.6)
    found = judges.simulate_pairs(atoms, 500, 1500, random, n_queries=200)
    assert found.wrong["naive"] > 0.95
    assert found.wrong["powered"] <= 0.065 + 0.0169  # three standard errors
    assert found.covered >= 0.95 - 0.0169
    assert found.used == pytest.approx(1.0)
