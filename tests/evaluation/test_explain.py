"""Explaining why a score changed."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.evaluation import attribution
from berryeval.evaluation.attribution import view_of
from berryeval.evaluation.explain import query_that_fell_most
from berryeval.measures import Precision, all_measures
from berryeval.measures.custom import CustomMeasure
from berryeval.reports.explain import explanation_sentence
from cases import parameters_of
from depth import examples

OF_RANKINGS = [measure for measure in all_measures() if not measure.uses_timings]
every_measure = pytest.mark.parametrize("measure", OF_RANKINGS, ids=lambda m: m.name)


def explained(grades, before, after, measure):
    """Explain one query; documents are letters."""
    runs = {"q": list(before)}, {"q": list(after)}
    lengths = lengths_of(before, after)
    return be.explain({"q": grades}, *runs, "q", measure, lengths=lengths)


def lengths_of(*rankings):
    """Return a length for each document, and for one more: there have to be some."""
    return {doc_id: 7.0 * ord(doc_id[0]) for doc_id in ("a", *itertools.chain(*rankings))}


def graded_for(measure, grades):
    """Spread grades over three subtopics if the measure looks at them."""
    if not measure.uses_intents:
        return grades
    return {
        doc_id: {"1": grade, "2" if ord(doc_id[0]) % 2 else "3": grade - 1}
        for doc_id, grade in grades.items()
    }


def contributions(explanation):
    return {move.doc_id: move.contribution for move in explanation.moves}


def test_a_document_of_ndcg_counts_by_gain_and_discount():
    """a (grade 2) falls from 1 to 2, b (grade 1) rises from 2 to 1; the ideal is 2 + 1/log2(3)."""
    found = explained({"a": 2, "b": 1}, "ab", "ba", "nDCG@10")
    ideal = 2 + 1 / math.log2(3)
    loss = 1 - 1 / math.log2(3)
    assert contributions(found) == {
        "a": pytest.approx(-2 * loss / ideal, abs=1e-15),
        "b": pytest.approx(loss / ideal, abs=1e-15),
    }
    assert (found.method, found.n_shared) == ("additive", 2)


def test_a_document_that_leaves_the_cutoff_loses_all_it_gave():
    """P@2: b goes from rank 2 to 3, and an unjudged one takes its place without a gain."""
    found = explained({"a": 1, "b": 1}, "ab", "axb", "P@2")
    assert contributions(found) == {"b": -0.5, "x": 0.0}
    assert [(m.rank_before, m.rank_after, m.grade) for m in found.moves] == [
        (2, 3, 1.0),
        (None, 2, None),
    ]


def test_ap_of_two_moves_is_averaged_over_both_orders():
    """R = 2. Before: a at 1, b at 3: (1 + 2/3) / 2. After: b at 1, a at 2: 1.

    a first (2, 3): (1/2 + 2/3) / 2 = 7/12, then b: 1. b first (both claim rank 1; b, which
    has moved, is first, then a): 1, then a: 1. Before was 10/12.
    So a contributes (-3/12 + 0) / 2, and b (5/12 + 2/12) / 2.
    """
    found = explained({"a": 1, "b": 1}, "axb", "bax", "AP")
    assert contributions(found) == {
        "a": pytest.approx(-1.5 / 12, abs=1e-15),
        "b": pytest.approx(3.5 / 12, abs=1e-15),
        "x": 0.0,
    }
    assert (found.method, found.n_shared) == ("shapley", 2)


def test_rr_pays_the_documents_that_came_first():
    """a at 4 gives way to b at 2 and c at 1: b alone brings 1/4, c alone 3/4, both 3/4.

    The departure of a counts only where it comes last: never after b or c came, 1/4 before both.
    """
    found = explained({"a": 1, "b": 1, "c": 1}, "xyza", "cb", "RR")
    shares = contributions(found)
    # Orders: abc, acb, bac, bca, cab, cba.
    assert shares["a"] == pytest.approx(-(1 / 4) * 2 / 6)
    assert shares["b"] == pytest.approx((1 / 2 + 0 + 1 / 4 + 1 / 4 + 0 + 0) / 6)
    assert shares["c"] == pytest.approx((1 / 2 + 1 + 1 / 2 + 1 / 2 + 3 / 4 + 3 / 4) / 6)
    assert math.fsum(shares.values()) == 0.75
    assert {shares[doc_id] for doc_id in "xyz"} == {0.0}


def test_of_two_documents_at_one_rank_the_moved_one_is_first():
    """ERR: b (grade 4, stops 15/16) takes the first rank from a (grade 1, stops 1/16).

    If b comes before a has left: 15/16 + 1/16 · 1/16 · 1/2, with a second. a first: 0.
    """
    found = explained({"a": 1, "b": 4}, "a", "b", "ERR")
    shares = contributions(found)
    both = 15 / 16 + 1 / 16 * 1 / 16 / 2
    assert shares["b"] == pytest.approx(((both - 1 / 16) + 15 / 16) / 2)
    assert shares["a"] == pytest.approx((-1 / 16 + (15 / 16 - both)) / 2)


def test_the_query_can_be_named_as_the_command_does():
    """`--query` is `query_id` in Python, and `query` too."""
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
    before, after = {"q1": ["a"], "q2": ["a"]}, {"q1": ["x", "a"], "q2": ["a"]}
    assert be.explain(judgments, before, after).query_id == "q1"
    assert be.explain(judgments, before, after, query="q2").query_id == "q2"


def test_only_documents_that_can_be_first_affect_rr():
    """The second relevant document and those below have no effect."""
    many = [f"r{i}" for i in range(20)]
    found = be.explain(
        {"q": dict.fromkeys(["a", *many], 1)},
        {"q": ["x", "a", *many]},
        {"q": ["a", "x", *reversed(many)]},
        "q",
        "RR",
    )
    assert [(m.doc_id, m.contribution) for m in found.effective] == [("a", 0.5)]
    assert (found.method, found.n_shared) == ("shapley", 1)


def test_symmetric_documents_contribute_equally():
    """b and c of equal grade enter where their order does not matter."""
    found = explained({"a": 1, "b": 1, "c": 1}, "xya", "bca", "Success@2")
    shares = contributions(found)
    assert shares["b"] == shares["c"] == pytest.approx(0.5)


@pytest.mark.parametrize("measure", ["AP", "RR", "ERR", "nDCG@10", "G", "binG", "AP11", "yaap"])
def test_documents_that_are_not_relevant_contribute_nothing(measure):
    """The documents that gain or lose a rank account for the change."""
    found = explained({"a": 2, "b": 1, "n": 0}, "naxb", "unbyaz", measure)
    assert found.difference != 0
    assert {m.doc_id for m in found.effective} <= {"a", "b"}


def test_more_than_twelve_movers_use_one_path():
    """The order is that of the second ranking, then those that left, as stated."""
    relevant = [f"r{i:02}" for i in range(13)]
    found = be.explain(
        {"q": dict.fromkeys(relevant, 1)},
        {"q": relevant},
        {"q": ["x", *relevant[:12]]},
        "q",
        "AP",
    )
    assert (found.method, found.n_shared) == ("path", 13)
    assert math.fsum(contributions(found).values()) == pytest.approx(found.difference, abs=1e-12)
    # r00 goes first: where it and r01 claim rank 2, r00 keeps it, and the others move down by one.
    lower = sum(n / (n + 1) for n in range(1, 14)) / 13
    assert contributions(found)["r00"] == pytest.approx(lower - 1)
    # Then all but the last are at their final ranks, until the last one leaves.
    assert contributions(found)["r12"] == pytest.approx(-(13 / 14) / 13)


def test_twelve_movers_are_exact():
    """At the limit all 4,096 hybrid rankings are scored."""
    relevant = [f"r{i:02}" for i in range(12)]
    judgments = {"q": dict.fromkeys(relevant, 1)}
    found = be.explain(judgments, {"q": relevant}, {"q": ["x", *relevant]}, "q", "AP")
    assert (found.method, found.n_shared) == ("shapley", 12)
    assert all(m.contribution < 0 for m in found.effective)


def test_moves_are_sorted_by_contribution_then_by_rank():
    """The largest comes first, whatever its sign; moves without effect by rank."""
    found = explained({"a": 3, "b": 1}, "abxyz", "yaxbz", "nDCG@5")
    assert [m.doc_id for m in found.moves] == ["a", "b", "y"]
    assert [m.doc_id for m in found.effective] == ["a", "b"]


def test_moves_below_the_cutoff_in_both_are_left_out():
    """The measure does not see them."""
    found = explained({"c": 1, "d": 1}, "abcd", "abdc", "nDCG@2")
    assert (found.moves, found.difference) == ((), 0.0)


def test_a_negative_grade_is_not_a_grade():
    """The document is in the pool, but not judged."""
    found = explained({"a": 1, "b": -1}, "ab", "ba", "nDCG")
    assert {m.doc_id: m.grade for m in found.moves} == {"a": 1.0, "b": None}


def test_a_run_without_the_query_retrieved_nothing():
    """All its documents are lost."""
    found = be.explain({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]}, {"r": ["a"]}, "q", "P@1")
    assert [(m.rank_before, m.rank_after, m.contribution) for m in found.moves] == [(1, None, -1.0)]
    assert found.n_retrieved == (1, 0)
    assert explanation_sentence(found, ("old", "new")) == (
        "P@1 of query q fell by 1.0000, from 1.0000 in old to 0.0000 in new. "
        "new has no documents for it."
    )


def test_precision_without_k_counts_irrelevant_documents():
    """x and y share the fall from 1 to 1/3, in any order."""
    found = explained({"a": 1}, "a", "xay", Precision())
    assert contributions(found) == {
        "a": 0.0,
        "x": pytest.approx(-1 / 3),
        "y": pytest.approx(-1 / 3),
    }


def test_a_custom_measure_is_explained():
    """Every document counts, since the function may use any."""

    class FirstHit(CustomMeasure):
        name = "FirstHit"
        function = staticmethod(lambda grades, _judged: float(bool(grades) and grades[0] >= 1))

    found = explained({"a": 1}, "ax", "xa", FirstHit())
    assert math.fsum(contributions(found).values()) == found.difference == -1.0


documents = st.sampled_from("abcdefghijklmno")
rankings = st.lists(documents, unique=True, max_size=12)


@every_measure
@examples(40)
@given(
    data=st.data(),
    grades=st.dictionaries(documents, st.integers(-2, 4), min_size=1),
    before=rankings,
    after=rankings,
)
def test_contributions_add_up_to_the_difference(measure, data, grades, before, after):
    """There is no residual above 1e-12, for every measure with any parameters."""
    drawn = data.draw(parameters_of(measure))
    grades = graded_for(measure, grades)
    found = explained(grades, before, after, drawn)
    size = max(1.0, abs(found.before), abs(found.after))
    total = math.fsum(m.contribution for m in found.moves)
    assert total == pytest.approx(found.difference, abs=1e-12 * size)
    evaluated = [
        be.evaluate({"q": grades}, {"q": run, "x": []}, drawn, lengths=lengths_of(run))
        for run in (before, after)
    ]
    assert [result[str(drawn)].by_query["q"] for result in evaluated] == [found.before, found.after]


@every_measure
@examples(25)
@given(
    data=st.data(),
    grades=st.dictionaries(documents, st.integers(-2, 4), min_size=1),
    before=rankings,
    after=rankings,
)
def test_only_rounding_errors_are_adjusted(measure, data, grades, before, after):
    """The arithmetic itself adds up, and the largest row hides nothing."""
    left_over = []

    def settle(contributions, difference):
        left_over.append(difference - math.fsum(contributions))

    drawn = data.draw(parameters_of(measure))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(attribution, "_settle", settle)
        found = explained(graded_for(measure, grades), before, after, drawn)
    size = max(1.0, abs(found.before), abs(found.after))
    assert abs(left_over[0]) <= 1e-12 * size


def test_every_measure_declares_what_it_uses():
    """A new measure must declare it, or be listed here."""
    closed = {m.name for m in OF_RANKINGS if view_of(m()).arrangement == "closed"}
    assert closed == {
        "Compat", "ERR_IA", "Judged", "PairwiseAccuracy", "Rndcg", "TBG", "U", "alpha_DCG"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "query_id"),
    [
        ({"q1": ["x", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["x", "a"]}, "q2"),
        ({"q1": ["x", "y", "a"], "q2": ["x", "a"]}, {"q1": ["a"], "q2": ["a"]}, "q1"),
        ({"q1": ["a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}, "q1"),
    ],
)
def test_by_default_the_query_that_fell_most_is_explained(a, b, query_id):
    """Otherwise it is the one that rose most, or the first."""
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
    assert query_that_fell_most(judgments, a, b, "RR") == query_id
    assert be.explain(judgments, a, b, measure="RR").query_id == query_id


def test_lower_may_be_better():
    """A query falls if more of it is unjudged."""
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
    a, b = {"q1": ["x"], "q2": ["a"]}, {"q1": ["a"], "q2": ["x"]}
    assert query_that_fell_most(judgments, a, b, "Unjudged@1") == "q2"


def test_documents_that_other_queries_judge_are_no_holes_of_beir():
    """Only x, which no query judges, changes Hole; b belongs to q2."""
    judgments = {"q1": {"a": 1}, "q2": {"b": 1}}
    found = be.explain(judgments, {"q1": ["a", "b"]}, {"q1": ["b", "x"]}, "q1", "Hole@2")
    assert (found.before, found.after) == (0.0, 0.5)
    assert {move.doc_id: move.contribution for move in found.effective} == {"x": 0.5}


def test_an_unknown_query_is_an_error_with_the_nearest():
    """If none is similar, the first ones are shown."""
    judgments = {f"query-{i}": {"a": 1} for i in range(5)}
    run = {"query-1": ["a"]}
    with pytest.raises(be.MismatchError, match=r"'query1' is not judged: did you mean 'query-1'\?"):
        be.explain(judgments, run, run, "query1")
    with pytest.raises(
        be.MismatchError, match="judged queries are 'query-0', 'query-1', 'query-2' and 2"
    ):
        be.explain(judgments, run, run, "zz")
    with pytest.raises(be.InputTypeError, match="query_id: expected text or a whole number"):
        be.explain(judgments, run, run, 7.0)


def test_several_measures_are_rejected():
    """An explanation has one measure."""
    run = {"q": ["a"]}
    with pytest.raises(be.ArgumentError, match="expected one measure, got P@5, P@10"):
        be.explain({"q": {"a": 1}}, run, run, "q", "P.5,10")


def test_an_explanation_has_a_readable_repr():
    """It is useful in a REPL."""
    found = explained({"a": 1}, "ax", "xa", "RR")
    assert repr(found) == "<Explanation of RR for query 'q': 1.0000 to 0.5000, 1 of 2 moves count>"


def test_a_rounding_difference_is_not_a_change():
    """AP may add the same precisions in another order."""
    judgments = {"q": {f"d{i}": i % 3 + 1 for i in range(9)}}
    before = [f"d{i}" for i in (4, 2, 8, 1, 7, 0, 5, 3, 6)]
    for rotation in range(9):
        after = before[rotation:] + before[:rotation]
        found = be.explain(judgments, {"q": before}, {"q": after}, "q", "DCG")
        compared = be.compare(judgments, {"a": {"q": before}, "b": {"q": after}}, "DCG")
        [change] = compared.changes("b", "DCG")
        assert (found.difference, found.outcome) == (change.difference, change.outcome)


def test_the_words_follow_the_measure():
    """A fall is worse, unless lower is better; hidden moves are counted."""
    judgments = {"q": {"d1": 1, "d2": 1}}
    runs = {"q": ["d1", "d2", "x"]}, {"q": ["x", "y", "d1"]}
    fell = be.explain(judgments, *runs, "q", "P@2")
    assert (fell.verb, fell.outcome, fell.outcome_of(-0.5)) == ("fell", "worse", "worse")
    assert fell.rest(1) == -0.5
    rose = be.explain(judgments, *runs, "q", "Unjudged@2")
    assert (rose.verb, rose.outcome) == ("rose", "worse")
    same = be.explain(judgments, runs[0], runs[0], "q", "P@2")
    assert (same.verb, same.outcome) == ("did not change", "equal")
