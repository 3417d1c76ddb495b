"""Comparisons cached for pages."""

import threading

import numpy as np
import pytest

from berryeval.archive.records import JudgmentEntry, RunFacts
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.comparing import measures_compared
from berryeval.evaluation.evaluate import COMPARED_MEASURES
from berryeval.measures import parse_measure
from berryeval.service import ServiceSettings, shared_work
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.pages.compare.listing import find_moves
from berryeval.service.workbench.state.comparisons import Comparisons, _bytes_of
from berryeval.service.workbench.state.scoring import Scoring

N = 30
NDCG, RR, AP = (parse_measure(name) for name in ("nDCG@10", "RR", "AP"))


@pytest.fixture
def filled(archive):
    """Two runs of thirty queries: the candidate loses for even numbers."""
    archive.queries.put([Query(f"q{i:02}", f"Text {i}", tags=(f"t{i}",)) for i in range(N)])
    archive.judgments.put([JudgmentEntry(f"q{i:02}", "d1", 1) for i in range(N)], author="ada")
    before = {f"q{i:02}": ["d1", "x"] for i in range(N)}
    after = {f"q{i:02}": ["x", "d1"] if i % 2 == 0 else ["d1", "y"] for i in range(N)}
    return [
        archive.runs.put(Run.from_lists(run), RunFacts(name))
        for name, run in (("one", before), ("one", after))
    ]


@pytest.fixture
def comparisons(archive, monkeypatch):
    """Comparisons over the archive, where pages wait for the newest."""
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 10)
    return Comparisons(Scoring(archive, RunCache(archive), [NDCG, RR, AP]))


def test_a_comparison_is_cached(filled, comparisons):
    """It is recomputed after a judgment or a query changes."""
    first = comparisons.compare(*filled)
    assert comparisons.compare(*filled) is first
    assert comparisons.known(*filled) is first


def test_a_judgment_causes_a_new_comparison(archive, filled, comparisons):
    """A caller that needs only the order gets the old one until then."""
    first = comparisons.compare(*filled)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    assert comparisons.known(*filled) is first
    second = comparisons.compare(*filled)
    assert second is not first
    assert comparisons.known(*filled) is second
    assert first.difference(RR).losses == second.difference(RR).losses + 1


def test_an_outdated_comparison_is_shown_meanwhile(archive, filled, comparisons, monkeypatch):
    """The page does not wait for a new one; the next page has it."""
    first, is_current = comparisons.soon(*filled, NDCG)
    assert is_current
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    may_go_on = threading.Event()
    whole = comparisons.compare

    def slowly(*runs):
        may_go_on.wait(10)
        return whole(*runs)

    monkeypatch.setattr(comparisons, "compare", slowly)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 0.01)
    assert comparisons.soon(*filled, NDCG) == (first, False)
    assert comparisons.soon(*filled, NDCG) == (first, False), "started once"
    may_go_on.set()
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 10)
    second, is_current = comparisons.soon(*filled, NDCG)
    assert is_current
    assert second is not first


def test_a_comparison_started_before_a_judgment_is_not_current(
    archive, filled, comparisons, monkeypatch
):
    """It is reported as outdated."""
    comparisons.soon(*filled, NDCG)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    may_go_on, has_begun = threading.Event(), threading.Event()
    whole = comparisons.compare

    def slowly(*runs):
        found = whole(*runs)
        has_begun.set()
        may_go_on.wait(10)
        return found

    monkeypatch.setattr(comparisons, "compare", slowly)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 0.01)
    comparisons.soon(*filled, NDCG)
    assert has_begun.wait(10)
    archive.judgments.put([JudgmentEntry("q02", "x", 1)], author="ada")
    threading.Timer(0.1, may_go_on.set).start()
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 10)
    _, is_current = comparisons.soon(*filled, NDCG)
    assert not is_current
    found, is_current = comparisons.soon(*filled, NDCG)
    assert (is_current, found.judgments_hash) == (True, archive.judgments.hash())


def test_a_first_comparison_is_computed_in_the_background(filled, comparisons, monkeypatch):
    """Until it is there, a page has nothing to show, and does not wait."""
    may_go_on = threading.Event()
    whole = comparisons.compare
    monkeypatch.setattr(comparisons, "compare", lambda *runs: may_go_on.wait(10) and whole(*runs))
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 0.01)
    assert comparisons.soon(*filled, NDCG) == (None, False)
    may_go_on.set()
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 10)
    found, is_current = comparisons.soon(*filled, NDCG)
    assert (is_current, found.has_slices(NDCG), found.has_slices(RR)) == (True, True, False)


def test_judgments_that_were_changed_back_are_current(archive, filled, comparisons):
    """The comparison is the same, and the page does not poll forever."""
    first, _ = comparisons.soon(*filled, NDCG)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    archive.judgments.remove("q00", "x", author="ada")
    assert comparisons.soon(*filled, NDCG) == (first, True)


def test_large_comparisons_are_limited_by_their_size(archive, filled, monkeypatch):
    """However many there are, they take no more memory than the limit."""
    where = "berryeval.service.workbench.state.comparisons"
    scoring = Scoring(archive, RunCache(archive), [NDCG])
    size = _bytes_of(Comparisons(scoring).compare(*filled))
    assert size > 30 * N
    monkeypatch.setattr(f"{where}._MAX_BYTES", 3 * size)
    comparisons = Comparisons(scoring)
    runs = [*filled, *(archive.runs.put(Run.from_lists({f"q{i:02}": ["d1", f"y{j}"]
            for i in range(N)}), RunFacts(f"run {j}")) for j in range(6))]  # fmt: skip
    for run in runs[1:]:
        comparisons.compare(runs[0], run)
    assert sum(comparisons.known(runs[0], run) is not None for run in runs[1:]) == 3


def test_finished_comparisons_are_not_kept_twice(filled, comparisons):
    """Only the last few are cached, and no others stay in memory."""
    for _ in range(3):
        comparisons.soon(*filled, NDCG)
    comparisons.close()
    assert comparisons._work._underway == {}


def test_a_changed_query_causes_a_new_comparison(archive, filled, comparisons):
    """Its new text is found."""
    first = comparisons.compare(*filled)
    archive.queries.put([Query("q03", "Another")])
    second = comparisons.compare(*filled)
    assert second is not first
    assert "another" in second.texts[3]


def test_runs_of_the_same_name_are_distinguished(filled, comparisons):
    """A part of the id is added."""
    names = comparisons.compare(*filled).names
    assert names[0] != names[1]
    assert all(name.startswith("one (") for name in names)


def test_few_comparisons_are_cached(archive, filled, comparisons):
    """The oldest is evicted."""
    first = comparisons.compare(*filled)
    for number in range(25):
        run = Run.from_lists({"q00": ["d1", f"z{number}"]})
        comparisons.compare(filled[0], archive.runs.put(run, RunFacts("many")))
    assert comparisons.known(*filled) is None
    assert comparisons.compare(*filled) is not first


def test_queries_are_sorted_by_harm_and_filtered_by_change(filled, comparisons):
    """Losses come first; a changed ranking with an equal score counts as changed."""
    compared = comparisons.compare(*filled)
    assert compared.by_loss(RR)[:3].tolist() == [0, 2, 4]
    assert compared.gains(RR)[:2].tolist() == [-0.5, 0.0]
    assert compared.differs(RR).all()
    assert compared.position_of("q03") == 3
    assert compared.position_of("nobody") is None


def test_many_tags_are_not_slices(archive, filled, comparisons):
    """Thirty are too many; two tags, or categories, are slices."""
    assert comparisons.compare(*filled).sliced(RR) == ()
    archive.queries.put(
        [Query(f"q{i:02}", "", category="c", tags=(f"t{i % 2}",)) for i in range(N)]
    )
    sliced = comparisons.compare(*filled).sliced(RR)
    assert {str(one.slice) for one in sliced} == {"category=c", "tag=t0", "tag=t1"}


def test_moves_are_sorted_by_grade_and_distance():
    """Relevant documents come first, by grade; others are only counted."""
    grades = {b"a": 1.0, b"b": 3.0, b"c": 0.0}
    found = find_moves([b"a", b"b", b"c"], [b"c", b"a", b"x"], grades)
    assert [(one.doc_id, one.before, one.after, one.is_up) for one in found.shown] == [
        ("b", 2, None, False),
        ("a", 1, 2, False),
    ]
    assert found.words == "1 new, 2 shifted"
    assert find_moves([b"a"], [b"a"], grades).words == "same ranking"
    assert find_moves([], [b"b"], grades).shown[0].is_up


def test_scores_equal_those_of_the_evaluations(filled, comparisons):
    """Both are in the order of the comparison."""
    before, after = comparisons.compare(*filled).scores(RR)
    assert np.array_equal(before, np.ones(N))
    assert after[:2].tolist() == [0.5, 1.0]


def test_the_workbench_has_the_default_measures_of_the_command_line():
    """One more measure would widen every interval."""
    assert ServiceSettings().measures == tuple(map(str, COMPARED_MEASURES))
    deep = Run.from_lists({"q1": [f"d{i}" for i in range(120)]})
    assert measures_compared({"a": deep, "b": deep}) == COMPARED_MEASURES
