"""The history file: appending, reading, and its series."""

import json
import multiprocessing
import os
import threading
from datetime import datetime, timedelta, timezone

import pytest

import berryeval as be
from berryeval.core.content_hash import hash_of_judgments
from berryeval.suite import appending, trends
from berryeval.suite.history import History, append, read
from suite.histories import HIGH, JUDGMENTS, LOW, START, entry, evaluated, noisy, trend_of


def test_appended_evaluations_can_be_read(tmp_path):
    """E6: every evaluation can be appended to a history."""
    path = tmp_path / "history.jsonl"
    first = append(path, "bm25.run", evaluated(), JUDGMENTS, "abc123", time=START)
    second = append(path, "bm25.run", evaluated(5), JUDGMENTS)
    history = read(path)
    assert history.entries == (first, second)
    assert (first.run, first.note, first.n_queries) == ("bm25.run", "abc123", 10)
    assert first.time == START
    assert (second.note, second.means) == (None, {"RR": 0.75, "P@1": 0.5})
    assert second.scores["RR"] == (1.0,) * 5 + (0.5,) * 5
    assert second.is_comparable(first)
    assert (history.runs, history.measures, history.damaged) == (("bm25.run",), ("RR", "P@1"), ())


def test_the_sampling_design_is_kept(tmp_path):
    """Weights, groups and strata are stored, for later tests of a decline."""
    queries = [
        be.Query(q, "", weight=1 + i % 2, group="g" if i < 2 else None, stratum="ab"[i // 5])
        for i, q in enumerate(JUDGMENTS)
    ]
    evaluation = be.evaluate(JUDGMENTS, {"q00": ["a"]}, "RR", queries=queries)
    entry = append(tmp_path / "h", "run", evaluation, JUDGMENTS)
    assert read(tmp_path / "h").entries == (entry,)
    assert entry.weights == evaluation.weights
    assert entry.groups == ("g", "g", *[None] * 8)
    assert entry.strata == (*"aaaaabbbbb",)
    append(tmp_path / "plain", "run", evaluated(), JUDGMENTS)
    assert not {"weights", "groups", "strata"} & json.loads((tmp_path / "plain").read_text()).keys()


def test_an_entry_of_fifty_queries_is_small(tmp_path):
    """Ids are hashed and scores have six decimals: at most about nine bytes per score."""
    judgments = {f"query-{i:03}": {"a": 1, "b": 2} for i in range(50)}
    run = {query_id: ["y", "a", "b"] for query_id in judgments}
    append(tmp_path / "h", "run", be.evaluate(judgments, run, ["nDCG@10", "RR"]), judgments)
    line = (tmp_path / "h").read_bytes()
    assert len(line) < 400 + 2 * 50 * 9
    assert json.loads(line)["scores"]["RR"] == [0.5] * 50
    assert "query-001" not in line.decode()


def test_a_time_is_kept_in_utc_and_needs_a_zone(tmp_path):
    """Times from any zone are converted."""
    east = datetime(2026, 1, 5, 8, 30, 15, 999, tzinfo=timezone(timedelta(hours=2)))
    append(tmp_path / "h", "run", evaluated(), JUDGMENTS, time=east)
    assert json.loads((tmp_path / "h").read_text())["time"] == "2026-01-05T06:30:15Z"
    with pytest.raises(be.ArgumentError, match="time: expected a time with its time zone"):
        append(tmp_path / "h", "run", evaluated(), JUDGMENTS, time=datetime(2026, 1, 5))  # noqa: DTZ001


def test_the_hash_of_judgments_depends_on_their_content():
    """Order and format do not change it, and a grade does."""
    one = be.Judgments.from_dict({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}})
    same = be.Judgments.from_dict({"q2": {"c": 2}, "q1": {"b": 0, "a": 1}})
    other = be.Judgments.from_dict({"q1": {"a": 1, "b": 1}, "q2": {"c": 2}})
    moved = be.Judgments.from_dict({"q1": {"a": 1}, "q2": {"b": 0, "c": 2}})
    assert hash_of_judgments(one) == hash_of_judgments(same)
    assert len({hash_of_judgments(j) for j in (one, other, moved)}) == 3


def test_an_incomplete_line_damages_no_other(tmp_path):
    """E6: it is reported with its number, and the next evaluation starts a new line."""
    path = tmp_path / "history.jsonl"
    append(path, "run", evaluated(), JUDGMENTS)
    append(path, "run", evaluated(), JUDGMENTS)
    whole = path.read_bytes()
    path.write_bytes(whole[:-50])
    assert (len(read(path).entries), read(path).damaged) == (1, (2,))
    append(path, "run", evaluated(3), JUDGMENTS)
    history = read(path)
    assert (len(history.entries), history.damaged) == (2, (2,))
    assert history.entries[1].means["P@1"] == 0.3


def test_a_line_without_its_newline_is_complete(tmp_path):
    """It counts, and the next line is appended after a newline."""
    path = tmp_path / "history.jsonl"
    append(path, "run", evaluated(), JUDGMENTS)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append(path, "run", evaluated(), JUDGMENTS)
    assert (len(read(path).entries), read(path).damaged) == (2, ())


def append_some(path):
    for i in range(10):
        append(path, f"run {os.getpid()}", evaluated(i), JUDGMENTS)


def test_processes_append_at_the_same_time(tmp_path):
    """No line is lost or mixed with another."""
    path = tmp_path / "history.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=append_some, args=(path,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    history = read(path)
    assert (len(history.entries), len(history.runs), history.damaged) == (30, 3, ())


def test_a_writer_waits_for_others(tmp_path):
    """Otherwise, undoing a failed write could remove another process's line."""
    fcntl = pytest.importorskip("fcntl", reason="Windows locks otherwise")
    path = tmp_path / "history.jsonl"
    path.touch()
    worker = threading.Thread(target=append, args=(path, "run", evaluated(), JUDGMENTS))
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        worker.start()
        worker.join(0.3)
        assert worker.is_alive()
        assert path.read_bytes() == b""
    worker.join()
    assert len(read(path).entries) == 1


def test_empty_lines_are_skipped(tmp_path):
    """Other JSON lines files are treated in the same way."""
    append(tmp_path / "h", "run", evaluated(), JUDGMENTS)
    (tmp_path / "h").write_bytes(b"\n" + (tmp_path / "h").read_bytes() + b"\n")
    assert (len(read(tmp_path / "h").entries), read(tmp_path / "h").damaged) == (1, ())


def write_half(file, line, *, really=os.write):
    return really(file, line[: len(line) // 2])


def refuse(_file):
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("function", "replacement", "message"),
    [
        ("write", write_half, r"cannot be written: only \d+ of \d+ bytes could be written"),
        ("fsync", refuse, "cannot be written: Input/output error"),
    ],
)
def test_a_failed_append_leaves_the_file_unchanged(
    tmp_path, monkeypatch, function, replacement, message
):
    """A full disk leaves no incomplete line."""
    path = tmp_path / "history.jsonl"
    append(path, "run", evaluated(), JUDGMENTS)
    before = path.read_bytes()
    monkeypatch.setattr(appending.os, function, replacement)
    with pytest.raises(be.FormatError, match=message):
        append(path, "run", evaluated(), JUDGMENTS)
    assert path.read_bytes() == before


def test_a_missing_folder_is_an_error(tmp_path):
    """The message contains the system's reason."""
    with pytest.raises(be.FormatError, match="cannot be written: No such file or directory"):
        append(tmp_path / "no" / "h", "run", evaluated(), JUDGMENTS)


def test_a_compressed_file_is_not_appended_to(tmp_path):
    """A plain line would damage the whole file."""
    with pytest.raises(be.FormatError, match=r"h.gz: cannot be appended to: expected a name with"):
        append(tmp_path / "h.gz", "run", evaluated(), JUDGMENTS)
    assert not (tmp_path / "h.gz").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "h: expected a history of evaluations, found nothing"),
        ('{"version": 1', "h: expected a history of evaluations, found an incomplete line"),
        (
            "q1 0 d1 1\nq1 0 d2 0\n",
            "h: expected a history of evaluations, found a line that is not JSON",
        ),
        (
            "[]\n",
            "h:1: expected an evaluation written by `berryeval evaluate --history`, found som",
        ),
        ('{"run": "x"}\n', "h:1: expected an evaluation written by .*, found no 'time'"),
        ('{"version": 2}\n', "h:1: expected version 1, found 2: a newer berryeval wrote it"),
    ],
)
def test_a_file_that_is_not_a_history_is_an_error(tmp_path, monkeypatch, content, message):
    """The message contains its line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h").write_text(content)
    with pytest.raises(be.FormatError, match=message):
        read("h")


@pytest.mark.parametrize(
    ("key", "value"),
    [("run", 7), ("means", {"RR": "high"}), ("means", {"RR": float("nan")}), ("time", "today"),
     ("scores", {"RR": 1}), ("time", "2026-01-05T06:30:00"), ("n_queries", None),
     ("n_queries", float("inf")), ("n_queries", 9), ("means", {"RR": 10**400}), ("means", {}),
     ("weights", [1] * 9), ("groups", ["g"] * 9), ("strata", [None] * 11), ("strata", [7] * 10),
     ("scores", {"P@1": [1] * 10}), ("time", "0001-01-01T00:00:00+10:00")],
)  # fmt: skip
def test_a_value_of_another_type_is_an_error(tmp_path, key, value):
    """No entry is read in part, and NaN is rejected."""
    append(tmp_path / "h", "run", evaluated(), JUDGMENTS)
    record = json.loads((tmp_path / "h").read_text())
    (tmp_path / "h").write_text(json.dumps(record | {key: value}) + "\n")
    with pytest.raises(be.FormatError, match="h:1: expected an evaluation"):
        read(tmp_path / "h")


def test_a_lone_surrogate_in_a_note_is_replaced(tmp_path):
    """A note that was cut within an emoji can be shown."""
    append(tmp_path / "h", "run", evaluated(), JUDGMENTS, "cut \ud83d")
    assert read(tmp_path / "h").entries[0].note == "cut \ufffd"


def test_every_name_is_a_series_unless_none_comes_twice():
    """bm25 and dense are two series; v1, v2 and v3 are one."""
    both = [entry(HIGH, run="a"), entry(LOW, run="b"), entry(HIGH, run="a", days=1)]
    found = trends.trends(History("h", tuple(both)))
    assert [(trend.run, len(trend.points)) for trend in found] == [("a", 2), ("b", 1)]
    versions = [entry(HIGH, run=f"v{i}", days=i) for i in range(3)]
    (trend,) = trends.trends(History("h", tuple(versions)))
    assert (trend.run, len(trend.points)) == (None, 3)
    (trend,) = trends.trends(History("h", tuple(both)), run="b")
    assert (trend.run, len(trend.points)) == ("b", 1)


def test_the_last_points_keep_all_tests():
    """Showing fewer points does not test fewer entries."""
    trend = trend_of(*noisy(20, drop=0.08, step=12)).last(1)
    assert (len(trend.points), len(trend.declines)) == (1, 1)


def test_the_measure_is_found_by_any_name():
    """The default is nDCG@10, or the first measure of the newest entry."""
    (trend,) = trends.trends(History("h", (entry(HIGH, measure="nDCG@10"),)), "ndcg_cut_10")
    assert trend.measure == "nDCG@10"
    assert trend_of(entry(HIGH, measure="P@5")).measure == "P@5"
    assert trend_of(entry(HIGH, measure="P@5"), entry(HIGH, measure="nDCG@10")).measure == "nDCG@10"
    assert trend_of(entry(HIGH, measure="MyOwn")).measure == "MyOwn"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "P@5"}, "measure: expected one of RR, which are recorded, got P@5"),
        ({"run": "bm52"}, "run: expected 'bm25', got 'bm52'"),
    ],
)
def test_a_measure_that_was_not_recorded_is_an_error(options, message):
    """The message lists the recorded ones."""
    with pytest.raises(be.ArgumentError, match=message):
        trends.trends(History("h", (entry(HIGH),)), **options)
