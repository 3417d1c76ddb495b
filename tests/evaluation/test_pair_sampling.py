"""Scores by a model that single pairs correct."""

import numpy as np
import pytest

import berryeval as be
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.pair_sampling import LabelledPair, check_pair_sampling, evaluate_pairs
from berryeval.measures import parse_measure


def graded_set(seed=0, n_queries=40):
    """Return people's grades, a model's, and two runs."""
    random = np.random.default_rng(seed)
    ids = [f"d{i}" for i in range(8)]
    people, model, old, new = {}, {}, {}, {}
    for number in range(n_queries):
        grades = random.choice(4, 8)
        guesses = np.where(random.random(8) < 0.4, random.choice(4, 8), grades)
        for target, values in ((people, grades), (model, guesses)):
            target[f"q{number}"] = dict(zip(ids, values.tolist(), strict=True))
        for target in (old, new):
            scores = random.random(6)
            target[f"q{number}"] = dict(zip(ids, scores.tolist(), strict=False))
    return people, model, {"old": old, "new": new}


def draw_pairs(people, chance, random):
    """Draw each pair with the same probability."""
    return [
        LabelledPair(query, doc_id, grade, chance)
        for query, grades in people.items()
        for doc_id, grade in grades.items()
        if random.random() < chance
    ]


@pytest.mark.parametrize("measure", ["P@4", "P(rel=2)@4", "DCG@5", "RBP(p=0.8)"])
def test_all_labels_give_the_scores_of_people(measure):
    """With probability 1 for every pair, each query has the score of people's grades."""
    people, model, runs = graded_set()
    found = evaluate_pairs(model, draw_pairs(people, 1.0, np.random.default_rng(0)), runs, measure)
    for name, run in runs.items():
        expected = be.evaluate(people, run, measure)[measure]
        assert [*found[name][measure].values] == pytest.approx([*expected.values])


@pytest.mark.parametrize("measure", ["P@4", "DCG@5"])
def test_a_sample_is_right_on_average(measure):
    """Over many draws, the mean difference is that of people's grades, not of the model's."""
    people, model, runs = graded_set()
    random = np.random.default_rng(1)
    truth, naive = (
        np.subtract(*(be.evaluate(grades, runs[name], measure)[measure].mean for name in runs))
        for grades in (people, model)
    )
    drawn = []
    for _ in range(60):
        found = evaluate_pairs(model, draw_pairs(people, 0.4, random), runs, measure)
        drawn.append(found["old"][measure].mean - found["new"][measure].mean)
    error = np.std(drawn) / np.sqrt(60)
    assert np.mean(drawn) == pytest.approx(truth, abs=3 * error)
    assert abs(naive - truth) > 2 * error


def test_it_can_be_compared_and_gated():
    """The gate is decided on the corrected scores."""
    people, model, runs = graded_set(n_queries=150)
    pairs = draw_pairs(people, 0.5, np.random.default_rng(2))
    comparison = be.compare_scores(evaluate_pairs(model, pairs, runs, "P@4"), baseline="old")
    result = be.gate(comparison, margin={"P@4": 0.3})
    assert result.verdict == "pass"
    assert result.guards[0].value == pytest.approx(comparison.difference("new", "P@4").mean)


def test_few_differing_pairs_leave_people_alone():
    """A model that looks perfect in the sample does not count, and only people's labels do."""
    people, _, runs = graded_set()
    pairs = draw_pairs(people, 0.5, np.random.default_rng(0))
    found = evaluate_pairs(people, pairs, runs, "DCG@5")["old"]["DCG@5"]
    alone = {
        query: {pair.doc_id: pair.grade / 0.5 for pair in pairs if pair.query_id == query}
        for query in people
    }
    expected = be.evaluate(
        {q: own or {"none": 0} for q, own in alone.items()}, runs["old"], "DCG@5"
    )
    assert [*found.values] == pytest.approx([*expected["DCG@5"].values])


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("nDCG@10", "nDCG@10, which is no sum over documents"),
        ("AP", "what one is worth depends on the grades of others; draw whole queries"),
        ("R@10", "is no sum over documents"),
        ("P(judged_only=True)@10", "leaves out unjudged documents"),
    ],
)
def test_other_measures_are_refused_with_the_reason(measure, reason):
    """Only sums over documents can be corrected pair by pair."""
    with pytest.raises(ArgumentError, match=reason):
        check_pair_sampling(parse_measure(measure))


def test_a_pair_of_an_unknown_query_is_named():
    """The model must have judged every query."""
    _, model, runs = graded_set()
    pairs = [LabelledPair("q999", "d1", 1.0, 0.5)]
    with pytest.raises(MismatchError, match="queries that the model judged, found 'q999'"):
        evaluate_pairs(model, pairs, runs, "P@4")
    with pytest.raises(ArgumentError, match="measure: expected one measure, got P@4, P@5"):
        evaluate_pairs(model, [], runs, ["P@4", "P@5"])


def test_chosen_pairs_count_with_probability_1_and_show_no_errors():
    """Twelve deciding pairs with other grades by people say nothing about unlabelled ones."""
    people, _, runs = graded_set()
    pairs = draw_pairs(people, 0.5, np.random.default_rng(0))
    wrong = {query: dict(own) for query, own in people.items()}
    chosen = [(query, next(iter(own))) for query, own in people.items()][:12]
    for query, doc_id in chosen:
        wrong[query][doc_id] += 1
    others = [pair for pair in pairs if (pair.query_id, pair.doc_id) not in chosen]
    certain = [LabelledPair(query, doc_id, people[query][doc_id], 1.0) for query, doc_id in chosen]
    found = evaluate_pairs(wrong, [*others, *certain], runs, "DCG@5")["old"]["DCG@5"]
    alone = {query: {"none": 0} for query in people}
    for pair in [*others, *certain]:
        alone[pair.query_id][pair.doc_id] = pair.grade / pair.probability
    expected = be.evaluate(alone, runs["old"], "DCG@5")["DCG@5"]
    assert [*found.values] == pytest.approx([*expected.values])
