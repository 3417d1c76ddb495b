"""What supervised methods learn, and that they use only training queries."""

import math

import pytest

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.fusion import METHODS, Training, train
from berryeval.fusion.training import NO_ODDS, segment_ends

RUN = Run.from_lists({"q1": ["r1", "n", "r2"], "q2": ["n", "r3"], "q3": ["n"]})
JUDGMENTS = Judgments.from_dict(
    {"q1": {"r1": 1, "r2": 2, "n": 0}, "q2": {"r3": 1}, "other": {"r1": 1}}
)
TRAINED = [name for name, method in METHODS.items() if method.is_trained]


def learned(method, **parameters):
    [table] = train(method, [RUN], JUDGMENTS, parameters).tables
    return table


def test_mean_average_precision_is_over_training_queries():
    """(1 + 2/3) / 2 and 1/2; q3 is not judged, and no run has the other query."""
    assert learned("mapfuse") == pytest.approx((((1 + 2 / 3) / 2 + 1 / 2) / 2,))


def test_positions_are_shares_of_the_rankings_that_reach_them():
    """Rank 1: one of two; rank 2: one of two; rank 3: one of one."""
    assert learned("posfuse") == (0.5, 0.5, 1.0)
    assert learned("slidefuse") == (0.5, 0.5, 1.0)


def test_segments_of_equal_size_depend_on_the_length():
    """q1 has the segments [r1 n] and [r2], q2 has [n] and [r3]."""
    assert learned("probfuse", n_segments=2) == (0.25, 1.0)


def test_a_segment_that_is_empty_has_no_relevant_document():
    """Rankings of 3 and 2 documents have nothing in the fourth of four segments."""
    assert learned("probfuse", n_segments=4) == (0.5, 0.5, 0.5, 0.0)


def test_growing_segments_count_as_full():
    """The first has room for 5 documents: 2/5 and 1/5."""
    assert learned("segfuse") == pytest.approx((0.3,))
    assert segment_ends(4) == [5, 20, 55, 130]


def test_odds_are_those_of_precision_between_cutoffs():
    """0.3 of 5 at the first five ranks; below them nothing is relevant."""
    odds = learned("bayesfuse")
    assert odds[:5] == pytest.approx([math.log(0.3 / 0.7)] * 5)
    assert odds[5:] == (NO_ODDS,) * 995


def test_a_higher_level_needs_higher_grades():
    """With rel=2 only r2 is relevant."""
    assert learned("posfuse", rel=2) == (0.0, 0.0, 1.0)


def test_a_run_without_a_training_query_found_nothing_for_it():
    """The second run lacks q2: its mean is halved."""
    other = Run.from_lists({"q1": ["r1", "r2"]})
    tables = train("mapfuse", [RUN, other], JUDGMENTS).tables
    assert tables[1] == (0.5,)


@pytest.mark.parametrize("method", TRAINED)
def test_other_queries_do_not_influence_training(method):
    """If only q1 is judged, the rankings for q2 are never used."""
    judgments = Judgments.from_dict({"q1": {"r1": 1, "r2": 2}})
    changed = Run.from_lists({"q1": ["r1", "n", "r2"], "q2": ["r1", "r2", "r3"]})
    assert train(method, [RUN], judgments) == train(method, [changed], judgments)


@pytest.mark.parametrize("method", TRAINED)
def test_a_better_run_brings_its_document_to_the_top(method):
    """Three training queries favour the first run, and an unjudged query follows it."""
    good = {f"q{n}": ["r", *(f"a{i}" for i in range(12))] for n in range(4)}
    bad = {f"q{n}": [f"b{i}" for i in range(13)] for n in range(4)}
    judgments = {f"q{n}": {"r": 1} for n in range(3)}
    assert be.fuse([good, bad], method, judgments=judgments).ranking("q3")[0] == "r"


def test_training_can_be_given():
    """With two weighted runs, 0.4/1 beats 0.3/1."""
    runs = [{"q": ["a"]}, {"q": ["b"]}]
    found = be.fuse(runs, "mapfuse", training=Training("mapfuse", ((0.3,), (0.4,))))
    assert found.to_dict() == {"q": {"b": 0.4, "a": 0.3}}


def test_training_of_another_method_is_rejected():
    """So is that of another number of runs."""
    runs = [{"q": ["a"]}, {"q": ["b"]}]
    with pytest.raises(be.ArgumentError, match=r"expected what mapfuse learned of 2 runs, got pos"):
        be.fuse(runs, "mapfuse", training=Training("posfuse", ((0.3,), (0.4,))))


def test_methods_that_do_not_learn_cannot_be_trained():
    """The message lists those that do."""
    with pytest.raises(be.ArgumentError, match=r"one that learns from judgments \(mapfuse, "):
        train("rrf", [RUN], JUDGMENTS)


def test_training_needs_judged_queries():
    """Judgments of other queries are useless."""
    with pytest.raises(be.MismatchError, match="no query in common to train on"):
        train("mapfuse", [RUN], Judgments.from_dict({"z": {"d": 1}}))
