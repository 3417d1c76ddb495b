"""Several judges, several subtopics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Opinion, collect_judged
from berryeval.core.origin import Origin
from berryeval.errors import FormatError

ORIGIN = Origin("qrels", has_lines=True)


def judged(*grades: float, judges="first"):
    """Return the reduced grade of a document with several judges."""
    rows = [JudgedRow(n, b"q", b"d", grade, b"judge %d" % n) for n, grade in enumerate(grades)]
    return collect_judged(rows, ORIGIN, judges=judges).to_dict()["q"]["d"]


@pytest.mark.parametrize(
    ("judges", "grades", "expected"),
    [
        ("max", [1, 3, 2], 3),
        ("mean", [1, 3, 2, 3], 2.25),
        ("majority", [1, 3, 3], 3),
        ("majority", [3, 1, 3, 1, 2], 1),
        ("majority", [0, -1, -1], 0),
        ("mean", [2, -1], 2),
        ("max", [-1, -2], -1),
        ("mean", [-1, -2], -1.5),
        ("first", [2], 2),
        ("first", [1, 3, 2], 1),
        ("first", [-1, 3, 2], 3),
        ("latest", [1, 3, 2], 2),
        ("latest", [1, 3, -1], 3),
    ],
)
def test_judges_are_reduced_by_the_rule(judges, grades, expected):
    """Ties of the majority go to the lower grade, and missing grades are ignored."""
    assert judged(*grades, judges=judges) == expected


def test_a_second_opinion_does_not_count_by_default():
    """The first grade counts; all grades, and the number of such documents, are kept."""
    rows = [
        JudgedRow(1, b"q", b"d", 2, b"ann"),
        JudgedRow(2, b"q", b"d", 0, b"bob", source=b"blind"),
        JudgedRow(3, b"q", b"e", 1, b"ann"),
    ]
    judgments = collect_judged(rows, ORIGIN)
    assert judgments.to_dict() == {"q": {"d": 2.0, "e": 1.0}}
    assert judgments.reduced == ("first", 1)
    opinions = [Opinion(b"ann", 2), Opinion(b"bob", 0, b"blind")]
    assert judgments.opinions == {b"q": {b"d": opinions, b"e": [Opinion(b"ann", 1)]}}
    assert collect_judged(rows[2:], ORIGIN).reduced is None


def test_two_grades_by_one_judge_are_a_duplicate():
    """It is an error with its line, or the best is kept."""
    rows = [JudgedRow(1, b"q", b"d", 2, b"ann", b"s"), JudgedRow(2, b"q", b"d", 1, b"ann", b"s")]
    with pytest.raises(FormatError, match="qrels:2: document 'd' is judged a second time for"):
        collect_judged(rows, ORIGIN)
    assert collect_judged(rows, ORIGIN, "keep-best").to_dict() == {"q": {"d": 2.0}}


def test_a_grade_without_a_judge_is_a_separate_opinion():
    """Rows with and without a judge are two opinions."""
    rows = [JudgedRow(1, b"q", b"d", 2), JudgedRow(2, b"q", b"d", 1, b"ann")]
    assert collect_judged(rows, ORIGIN, judges="mean").to_dict() == {"q": {"d": 1.5}}
    again = [JudgedRow(1, b"q", b"d", 2), JudgedRow(2, b"q", b"d", 1)]
    with pytest.raises(FormatError, match="qrels:2: document 'd' is judged a second time"):
        collect_judged(again, ORIGIN, judges="mean")


def test_a_document_has_the_grade_of_its_best_subtopic():
    """Judges are reduced first within each subtopic, and all subtopics are kept."""
    rows = [
        JudgedRow(1, b"q", b"d", 1, b"ann", b"s"),
        JudgedRow(2, b"q", b"d", 3, b"bob", b"s"),
        JudgedRow(3, b"q", b"d", 2, b"ann", b"t"),
        JudgedRow(4, b"q", b"e", 0),
    ]
    judgments = collect_judged(rows, ORIGIN, judges="mean")
    assert judgments.to_dict() == {"q": {"d": 2.0, "e": 0.0}}
    assert judgments.subtopics == {b"q": {b"d": {b"s": 2.0, b"t": 2.0}}}
    assert list(judgments.iter_grades()) == [
        (b"q", b"d", b"s", 2.0),
        (b"q", b"d", b"t", 2.0),
        (b"q", b"e", None, 0.0),
    ]
    assert judgments != collect_judged(rows[2:], ORIGIN)


labels = st.sampled_from([None, b"a", b"b"])


@given(
    st.lists(
        st.builds(
            JudgedRow,
            st.none(),
            st.sampled_from([b"q", b"r"]),
            st.sampled_from([b"d", b"e"]),
            st.integers(-1, 3).map(float),
            st.none(),
            labels,
            subtopic_weight=st.none(),
            stratum=st.none(),
        )
    )
)
def test_grades_by_subtopic_restore_the_judgments(rows):
    """Writing and collecting them again changes nothing."""
    judgments = collect_judged(rows, ORIGIN, "keep-best")
    again = [
        JudgedRow(None, query, document, grade, None, subtopic)
        for query, document, subtopic, grade in judgments.iter_grades()
    ]
    assert collect_judged(again, ORIGIN) == judgments


def test_times_and_notes_are_kept_with_the_opinions():
    """One time or note is enough, and earlier grades without any are opinions, too."""
    rows = [
        JudgedRow(1, b"q", b"d", 2),
        JudgedRow(2, b"q", b"d", 0, b"bob", judged_at=b"2026-11-16", note=b"old"),
        JudgedRow(3, b"q", b"e", 1, note=b"?"),
        JudgedRow(4, b"q", b"f", 1),
        JudgedRow(5, b"q", b"d", 1, b"cy", b"s1"),
    ]
    judgments = collect_judged(rows, ORIGIN)
    opinions = [
        (b"q", b"d", Opinion(None, 2)),
        (b"q", b"d", Opinion(b"bob", 0, judged_at=b"2026-11-16", note=b"old")),
        (b"q", b"d", Opinion(b"cy", 1, subtopic=b"s1")),
        (b"q", b"e", Opinion(None, 1, note=b"?")),
        (b"q", b"f", Opinion(None, 1)),
    ]
    assert [*judgments.iter_opinions()] == opinions


def test_of_two_grades_by_one_judge_the_better_opinion_is_kept():
    """Writing the file again produces no duplicates."""
    rows = [JudgedRow(1, b"q", b"d", 1, b"ann"), JudgedRow(2, b"q", b"d", 2, b"ann", note=b"yes")]
    judgments = collect_judged(rows, ORIGIN, "keep-best")
    assert judgments.opinions == {b"q": {b"d": [Opinion(b"ann", 2, note=b"yes")]}}
