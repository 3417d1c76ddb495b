"""Tuning reports scores that hold up on queries it has not seen."""

import random

import pytest

import berryeval as be
from berryeval.core.run import Run
from berryeval.evaluation import fusion_ways as module
from berryeval.evaluation.tuning import TUNED_METHODS, tune_fusion

IDS = [f"d{number}" for number in range(15)]


def noise(n_queries=30, seed=1):
    """Judgments, and two runs that are independent of them."""
    draw = random.Random(seed)  # noqa: S311 - a test set
    judgments = {f"q{n}": {draw.choice(IDS): 1} for n in range(n_queries)}
    runs = {
        name: {query: {d: draw.random() for d in IDS} for query in judgments}
        for name in ("one", "two")
    }
    return judgments, runs


def complementary(n_queries=40):
    """Two runs, each of which finds one of two relevant documents per query, and noise."""
    draw = random.Random(2)  # noqa: S311 - a test set
    judgments, runs = {}, {"left": {}, "right": {}}
    for n in range(n_queries):
        a, b = draw.sample(IDS, 2)
        judgments[f"q{n}"] = {a: 1, b: 1}
        for name, found in (("left", a), ("right", b)):
            runs[name][f"q{n}"] = {d: draw.random() + 0.8 * (d == found) for d in IDS}
    return judgments, runs


def tuned(judgments, runs, measure="nDCG@5", **given):
    given = {"methods": ["wsum", "rrf"], "norms": ["min-max"], **given}
    return tune_fusion(judgments, runs, measure, **given)


def test_fusion_of_complementary_runs_is_better():
    """The sentence says so, in the words of a comparison."""
    judgments, runs = complementary()
    found = tuned(judgments, runs)
    assert found.is_better
    assert found.sentence.startswith(f"Tuned fusion is better than {found.best_single}: nDCG@5")
    assert found.held_out.mean > max(found.singles.values())
    assert found.interval.low < found.held_out.mean < found.interval.high


def test_nothing_beats_a_perfect_run():
    """The result names the best single run, and claims nothing."""
    judgments, runs = noise()
    runs["perfect"] = {query: [*grades] for query, grades in judgments.items()}
    found = tuned(judgments, runs)
    assert (found.best_single, found.is_better) == ("perfect", False)
    assert found.sentence.startswith("No fusion tried clearly beats perfect alone.")
    assert found.choice.weights[2] == max(found.choice.weights)


def test_weights_fitted_to_noise_look_better_than_they_are():
    """On average over many sets, training folds score higher than held-out folds."""
    gaps, honest = [], []
    for seed in range(8):
        judgments, runs = noise(seed=seed)
        found = tuned(judgments, runs)
        gaps.append(found.training - found.held_out.mean)
        honest.append(found.held_out.mean - found.singles[found.best_single])
    assert sum(gaps) / len(gaps) > 0.02
    assert sum(honest) / len(honest) < 0.02


def test_held_out_scores_are_those_of_the_other_folds_choice():
    """Fusing a fold by hand, with the choice made without it, gives its scores."""
    judgments, runs = complementary(18)
    found = tuned(judgments, runs)
    loaded = {name: Run.from_dict(run) for name, run in runs.items()}
    seen = []
    for fold in found.folds:
        fused = fold.choice.fuse(loaded)
        by_query = be.evaluate(judgments, fused, "nDCG@5")["nDCG@5"].by_query
        for query_id in fold.query_ids:
            assert found.held_out.by_query[query_id] == by_query[query_id]
        seen += fold.query_ids
    assert sorted(seen) == sorted(judgments)


def test_the_choice_of_a_fold_ignores_its_judgments():
    """Changing the grades of a fold affects the choices of other folds, but not its own."""
    judgments, runs = complementary(20)
    before = tuned(judgments, runs, methods=["wsum", "mapfuse", "slidefuse"])
    fold = before.folds[0]
    changed = {
        query: {IDS[0]: 3} if query in fold.query_ids else grades
        for query, grades in judgments.items()
    }
    after = tuned(changed, runs, methods=["wsum", "mapfuse", "slidefuse"])
    assert after.folds[0].query_ids == fold.query_ids
    assert after.folds[0].choice == fold.choice
    assert after.choice != before.choice


def test_the_same_seed_gives_the_same_result():
    """Another seed gives other folds."""
    judgments, runs = complementary(15)
    one, same, other = (tuned(judgments, runs, seed=seed) for seed in (3, 3, 4))
    assert one.folds == same.folds
    assert one.candidates == same.candidates
    assert one.folds[0].query_ids != other.folds[0].query_ids


def test_three_runs_are_tuned():
    """Weights add up to 1, and the useless run gets the least."""
    judgments, runs = complementary(20)
    runs["noise"] = noise(20)[1]["one"]
    found = tuned(judgments, runs, methods=["wsum"], n_starts=4)
    assert sum(found.choice.weights) == pytest.approx(1)
    assert found.choice.weights[2] == min(found.choice.weights)
    assert found.curves.keys() == runs.keys()


def test_deep_measures_are_tuned_by_steps():
    """AP has no cutoff: shares are tried in steps of one hundredth."""
    judgments, runs = complementary(12)
    found = tuned(judgments, runs, "AP", methods=["wsum"], n_folds=3)
    assert round(100 * found.choice.weights[1], 9) == int(100 * found.choice.weights[1] + 0.5)
    found = tuned(judgments, runs, methods=["w_condorcet"], n_folds=3)
    assert found.choice.method == "w_condorcet"


def test_measures_of_which_less_is_better_are_tuned_downwards():
    """The fewest unjudged documents win."""
    judgments, runs = complementary(12)
    found = tuned(judgments, runs, "Unjudged@3", n_folds=3)
    assert found.candidates[0].held_out <= found.candidates[-1].held_out
    assert found.singles[found.best_single] == min(found.singles.values())


def test_defaults_try_every_usual_method():
    """Each is tried once."""
    judgments, runs = complementary(12)
    found = tune_fusion(judgments, runs, n_folds=3)
    assert {one.choice.method for one in found.candidates} == {*TUNED_METHODS}
    assert len({one.choice.name for one in found.candidates}) == len(found.candidates)


def test_parameters_replace_the_usual_ones():
    """Each method uses its own parameters."""
    judgments, runs = complementary(9)
    found = tuned(judgments, runs, methods=["rrf", "rbc"], parameters={"k": 7}, n_folds=3)
    tried = {one.choice.name for one in found.candidates}
    assert tried == {"rrf, k=7", "rbc, phi=0.9", "rbc, phi=0.8", "rbc, phi=0.95"}
    with pytest.raises(be.ArgumentError, match="z: expected a parameter of rrf, rbc, got 1"):
        tuned(judgments, runs, methods=["rrf", "rbc"], parameters={"z": 1})


def test_normalisations_that_are_impossible_are_left_out():
    """Lists have negative scores, for which max is undefined, as a note states."""
    judgments, _ = complementary(9)
    runs = [dict.fromkeys(judgments, IDS), dict.fromkeys(judgments, IDS[::-1])]
    found = tuned(judgments, runs, methods=["wsum"], norms=["max", "min-max"], n_folds=3)
    [note] = found.notes
    assert note.startswith("wsum, max is left out: run_1: query 'q0': expected scores above 0")
    with pytest.raises(be.InputError, match="no way to fuse is possible: wsum, max is left out"):
        tuned(judgments, runs, methods=["wsum"], norms=["max"], n_folds=3)


def test_distances_are_ranked_from_the_lowest():
    """If that is the only normalisation, methods that use ranks use it, too."""
    judgments, runs = complementary(9)
    runs = {name: {q: {d: -s for d, s in own.items()} for q, own in run.items()}
            for name, run in runs.items()}  # fmt: skip
    found = tuned(judgments, runs, methods=["rrf"], norms=["min-max-inverted"], n_folds=3)
    assert found.choice.norm == "min-max-inverted"
    assert found.held_out.mean > 0.3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": []}, "methods: expected at least one, got none"),
        ({"norms": []}, "norms: expected at least one, got none"),
        ({"methods": ["x"]}, "method: expected one of min, "),
        ({"n_folds": 99}, "n_folds: expected a number from 3 to 9, the number of judged queries"),
        ({"n_starts": 0}, "n_starts: expected at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_reported(given, message):
    """The message is one line."""
    with pytest.raises(be.ArgumentError, match=message):
        tuned(*complementary(9), **given)


@pytest.mark.parametrize(
    ("measure", "kind"),
    [("GMAP", "a geometric mean"), ("NumRelRet", "a sum"), ("ms@p95", "a percentile")],
)
def test_a_measure_that_is_not_averaged_cannot_be_tuned(measure, kind):
    """Its mean over all queries is not that of the means of folds."""
    judgments, runs = complementary(9)
    message = rf"measure: expected one that is averaged over queries, such as AP, got {measure} \("
    with pytest.raises(be.ArgumentError, match=message + kind):
        tune_fusion(judgments, runs, measure)


def test_one_reason_for_all_candidates_is_given_once():
    """Latency cannot be predicted for any fusion."""
    judgments, runs = complementary(9)
    with pytest.raises(be.InputError, match=r"^no way to fuse is possible: ms is not a measure of"):
        tune_fusion(judgments, runs, "ms")


def test_one_run_cannot_be_tuned():
    """Neither can several measures."""
    judgments, runs = complementary(9)
    with pytest.raises(be.ArgumentError, match="runs: expected at least two, got 1"):
        tuned(judgments, [runs["left"]])


def test_progress_is_reported_to_the_end():
    """Each way to fuse is a step for each fold."""
    judgments, runs = complementary(9)
    steps = []
    tuned(judgments, runs, n_folds=3, progress=lambda done, of: steps.append((done, of)))
    assert [done for done, _ in steps] == [*range(1, len(steps) + 1)]
    assert {of for _, of in steps} == {len(steps)}
    assert len(steps) % 3 == 0


def test_equal_shares_of_nothing():
    """Runs that score 0 start from equal weights."""
    assert module._shares([0.0, 0.0]) == (0.5, 0.5)


def one_sided(n_queries=12):
    """The left run is right for the first query, the right run for all others."""
    judgments = {f"q{n:02}": {"a": 1} for n in range(n_queries)}
    good, bad = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    left = {query: good if query == "q00" else bad for query in judgments}
    right = {query: bad if query == "q00" else good for query in judgments}
    return judgments, {"left": left, "right": right}


@pytest.mark.parametrize("measure", ["RR@5", "RR"])
def test_weights_of_runs_follow_the_weights_of_queries(measure):
    """This holds for an exact search and for a grid."""
    judgments, runs = one_sided()
    plain = tuned(judgments, runs, measure, methods=["wsum"], n_folds=3)
    assert plain.choice.weights[1] > 0.5
    queries = [be.Query(query, "", weight=100 if query == "q00" else 1) for query in judgments]
    found = tuned(judgments, runs, measure, methods=["wsum"], n_folds=3, queries=queries)
    assert found.choice.weights[1] < 0.5
    assert found.singles == pytest.approx({"left": (100 + 5.5) / 111, "right": (50 + 11) / 111})
    assert found.best_single == "left"
    # The fold of the first query is fused as the others need it.
    assert found.held_out.mean == pytest.approx(found.candidates[0].held_out)
    assert found.held_out.mean < 0.6


def test_groups_of_queries_are_not_divided():
    """Three groups make three folds, and no more."""
    judgments, runs = one_sided()
    queries = [be.Query(query, "", group="abc"[int(query[1:]) % 3]) for query in judgments]
    found = tuned(judgments, runs, "RR@5", methods=["wsum"], n_folds=3, queries=queries)
    groups = [{int(query[1:]) % 3 for query in fold.query_ids} for fold in found.folds]
    assert sorted(map(len, groups)) == [1, 1, 1]
    with pytest.raises(be.ArgumentError, match="the number of groups of judged queries"):
        tuned(judgments, runs, "RR@5", n_folds=4, queries=queries)
