"""Looks and tries: what is counted, and the remaining level."""

import pytest

from berryeval import ArgumentError, Run, gate
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import ThresholdGuard
from berryeval.evaluation.memory import Decision, Memory, levels_of, recall
from berryeval.measures import parse_measure
from berryeval.stats import level_at_try, look_levels
from evaluation.gating_cases import compared, decided, ids, only, ranked

OLD, NEW, OTHER = [3] * 8, [4] * 8, [2] * 8


def run(hits):
    return Run.from_lists(ranked(hits))


def remember(past, before, after, n_queries, depth=5):
    """Decide on the first queries, and append the decision."""
    found = recall(past, run(after), run(before), ids(n_queries), depth)
    past.append(found.decision)
    return found.looks, found.tries


def test_a_grown_set_is_another_look():
    """Candidate and baseline are the same, over more queries."""
    past = []
    assert remember(past, OLD, NEW, 4) == (1, 1)
    assert remember(past, OLD, NEW, 6) == (2, 1)
    assert remember(past, OLD, NEW, 8) == (3, 1)


def test_extended_runs_are_the_same_candidate():
    """Rankings of new queries may be added to both."""
    past = []
    assert remember(past, OLD[:4], NEW[:4], 4) == (1, 1)
    assert remember(past, OLD[:6], NEW[:6], 6) == (2, 1)


def test_the_same_data_again_are_neither_a_look_nor_a_try():
    """This holds for any number of repetitions, and after later looks."""
    past = []
    for n_queries, looks in ((4, 1), (4, 1), (6, 2), (4, 1), (6, 2)):
        assert remember(past, OLD, NEW, n_queries) == (looks, 1)


def test_another_candidate_or_baseline_is_a_try():
    """Each comparison has a number, which it keeps at later looks."""
    past = []
    assert remember(past, OLD, NEW, 4) == (1, 1)
    assert remember(past, OLD, OTHER, 4) == (1, 2)
    assert remember(past, OTHER, NEW, 4) == (1, 3)
    assert remember(past, OLD, OTHER, 6) == (2, 2)
    assert remember(past, NEW, OTHER, 6) == (1, 4)


def test_a_candidate_with_one_changed_ranking_is_another():
    """All queries of the earlier look are compared."""
    past = []
    remember(past, OLD, NEW, 4)
    assert remember(past, OLD, [3, *NEW[1:]], 6) == (1, 2)


def test_only_ranks_above_the_cutoff_count():
    """Rankings that differ below are the same."""
    past = []
    remember(past, [1] * 4, [1] * 4, 4, depth=1)
    assert remember(past, [1] * 4, [2] * 4, 4, depth=1) == (1, 1)
    assert remember(past, [1] * 4, [2] * 4, 4, depth=2) == (1, 2)


def test_ids_of_a_set_are_stored_once():
    """Later decisions over the same queries refer to them by hash."""
    past = []
    for after in (NEW, OTHER, OLD):
        remember(past, OLD, after, 4)
    assert [one.query_ids for one in past] == [tuple(ids(4)), None, None]


def test_a_decision_can_be_stored_as_json():
    """It is read back with and without a baseline and ids."""
    both = recall([], run(NEW), run(OLD), ids(3), 5).decision
    alone = recall([both], run(NEW), None, ids(3), None).decision
    assert [Decision.from_dict({**one.to_dict(), "query_ids": one.query_ids and [*one.query_ids]})
            for one in (both, alone)] == [both, alone]  # fmt: skip
    assert alone.baseline is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"candidate": None}, "decision.candidate: expected a hash"),
        ({"baseline": 3}, "decision.baseline: expected a hash"),
        ({"tries": 0}, "decision.tries: expected a number from 1"),
        ({"n_queries": True}, "decision.n_queries: expected a number from 1"),
        ({"query_ids": [1]}, "decision.query_ids: expected a list of ids"),
    ],
)
def test_an_invalid_decision_is_an_error(change, message):
    """The message names the field."""
    known = recall([], run(NEW), run(OLD), ids(3), 5).decision.to_dict()
    with pytest.raises(ArgumentError, match=message):
        Decision.from_dict(known | change)


def test_without_a_final_size_each_look_gets_half_of_the_one_before():
    """It is alpha / 2^k for any sizes."""
    levels = [Memory((10,) * looks, 1).level(0.05) for looks in (1, 2, 3)]
    assert levels == [0.025, 0.0125, 0.00625]


def test_with_a_final_size_alpha_is_spent_by_lan_and_demets():
    """The level of a look depends on earlier ones, and the last has nearly all."""
    fractions = [0.25, 0.5, 1.0]
    found = [Memory((50, 100, 200)[:n], 1).level(0.05, n_max=200) for n in (1, 2, 3)]
    assert found == look_levels(fractions, 0.05)
    assert found[0] < found[1] < found[2] < 0.05


def test_a_single_look_at_the_final_size_has_all_of_alpha():
    """A set that does not grow loses nothing, if this is declared."""
    assert Memory((200,), 1).level(0.05, n_max=200) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("sizes", [(100, 201), (100, 100), (150, 100)])
def test_nothing_is_left_beyond_the_final_size_and_without_growth(sizes):
    """There are more queries than declared, or other queries of the same number."""
    assert Memory(sizes, 1).level(0.05, n_max=200) == 0.0


def test_a_look_without_growth_does_not_affect_the_next():
    """It spent nothing."""
    assert Memory((50, 40, 100), 1).level(0.05, 200) == Memory((50, 100), 1).level(0.05, 200)


def test_claims_of_better_are_corrected_for_all_tries():
    """The level is 6 alpha / (pi t)^2, shared by the guards, and spent over the looks."""
    levels = levels_of(GateRules(n_max=100), Memory((100,), tries=3), n_claims=2)
    assert levels.better == pytest.approx(level_at_try(3) / 2, rel=1e-6)
    assert levels.verdict == pytest.approx(0.05)
    assert levels_of(GateRules(), None) == levels_of(GateRules(alpha=0.05), None)


BEFORE = [3] * 60
SLIGHTLY_WORSE = [2 if i % 5 == 0 else 3 for i in range(60)]


def p_pass(margin):
    return only(decided(BEFORE, SLIGHTLY_WORSE, margin=margin)).p_pass


@pytest.mark.parametrize("looks", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("margin", [0.03, 0.05, 0.06, 0.065, 0.07, 0.08, 0.1])
def test_verdict_interval_and_level_never_disagree(looks, margin):
    """A guard passes if its interval lies above the margin, at every look."""
    memory = Memory(tuple(range(60 - looks, 60)), 1)
    result = decided(BEFORE, SLIGHTLY_WORSE, margin=margin, memory=memory)
    guard = only(result)
    assert guard.interval.level == pytest.approx(1 - 2 * 0.05 / 2**looks)
    assert (guard.verdict == "pass") == (guard.interval.low > -margin)
    assert (guard.verdict == "fail") == (guard.interval.high < -margin)
    assert result.level == 0.05 / 2**looks


def test_a_later_look_requires_more():
    """The p-value is the same, but the level is lower."""
    margin = next(m / 1000 for m in range(40, 200) if p_pass(m / 1000) < 0.02)
    first = decided(BEFORE, SLIGHTLY_WORSE, margin=margin, memory=Memory((60,), 1))
    third = decided(BEFORE, SLIGHTLY_WORSE, margin=margin, memory=Memory((40, 50, 60), 1))
    assert (first.verdict, third.verdict) == ("pass", "inconclusive")
    assert only(first).p_pass == only(third).p_pass


def test_the_sentence_names_the_look_and_its_level():
    """The final size is mentioned if it is declared."""
    memory = Memory((40, 50, 60), 7)
    assert (
        "Third check of these runs on this set, at significance level 0.00625."
        in decided(BEFORE, SLIGHTLY_WORSE, memory=memory).sentence
    )
    found = decided(BEFORE, SLIGHTLY_WORSE, memory=memory, n_max=120)
    assert (
        "Third check of these runs on this set, 60 of 120 queries, "
        f"at significance level {found.level:.3g}." in (found.sentence)
    )


def test_uncounted_looks_are_not_mentioned():
    """There is no memory, or inference is limited to the set."""
    memory = Memory((40, 50, 60), 7)
    assert "look" not in decided(BEFORE, SLIGHTLY_WORSE).sentence
    whole = decided(BEFORE, SLIGHTLY_WORSE, memory=memory, inference="set")
    assert "look" not in whole.sentence
    bound = gate(compared(BEFORE, BEFORE), at_least={"P@5": 0.1}, memory=memory)
    assert "look" not in bound.sentence


@pytest.mark.parametrize(
    ("sizes", "n_max", "words"),
    [
        ((40, 60), 50, "Second check of these runs on this set, of 60 queries, more than the 50"),
        ((60, 60), 80, "Second check of these runs on this set, which has not grown"),
    ],
)
def test_without_alpha_a_gate_neither_passes_nor_fails(sizes, n_max, words):
    """This holds even if the candidate is much better, or much worse."""
    for after in ([5] * 59 + [4], [0] * 59 + [1]):
        found = decided(BEFORE, after, memory=Memory(sizes, 1), n_max=n_max)
        assert (found.verdict, only(found).interval) == ("inconclusive", None)
        assert words in found.sentence


def test_unchanged_rankings_pass_at_any_look():
    """No test is needed."""
    found = decided(BEFORE, BEFORE, memory=Memory((60, 60), 1), n_max=60)
    assert found.verdict == "pass"


def test_an_early_look_does_not_request_existing_queries():
    """With a final size it lacks only level, and later looks have more."""
    mixed = [4 if i % 2 else 2 for i in range(60)]
    early, late = (
        decided(BEFORE, mixed, margin=0.15, memory=Memory((60,), 1), n_max=n_max)
        for n_max in (2000, 60)
    )
    assert (early.verdict, late.verdict) == ("inconclusive", "pass")
    assert only(early).queries_needed is None


def test_ordinals_beyond_ten_are_numbers():
    """Examples are 11th, 12th, 21st and 112th."""
    for looks, word in ((10, "Tenth"), (11, "11th"), (12, "12th"), (21, "21st"), (112, "112th")):
        found = decided(BEFORE, SLIGHTLY_WORSE, memory=Memory(tuple(range(looks)), 1))
        assert f"{word} check of these runs on this set" in found.sentence


SLIGHTLY_BETTER = [4 if i % 5 == 0 else 3 for i in range(60)]


def test_more_tries_require_more_evidence_for_better():
    """The first try suggests a new baseline, the hundredth does not, and both pass."""
    first, late = (
        decided(BEFORE, SLIGHTLY_BETTER, memory=Memory((60,), tries), n_max=60)
        for tries in (1, 100)
    )
    assert (first.verdict, late.verdict) == ("pass", "pass")
    assert first.suggestion is not None
    assert late.suggestion is None


def test_a_confident_threshold_uses_the_level_of_its_look():
    """Its interval has that level."""
    guard = ThresholdGuard(parse_measure("P@5"), 0.1, is_confident=True)
    mixed = [1 + i % 4 for i in range(60)]
    found = gate(compared(BEFORE, mixed), [guard], memory=Memory((40, 60), 1))
    assert only(found).interval.level == pytest.approx(0.975)
    spent = gate(compared(BEFORE, mixed), [guard], memory=Memory((60, 60), 1), n_max=60)
    assert spent.verdict == "inconclusive"
