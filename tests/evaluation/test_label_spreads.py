"""How much a model's differences vary by stratum, and draws based on it."""

from itertools import combinations, product

import numpy as np
import pytest

import berryeval as be
from berryeval.errors import ArgumentError, FormatError
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.evaluation.label_spreads import estimate_spreads
from berryeval.measures import ReciprocalRank
from berryeval.stats import powered_mean

STRATA = {f"q{i:02}": "hard" if i >= 12 else "easy" for i in range(25)}
"""12 easy queries, and 13 hard ones."""


def graded_runs(lost):
    """Return grades and two runs; the new one ranks the relevant document second for some."""
    grades = be.Judgments.from_dict({name: {"d1": 1, "d2": 0} for name in STRATA})
    old = be.Run.from_lists({name: ["d1", "d2"] for name in STRATA})
    new = be.Run.from_lists({name: ["d2", "d1"] if name in lost else ["d1"] for name in STRATA})
    return grades, {"old": old, "new": new}


def test_a_spread_is_the_standard_deviation_of_differences():
    """RR falls by 0.5 for 6 of 13 hard queries; easy ones get half of the overall spread."""
    hard = [name for name, stratum in STRATA.items() if stratum == "hard"][:6]
    found = estimate_spreads(*graded_runs(hard), STRATA, ReciprocalRank())
    assert found == {
        "easy": pytest.approx(0.5 * np.std([0.5] * 6 + [0] * 19, ddof=1)),
        "hard": pytest.approx(np.std([0.5] * 6 + [0] * 7, ddof=1)),
    }


def test_variances_of_several_candidates_are_averaged():
    """A candidate equal to the baseline halves the variance."""
    hard = [name for name, stratum in STRATA.items() if stratum == "hard"][:6]
    grades, runs = graded_runs(hard)
    both = estimate_spreads(grades, {**runs, "same": runs["old"]}, STRATA, ReciprocalRank())
    alone = estimate_spreads(grades, runs, STRATA, ReciprocalRank())
    assert both["hard"] == pytest.approx(alone["hard"] / np.sqrt(2))


def test_a_query_without_grades_does_not_differ():
    """A stratum of one query does not vary, either, and gets the minimum."""
    found = estimate_spreads(*graded_runs(["q24"]), {**STRATA, "q99": "new"}, ReciprocalRank())
    assert found["new"] == found["easy"] == pytest.approx(0.5 * np.std([0.5] + [0] * 25, ddof=1))


def test_one_run_has_no_differences():
    """The message states what is needed."""
    grades, runs = graded_runs([])
    with pytest.raises(ArgumentError, match="runs: expected at least two, got 1"):
        estimate_spreads(grades, {"old": runs["old"]}, STRATA)


def test_unequal_probabilities_leave_the_mean_unbiased():
    """The mean over all 858 draws is the true one; the unweighted mean of labels is not."""
    hard = [name for name, stratum in STRATA.items() if stratum == "hard"][:6]
    spreads = estimate_spreads(*graded_runs(hard), STRATA, ReciprocalRank())
    draw = be.draw_labels(STRATA, 22, strata=STRATA, spreads=spreads)
    assert draw.counts == {"easy": (10, 12), "hard": (12, 13)}
    strata = [*STRATA.values()]
    rows = {name: [i for i, own in enumerate(strata) if own == name] for name in draw.counts}
    random = np.random.default_rng(7)
    truth = random.normal(0, 0.1, 25) + np.array([0.2 if one == "easy" else -0.3 for one in strata])
    model = random.normal(0, 0.2, 25)
    chosen = [combinations(rows[name], n_drawn) for name, (n_drawn, _) in draw.counts.items()]
    means, unweighted = [], []
    for parts in product(*chosen):
        labelled = [row for part in parts for row in part]
        people = np.full(25, np.nan)
        people[labelled] = truth[labelled]
        means.append(powered_mean(people, model, strata=strata, weight=1.0).sample.mean)
        unweighted.append(truth[labelled].mean())
    assert len(means) == 858
    assert np.mean(means) == pytest.approx(truth.mean(), abs=1e-12)
    assert abs(np.mean(unweighted) - truth.mean()) > 0.01


def test_every_query_of_a_stratum_is_drawn_equally_often():
    """Over 2,000 seeds, each is within five standard errors of its stored probability."""
    spreads = {"easy": 0.1, "hard": 0.4}
    draws = [
        be.draw_labels(STRATA, 22, strata=STRATA, spreads=spreads, seed=seed)
        for seed in range(2000)
    ]
    for name, probability in draws[0].probabilities.items():
        share = np.mean([name in draw.labelled for draw in draws])
        assert abs(share - probability) < 5 * np.sqrt(probability * (1 - probability) / 2000)


def test_spreads_are_kept_in_the_file(tmp_path):
    """They are read back unchanged; chosen queries have none."""
    spreads = {"easy": 0.1, "hard": 0.4}
    draw = be.draw_labels(STRATA, 21, strata=STRATA, spreads=spreads, chosen=["q00"])
    draw.save(tmp_path / "draw.json")
    assert LabelDraw.read(tmp_path / "draw.json") == draw
    assert draw.spreads == spreads
    rows = draw.to_dict()["queries"]
    assert (rows["q01"]["spread"], "spread" in rows["q00"]) == (0.1, False)


@pytest.mark.parametrize("spread", [True, "0.1", -1, float("inf"), float("nan")])
def test_a_spread_that_is_none_is_named(spread):
    """The message names the query."""
    row = {"stratum": "easy", "is_labelled": True, "spread": spread}
    with pytest.raises(FormatError, match=r"expected a spread of 'q1', found"):
        LabelDraw.from_dict({"q1": row}, "draw.json")


def test_a_stratum_has_one_spread():
    """Two spreads would imply two probabilities."""
    rows = {
        name: {"stratum": "easy", "is_labelled": True, "spread": spread}
        for name, spread in (("q1", 0.1), ("q2", 0.2))
    }
    with pytest.raises(FormatError, match=r"one spread for all queries of stratum 'easy', found"):
        LabelDraw.from_dict(rows, "draw.json")
