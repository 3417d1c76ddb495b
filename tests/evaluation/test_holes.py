"""Which unjudged documents matter most, and the bounds of means."""

import itertools

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation import evaluate
from berryeval.evaluation.bounds import Bounds
from berryeval.evaluation.evaluate import read_measures
from berryeval.evaluation.holes import Hole, depth_of, find_holes, highest_grade
from berryeval.evaluation.mean_bounds import mean_bounds

JUDGED = {"q1": {"a": 2, "b": 0, "n": -1}, "q2": {"c": 1}, "q3": {"d": 0}}
OURS = {"q1": ["x", "a", "n"], "q2": ["c", "y"], "q9": ["z"]}
THEIRS = {"q1": ["a", "b", "x"], "q2": ["y", "c"], "q3": ["w"]}


def judgments(changes: dict[tuple[str, str], float] | None = None) -> Judgments:
    judged = {query_id: dict(grades) for query_id, grades in JUDGED.items()}
    for (query_id, doc_id), grade in (changes or {}).items():
        judged[query_id][doc_id] = grade
    return Judgments.from_dict(judged)


def runs(*names: str) -> dict[str, Run]:
    both = {"ours": Run.from_lists(OURS), "theirs": Run.from_lists(THEIRS)}
    return {name: both[name] for name in names or both}


def find(*measures: str, **options) -> list[Hole]:
    return find_holes(judgments(), options.pop("runs", runs()), read_measures(measures), **options)


def mean(name: str, measure: str, changes: dict[tuple[str, str], float]) -> float:
    """Return the mean of evaluate with other grades of some documents."""
    return evaluate(judgments(changes), runs()[name], measure)[measure].mean


ALL = [("q1", "x"), ("q1", "n"), ("q2", "y"), ("q3", "w")]


@pytest.mark.parametrize(
    "measure", ["P@3", "nDCG@3", "AP", "RR", "Bpref", "NumRelRet", "GMAP", "ERR@2"]
)
def test_an_effect_is_the_change_of_the_mean(measure):
    """E6: between grade 0 and the highest, other holes at 0; the larger of both runs."""
    nothing = dict.fromkeys(ALL, 0)
    for hole in find(measure):
        key = (hole.query_id, hole.doc_id)
        changes = [
            mean(name, measure, nothing | {key: 2}) - mean(name, measure, nothing)
            for name in runs()
        ]
        assert hole.effect == pytest.approx(max(map(abs, changes)), abs=1e-12)


@pytest.mark.parametrize("measure", ["P@3", "nDCG@3", "AP", "RR", "GMAP"])
def test_an_effect_against_a_baseline_is_the_change_of_the_difference(measure):
    """A document that helps both alike has no effect."""
    nothing = dict.fromkeys(ALL, 0)
    for hole in find(measure, baseline="theirs"):
        given = nothing | {(hole.query_id, hole.doc_id): 2}
        before, after = (
            mean("ours", measure, grades) - mean("theirs", measure, grades)
            for grades in (nothing, given)
        )
        assert hole.effect == pytest.approx(abs(after - before), abs=1e-12)


def test_holes_are_sorted_by_effect():
    """They have ranks; negative grades are holes, and ties are by query and document."""
    found = find("P@3")
    assert [(h.query_id, h.doc_id, h.ranks) for h in found] == [
        ("q1", "n", {"ours": 3}),
        ("q1", "x", {"ours": 1, "theirs": 3}),
        ("q2", "y", {"ours": 2, "theirs": 1}),
        ("q3", "w", {"theirs": 1}),
    ]
    assert [h.effect for h in found] == pytest.approx([1 / 9] * 4)
    assert find("RR", runs=runs("theirs"))[0].doc_id == "w"


def test_the_default_depth_is_the_deepest_cutoff():
    """Holes that no measure sees have no effect, and deeper ranks are not shown."""
    assert {h.doc_id for h in find("P@1")} == {"w", "x", "y"}
    assert next(h for h in find("P@1") if h.doc_id == "x").ranks == {"ours": 1}
    deeper = {h.doc_id: h.effect for h in find("P@1", k=3)}
    assert deeper["n"] == 0.0
    assert {h.doc_id for h in find("AP", k=1)} == {"w", "x", "y"}
    assert {h.doc_id for h in find("P@1", "AP")} == {"w", "x", "y", "n"}
    assert depth_of(read_measures(["P@1", "nDCG@20"])) == 20
    assert depth_of(read_measures(["P@1", "AP"])) is None


def test_a_measure_does_not_see_holes_below_its_own_cutoff():
    """A document that only P@3 sees has an effect only on P@3."""
    alone = {h.doc_id: h.effect for h in find("P@3")}
    both = {h.doc_id: h.effect for h in find("P@3", "R@1")}
    assert both["n"] == alone["n"]


def test_the_default_scale_ends_at_the_highest_grade():
    """It is at least 1; a higher scale makes effects larger."""
    assert highest_grade(judgments()) == 2.0
    assert highest_grade(Judgments.from_dict({"q": {"a": 0, "b": -1}})) == 1.0
    assert highest_grade(Judgments.from_dict({"q": {}})) == 1.0
    assert find("DCG@3", max_grade=4)[0].effect == pytest.approx(2 * find("DCG@3")[0].effect)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "nobody"}, "baseline: expected one of 'ours', 'theirs', got 'nobody'"),
        (
            {"baseline": "ours", "runs": runs("ours")},
            "runs: expected a run other than the baseline",
        ),
        ({"runs": {}}, "runs: expected at least one, got none"),
        ({"max_grade": 0}, "max_grade: expected a number above 0, got 0"),
        ({"max_grade": float("nan")}, "max_grade: expected a number above 0, got nan"),
    ],
)
def test_invalid_arguments_are_errors(options, message):
    """One line has what was expected and found."""
    with pytest.raises(ArgumentError) as caught:
        find("P@3", **options)
    assert str(caught.value).startswith(message)


def test_at_least_one_measure_is_required():
    """Otherwise there is no effect."""
    for ask in (find_holes, mean_bounds):
        with pytest.raises(ArgumentError, match="measures: expected at least one, got none"):
            ask(judgments(), runs(), [])


def test_a_run_of_other_queries_is_an_error():
    """Otherwise everything would seem to be judged."""
    with pytest.raises(
        MismatchError, match=r"far: no query in common .* judged queries are 'q1', .* 'z9'"
    ):
        find("P@3", runs={"far": Run.from_lists({"z9": ["a"]})})


def every_mean(of) -> list[float]:
    """Return the means of all assignments of 0, 1 and 2 to the four holes."""
    tried = itertools.product([0, 1, 2], repeat=len(ALL))
    return [of(dict(zip(ALL, grades, strict=True))) for grades in tried]


@pytest.mark.parametrize("measure", ["P@3", "nDCG@3", "AP", "NumRel"])
def test_bounds_of_a_mean_are_tight(measure):
    """E6: brute force over all grades reaches them, and never exceeds them."""
    found = {b.run: b for b in mean_bounds(judgments(), runs(), read_measures(measure))}
    for name in runs():
        values = every_mean(lambda given, name=name: mean(name, measure, given))
        assert found[name].mean == pytest.approx(mean(name, measure, {}))
        assert found[name].bounds.low == pytest.approx(min(values))
        assert found[name].bounds.high == pytest.approx(max(values))


def test_bounds_of_a_difference_of_means_are_tight():
    """A document has the same grade in both runs."""
    measure = "nDCG@3"
    values = every_mean(lambda given: mean("ours", measure, given) - mean("theirs", measure, given))
    [found] = mean_bounds(judgments(), runs(), read_measures(measure), baseline="theirs")
    assert found.run == "ours"
    assert found.mean == pytest.approx(mean("ours", measure, {}) - mean("theirs", measure, {}))
    assert found.bounds.low == pytest.approx(min(values))
    assert found.bounds.high == pytest.approx(max(values))


def test_measures_without_bounds_are_left_out():
    """Geometric means are not sums over queries."""
    found = mean_bounds(
        judgments(), runs("ours"), read_measures(["Bpref", "GMAP", "RR"]), max_grade=1
    )
    assert [(str(b.measure), b.bounds) for b in found] == [
        ("RR", Bounds(0.5, pytest.approx(2 / 3)))
    ]
