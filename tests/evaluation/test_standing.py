"""The standing of a run, alone and compared with another."""

import pytest

from berryeval import Query, compare, evaluate
from berryeval.evaluation.standing import slice_standings, standing_sentence, standings

N = 48
JUDGMENTS = {f"q{i:02}": {"good": 1} for i in range(N)}
FIRST = {query_id: ["good", "x", "y"] for query_id in JUDGMENTS}
SECOND = {query_id: ["x", "good", "y"] for query_id in JUDGMENTS}


def mixed(n_first):
    """Rank the relevant document first for some queries, and second for the others."""
    return {q: (FIRST if i < n_first else SECOND)[q] for i, q in enumerate(JUDGMENTS)}


def scored(run, measures="RR"):
    return evaluate(JUDGMENTS, run, measures)


def only(found):
    (one,) = found
    return one


def test_a_run_alone_has_a_mean_and_its_interval():
    """There is no change without another run."""
    found = only(standings(scored(mixed(24))))
    assert found.mean == pytest.approx(0.75)
    assert found.interval.low < 0.75 < found.interval.high
    assert (found.n_queries, found.change, found.slice) == (N, None, None)


def test_a_change_is_that_of_the_means_with_its_interval():
    """It is paired by query: 12 of 48 gain 0.5."""
    change = only(standings(scored(mixed(24)), scored(mixed(12)))).change
    assert (change.baseline_mean, change.mean) == (pytest.approx(0.625), pytest.approx(0.125))
    assert 0 < change.interval.low < 0.125 < change.interval.high
    assert change.finding == "better"


def test_a_change_that_may_be_chance_is_unclear():
    """Gains and losses are balanced; one change or none is not tested."""
    other = {q: (SECOND if i < 6 or i >= 18 else FIRST)[q] for i, q in enumerate(JUDGMENTS)}
    assert only(standings(scored(other), scored(mixed(12)))).change.finding == "unclear"
    assert only(standings(scored(mixed(7)), scored(mixed(6)))).change.finding == "untested"
    assert only(standings(scored(mixed(6)), scored(mixed(6)))).change.is_same


def test_worse_depends_on_the_direction_of_the_measure():
    """A loss is worse, and so is a rise if lower is better."""
    assert only(standings(scored(mixed(12)), scored(mixed(28)))).change.finding == "worse"
    deep = {q: ["x", "y", "good"] if i % 2 else ["good"] for i, q in enumerate(JUDGMENTS)}
    change = only(standings(scored(deep, "Unjudged@3"), scored(FIRST, "Unjudged@3"))).change
    assert (change.mean < 0, change.finding) == (True, "better")


def test_changes_are_over_common_queries():
    """The mean is over all queries, the change over those that both have."""
    fewer = evaluate(JUDGMENTS, dict(list(mixed(12).items())[:24]), "RR", missing="skip")
    found = only(standings(scored(mixed(24)), fewer))
    assert found.n_queries == N
    assert found.change.baseline_mean == pytest.approx(0.75)
    assert found.change.mean == pytest.approx(0.25)
    other = evaluate({"z": {"good": 1}}, {"z": ["good"]}, "RR")
    assert only(standings(scored(FIRST), other)).change is None


def test_geometric_means_and_sums_are_compared_correctly():
    """A sum has no interval, and a geometric mean that of its logarithms."""
    total = only(standings(scored(FIRST, "Holes@3"), scored(SECOND, "Holes@3")))
    assert (total.mean, total.interval, total.change.interval) == (2 * N, None, None)
    assert total.change.is_same
    mean = only(standings(scored(mixed(24), "GMAP"), scored(mixed(12), "GMAP")))
    assert mean.mean == pytest.approx(0.5**0.5)
    assert mean.interval.low < mean.mean < mean.interval.high
    assert mean.change.interval.low < mean.change.mean < mean.change.interval.high


def test_the_slices_of_a_label_are_one_family():
    """Slices are by label and value, without unlabelled queries."""
    queries = {
        q: Query(q, "?", category="odd" if i % 2 else "even", tags=("few",) if i < 6 else ())
        for i, q in enumerate(JUDGMENTS)
    }
    after, before = scored(mixed(24)), scored(mixed(2))
    measure = after.measures[0]
    found = {str(one.slice): one for one in slice_standings(after, before, measure, queries)}
    assert list(found) == ["category=even", "category=odd", "tag=few"]
    assert found["category=even"].n_queries == N // 2
    assert found["category=even"].change.mean == pytest.approx(0.5 * 11 / 24)
    assert [one.is_watched for one in found.values()] == [False, False, True]
    assert [one.change.finding for one in found.values()] == ["better", "better", "untested"]
    alone = slice_standings(after, before, measure, {q: queries[q] for q in list(queries)[::2]})
    assert found["category=even"].change.p_value > alone[0].change.p_value
    assert slice_standings(after, before, measure, {}) == ()
    assert slice_standings(after, None, measure, queries)[0].change is None


@pytest.mark.parametrize(
    ("n_after", "n_before", "expected"),
    [
        (24, 8, "new is better than main: RR rises from 0.5833 to 0.7500."),
        (8, 24, "new is worse than main: RR falls from 0.7500 to 0.5833."),
        (
            10,
            8,
            "new differs from main in too few queries to decide: RR is 0.6042, compared with "
            "0.5833, and only 2 of 48 queries changed.",
        ),
        (8, 8, "new and main score the same RR for every query."),
    ],
)
def test_a_sentence_describes_the_standing(n_after, n_before, expected):
    """It makes no claim without a test."""
    after, before = scored(mixed(n_after)), scored(mixed(n_before))
    found = only(standings(after, before))
    assert standing_sentence(found, ("new", after), ("main", before)) == expected
    compared = compare(JUDGMENTS, {"main": mixed(n_before), "new": mixed(n_after)}, "RR")
    assert compared.sentence == expected


def test_a_sentence_about_a_run_alone_has_its_mean():
    """It also has the number of queries."""
    alone = scored(mixed(24))
    found = only(standings(alone))
    assert standing_sentence(found, ("new", alone)) == "new has RR 0.7500 over 48 queries."


def test_a_sentence_starts_with_missing_queries():
    """A run without six of its queries is compared over the others."""
    fewer = dict(list(mixed(24).items())[6:])
    after, before = scored(mixed(24)), scored(fewer)
    [found] = standings(after, before)
    sentence = standing_sentence(found, ("new", after), ("main", before))
    assert sentence == compare(JUDGMENTS, {"main": fewer, "new": mixed(24)}, "RR").sentence
    assert sentence.startswith(
        "6 of 48 judged queries are missing from main. Over the 42 queries in every"
    )
