"""Comparisons that pages remember."""

import threading

import numpy as np
import pytest

from berryeval.archive.records import JudgmentEntry, RunFacts
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.comparing import measures_compared
from berryeval.evaluation.evaluate import COMPARED_MEASURES
from berryeval.measures import parse_measure
from berryeval.service import ServiceSettings
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.pages.compare.listing import find_moves
from berryeval.service.workbench.state.comparisons import Comparisons
from berryeval.service.workbench.state.scoring import Scoring

N = 30
NDCG, RR, AP = (parse_measure(name) for name in ("nDCG@10", "RR", "AP"))


@pytest.fixture
def filled(archive):
    """Two runs of thirty queries: the candidate loses where the number is even."""
    archive.queries.put([Query(f"q{i:02}", f"Text {i}", tags=(f"t{i}",)) for i in range(N)])
    archive.judgments.put([JudgmentEntry(f"q{i:02}", "d1", 1) for i in range(N)], author="ada")
    before = {f"q{i:02}": ["d1", "x"] for i in range(N)}
    after = {f"q{i:02}": ["x", "d1"] if i % 2 == 0 else ["d1", "y"] for i in range(N)}
    return [
        archive.runs.put(Run.from_lists(run), RunFacts(name))
        for name, run in (("one", before), ("one", after))
    ]


@pytest.fixture
def comparisons(archive):
    """Comparisons over the archive."""
    return Comparisons(Scoring(archive, RunCache(archive), [NDCG, RR, AP]))


def test_the_same_question_has_the_same_answer(filled, comparisons):
    """From memory, until a judgment or a query changes."""
    first = comparisons.compare(*filled)
    assert comparisons.compare(*filled) is first
    assert comparisons.known(*filled) is first


def test_a_judgment_makes_it_anew(archive, filled, comparisons):
    """Who only wants the order gets the old one until then."""
    first = comparisons.compare(*filled)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    assert comparisons.known(*filled) is first
    second = comparisons.compare(*filled)
    assert second is not first
    assert comparisons.known(*filled) is second
    assert first.difference(RR).losses == second.difference(RR).losses + 1


def test_what_takes_long_is_shown_as_it_was(archive, filled, comparisons, monkeypatch):
    """The page does not wait; the next one has it."""
    where = "berryeval.service.workbench.state.comparisons"
    first, is_current = comparisons.soon(*filled)
    assert is_current
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    may_go_on = threading.Event()
    whole = comparisons.compare

    def slowly(*runs):
        may_go_on.wait(10)
        return whole(*runs)

    monkeypatch.setattr(comparisons, "compare", slowly)
    monkeypatch.setattr(f"{where}._LONG_PATIENCE", 0.01)
    assert comparisons.soon(*filled) == (first, False)
    assert comparisons.soon(*filled) == (first, False), "started once"
    may_go_on.set()
    monkeypatch.setattr(f"{where}._LONG_PATIENCE", 10)
    second, is_current = comparisons.soon(*filled)
    assert is_current
    assert second is not first


def test_what_was_begun_before_a_judgment_is_not_called_current(
    archive, filled, comparisons, monkeypatch
):
    """A comparison that started earlier is reported as outdated."""
    comparisons.soon(*filled)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="ada")
    may_go_on, has_begun = threading.Event(), threading.Event()
    whole = comparisons.compare

    def slowly(*runs):
        found = whole(*runs)
        has_begun.set()
        may_go_on.wait(10)
        return found

    monkeypatch.setattr(comparisons, "compare", slowly)
    where = "berryeval.service.workbench.state.comparisons"
    monkeypatch.setattr(f"{where}._LONG_PATIENCE", 0.01)
    comparisons.soon(*filled)
    assert has_begun.wait(10)
    archive.judgments.put([JudgmentEntry("q02", "x", 1)], author="ada")
    threading.Timer(0.1, may_go_on.set).start()
    monkeypatch.setattr(f"{where}._LONG_PATIENCE", 10)
    _, is_current = comparisons.soon(*filled)
    assert not is_current
    found, is_current = comparisons.soon(*filled)
    assert (is_current, found.judgments_hash) == (True, archive.judgments.hash())


def test_finished_comparisons_are_not_held_twice(filled, comparisons):
    """Beyond the last few, which are kept to be shown again, none stays in memory."""
    for _ in range(3):
        comparisons.soon(*filled)
    comparisons.close()
    assert comparisons._work._underway == {}


def test_a_query_that_changed_makes_it_anew(archive, filled, comparisons):
    """Its new text is found."""
    first = comparisons.compare(*filled)
    archive.queries.put([Query("q03", "Another")])
    second = comparisons.compare(*filled)
    assert second is not first
    assert "another" in second.texts[3]


def test_runs_of_one_name_are_told_apart(filled, comparisons):
    """By a part of their ids."""
    names = comparisons.compare(*filled).names
    assert names[0] != names[1]
    assert all(name.startswith("one (") for name in names)


def test_few_are_remembered(archive, filled, comparisons):
    """The oldest goes."""
    first = comparisons.compare(*filled)
    for number in range(25):
        run = Run.from_lists({"q00": ["d1", f"z{number}"]})
        comparisons.compare(filled[0], archive.runs.put(run, RunFacts("many")))
    assert comparisons.known(*filled) is None
    assert comparisons.compare(*filled) is not first


def test_harm_and_what_differs(filled, comparisons):
    """Losses first; a ranking that changed without a score differs, too."""
    compared = comparisons.compare(*filled)
    assert compared.by_harm(RR)[:3].tolist() == [0, 2, 4]
    assert compared.gains(RR)[:2].tolist() == [-0.5, 0.0]
    assert compared.differs(RR).all()
    assert compared.position_of("q03") == 3
    assert compared.position_of("nobody") is None


def test_many_tags_are_no_slices(archive, filled, comparisons):
    """Thirty are not; two are, and so are categories."""
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


def test_scores_are_those_of_the_evaluations(filled, comparisons):
    """In the order of the comparison, for both."""
    before, after = comparisons.compare(*filled).scores(RR)
    assert np.array_equal(before, np.ones(N))
    assert after[:2].tolist() == [0.5, 1.0]


def test_the_workbench_asks_what_the_command_line_asks():
    """By default both decide on the same measures: one more would widen every interval."""
    assert ServiceSettings().measures == tuple(map(str, COMPARED_MEASURES))
    deep = Run.from_lists({"q1": [f"d{i}" for i in range(120)]})
    assert measures_compared({"a": deep, "b": deep}) == COMPARED_MEASURES
