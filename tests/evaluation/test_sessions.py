"""Session DCG."""

import math

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, InputTypeError, MismatchError

JUDGMENTS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "c": 3}, "q3": {"c": 1, "z": -1}}
RUN = {"q1": ["x", "a"], "q2": ["c", "b", "a"], "q3": ["z", "c"]}


def test_later_turns_and_later_ranks_count_less():
    """Turn 2 is divided by 1 + log4(2) = 1.5, rank 2 by 1 + log2(2) = 2."""
    found = be.session_scores(JUDGMENTS, RUN, {"s": ["q1", "q2", "q3"]})
    first = 2 / 2
    second = 3 + 1 / (1 + math.log2(3))
    third = 1 / 2
    expected = first + second / 1.5 + third / (1 + math.log(3, 4))
    assert found["s"].sdcg == pytest.approx(expected, rel=1e-12)
    ideal = (2 + 1 / 2) + (3 + 1 / 2) / 1.5 + 1 / (1 + math.log(3, 4))
    assert found["s"].nsdcg == pytest.approx(expected / ideal, rel=1e-12)
    assert found["s"].query_ids == ("q1", "q2", "q3")


def test_the_order_of_turns_matters():
    """The better turn counts most if it comes first."""
    one = be.session_scores(JUDGMENTS, RUN, {"s": ["q2", "q1"]})["s"]
    other = be.session_scores(JUDGMENTS, RUN, {"s": ["q1", "q2"]})["s"]
    assert one.sdcg > other.sdcg


def test_the_bases_and_gains_can_be_chosen():
    """Both bases are set to e, and grade 3 is worth 7 or 10."""
    e = math.e
    found = be.session_scores(JUDGMENTS, RUN, {"s": ["q1", "q2"]}, b=e, bq=e, gain="exp2", k=1)
    assert found["s"].sdcg == pytest.approx(7 / (1 + math.log(2)))
    by_table = be.session_scores(JUDGMENTS, RUN, {"s": ["q2"]}, gain={3: 10, 0: 5}, k=2)
    assert by_table["s"].sdcg == 10  # b is not judged, which is not the grade 0


def test_sessions_are_groups_of_queries():
    """Turns are in the order of the queries; one without a group belongs to none."""
    queries = [
        be.Query("q2", "second", group="s1"),
        be.Query("q3", "alone"),
        be.Query("q1", "first", group="s1"),
    ]
    found = be.session_scores(JUDGMENTS, RUN, queries)
    assert found == be.session_scores(JUDGMENTS, RUN, {"s1": ["q2", "q1"]})
    assert found["s1"].query_ids == ("q2", "q1")


def test_turns_order_the_queries_of_a_session():
    """This holds for any order in the file; turns of a session are complete and distinct."""
    queries = [
        be.Query("q2", "second", group="s1", turn=2),
        be.Query("q1", "first", group="s1", turn=1),
        be.Query("q3", "alone", group="s2"),
    ]
    found = be.session_scores(JUDGMENTS, RUN, queries)
    assert found == be.session_scores(JUDGMENTS, RUN, {"s1": ["q1", "q2"], "s2": ["q3"]})
    for turn, shown in ((2, "2, 2"), (None, "none, 2")):
        queries[1] = be.Query("q1", "first", group="s1", turn=turn)
        with pytest.raises(ArgumentError, match=f"session 's1': expected each .* got {shown}"):
            be.session_scores(JUDGMENTS, RUN, queries)


def test_measures_are_averaged_over_judged_turns_and_then_over_sessions():
    """A turn without judgments does not count; one that is missing from the run scores 0."""
    sessions = {"s1": ["q1", "q2", "unknown"], "s2": ["q3"], "s3": ["unknown"]}
    run = {"q1": RUN["q1"], "q3": RUN["q3"]}
    found = be.session_scores(JUDGMENTS, run, sessions, measures=["nDCG@3", "RR"])
    scores = be.evaluate(JUDGMENTS, run, ["nDCG@3", "RR"])
    for name in ("nDCG@3", "RR"):
        by_query = scores[name].by_query
        assert by_query["q2"] == 0.0
        assert found["s1"].means[name] == pytest.approx((by_query["q1"] + 0.0) / 2)
        assert found["s2"].means[name] == by_query["q3"]
        assert found.means[name] == pytest.approx(
            (found["s1"].means[name] + found["s2"].means[name]) / 2
        )
    assert found["s3"].means == {}
    assert be.session_scores(JUDGMENTS, run, sessions).means == {}
    with pytest.raises(ArgumentError, match="measures that are averaged, got NumRel"):
        be.session_scores(JUDGMENTS, run, sessions, measures="NumRel")


def test_means_are_over_sessions():
    """Each session counts once, however many turns it has."""
    found = be.session_scores(JUDGMENTS, RUN, {"s1": ["q1"], "s2": ["q2", "q3"]})
    assert found.sdcg == pytest.approx((found["s1"].sdcg + found["s2"].sdcg) / 2)
    assert found.nsdcg == pytest.approx((found["s1"].nsdcg + found["s2"].nsdcg) / 2)
    assert repr(found).startswith("<SessionScores over 2 sessions: sDCG ")


def test_turns_without_judgments_or_results_gain_nothing():
    """The others keep their turns."""
    found = be.session_scores(JUDGMENTS, {"q1": ["a"]}, {"s": ["unknown", "q1", "q2"]})
    assert found["s"].sdcg == pytest.approx(2 / 1.5)
    nothing = be.session_scores({"q": {"a": 0}}, {"q": ["a"]}, {"s": ["q"]})
    assert (nothing.sdcg, nothing.nsdcg) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("sessions", "options", "message"),
    [
        ({}, {}, "sessions: expected at least one query with a session, got none"),
        ({"s": []}, {}, "sessions: expected at least one query"),
        ([be.Query("q1", "no group")], {}, "sessions: expected at least one query"),
        ({"s": "q1"}, {}, r"sessions\['s'\]: expected a list of query ids, got 'q1'"),
        ({"s": ["q1"]}, {"b": 1}, "b: expected a number above 1, got 1"),
        ({"s": ["q1"]}, {"bq": 0.5}, "bq: expected a number above 1"),
        ({"s": ["q1"]}, {"gain": "cubic"}, "gain: expected 'linear', 'exp2'"),
        ({"s": ["q1"]}, {"k": 0}, "k: expected"),
    ],
)
def test_invalid_arguments_are_rejected(sessions, options, message):
    """The message names the argument."""
    with pytest.raises(ArgumentError, match=message):
        be.session_scores(JUDGMENTS, RUN, sessions, **options)


def test_sessions_of_other_queries_are_rejected():
    """Every score would be 0."""
    with pytest.raises(MismatchError, match="no query of any session is judged"):
        be.session_scores(JUDGMENTS, RUN, {"s": ["other"]})


@pytest.mark.parametrize("turn", [0, 1.5, True, "2", 10**400, float("nan")])
def test_turns_are_whole_numbers_from_1(turn):
    """This holds for any source of queries."""
    with pytest.raises((ArgumentError, InputTypeError), match="turn: expected a whole number fr"):
        be.Query("q", "text", turn=turn)
