"""Admission of judges: agreement with people, biases, consistency, and the rule."""

import numpy as np
import pytest

from berryeval.errors import ArgumentError
from berryeval.stats import (
    AdmissionRule,
    CheckedPairs,
    check_judge,
    kappa_interval,
    krippendorff_alpha,
    pairs_needed,
    weighted_kappa,
)
from berryeval.stats.confusion import share_interval

NAN = float("nan")
TABLE = np.array([[44, 5, 1, 0], [6, 30, 7, 1], [2, 8, 25, 6], [0, 1, 5, 19]])
PEOPLE = [i for i in range(4) for j in range(4) for _ in range(TABLE[i, j])]
JUDGE = [j for i in range(4) for j in range(4) for _ in range(TABLE[i, j])]
PAIRS = [*zip(PEOPLE, JUDGE, strict=True)]


def drawn_pairs(n_pairs=400, seed=0, error=0.15, **more):
    """Return pairs of 40 queries and a judge that errs by one grade at times."""
    random = np.random.default_rng(seed)
    people = random.choice(4, n_pairs, p=(0.4, 0.3, 0.2, 0.1))
    moves = random.choice([-1, 0, 1], n_pairs, p=(error / 2, 1 - error, error / 2))
    judge = np.clip(people + moves, 0, 3).astype(float)
    return CheckedPairs(people, judge, query_ids=[i % 40 for i in range(n_pairs)], **more)


@pytest.mark.parametrize(
    ("weights", "expected"), [("linear", 0.7452806293289906), ("quadratic", 0.8450599733055076)]
)
def test_reweighted_kappa_is_that_of_scikit_learn(weights, expected):
    """It equals cohen_kappa_score of scikit-learn 1.9.1 with these sample weights."""
    counts = [1 + i % 7 * 0.5 for i in range(160)]
    found = weighted_kappa(PAIRS, weights, counts=counts)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.n == 160


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("nominal", 0.6211841568533044),
        ("ordinal", 0.8463196484525023),
        ("interval", 0.845392148854486),
    ],
)
def test_reweighted_alpha_is_that_of_repeated_units(level, expected):
    """It equals krippendorff 0.9.0, with each unit repeated as often as it counts."""
    found = krippendorff_alpha(PAIRS, level, counts=[1 + i % 7 for i in range(160)])
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_agreement_is_that_of_the_pairs():
    """Kappa and alpha have intervals, and pairs that could not be judged are left out."""
    pairs = CheckedPairs([*PEOPLE, 3, 0], [*JUDGE, NAN, NAN])
    found = check_judge(pairs)
    assert found.kappa.value == weighted_kappa(PAIRS).value
    assert found.kappa.interval == kappa_interval(PAIRS)
    assert found.alpha.value == krippendorff_alpha(PAIRS).value
    assert (found.n_pairs, found.n_unanswered, found.n_queries) == (162, 2, None)
    assert found.is_admitted


def test_strata_are_reweighted():
    """A sample with as many pairs of each grade gives the kappa of all pairs, not its own."""
    random = np.random.default_rng(4)
    people = random.choice(4, 40_000, p=(0.7, 0.2, 0.07, 0.03))
    judge = np.where(random.random(40_000) < 0.7, people, random.choice(4, 40_000)) * 1.0
    whole = weighted_kappa(zip(people.tolist(), judge.tolist(), strict=True)).value
    covered, values = 0, []
    for _ in range(60):
        rows = np.concatenate(
            [
                random.choice(np.flatnonzero(people == grade), 150, replace=False)
                for grade in range(4)
            ]
        )
        sizes = np.bincount(people)
        drawn = CheckedPairs(
            people[rows],
            judge[rows],
            strata=people[rows].tolist(),
            probabilities=150 / sizes[people[rows]],
        )
        found = check_judge(drawn).kappa
        values.append(found.value)
        covered += found.interval.contains(whole)
    assert np.mean(values) == pytest.approx(whole, abs=0.02)
    unweighted = weighted_kappa(zip(people[rows].tolist(), judge[rows].tolist(), strict=True))
    assert unweighted.value > whole + 0.05
    assert covered >= 52  # of 60; 57 are expected, and 52 or fewer come once in 50 trials


def test_the_lower_limit_decides_not_the_estimate():
    """The same judge is admitted by many pairs and rejected by few."""
    many = check_judge(drawn_pairs(2000, error=0.45))
    few = check_judge(drawn_pairs(60, error=0.45, seed=1))
    assert many.is_admitted
    assert few.kappa.value > 0.6 > few.kappa.interval.low
    assert few.reasons[0].startswith("the lower limit of weighted kappa is 0.")
    assert not few.is_admitted


def test_a_judge_that_favours_a_system_is_rejected():
    """It agrees well, but grades one system's documents higher."""
    pairs = drawn_pairs(800)
    of_candidate = np.arange(800) % 2 == 0
    raised = np.where(
        of_candidate, np.minimum(3, pairs.of_judge + (np.arange(800) % 5 < 3)), pairs.of_judge
    )
    systems = {"old": ~of_candidate, "new": of_candidate}
    fair = CheckedPairs(pairs.people, pairs.judge, query_ids=pairs.query_ids, systems=systems)
    unfair = CheckedPairs(pairs.people, raised, query_ids=pairs.query_ids, systems=systems)
    rule = AdmissionRule(min_kappa=0.0)
    assert check_judge(fair, rule).is_admitted
    found = check_judge(unfair, rule)
    old, new = found.biases
    errors = raised - pairs.of_people
    assert new.favour == pytest.approx(errors[of_candidate].mean() - errors[~of_candidate].mean())
    assert old.favour == pytest.approx(-new.favour)
    assert new.interval.contains(new.favour)
    assert len(found.reasons) == 2
    assert "may favour old by -" in found.reasons[0]
    assert "at most 0.30 either way" in found.reasons[1]
    lax = AdmissionRule(min_kappa=0.0, max_favour=0.3)
    assert check_judge(unfair, lax).is_admitted


def test_the_largest_favour_decides_not_the_estimate():
    """A judge that is fair on average may favour a system by too much if the pairs are few."""
    rule = AdmissionRule(min_kappa=-1.0)

    def checked(n_pairs):
        pairs = drawn_pairs(n_pairs, error=0.5, seed=4)
        of_new = np.arange(n_pairs) % 2 == 0
        return check_judge(
            CheckedPairs(
                pairs.people, pairs.judge, query_ids=pairs.query_ids, systems={"new": of_new}
            ),
            rule,
        )

    few, many = checked(50), checked(2000)
    [bias] = few.biases
    assert abs(bias.favour) < 0.3 < max(-bias.interval.low, bias.interval.high)
    assert few.reasons[0].startswith("the judge may favour new by ")
    assert many.is_admitted


def test_bias_intervals_are_welchs_without_queries_and_weights():
    """They are differences of two means of independent pairs, close to Student's."""
    random = np.random.default_rng(0)
    people = random.choice(4, 300) * 1.0
    judge = np.clip(people + random.choice([-1, 0, 1], 300), 0, 3)
    is_new = random.random(300) < 0.4
    [bias] = check_judge(CheckedPairs(people, judge, systems={"new": is_new})).biases
    errors = judge - people
    spread = np.sqrt(
        errors[is_new].var(ddof=1) / is_new.sum() + errors[~is_new].var(ddof=1) / (~is_new).sum()
    )
    half = (bias.interval.high - bias.interval.low) / 2
    assert half == pytest.approx(1.968 * spread, rel=0.02)


def test_bias_by_length_rank_and_wording_comes_in_thirds():
    """A judge that likes long documents favours the longest third; unknown lengths are left out."""
    random = np.random.default_rng(0)
    lengths = random.permutation(300) * 10.0
    people = random.choice(4, 300) * 1.0
    judge = np.minimum(3, people + (lengths >= 2000))
    lengths[:30] = NAN
    found = check_judge(
        CheckedPairs(
            people, judge, lengths=lengths, ranks=np.arange(300) % 10 + 1, overlaps=lengths / 3000
        )
    )
    by_length = [bias for bias in found.biases if bias.kind == "length"]
    assert [bias.group.split()[0] for bias in by_length] == [
        "up",
        by_length[1].group.split()[0],
        "above",
    ]
    assert sum(bias.n_pairs for bias in by_length) == 270
    assert by_length[2].favour > 0.5
    assert by_length[0].favour < 0
    assert {bias.kind for bias in found.biases} == {"length", "rank", "wording"}


def test_the_confusion_matrix_has_shares_by_row():
    """Shares are reweighted, with exact intervals, and a column for pairs without a grade."""
    pairs = CheckedPairs(
        [0, 0, 0, 0, 1, 1], [0, 0, 1, NAN, 1, 0], probabilities=[0.5] * 3 + [1] * 3
    )
    cells = {(cell.people, cell.judge): cell for cell in check_judge(pairs).confusion}
    assert cells[0, 0].share == pytest.approx(4 / 7)
    assert cells[0, None].share == pytest.approx(1 / 7)
    assert cells[0, None].n_pairs == 1
    assert cells[1, None].share == 0.0
    assert cells[1, None].interval.low == 0.0
    worth = 49 / 13  # (2 + 2 + 2 + 1)^2 / (4 + 4 + 4 + 1)
    assert cells[0, 0].interval == share_interval(worth * 4 / 7, worth)


@pytest.mark.parametrize(
    ("n_hits", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.30849710781876294),
        (3, 10, 0.06673951117773447, 0.652452850060008),
        (10, 10, 0.6915028921812371, 1.0),
        (7, 200, 0.014185525898385922, 0.0707809983509546),
    ],
)
def test_exact_intervals_of_shares(n_hits, n, low, high):
    """They equal the 95% intervals of scipy.stats.binomtest."""
    found = share_interval(n_hits, n)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_judge_is_compared_with_itself():
    """This is done over repeats and over orders, each with its own pairs."""
    pairs = drawn_pairs(100, repeats=[[NAN]] * 60 + [[1.0, 1.0]] * 40, orders=[[]] * 100)
    found = check_judge(pairs)
    assert found.orders is None
    judge = pairs.of_judge[60:]
    assert found.repeats.n_pairs == 40
    assert found.repeats.same == pytest.approx(np.mean(judge == 1))
    assert (
        found.repeats.alpha.value == krippendorff_alpha([(g, 1, 1) for g in judge.tolist()]).value
    )
    assert check_judge(drawn_pairs()).repeats is None


def test_the_order_of_systems_is_compared():
    """Systems are ordered by total grade; a judge that swaps two has a lower tau."""
    random = np.random.default_rng(0)
    best = np.arange(600) % 3
    people = np.clip(best + random.choice([0, 1], 600), 0, 3) * 1.0
    systems = {name: best == place for place, name in enumerate("abc")}
    queries = [i // 3 for i in range(600)]
    same = check_judge(CheckedPairs(people, people, query_ids=queries, systems=systems)).tau_ap
    assert (same.value, same.interval.low) == (1.0, 1.0)
    swapped = people + np.where(best == 1, 2.0, 0.0)
    other = check_judge(CheckedPairs(people, swapped, query_ids=queries, systems=systems)).tau_ap
    assert other.value < 1.0
    assert other.interval.contains(other.value)
    alone = check_judge(CheckedPairs(people, people, systems={"a": best == 0})).tau_ap
    assert (alone.value, alone.reason) == (None, "fewer than two systems")


def test_full_agreement_has_a_limit_of_its_own():
    """Disagreement may exist even if n queries show none, as bounded by Clopper and Pearson."""
    people = [0, 0, 1, 1, 2, 3] * 20
    found = check_judge(CheckedPairs(people, people, query_ids=[i // 2 for i in range(120)]))
    most = 1 - 0.025 ** (1 / 60)
    shares = np.array([1 / 3, 1 / 3, 1 / 6, 1 / 6])
    apart = np.abs(np.arange(4)[:, None] - np.arange(4))
    by_chance = (shares[:, None] * shares * apart).sum()
    assert found.kappa.interval.low == pytest.approx(1 - most * 3 / by_chance)
    assert found.kappa.interval.high == 1.0
    assert found.is_admitted


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        (CheckedPairs([0, 1] * 5, [0, 1] * 5), "10 pairs were graded by both; at least 20"),
        (CheckedPairs([], []), "0 pairs were graded by both"),
        (CheckedPairs([0, 1] * 20, [NAN] * 40), "0 pairs were graded by both"),
        (CheckedPairs([1] * 30, [1] * 30), "weighted kappa has no interval: both gave the same"),
        (
            CheckedPairs([0] * 29 + [1], [0] * 29 + [2]),
            "weighted kappa has no interval: it depends",
        ),
        (
            CheckedPairs(PEOPLE, JUDGE, query_ids=[i % 19 for i in range(160)]),
            "the pairs come from 19 queries; at least 20 are needed",
        ),
        (
            CheckedPairs(PEOPLE, JUDGE, systems={"new": [True] + [False] * 159}),
            "the bias towards new cannot be estimated from 1 pairs",
        ),
    ],
)
def test_too_little_evidence_is_a_reason(pairs, reason):
    """A judge is not admitted if a figure cannot be estimated."""
    found = check_judge(pairs)
    assert not found.is_admitted
    assert found.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"judge": [1]}, "judge: expected one entry per pair, 2, got 1"),
        ({"people": [1, NAN]}, "people: expected finite grades"),
        ({"people": "ab"}, "people: expected numbers, got str"),
        ({"people": [[1, 2]]}, "people: expected one number per pair, got 2 dimensions"),
        ({"judge": [1, np.inf]}, "judge: expected finite grades, or NaN for none, got infinity"),
        ({"probabilities": [0.5, 0]}, "probabilities: expected numbers above 0, at most 1"),
        ({"systems": {"a": [True]}}, r"systems\['a'\]: expected one entry per pair, 2, got 1"),
    ],
)
def test_bad_pairs_are_named(arguments, message):
    """Every message has the entry, what was expected and what was found."""
    with pytest.raises((ArgumentError, TypeError), match=message):
        CheckedPairs(**{"people": [0, 1], "judge": [0, 1], **arguments})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"confidence": 1.0}, "confidence: expected a number between 0 and 1"),
        ({"max_favour": -1}, "max_favour: expected a finite number"),
        ({"min_kappa": 2}, "min_kappa: expected a number from -1 to 1"),
    ],
)
def test_bad_rules_are_named(rule, message):
    """Limits out of range are rejected."""
    with pytest.raises(ArgumentError, match=message):
        AdmissionRule(**rule)


def test_bad_counts_are_named():
    """There is one number above 0 per pair, and none if judges are left out in turn."""
    with pytest.raises(ArgumentError, match="counts: expected 2 finite numbers above 0, got 1 num"):
        weighted_kappa([(0, 1), (1, 1)], counts=[1])
    with pytest.raises(ArgumentError, match=r"counts: expected 2 finite .* got other numbers"):
        krippendorff_alpha([(0, 1), (1, 1)], counts=[1, 0])


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("kappa", [0.3, 0.75])
def test_so_many_pairs_give_the_width(weights, kappa):
    """On average, intervals of pairs drawn from the expected judge have the requested width."""
    n = pairs_needed(0.1, kappa=kappa, weights=weights)
    random = np.random.default_rng(0)
    shares = (0.4, 0.3, 0.2, 0.1)
    widths = []
    for _ in range(20):
        people = random.choice(4, n, p=shares)
        judge = np.where(random.random(n) < kappa, people, random.choice(4, n, p=shares))
        interval = kappa_interval(zip(people.tolist(), judge.tolist(), strict=True), weights)
        widths.append(interval.high - interval.low)
    assert np.mean(widths) == pytest.approx(0.1, rel=0.07)


def test_pairs_needed_grow_with_the_design():
    """Half the width takes four times the pairs; a design effect multiplies them."""
    assert pairs_needed(0.05) == pytest.approx(4 * pairs_needed(0.1), rel=0.01)
    assert pairs_needed(0.1, design_effect=2) == pytest.approx(2 * pairs_needed(0.1), rel=0.01)
    assert pairs_needed(1.9) == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0}, "width: expected a number above 0"),
        ({"kappa": 1.2}, "kappa: expected a number from 0 to 1"),
        ({"shares": [1.0]}, "shares: expected the shares of at least two grades"),
        ({"shares": [1.0, -0.2, 0.2]}, "shares: expected the shares of at least two grades"),
        ({"design_effect": 0}, "design_effect: expected a number above 0"),
    ],
)
def test_an_impossible_plan_is_named(arguments, message):
    """Arguments out of range are rejected."""
    with pytest.raises(ArgumentError, match=message):
        pairs_needed(**{"width": 0.1, **arguments})


def test_unknown_lengths_and_single_groups_have_no_bias():
    """Nothing is compared if no length is known, or a system has every document."""
    unknown = CheckedPairs(PEOPLE, JUDGE, lengths=[NAN] * 160, systems={"all": [True] * 160})
    assert check_judge(unknown).biases == ()
