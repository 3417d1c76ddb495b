"""Boards in memory always match the archive, and are reread only where it changed."""

import random
from datetime import timedelta

import pytest

from berryeval import Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.clock import backdated, now
from berryeval.archive.judgments import rows
from berryeval.archive.projects import board, boards
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.errors import ConflictError, NotFoundError

PAIRS = [(f"q{i:02}", f"d{j}") for i in range(40) for j in range(5)]
RUN = Run.from_lists({query_id: [f"d{j}" for j in range(5)] for query_id, _ in PAIRS})


@pytest.fixture
def start(archive):
    """Start a project over the 200 documents of a run."""

    def start(name="team", depth=5, **plan):
        run_id = archive.runs.put(RUN, RunFacts("bm25")).run_id
        chosen = PairSelection("depth", (run_id,), depth=depth)
        return archive.projects.create(name, ProjectPlan(chosen, **plan), author="ada")

    return start


@pytest.fixture
def rows_read(monkeypatch):
    """The rows of pairs, judgments and refusals that were read, by kind."""
    found = {}

    def counted(module, name, kind):
        original = getattr(module, name)

        def count(row, *others):
            found[kind] = found.get(kind, 0) + 1
            return original(row, *others)

        monkeypatch.setattr(module, name, count)

    counted(rows, "stored_judgment", "judgments")
    counted(board, "stored_judgment", "judgments")
    counted(board, "stored_pair", "pairs")
    counted(board, "ProjectAnswer", "refusals or answers")
    return found


def fresh(location, name="team"):
    """Return the board as another process reads it, from scratch."""
    with Archive.open(location) as other:
        return other.projects.board(name)


def test_an_answer_makes_one_pair_be_read_again(archive, start, rows_read):
    """The cost of the next board depends on the new answers, not on the size of the project."""
    start(n_opinions=2)
    archive.judgments.put([JudgmentEntry(*pair, 1) for pair in PAIRS], author="eve")
    archive.projects.board("team")
    assert rows_read.pop("pairs") == rows_read.pop("judgments") == len(PAIRS)
    rows_read.clear()
    archive.projects.board("team")
    assert rows_read == {}
    archive.projects.answer("team", *PAIRS[7], 2, author="bob")
    rows_read.clear()
    assert archive.projects.board("team").find(PAIRS[7]).grades == {"eve": 1, "bob": 2}
    assert rows_read == {"judgments": 2, "refusals or answers": 2}  # both grades of the pair
    archive.projects.answer("team", *PAIRS[8], None, author="bob")
    rows_read.clear()
    assert archive.projects.board("team").find(PAIRS[8]).answers.keys() == {"eve", "bob"}
    assert rows_read == {"judgments": 1, "refusals or answers": 2}


def test_judgments_of_other_pairs_read_none(archive, start, rows_read):
    """For a judgment outside the project, only its id is read."""
    start()
    archive.projects.board("team")
    rows_read.clear()
    archive.judgments.put([JudgmentEntry("q99", "d1", 1)], author="eve")
    rows_read.clear()
    before = archive.projects.board("team")
    assert rows_read == {}
    assert archive.projects.board("team") is before


def test_a_board_equals_one_read_from_scratch(archive, location, start):
    """This holds for grades, undos, refusals and settlements, by this process or another."""
    start(n_opinions=2)
    chance = random.Random(7)  # noqa: S311 - not for secrets
    with Archive.open(location) as other:
        for number in range(60):
            writer = chance.choice([archive, other])
            pair = PAIRS[chance.randrange(12)]
            judge = chance.choice(["ada", "bob", "eve"])
            action = chance.choice(["grade", "grade", "refuse", "take back", "undo", "settle"])
            if action in ("grade", "refuse"):
                grade = chance.randrange(3) if action == "grade" else None
                writer.projects.answer("team", *pair, grade, author=judge)
            elif action == "take back":
                writer.projects.undo_refusal("team", *pair, author=judge)
            elif action == "settle":
                writer.projects.settle("team", *pair, 3, author="lead")
            else:
                states = writer.judgments.history(*pair)
                last = states[-1].revision if states else 1
                try:
                    writer.judgments.undo(*pair, author=judge, if_revision=last)
                except (ConflictError, NotFoundError):
                    continue
            if number % 3 == 0:
                assert archive.projects.board("team").pairs == fresh(location).pairs
        assert archive.projects.board("team") == other.projects.board("team") == fresh(location)


def test_a_refusal_is_seen_when_the_clock_is_set_back(archive, start, monkeypatch):
    """Replacing one refusal by another keeps their number; times still increase."""
    start(judges=("ada", "bob"))
    archive.projects.answer("team", *PAIRS[0], None, author="ada")
    archive.projects.answer("team", *PAIRS[1], None, author="ada")
    archive.projects.board("team")
    archive.projects.undo_refusal("team", *PAIRS[0], author="ada")
    hour_ago = now() - timedelta(hours=1)
    monkeypatch.setattr("berryeval.archive.clock.now", lambda: hour_ago)
    archive.projects.answer("team", *PAIRS[2], None, author="ada")
    answered = [one.asked.pair for one in archive.projects.board("team").pairs if one.answers]
    assert answered == PAIRS[1:3]


def test_another_project_of_the_same_name_has_its_own_pairs(archive, start):
    """Pairs never change, but a project can be removed and started again."""
    start()
    assert len(archive.projects.board("team").pairs) == len(PAIRS)
    archive.projects.remove("team")
    with pytest.raises(NotFoundError):
        archive.projects.board("team")
    assert start(depth=1).n_pairs == 40
    assert len(archive.projects.board("team").pairs) == 40


def test_a_paused_project_is_seen_at_once(archive, location, start):
    """The state is read on every request."""
    start()
    archive.projects.board("team")
    with Archive.open(location) as other:
        other.projects.set_state("team", "paused")
    assert archive.projects.board("team").project.state == "paused"


def test_after_many_changes_everything_is_read_again(archive, start, rows_read, monkeypatch):
    """A bulk import costs no more than a new board."""
    monkeypatch.setattr(boards, "_MAX_CHANGES", 10)
    start()
    archive.projects.board("team")
    archive.judgments.put([JudgmentEntry(*pair, 1) for pair in PAIRS[:11]], author="eve")
    rows_read.clear()
    assert archive.projects.board("team").n_done == 11
    assert (rows_read["pairs"], rows_read["judgments"]) == (len(PAIRS), 11)


def test_one_pair_that_changed_often_hides_no_other(archive, start, monkeypatch):
    """Changes are counted before they are grouped by pair."""
    monkeypatch.setattr(boards, "_MAX_CHANGES", 10)
    start()
    archive.projects.board("team")
    for grade in range(11):
        archive.judgments.put([JudgmentEntry(*PAIRS[0], grade)], author="eve")
    archive.judgments.put([JudgmentEntry(*PAIRS[1], 1)], author="eve")
    assert archive.projects.board("team").n_done == 2


def test_memory_holds_a_limited_number_of_pairs(archive, start, rows_read, monkeypatch):
    """The least recently used boards are dropped, and unknown names are not cached."""
    monkeypatch.setattr(boards, "_MAX_PAIRS", 450)
    for name in ("one", "two", "three"):
        start(name)
        archive.projects.board(name)
    assert [*archive.projects._boards._entries] == ["two", "three"]
    rows_read.clear()
    archive.projects.board("one")
    assert rows_read["pairs"] == len(PAIRS)
    assert [*archive.projects._boards._entries] == ["three", "one"]
    monkeypatch.setattr(boards, "_MAX_PAIRS", 10)
    archive.projects.board("one")
    assert [*archive.projects._boards._entries] == ["one"]
    for number in range(5):
        with pytest.raises(NotFoundError):
            archive.projects.board(f"none{number}")
    assert [*archive.projects._boards._entries] == ["one"]


def test_a_project_knows_its_number_of_pairs(archive, start):
    """It is the last position plus one, including for projects that are backdated."""
    with backdated(now() - timedelta(days=3)):
        assert start(depth=2).n_pairs == 80
    assert [one.n_pairs for one in archive.projects.all()] == [80]
