"""Sending many queries to a system."""

import logging
import re
import threading
import time

import pytest

from berryeval.core import Query
from berryeval.errors import (
    AnswerError,
    ArgumentError,
    FormatError,
    MismatchError,
    SystemTimeoutError,
    SystemUnderTestError,
)
from berryeval.search.collect import Collected, Limits, _Asker, collect
from berryeval.search.failures import NotSentError, check_any_answered
from berryeval.search.journal import Journal
from berryeval.search.limits import seconds_allowed, until
from berryeval.search.systems.function import Function

QUERIES = [Query(f"q{i}", f"text {i}") for i in range(12)]


def echo(query, k):  # noqa: ARG001
    return {query: 1.0, "other": 0.5}


def test_every_query_is_answered_in_order():
    """The run keeps the order of the queries, each with its duration."""
    collected = collect(Function(echo), QUERIES)
    assert list(collected.run.query_ids) == [query.query_id for query in QUERIES]
    assert collected.run.ranking("q3") == ["text 3", "other"]
    assert collected.failures == {}
    assert list(collected.durations) == list(collected.run.query_ids)
    assert all(0 < seconds < 5 for seconds in collected.durations.values())


def test_an_answer_without_hits_is_an_answer():
    """The query is in the run, without documents."""
    collected = collect(Function(lambda _query, _k: []), QUERIES[:2])
    assert collected.run.n_queries == 2
    assert collected.run.n_rows == 0
    assert collected.failures == {}


def test_four_queries_are_sent_at_once():
    """X8: four is the default, and the limit is never exceeded."""
    running, most, lock = 0, 0, threading.Lock()

    def find(_query, _k):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return ["a"]

    collect(Function(find), QUERIES)
    assert most == 4
    most = 0
    collect(Function(find), QUERIES[:4], limits=Limits(concurrency=1))
    assert most == 1
    assert (Limits().concurrency, Limits().timeout) == (4, 30.0)


def test_a_failing_query_does_not_stop_the_others():
    """X8: its error is recorded, and it is left out of the run."""

    def find(query, _k):
        if query == "text 3":
            raise ValueError("no such index")
        if query == "text 4":
            return ["a", "a"]
        return ["a"]

    collected = collect(Function(find, name="mine"), QUERIES)
    assert collected.run.n_queries == 10
    assert {q: str(error) for q, error in collected.failures.items()} == {
        "q3": "mine: ValueError: no such index",
        "q4": "mine: expected each document once, got 'a' twice; "
        "if these are chunks of one document, set duplicates=keep-best",
    }
    assert isinstance(collected.failures["q4"], AnswerError)


def test_answers_of_any_object_are_checked():
    """Only `search` is required of it."""

    class Theirs:
        def search(self, query, _k):
            if query == "text 1":
                raise SystemExit(3)
            if query == "text 2":
                raise ConnectionResetError
            return [("a", float("nan"))]

    collected = collect(Theirs(), QUERIES[:3], limits=Limits(backoff=0))
    assert collected.failures["q2"].transient
    assert [str(error) for error in collected.failures.values()] == [
        "Theirs: hit 1: expected a number as score, got float nan",
        "Theirs: SystemExit: 3",
        "Theirs: ConnectionResetError",
    ]


def test_temporary_errors_are_retried():
    """They are retried twice, and other errors are not."""
    tries = {"text 0": [], "text 1": [], "text 2": []}

    def find(query, _k):
        tries[query].append(time.monotonic())
        if query == "text 0" and len(tries[query]) < 3:
            raise ConnectionResetError("busy")
        if query == "text 1":
            raise ValueError("wrong")
        if query == "text 2":
            raise SystemUnderTestError("db", "down", transient=True)
        return ["a"]

    limits = Limits(retries=2, backoff=0.02)
    collected = collect(Function(find), QUERIES[:3], limits=limits)
    assert {query: len(times) for query, times in tries.items()} == {
        "text 0": 3,
        "text 1": 1,
        "text 2": 3,
    }
    assert list(collected.failures) == ["q1", "q2"]
    first, second, third = tries["text 0"]
    assert second - first >= 0.02
    assert third - second >= 0.04


def test_a_late_answer_is_not_waited_for():
    """X8: the query has timed out, and the others are answered in the meantime."""
    hang = threading.Event()

    def find(query, _k):
        if query in ("text 0", "text 5"):
            hang.wait(20)
        return ["a"]

    start = time.monotonic()
    collected = collect(Function(find, name="slow"), QUERIES, limits=Limits(timeout=0.2))
    assert time.monotonic() - start < 10
    hang.set()
    assert list(collected.failures) == ["q0", "q5"]
    assert isinstance(collected.failures["q0"], SystemTimeoutError)
    assert str(collected.failures["q0"]) == "slow: no answer within 0.2 s"
    assert collected.run.n_queries == 10


def test_a_system_that_stops_itself_reports_the_whole_limit():
    """X8: the remaining time at its start would mislead the caller."""

    def find(_query, _k):
        time.sleep(0.05)  # like a connection
        seconds = seconds_allowed(30.0)
        time.sleep(seconds)
        raise SystemTimeoutError("polite", f"no answer within {seconds:.3g} s")

    limits = Limits(timeout=0.2, concurrency=12)
    collected = collect(Function(find, name="polite"), QUERIES, limits=limits)
    reasons = {str(error) for error in collected.failures.values()}
    assert reasons == {"polite: no answer within 0.2 s"}


def test_a_shorter_limit_of_the_system_is_reported():
    """The query did not reach its own limit."""

    def find(_query, _k):
        raise SystemTimeoutError("hasty", "no answer within 0.01 s")

    collected = collect(Function(find, name="hasty"), QUERIES[:1])
    assert str(collected.failures["q0"]) == "hasty: no answer within 0.01 s"


class Stubborn:
    """Searches that ignore every limit; counts how many run at once."""

    name = "stubborn"

    def __init__(self, seconds):
        self.seconds = seconds
        self.let_go = threading.Event()
        self.n_running = self.most = self.n_asked = 0
        self._lock = threading.Lock()

    def search(self, _query, _k):
        with self._lock:
            self.n_asked += 1
            self.n_running += 1
            self.most = max(self.most, self.n_running)
        self.let_go.wait(self.seconds)
        with self._lock:
            self.n_running -= 1
        return ["a"]


def test_a_query_that_ignores_its_limit_occupies_its_worker():
    """X8: a fifth query waits until one of four has ended, even after timeouts."""
    system = Stubborn(0.6)
    collected = collect(system, QUERIES, limits=Limits(timeout=0.4, give_up_after=None))
    assert system.most == 4
    assert system.n_asked == len(collected.failures) == 12


def test_queries_fail_if_all_workers_stay_occupied():
    """X8: they wait for a worker as long as for an answer, and then fail with the reason."""
    system = Stubborn(60)
    start = time.monotonic()
    collected = collect(system, QUERIES, limits=Limits(timeout=0.2))
    assert time.monotonic() - start < 5
    assert (system.n_asked, system.most) == (4, 4)
    system.let_go.set()
    reasons = [str(error) for error in collected.failures.values()]
    assert reasons.count("stubborn: no answer within 0.2 s") == 4
    taken = "earlier queries exceeded their limit of 0.2 s and occupy all 4 workers"
    assert reasons.count(f"stubborn: not sent: {taken}") == 8
    assert all(isinstance(error, SystemTimeoutError) for error in collected.failures.values())


def test_other_queries_continue_while_a_worker_is_occupied(monkeypatch):
    """X8: a worker that never returns slows down the rest, but fails no query."""
    hang = threading.Event()
    ask_once = _Asker._ask_once

    def run_out_of_time(asker, query, deadline):
        return ask_once(asker, query, 0.0 if query.query_id == "q0" else deadline)

    def find(query, _k):
        if query == "text 0":
            hang.wait(60)
        return ["a"]

    # The limit of one is over at once, that of the others never: load makes no difference.
    monkeypatch.setattr(_Asker, "_ask_once", run_out_of_time)
    limits = Limits(timeout=60, concurrency=2)
    collected = collect(Function(find), QUERIES, limits=limits)
    hang.set()
    assert list(collected.failures) == ["q0"]
    assert collected.run.n_queries == len(QUERIES) - 1


def test_all_queries_together_have_a_limit():
    """Answers until then are kept, and the rest fail with a timeout."""
    system = Stubborn(0.1)
    limits = Limits(concurrency=1, total=0.35)
    start = time.monotonic()
    collected = collect(system, QUERIES, limits=limits)
    assert time.monotonic() - start < 5
    assert 1 <= collected.run.n_queries <= 3
    assert collected.run.n_queries + len(collected.failures) == 12
    assert {str(error) for error in collected.failures.values()} == {
        "stubborn: timeout: no answer within 0.35 s for all queries"
    }
    assert system.n_asked <= 4


def test_the_common_limit_holds_if_all_workers_are_occupied():
    """No query waits for a worker beyond the limit."""
    system = Stubborn(60)
    start = time.monotonic()
    collected = collect(system, QUERIES, limits=Limits(timeout=0.1, total=0.15))
    assert time.monotonic() - start < 5
    system.let_go.set()
    assert len(collected.failures) == 12
    assert system.n_asked == 4


def test_a_system_receives_the_remaining_time():
    """X8: it is the rest of the query's limit, or the system's own."""
    seen = []

    class Asks:
        def search(self, _query, _k):
            seen.append((seconds_allowed(100), seconds_allowed(0.01)))
            return ["a"]

    collect(Asks(), QUERIES[:1], limits=Limits(timeout=5))
    collect(Asks(), QUERIES[:1], limits=Limits(timeout=5, total=2))
    (first, own), (second, _) = seen
    assert 4 < first <= 5
    assert own == 0.01
    assert 1 < second <= 2
    assert seconds_allowed(100) == 100
    with until(time.monotonic() - 1):
        assert 0 < seconds_allowed(100) < 0.01


def test_tries_share_the_time_limit_of_a_query():
    """A pause that would end after the deadline is not started."""

    def find(_query, _k):
        raise ConnectionResetError("busy")

    start = time.monotonic()
    limits = Limits(timeout=0.3, retries=50, backoff=0.1)
    collected = collect(Function(find, name="mine"), QUERIES[:1], limits=limits)
    assert time.monotonic() - start < 5
    assert str(collected.failures["q0"]) == "mine: ConnectionResetError: busy"


def test_every_query_can_be_sent_again():
    """Repeats show how much a system's answers vary."""
    counts = {}
    lock = threading.Lock()

    def find(query, _k):
        with lock:
            counts[query] = counts.get(query, 0) + 1
            return {f"d{counts[query]}": 1.0}

    collected = collect(Function(find), QUERIES[:3], repeat=3, limits=Limits(concurrency=1))
    runs = [collected.run, *(again.run for again in collected.repeats)]
    assert [run.ranking("q1") for run in runs] == [["d1"], ["d2"], ["d3"]]


def test_progress_is_reported_in_the_callers_thread():
    """It covers every answer from the first to the last."""
    shown = []
    collect(
        Function(echo),
        QUERIES[:3],
        progress=lambda done, of: shown.append((done, of, threading.current_thread())),
    )
    assert shown == [(n, 3, threading.current_thread()) for n in range(4)]


def test_durations_have_percentiles():
    """A percentile is the duration of a query, the longer one between two."""
    durations = {f"q{i}": float(i) for i in range(1, 11)}
    collected = Collected(None, durations, {})
    assert [collected.percentile(p) for p in (0, 50, 95, 100)] == [1.0, 6.0, 10.0, 10.0]
    assert Collected(None, {}, {}).percentile(50) is None


def test_retrieval_is_logged(monkeypatch):
    """X9: the start with the number of queries, and each query with count and milliseconds."""

    def find(query, _k):
        if query == "text 1":
            raise ValueError("wrong")
        return ["a"]

    # A separate handler: earlier commands have changed the logger above.
    logger, records = logging.getLogger("berryeval.search.collect"), []
    handler = logging.Handler()
    handler.emit = records.append
    monkeypatch.setattr(logger, "handlers", [handler])
    monkeypatch.setattr(logger, "propagate", False)
    logger.setLevel(logging.DEBUG)
    collect(Function(find, name="mine"), QUERIES[:2], limits=Limits(concurrency=1))
    logger.setLevel(logging.NOTSET)
    start, first, second = records
    assert (start.levelname, start.event, start.queries) == ("INFO", "retrieval starts", 2)
    assert (first.levelname, first.query_id, first.documents) == ("DEBUG", "q0", 1)
    assert first.ms >= 0
    assert (second.levelname, second.query_id) == ("INFO", "q1")
    assert second.error == "mine: ValueError: wrong"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"concurrency": 0}, "concurrency: expected at least 1"),
        ({"timeout": 0}, "timeout: expected more than 0 seconds"),
        ({"timeout": float("nan")}, "timeout: expected more than 0 seconds"),
        ({"retries": -1}, "retries: expected at least 0"),
        ({"backoff": -1}, "backoff: expected at least 0 seconds"),
        ({"total": 0}, "total: expected more than 0 seconds"),
    ],
)
def test_invalid_limits_are_rejected(settings, message):
    """The error is raised before any query is sent."""
    with pytest.raises(ArgumentError, match=message):
        Limits(**settings)


def test_queries_and_numbers_are_checked():
    """Queries must be unique, and k and repeats at least 1."""
    with pytest.raises(ArgumentError, match="queries: expected each query once, got 'q0' twice"):
        collect(Function(echo), [QUERIES[0], QUERIES[0]])
    with pytest.raises(ArgumentError, match="k: expected an integer, at least 1"):
        collect(Function(echo), QUERIES, 0)
    with pytest.raises(ArgumentError, match="repeat: expected at least 1"):
        collect(Function(echo), QUERIES, repeat=0)


class TestJournal:
    """Continuing an interrupted retrieval."""

    FACTS = {"system": "mine", "k": "10"}  # noqa: RUF012

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "run.jsonl.progress"

    def interrupted(self, path, after):
        """Collect with a journal until Ctrl-C."""

        def progress(done, _of):
            if done == after:
                raise KeyboardInterrupt

        with Journal(path, self.FACTS) as journal, pytest.raises(KeyboardInterrupt):
            collect(Function(echo), QUERIES, 10, journal=journal, progress=progress)

    def test_stored_answers_are_not_requested_again(self, path):
        """Only missing queries are sent, and the run is the same as without interruption."""
        self.interrupted(path, after=5)
        asked = []

        def find(query, k):
            asked.append(query)
            return echo(query, k)

        with Journal(path, self.FACTS) as journal:
            assert len(journal) == 5
            resumed = collect(Function(find), QUERIES, 10, journal=journal)
            journal.delete()
        assert len(asked) == 7
        assert resumed.run == collect(Function(echo), QUERIES, 10).run
        assert len(resumed.durations) == 12
        assert not path.exists()

    def test_an_incomplete_line_is_dropped(self, path):
        """The file continues after the last complete line."""
        self.interrupted(path, after=5)
        path.write_bytes(path.read_bytes()[:-7] + b"x" * 9999)
        with Journal(path, self.FACTS) as journal:
            assert len(journal) == 4
            collect(Function(echo), QUERIES, 10, journal=journal)
        with Journal(path, self.FACTS) as journal:
            assert len(journal) == 12

    def test_failed_queries_are_sent_again(self, path):
        """Only answers are stored."""

        def broken(query, k):
            if query == "text 2":
                raise ValueError("once")
            return echo(query, k)

        with Journal(path, self.FACTS) as journal:
            assert collect(Function(broken), QUERIES, 10, journal=journal).failures
        with Journal(path, self.FACTS) as journal:
            assert len(journal) == 11
            assert not collect(Function(echo), QUERIES, 10, journal=journal).failures

    def test_a_query_with_another_text_is_sent_again(self, path):
        """The text counts, not only the id."""
        with Journal(path, self.FACTS) as journal:
            collect(Function(echo), [Query("q1", "old")], 10, journal=journal)
            again = collect(Function(echo), [Query("q1", "new")], 10, journal=journal)
        assert again.run.ranking("q1") == ["new", "other"]

    def test_answers_of_another_system_are_rejected(self, path):
        """The message names the difference and says what to do."""
        self.interrupted(path, after=2)
        with pytest.raises(MismatchError, match="has answers with k '10', not '20'; delete the"):
            Journal(path, {"system": "mine", "k": "20"})
        with pytest.raises(MismatchError, match="has answers with docs None, not 'x'"):
            Journal(path, self.FACTS | {"docs": "x"})

    @pytest.mark.parametrize(
        "content",
        ["hello\n", "no end", "[]\n", "{}\n", '{"journal": 9, "facts": {}}\n',
         '{"journal": 1, "facts": 7}\n'],
    )  # fmt: skip
    def test_a_file_that_is_not_a_journal_is_not_changed(self, path, content):
        """It may be a run."""
        path.write_text(content)
        with pytest.raises(FormatError, match=r"run\.jsonl\.progress"):
            Journal(path, self.FACTS)
        assert path.read_text() == content

    def test_an_invalid_answer_is_reported_with_its_line(self, path):
        """The file may have been edited."""
        self.interrupted(path, after=1)
        with path.open("a") as file:
            file.write('{"pass": 0}\n')
        with pytest.raises(FormatError, match=r"progress:3: expected stored answers"):
            Journal(path, self.FACTS)

    def test_an_empty_file_is_a_new_journal(self, path):
        """A crash may leave an empty file."""
        path.touch()
        with Journal(path, self.FACTS) as journal:
            assert len(journal) == 0

    def test_a_path_that_cannot_be_written_is_named(self, tmp_path):
        """The message contains the system's reason."""
        with pytest.raises(FormatError, match="cannot be written: No such file"):
            Journal(tmp_path / "missing" / "file", self.FACTS)


def test_a_system_that_fails_the_same_way_is_not_asked_further():
    """The reason is reported once, and hundreds of refused connections are not waited for."""
    asked = []

    def refuse(query, k):  # noqa: ARG001
        asked.append(query)
        raise ConnectionRefusedError("no one listens")

    queries = [Query(f"q{i}", f"text {i}") for i in range(100)]
    limits = Limits(concurrency=2, retries=0)
    collected = collect(Function(refuse), queries, limits=limits)
    assert 8 <= len(asked) <= 10
    assert len(collected.failures) == 100
    last = collected.failures["q99"]
    assert isinstance(last, NotSentError)
    assert re.search(r"not sent, since the first \d+ queries failed in the same way$", str(last))
    with pytest.raises(SystemUnderTestError, match=r"the first \d+ queries in the same way"):
        check_any_answered("search", collected.durations, collected.failures)


@pytest.mark.parametrize("give_up_after", [8, None])
def test_different_failures_do_not_stop_a_retrieval(give_up_after):
    """One answer, or one other error, and every query is sent."""

    def fail(query, k):  # noqa: ARG001
        raise ValueError(query if give_up_after else "always the same")

    queries = [Query(f"q{i}", f"text {i}") for i in range(30)]
    limits = Limits(retries=0, give_up_after=give_up_after)
    collected = collect(Function(fail), queries, limits=limits)
    assert not any(isinstance(error, NotSentError) for error in collected.failures.values())


def test_one_answer_keeps_a_retrieval_going():
    """Some queries may be worse than others."""
    answered = ["text 0"]

    def fail_often(query, k):  # noqa: ARG001
        if query in answered:
            return ["d1"]
        raise ValueError("too long")

    queries = [Query(f"q{i}", f"text {i}") for i in range(30)]
    collected = collect(Function(fail_often), queries, limits=Limits(concurrency=1, retries=0))
    assert not any(isinstance(error, NotSentError) for error in collected.failures.values())
