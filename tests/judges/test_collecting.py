"""Asking about many pairs, and storing the answers."""

import json
import threading
import time

import pytest

from berryeval.errors import FormatError
from berryeval.judges import collecting
from berryeval.judges.collecting import Task, ask_all
from berryeval.judges.function import FunctionJudge
from berryeval.judges.metering import Meter
from berryeval.judges.model_grades import GRADES, GradeFile, read_grades
from berryeval.judges.opening import open_judge
from berryeval.judges.protocol import Guideline, Scale
from berryeval.judges.stored import StoredJudge
from berryeval.search.limits import Limits
from judges.pairs import GUIDELINE, pair

PAIRS = [pair(text=f"document {number}") for number in range(12)]
TASKS = [Task(one) for one in PAIRS]


@pytest.fixture
def store(tmp_path):
    """A file of grades that does not exist yet."""
    with GradeFile(tmp_path / GRADES) as opened:
        yield opened


def test_every_pair_is_judged_once(model, place, store, tmp_path):
    """Grades are stored with judge, model, guideline, hash, purpose and tokens."""
    seen = []
    found = ask_all(open_judge(place), TASKS + TASKS[:3], GUIDELINE, store,
                    progress=lambda done, of: seen.append((done, of)))  # fmt: skip
    assert model.n_requests == 12 == found.n_asked == len(found.grades)
    assert seen[0] == (0, 12)
    assert seen[-1] == (12, 12)
    [first, *_] = [one for one in read_grades(tmp_path) if one.doc_id == "document 0"]
    assert (first.grade, first.model, first.purpose) == (1.0, "tiny-2026-01-01", "pool")
    assert (first.source, first.guideline) == ("model", GUIDELINE.digest)
    assert first.judge.startswith("tiny@127.0.0.1")
    assert first.judged_at.endswith("+00:00")
    assert first.input_tokens > 0


def test_nothing_is_asked_twice(model, place, tmp_path):
    """A second command reads the file; another guideline, text, setting or repetition is new."""

    def n_asked(tasks=TASKS[:2], guideline=GUIDELINE, settings=None):
        with GradeFile(tmp_path / GRADES) as store:
            return ask_all(open_judge(place, settings), tasks, guideline, store).n_asked

    assert [n_asked(), n_asked()] == [2, 0]
    assert n_asked(guideline=Guideline("Be strict.", Scale(3))) == 2
    assert n_asked(settings={"temperature": "1"}) == 2
    assert n_asked([Task(PAIRS[0], number=1)]) == 1
    assert n_asked([Task(pair(text="document 0, changed"))]) == 1
    assert n_asked() == 0
    assert model.n_requests == 8


def test_a_pair_that_cannot_be_judged_is_not_asked_again(model, place, store):
    """It is stored without a grade, and with the reason."""
    model.grade = lambda *_: None
    judge = open_judge(place)
    found = ask_all(judge, TASKS[:1], GUIDELINE, store)
    assert [one.grade for one in found.grades.values()] == [None]
    assert ask_all(judge, TASKS[:1], GUIDELINE, store).n_asked == 0


def test_documents_with_the_same_text_have_grades_of_their_own(tmp_path, store):
    """Files of grades, and the store, distinguish them by their ids."""
    (tmp_path / "grades.qrels").write_text("q1 0 d1 3\nq1 0 d2 0\n", encoding="utf-8")
    judge = StoredJudge(tmp_path / "grades.qrels")
    twins = [Task(pair(query_id="q1", doc_id=one)) for one in ("d1", "d2")]
    for _ in range(2):  # the second time, both are stored
        found = ask_all(judge, twins, GUIDELINE, store)
        assert {one.key: one.grade for one in found.grades.values()} == {
            ("q1", "d1"): 3.0,
            ("q1", "d2"): 0.0,
        }
    assert {one.key for one in GradeFile(store.path)} == {("q1", "d1"), ("q1", "d2")}


def test_a_failed_pair_does_not_stop_the_others(model, place, store):
    """It is listed with its error, and asked again next time."""

    def grade(_query, document):
        if document == "document 5":
            model.faults.append((418, {"error": "teapot"}))
        return 1

    model.grade = grade
    judge = open_judge(place)
    found = ask_all(judge, TASKS, GUIDELINE, store, concurrency=1)
    assert [task.pair.document.doc_id for task in found.failures] == ["document 6"]
    assert len(found.grades) == 11
    assert ask_all(judge, TASKS, GUIDELINE, store).n_asked == 1


def test_a_server_that_refuses_everything_is_not_asked_ten_thousand_times(model, place, store):
    """After eight equal failures without an answer, the rest is not sent."""
    model.key = "sk-right"
    found = ask_all(open_judge(place), TASKS, GUIDELINE, store, concurrency=1)
    assert (len(found.failures), model.n_requests) == (8, 8)


def test_the_budget_ends_the_work_cleanly(model, place, store):
    """Answers that were paid for are stored; the rest is not requested."""
    judge = open_judge(place, meter=Meter(max_calls=5))
    found = ask_all(judge, TASKS, GUIDELINE, store)
    assert found.budget == "the budget of 5 calls is used up"
    assert len(found.grades) == model.n_requests == len(store) == 5
    assert not found.failures


def test_ctrl_c_loses_nothing(store, monkeypatch):
    """Running calls are waited for, and their answers stored."""
    begun = threading.Event()

    def slowly(*_):
        begun.set()
        time.sleep(0.05)
        return 1

    class Interrupted(collecting.queue.SimpleQueue):
        def get(self, **_how):
            begun.wait()
            raise KeyboardInterrupt

    monkeypatch.setattr(collecting.queue, "SimpleQueue", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask_all(FunctionJudge(slowly, "slow"), TASKS, GUIDELINE, store, concurrency=2)
    assert 1 <= len(store) <= 2


def test_a_bug_in_a_worker_is_raised_in_the_caller(store):
    """An unexpected error neither hangs nor vanishes."""

    class Broken(FunctionJudge):
        def judge(self, *_):
            raise SystemExit(3)

    with pytest.raises(SystemExit):
        ask_all(Broken(len, "mine"), TASKS, GUIDELINE, store)


def test_an_interrupted_line_is_removed(tmp_path):
    """A process that was killed leaves half a line; it is asked again."""
    path = tmp_path / GRADES
    judge = FunctionJudge(lambda *_: 2, "two")
    with GradeFile(path) as store:
        ask_all(judge, TASKS[:2], GUIDELINE, store, concurrency=1)
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    with GradeFile(path) as store:
        assert ask_all(judge, TASKS[:2], GUIDELINE, store).n_asked == 1
    assert len(path.read_bytes().splitlines()) == 2
    assert [one.grade for one in read_grades(tmp_path)] == [2.0, 2.0]


@pytest.mark.parametrize("content", ["no lines", "{}\n", "[1]\n", json.dumps({"grade": 1}) + "\n"])
def test_another_file_is_not_taken_for_grades(tmp_path, content):
    """Nothing is appended to a file of another kind."""
    (tmp_path / GRADES).write_text(content)
    with pytest.raises(FormatError, match=f"{GRADES}:1"):
        GradeFile(tmp_path / GRADES)


def test_a_file_that_cannot_be_written_is_reported(tmp_path):
    """The error names the file."""
    with pytest.raises(FormatError, match="cannot be written"):
        ask_all(FunctionJudge(lambda *_: 1, "one"), TASKS[:1], GUIDELINE,
                GradeFile(tmp_path / "missing" / GRADES))  # fmt: skip
    (tmp_path / GRADES).mkdir()
    with pytest.raises(FormatError, match="cannot be read"):
        read_grades(tmp_path)


def test_a_set_without_grades_has_none(tmp_path):
    """A missing file means that there are no grades."""
    assert read_grades(tmp_path) == []


def test_retries_and_limits_are_shared(model, place, store):
    """A server that is busy for a moment costs no pair."""
    model.faults = [(429, {}, ("Retry-After", "0"))] * 3
    judge = open_judge(place, limits=Limits(timeout=5, retries=3, backoff=0))
    assert len(ask_all(judge, TASKS, GUIDELINE, store).grades) == 12
