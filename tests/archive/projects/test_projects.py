"""Projects: fixed pairs, several judges, progress, and disagreements that are settled."""

import threading
from datetime import timedelta

import pytest

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.errors import ArgumentError, ConflictError, NotFoundError

PAIRS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1"), ("q2", "d2")]


@pytest.fixture
def run_id(archive):
    """A run of two queries with two documents each, all unjudged."""
    run = Run.from_lists({"q1": ["d1", "d2"], "q2": ["d1", "d2"]})
    return archive.runs.put(run, RunFacts("bm25")).run_id


@pytest.fixture
def start(archive, run_id):
    """Start a project over the holes of the run."""

    def start(name="holes", kind="holes", **plan):
        return archive.projects.create(
            name, ProjectPlan(PairSelection(kind, (run_id,)), **plan), author="ada"
        )

    return start


def progress(archive, name="holes"):
    """Return graded, refused and left by judge."""
    judges = archive.projects.board(name).judges()
    return {one.judge: (one.n_graded, one.n_refused, one.n_left) for one in judges}


def test_the_pairs_of_a_project_never_change(archive, start):
    """Judging them, or other pairs, does not change the pairs of the project."""
    project = start()
    assert (project.n_pairs, project.state, project.created_by) == (4, "running", "ada")
    before = [one.asked for one in archive.projects.board("holes").pairs]
    archive.judgments.put([JudgmentEntry("q1", "d1", 1), JudgmentEntry("q3", "d9", 1)],
                          author="eve")  # fmt: skip
    board = archive.projects.board("holes")
    assert [one.asked for one in board.pairs] == before
    assert (board.n_done, board.n_given, board.n_wanted) == (1, 1, 4)


def test_two_judges_answer_each_pair(archive, start):
    """The first grade is the judgment, the second an opinion; both name the project."""
    start(n_opinions=2, judges=("ada", "bob"))
    archive.projects.answer("holes", "q1", "d1", 2, author="ada", note="fits")
    assert progress(archive) == {"ada": (1, 0, 3), "bob": (0, 0, 4)}
    archive.projects.answer("holes", "q1", "d1", 0, author="bob", note="does not")
    board = archive.projects.board("holes")
    [answered] = [one for one in board.pairs if one.answers]
    opinions = [(one.judge, one.grade, one.note) for one in answered.answers.values()]
    assert opinions == [("ada", 2, "fits"), ("bob", 0, "does not")]
    assert (board.n_done, board.conflicts) == (1, [answered])
    states = archive.judgments.history("q1", "d1")
    assert [(one.kind, one.source) for one in states] == [
        ("judgment", "project holes"), ("opinion", "project holes")
    ]  # fmt: skip


def test_who_cannot_judge_is_not_asked_again(archive, start):
    """The answer counts, with its note, and can be taken back."""
    start(judges=("ada", "bob"))
    assert archive.projects.answer("holes", "q1", "d1", None, author="ada", note="Greek") is None
    assert progress(archive) == {"ada": (0, 1, 3), "bob": (0, 0, 3)}
    assert archive.projects.undo_refusal("holes", "q1", "d1", author="ada")
    assert not archive.projects.undo_refusal("holes", "q1", "d1", author="ada")
    archive.projects.answer("holes", "q1", "d1", None, author="ada")
    archive.projects.answer("holes", "q1", "d1", 3, author="ada")
    assert progress(archive) == {"ada": (1, 0, 3), "bob": (0, 0, 3)}


def test_grades_from_before_count_if_a_judge_takes_part(archive, start):
    """Grades of other people do not count as answers of the project."""
    archive.judgments.put([JudgmentEntry(*pair, 1) for pair in PAIRS[:2]], author="eve")
    archive.judgments.add_opinion(*PAIRS[0], 2, author="ada")
    start("named", "depth", judges=("ada", "bob"), n_opinions=2)
    start("open", "depth")
    assert progress(archive, "named") == {"ada": (1, 0, 3), "bob": (0, 0, 4)}
    assert progress(archive, "open") == {"ada": (1, 0, 2), "eve": (2, 0, 2)}


def test_an_undone_grade_is_asked_for_again(archive, start):
    """The pair is open for the judge again, even if the other judge has answered since."""
    start(judges=("ada", "bob"), n_opinions=2)
    stored = archive.projects.answer("holes", "q1", "d1", 2, author="ada")
    archive.projects.answer("holes", "q1", "d1", 1, author="bob")
    archive.judgments.undo("q1", "d1", author="ada", if_revision=stored.revision)
    assert progress(archive) == {"ada": (0, 0, 4), "bob": (1, 0, 3)}


def test_a_settled_disagreement_names_the_settler(archive, start):
    """The settling grade counts, and agreement still uses the opinions."""
    start(judges=("ada", "bob"), n_opinions=2)
    archive.projects.answer("holes", "q1", "d1", 2, author="ada")
    archive.projects.answer("holes", "q1", "d1", 0, author="bob")
    seen = archive.projects.board("holes").conflicts[0].revision
    stored = archive.projects.settle("holes", "q1", "d1", 1, author="eve", note="half",
                                     if_revision=seen)  # fmt: skip
    assert (stored.author, stored.source, stored.note) == ("eve", "settled", "half")
    board = archive.projects.board("holes")
    [settled] = [one for one in board.pairs if one.settled_by]
    assert (settled.settled_by, settled.grade, settled.grades) == ("eve", 1, {"ada": 2, "bob": 0})
    assert board.conflicts == []
    with pytest.raises(ConflictError):
        archive.projects.settle("holes", "q1", "d1", 2, author="eve", if_revision=seen)


def test_judges_at_the_same_time_lose_nothing(archive, start):
    """Every answer of every judge is stored."""
    names = ("ada", "bob", "dan")
    start(judges=names, n_opinions=3)

    def judge(name):
        for number, pair in enumerate(PAIRS):
            archive.projects.answer("holes", *pair, number % 3, author=name)

    threads = [threading.Thread(target=judge, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert progress(archive) == dict.fromkeys(names, (4, 0, 0))
    assert archive.projects.board("holes").n_done == 4


def test_a_project_is_paused_finished_and_removed(archive, start):
    """A paused one accepts answers on their way, a finished one does not; grades are kept."""
    start()
    assert archive.projects.set_state("holes", "paused").state == "paused"
    archive.projects.answer("holes", "q1", "d1", 2, author="ada")
    archive.projects.set_state("holes", "finished")
    with pytest.raises(ConflictError, match="a finished one"):
        archive.projects.answer("holes", "q1", "d2", 2, author="ada")
    assert archive.projects.remove("holes")
    assert not archive.projects.remove("holes")
    assert archive.projects.get("holes") is None
    assert archive.judgments.get("q1", "d1").grade == 2


def test_wrong_requests_are_rejected(archive, start):
    """The message gives the reason."""
    start(judges=("ada",))
    with pytest.raises(ConflictError, match="a project of this name"):
        start()
    with pytest.raises(ConflictError, match="found eve"):
        archive.projects.answer("holes", "q1", "d1", 2, author="eve")
    with pytest.raises(NotFoundError, match="d9 for q1 in project holes"):
        archive.projects.answer("holes", "q1", "d9", 2, author="ada")
    with pytest.raises(NotFoundError, match="project"):
        archive.projects.board("none")
    with pytest.raises(ArgumentError, match="state"):
        archive.projects.set_state("holes", "gone")
    with pytest.raises(NotFoundError, match="run"):
        archive.projects.create("x", ProjectPlan(PairSelection(runs=("c" * 64,))), author="ada")


def test_runs_of_the_same_name_are_told_apart(archive, run_id):
    """The ranks of a pair name each of them."""
    other = archive.runs.put(Run.from_lists({"q1": ["d2"]}), RunFacts("bm25")).run_id
    plan = ProjectPlan(PairSelection("deciding", (other,), run_id))
    archive.projects.create("new", plan, author="ada")
    names = {name for one in archive.projects.board("new").pairs for name in one.asked.ranks}
    assert names == {f"bm25 {run_id[:8]}", f"bm25 {other[:8]}"}


def test_the_pace_leaves_out_long_pauses(archive, start, monkeypatch):
    """Three answers 6 seconds apart, and one after an hour, are 3 per 102 seconds."""
    moment = start().created_at
    for seconds, pair in zip((6, 12, 18, 3618), PAIRS, strict=True):
        at = moment + timedelta(seconds=seconds)
        monkeypatch.setattr("berryeval.archive.judgments.rows.now", lambda at=at: at)
        archive.projects.answer("holes", *pair, 1, author="ada")
    [ada] = archive.projects.board("holes").judges()
    assert ada.per_minute == pytest.approx(3 / 1.7)
    assert (ada.minutes_left, ada.last_at) == (0, moment + timedelta(seconds=3618))
