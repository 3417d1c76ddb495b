"""Several guards and their slices: corrections, watched slices, and the decision."""

import pytest

from berryeval import ArgumentError, MismatchError, Query, gate
from berryeval.evaluation import margin_verdicts
from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.margins import correct_failing, margin_p_values
from berryeval.measures import parse_measure
from berryeval.stats import mean_of
from evaluation.gating_cases import compared, ids, only


def test_failing_is_corrected_over_all_margin_guards():
    """Holm's correction covers two measures and four slices of 20, not smaller ones."""
    n = 60
    hits = [2, 1, 3, 1] * 15
    queries = [
        Query(q, "t", category=f"c{i % 3}", difficulty="hard" if i < 5 else "easy")
        for i, q in enumerate(ids(n))
    ]
    comparison = compared([3] * n, hits, ["P@5", "RR"], queries=queries)
    p5 = parse_measure("P@5")
    alone = only(gate(comparison, [MarginGuard(p5, Margin(0.05))]))
    sliced = [MarginGuard(p5, Margin(0.05), ("category", "difficulty"))]
    guards = [*sliced, MarginGuard(parse_measure("RR"), Margin(0.05))]
    result = gate(comparison, guards)
    watched = [guard for guard in result.guards if guard.is_watched]
    assert [(str(guard.slice), guard.n_queries) for guard in watched] == [("difficulty=hard", 5)]
    # All queries, the easy ones, and three categories by P@5; all by RR, which did not change.
    counted = [guard for guard in result.guards if not guard.is_watched]
    values = comparison.difference("candidate", "P@5").values
    parts = [values, values[0::3], values[1::3], values[2::3], values[5:]]
    raw = [margin_p_values(mean_of(part), 0.05, loss=1.0).failing for part in parts]
    assert [guard.p_fail for guard in counted] == pytest.approx(correct_failing([*raw, None]))
    assert counted[0].p_fail > alone.p_fail
    everything = gate(comparison, guards, smallest_slice=5)
    assert not any(guard.is_watched for guard in everything.guards)


def test_watched_slices_do_not_decide():
    """A small slice that is lost is reported, and the gate passes."""
    queries = [Query(q, "t", category="a" if i < 3 else "b") for i, q in enumerate(ids(90))]
    comparison = compared([5] * 90, [0] * 3 + [5] * 87, queries=queries)
    p5 = parse_measure("P@5")
    guards = [ThresholdGuard(p5, 0.9, slices=("category",)),
              MarginGuard(p5, Margin(0.1), ("category",))]  # fmt: skip
    result = gate(comparison, guards)
    assert result.verdict == "pass"
    assert [(g.verdict, g.is_watched, str(g.slice)) for g in result.guards] == [
        ("pass", False, "None"),
        ("fail", True, "category=a"),
        ("pass", False, "category=b"),
        ("pass", False, "None"),
        ("inconclusive", True, "category=a"),
        ("pass", False, "category=b"),
    ]
    assert result.failed == ()
    strict = gate(comparison, guards, smallest_slice=3)
    assert strict.verdict == "fail"
    assert "P@5 (category=a) is 0.0000, below 0.9." in strict.sentence


def test_a_watched_slice_is_not_part_of_the_correction():
    """Its own p-value and those of others are unaffected."""
    queries = [Query(q, "t", category="a" if i < 15 else None) for i, q in enumerate(ids(40))]
    comparison = compared([3] * 40, [1, 2] * 20, queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.05), ("category",))
    whole, watched = gate(comparison, [guard]).guards
    alone = only(gate(comparison, margin=0.05))
    assert watched.is_watched
    assert whole.p_fail == alone.p_fail
    sample = mean_of(comparison.differences[0].values[:15])
    assert watched.p_fail == margin_p_values(sample, 0.05, loss=1.0).failing


@pytest.mark.parametrize("kind", [ThresholdGuard, MarginGuard])
def test_slices_need_queries_with_the_label(kind):
    """Unknown and unused labels are errors, and never ignored."""
    comparison = compared([3] * 12, [2] * 12)
    limit = 0.1 if kind is ThresholdGuard else Margin(0.1)
    guard = kind(parse_measure("P@5"), limit, slices=("category",))
    with pytest.raises(MismatchError, match="expected queries with a category: no queries were"):
        gate(comparison, [guard])
    guard = kind(parse_measure("P@5"), limit, slices=("colour",))
    with pytest.raises(ArgumentError, match="slices: expected 'category' or 'difficulty' or 'tag'"):
        gate(comparison, [guard])


def test_many_slices_are_corrected_efficiently(monkeypatch):
    """Time is not quadratic: guards that cannot fail are not corrected."""
    calls = []

    def counted(p_values):
        calls.append(len(p_values))
        return correct_failing(p_values)

    monkeypatch.setattr(margin_verdicts, "correct_failing", counted)
    n_queries = 600
    queries = [Query(q, "", category=f"c{i % 30}") for i, q in enumerate(ids(n_queries))]
    hits = [1, 2, 3, 4] * (n_queries // 4)
    found = compared(hits, [n + 1 for n in hits], queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.05), ("category",))
    assert len(gate(found, [guard]).guards) == 31
    assert calls == [31]


def test_the_losses_of_a_slice_are_its_own():
    """Queries of other slices are not named, even if they lost more."""
    queries = [Query(q, "t", category="a" if i < 20 else "b") for i, q in enumerate(ids(40))]
    comparison = compared([5] * 40, [3] * 20 + [5] * 19 + [0], queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.35), ("category",))
    failed = gate(comparison, [guard], inference="set")
    assert [str(one.slice) for one in failed.failed] == ["category=a"]
    assert [one.query_id for one in failed.losses.queries] == ["q000", "q001", "q002"]
