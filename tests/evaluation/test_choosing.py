"""The choice of one run by cross-validation."""

import pytest

from berryeval import Query
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.choosing import choose_run

N = 30
JUDGMENTS = Judgments.from_dict({f"q{i:02}": {"a": 1} for i in range(N)})


def run_of(ranks):
    """Return a run in which the relevant document of each query has a rank."""
    lists = {}
    for i, rank in enumerate(ranks):
        documents = [f"x{n}" for n in range(9)]
        documents.insert(rank - 1, "a")
        lists[f"q{i:02}"] = documents
    return Run.from_lists(lists)


def test_a_clearly_better_run_is_chosen_in_every_fold():
    """Its held-out scores are its own, and it beats the reference."""
    bad = run_of([2 + i % 3 for i in range(N)])
    good = run_of([1 + i % 2 for i in range(N)])
    chosen = choose_run(JUDGMENTS, {"bad": bad, "good": good}, "RR@10", references=["bad"])
    assert chosen.choice == "good"
    assert [fold.choice for fold in chosen.folds] == ["good"] * 5
    assert chosen.held_out.mean == pytest.approx(0.75)
    assert chosen.means == pytest.approx({"bad": (1 / 2 + 1 / 3 + 1 / 4) / 3, "good": 0.75})
    assert chosen.beats("bad")
    assert chosen.interval.low <= 0.75 <= chosen.interval.high
    assert sorted(q for fold in chosen.folds for q in fold.query_ids) == [
        f"q{i:02}" for i in range(N)
    ]


def test_runs_that_are_good_by_chance_are_found_out():
    """Each is perfect for one fold: the others seem better, so the choice fails on its fold."""
    equal = run_of([2] * N)
    folds = choose_run(JUDGMENTS, {"equal": equal}, "RR@10").folds
    runs = {}
    for number, fold in enumerate(folds):
        own = {int(query_id[1:]) for query_id in fold.query_ids}
        runs[f"r{number}"] = run_of([5 if i in own else 1 for i in range(N)])
    chosen = choose_run(JUDGMENTS, {"equal": equal, **runs}, "RR@10", references=["equal"])
    assert [fold.choice for fold in chosen.folds] == [*runs]
    assert chosen.training == 1.0
    assert chosen.held_out.mean == pytest.approx(0.2)
    assert not chosen.beats("equal")


def test_the_first_of_equal_runs_is_chosen():
    """Nothing changes without a reason."""
    runs = {"b": run_of([1] * N), "a": run_of([1] * N)}
    assert choose_run(JUDGMENTS, runs, "RR@10").choice == "b"


def test_lower_is_better_for_some_measures():
    """Fewer unjudged documents are better."""
    known = Run.from_lists({f"q{i:02}": ["a"] for i in range(N)})
    runs = {"unknown": run_of([4] * N), "known": known}
    assert choose_run(JUDGMENTS, runs, "Unjudged@5").choice == "known"


def test_a_measure_that_is_not_averaged_is_rejected():
    """Its mean over all queries is not that of the means of folds."""
    with pytest.raises(ArgumentError, match=r"measure: .* got GMAP \(a geometric mean\)"):
        choose_run(JUDGMENTS, {"a": run_of([1] * N)}, "GMAP")


def test_folds_need_queries():
    """There are at least three, and no more than queries."""
    with pytest.raises(ArgumentError, match="n_folds: expected a number from 3 to 30"):
        choose_run(JUDGMENTS, {"a": run_of([1] * N)}, n_folds=2)


def test_queries_that_are_asked_more_count_more():
    """The second run is better for one query only, which has most of the traffic."""
    rare, often = run_of([3] + [1] * (N - 1)), run_of([1] + [3] * (N - 1))
    runs = {"rare": rare, "often": often}
    assert choose_run(JUDGMENTS, runs, "RR@10").choice == "rare"
    queries = [Query(f"q{i:02}", "", weight=500 if i == 0 else 1) for i in range(N)]
    chosen = choose_run(JUDGMENTS, runs, "RR@10", queries=queries)
    assert chosen.choice == "often"
    assert chosen.means["often"] == pytest.approx((500 + 29 / 3) / 529)
    # Without the fold of that query, the others decide; their choice is bad for it.
    assert {fold.choice for fold in chosen.folds if "q00" in fold.query_ids} == {"rare"}
    assert chosen.held_out.mean < 0.4


def test_queries_of_a_group_are_in_one_fold():
    """Ten groups of three queries are not divided."""
    queries = [Query(f"q{i:02}", "", group=f"g{i // 3}") for i in range(N)]
    runs = {"a": run_of([1] * N)}
    for fold in choose_run(JUDGMENTS, runs, "RR@10", queries=queries).folds:
        groups = [int(query_id[1:]) // 3 for query_id in fold.query_ids]
        assert all(groups.count(group) == 3 for group in groups)
