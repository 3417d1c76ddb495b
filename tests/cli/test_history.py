"""berryeval history, and evaluate --history."""

import csv
import io
import json
import sys
from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.cli import main
from berryeval.core.run import Run
from berryeval.reports.history import sparkline, trends_chart
from berryeval.suite.history import append, read
from berryeval.suite.trends import trends
from charts.drawings import drawn, texts

JUDGMENTS = {f"q{i:02}": {"a": 1} for i in range(20)}
START = datetime(2026, 1, 5, 6, 30, tzinfo=timezone.utc)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, list(arguments), prog_name="berryeval")


def record(n_right, *, days=0, run="bm25.run", note=None, judgments=None, measures=("RR", "P@1")):
    """Append an evaluation that ranks the document first for some queries, else second."""
    judged = JUDGMENTS if judgments is None else judgments
    ranked = {q: ["a", "x"] if i < n_right else ["x", "a"] for i, q in enumerate(judged)}
    found = be.evaluate(judged, ranked, list(measures))
    append("h.jsonl", run, found, judged, note, time=START + timedelta(days=days))


@pytest.fixture
def history():
    """Five evaluations: two good, a decline, and two with other judgments."""
    record(18, note="v1")
    record(19, days=1, note="v2")
    record(10, days=2, note="v3")
    more = JUDGMENTS | {"q99": {"a": 1}}
    record(10, days=3, judgments=more)
    record(12, days=4, judgments=more)


TABLE = """\
RR of bm25.run: 5 evaluations, from 0.9500 to 0.7857.
▇█▁ ▁▂

time (UTC)        note  queries    mean   change
2026-01-05 06:30    v1       20  0.9500        -
2026-01-06 06:30    v2       20  0.9750  +0.0250
2026-01-07 06:30    v3       20  0.7500  -0.2250   decline (step)
2026-01-08 06:30     -       21  0.7381        -  other judgments
2026-01-09 06:30     -       21  0.7857  +0.0476

Evaluations before and after a change of judgments or queries are not compared.
Decline: a step at 2026-01-07 06:30 (v3), means are 0.2125 lower from there on \
(p = 0.0070; 3 evaluations of 20 queries).
Tested once, at 0.05. To test after every evaluation, use --daily.

Also recorded, for -m: P@1.
"""


@pytest.mark.usefixtures("history")
def test_a_history_is_a_sentence_a_sparkline_and_a_table():
    """E6: a decline is shown with its position, size and p-value."""
    result = berryeval("history", "h.jsonl", "-m", "RR")
    assert (result.exit_code, result.output) == (0, TABLE)
    assert berryeval("history", "h.jsonl", "-m", "RR", "-o", "x.txt").output == ""
    with open("x.txt", encoding="utf-8") as file:  # noqa: PTH123
        assert file.read() == TABLE


@pytest.mark.usefixtures("history")
def test_the_last_evaluations_can_be_shown_alone():
    """The decline is reported even if it is not among them."""
    lines = berryeval("history", "h.jsonl", "--last", "2").output.splitlines()
    assert lines[0] == "RR of bm25.run: 2 evaluations, from 0.7381 to 0.7857."
    assert lines[1] == "▁█"
    assert any(line.startswith("Decline: a step at 2026-01-07") for line in lines)


def test_evaluate_appends_each_run(folder):
    """E6: there is one entry per run, with the note, and the usual table."""
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (folder / "a.run").write_text("q1 Q0 d1 1 1 a\nq2 Q0 d1 1 1 a\n")
    (folder / "b.run").write_text("q1 Q0 d2 1 1 b\nq2 Q0 d1 1 1 b\n")
    arguments = ["evaluate", "qrels.txt", "a.run", "b.run", "-m", "nDCG@10"]
    plain = berryeval(*arguments).output
    assert berryeval(*arguments, "--history", "h.jsonl", "--note", "abc").output == plain
    assert berryeval(*arguments, "--history", "h.jsonl").exit_code == 0
    found = read("h.jsonl")
    assert [(e.run, e.note) for e in found.entries] == [
        ("a.run", "abc"), ("b.run", "abc"), ("a.run", None), ("b.run", None),
    ]  # fmt: skip
    shown = berryeval("history", "h.jsonl").output
    assert "nDCG@10 of a.run: 2 evaluations" in shown
    assert "\n\nnDCG@10 of b.run: 2 evaluations" in shown
    assert (
        "Not tested for a decline, which requires two comparable evaluations that differ" in shown
    )


def test_a_note_needs_a_history():
    """It is not dropped."""
    result = berryeval("evaluate", "qrels.txt", "a.run", "--note", "abc")
    assert result.exit_code == 2
    assert "Error: --note requires --history FILE." in result.stderr


def test_one_evaluation_is_a_history():
    """Its table has one row, and there is nothing to test."""
    record(18, measures=["RR"])
    assert berryeval("history", "h.jsonl").output == (
        "RR of bm25.run: one evaluation, 0.9500.\n"
        "\n"
        "time (UTC)        queries    mean  change\n"
        "2026-01-05 06:30       20  0.9500       -\n"
    )


def test_runs_of_different_names_are_one_series():
    """A column shows the names."""
    record(18, run="v1", measures=["RR"])
    record(18, days=1, run="v2", measures=["RR"])
    lines = berryeval("history", "h.jsonl").output.splitlines()
    assert lines[0] == "RR: 2 evaluations, from 0.9500 to 0.9500."
    assert lines[3].split() == ["time", "(UTC)", "run", "queries", "mean", "change"]
    assert lines[5].split() == ["2026-01-06", "06:30", "v2", "20", "0.9500", "0"]


def test_other_queries_and_other_judgments_are_distinguished(folder):
    """Equal judgments with one query missing are other queries, not other judgments."""
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    (folder / "a.run").write_text("q1 Q0 d1 1 1 a\nq2 Q0 d1 1 1 a\n")
    arguments = ["evaluate", "qrels.txt", "a.run", "--history", "h.jsonl"]
    berryeval(*arguments)
    berryeval(*arguments, "--no-relevant", "skip")
    assert berryeval("history", "h.jsonl").output.splitlines()[5].endswith("  other queries")


def test_the_absence_of_a_decline_is_reported():
    """Silence would be ambiguous."""
    record(10)
    record(12, days=1)
    printed = berryeval("history", "h.jsonl").output
    assert (
        "\nNo decline (p = 1.0000; 2 evaluations of 20 queries).\nTested once, at 0.05." in printed
    )


def test_a_creep_and_a_step_are_distinguished():
    """Size and period are reported."""
    for week in range(12):
        record(19 - week, days=7 * week)
    printed = berryeval("history", "h.jsonl", "-m", "RR").output
    assert "  decline (creep)\n" in printed
    assert (
        "Decline: a creep, the mean at 2026-03-23 06:30 is 0.2750 lower than at 2026-01-05"
        in printed
    )


def test_a_daily_alarm_ends_with_exit_code_1():
    """The job fails on the day of the newest evaluation's alarm, and on no other."""
    codes = []
    for day, n_right in enumerate([19, 19, 20, 20, 7, 7, 8, 7, 7]):
        record(n_right, days=day)
        codes.append(berryeval("history", "h.jsonl", "--daily").exit_code)
    assert codes == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    printed = berryeval("history", "h.jsonl", "--daily").output
    assert "  decline (step), alarm\n" in printed
    assert (
        "Alarm at 2026-01-09 06:30: a step at 2026-01-09 06:30, means are 0.3125 lower " in printed
    )
    assert "Tested after every evaluation, at 0.05 / 51" in printed
    (series,) = json.loads(berryeval("history", "h.jsonl", "--daily", "--json").output)["series"]
    assert [one["is_alarm"] for one in series["evaluations"]] == [False] * 4 + [True] + [False] * 4


def test_an_incomplete_line_is_reported(folder):
    """Its number is shown, and the rest is used."""
    record(18)
    with (folder / "h.jsonl").open("a") as file:
        file.write('{"version":1,"ti')
    result = berryeval("history", "h.jsonl")
    assert result.exit_code == 0
    assert (
        "h.jsonl:2: the line is incomplete, because writing was interrupted, and is ignored."
        in result.output
    )


@pytest.mark.usefixtures("history")
def test_json_is_one_versioned_object():
    """It has series with their points; missing values are null."""
    found = json.loads(berryeval("history", "h.jsonl", "--json").output)
    (series,) = found["series"]
    assert (found["version"], found["measure"], found["daily"]) == (3, "RR", False)
    decline, other = series["looks"]
    assert (decline["is_decline"], decline["kind"], decline["level"]) == (True, "step", 0.05)
    assert (decline["at"], decline["change"]) == ("2026-01-07T06:30:00Z", pytest.approx(-0.2125))
    assert (decline["n_evaluations"], decline["n_queries"], decline["n_left_out"]) == (3, 20, 0)
    assert other["is_decline"] is False
    assert [one["decline"] for one in series["evaluations"]] == [None, None, "step", None, None]


@pytest.mark.usefixtures("history")
def test_csv_has_one_line_per_evaluation():
    """Numbers have full precision."""
    rows = list(
        csv.DictReader(io.StringIO(berryeval("history", "h.jsonl", "--format", "csv").output))
    )
    assert [row["note"] for row in rows] == ["v1", "v2", "v3", "", ""]
    assert (rows[0]["change"], rows[3]["starts_anew"]) == ("", "True")
    assert float(rows[2]["change"]) == pytest.approx(-0.225)


@pytest.mark.usefixtures("history")
def test_a_chart_is_drawn(folder):
    """The extension selects SVG or PNG."""
    pytest.importorskip("resvg_py")
    assert berryeval("history", "h.jsonl", "-o", "x.svg").exit_code == 0
    assert berryeval("history", "h.jsonl", "-o", "x.PNG").exit_code == 0
    svg = (folder / "x.svg").read_text()
    assert svg.startswith("<svg")
    assert ">step<" in svg
    assert ">judgments or queries changed<" in svg
    assert (folder / "x.PNG").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("history")
def test_a_chart_shows_breaks_and_declines():
    """Lines break if judgments changed, and the description mentions the decline."""
    chart = trends_chart(trends(read("h.jsonl"), "RR"))
    assert "bm25.run: Decline: a step at 2026-01-07 06:30 (v3)" in chart.description
    assert len(drawn(chart).find_all("path", class_="line")) == 2


def test_a_plain_chart_has_no_marks():
    """Nothing changed or declined."""
    record(18)
    record(18, days=1)
    chart = drawn(trends_chart(trends(read("h.jsonl"))))
    assert len(chart.find_all("path", class_="line")) == 1
    assert chart.find_all("circle", class_="ring") == []
    assert "judgments or queries changed" not in texts(chart)


@pytest.mark.usefixtures("history")
def test_without_the_library_the_extra_is_named(monkeypatch):
    """PNG causes one line and exit code 2; SVG requires no library."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert berryeval("history", "h.jsonl", "-o", "x.svg").exit_code == 0
    result = berryeval("history", "h.jsonl", "-o", "x.png")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: Drawing PNG requires an optional dependency: pip install 'berryeval[charts]'\n"
    )


def test_a_sparkline_goes_from_low_to_high():
    """It has eight steps, the middle for equal values, and an ASCII form."""
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert sparkline([0.3, 0.3]) == "▄▄"
    assert sparkline([0.0, 0.5, 1.0], "ascii") == "_=#"
    assert sparkline([0.0, 1.0], "no such encoding") == "_#"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl"], "none.jsonl: cannot be read: No such file or directory"),
        (["h.jsonl", "-m", "P@5"], "measure: expected one of RR, P@1, which are recorded, got P@5"),
        (["h.jsonl", "--run", "x"], "run: expected 'bm25.run', got 'x'"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, message):
    """There is no traceback, and nothing on standard output."""
    record(18)
    result = berryeval("history", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {message}\n"


def store(name, *n_right, judged=True):
    """Store runs that rank the document first for some queries."""
    with Archive.open(name) as archive:
        if judged:
            entries = [JudgmentEntry(query, "a", 1) for query in JUDGMENTS]
            archive.judgments.put(entries, author="ada")
        for number, right in enumerate(n_right):
            ranked = {
                q: {"a": 2.0, "x": 1.0} if i < right else {"x": 2.0, "a": 1.0}
                for i, q in enumerate(JUDGMENTS)
            }
            archive.runs.put(Run.from_dict(ranked), RunFacts("bm25", commit=f"v{number + 1}"))


def test_the_history_of_an_archive_has_its_runs():
    """E6: the service stores evaluations in the archive, and declines are found."""
    store("a.db", 18, 19, 10)
    done = berryeval("history", "a.db", "-m", "P@1", "--json")
    assert done.exit_code == 0, done.output
    (series,) = json.loads(done.stdout)["series"]
    assert [one["note"] for one in series["evaluations"]] == ["v1", "v2", "v3"]
    assert [one["mean"] for one in series["evaluations"]] == [0.9, 0.95, 0.5]
    assert [one["decline"] for one in series["evaluations"]] == [None, None, "step"]
    assert "nDCG@10" in berryeval("history", "a.db", "--run", "bm25").stdout


@pytest.mark.parametrize(
    ("runs", "judged", "expected"),
    [
        ((), True, "Error: a.db: expected runs that can be scored: there is none\n"),
        ((3,), False, "Error: a.db: expected runs that can be scored: "),
    ],
)
def test_an_empty_archive_is_reported(runs, judged, expected):
    """The archive may have no runs, or no judgments."""
    store("a.db", *runs, judged=judged)
    done = berryeval("history", "a.db")
    assert done.exit_code == 2
    assert done.output.startswith(expected)


def test_missing_queries_are_counted_in_the_history(folder):
    """Their zeros would look like a decline."""
    record(20)
    ranked = {q: ["a", "x"] for q in [*JUDGMENTS][:14]}
    found = be.evaluate(JUDGMENTS, ranked, ["RR"])
    append("h.jsonl", "bm25.run", found, JUDGMENTS, time=START + timedelta(days=1))
    printed = berryeval("history", "h.jsonl").output
    assert "queries  missing    mean" in printed
    assert "20        6  0.7000" in printed
    assert "missing: judged queries that are not in the run; they score 0 in its mean." in printed
    entries = json.loads(berryeval("history", "h.jsonl", "--json").output)["series"][0]
    assert [entry["n_missing"] for entry in entries["evaluations"]] == [0, 6]
    left_out = be.evaluate(JUDGMENTS, ranked, ["RR"], missing="skip")
    assert append("other.jsonl", "bm25.run", left_out, JUDGMENTS).n_missing == 0
    assert "n_missing" not in (folder / "other.jsonl").read_text()


def test_old_evaluations_are_added_with_their_time(folder):
    """They are sorted by their time, not by when they were added."""
    (folder / "qrels").write_text("q1 0 a 1\n")
    (folder / "a.run").write_text("q1 Q0 a 1 1 t\n")
    command = ["evaluate", "qrels", "a.run", "-m", "RR", "--history", "history.jsonl", "--time"]
    for time in ("2026-02-01T12:00:00+02:00", "2026-01-05", "2026-01-20T06:30:00Z"):
        assert berryeval(*command, time).exit_code == 0
    [trend] = trends(read("history.jsonl"), "RR")
    assert [f"{point.entry.time:%m-%d %H:%M}" for point in trend.points] == [
        "01-05 00:00", "01-20 06:30", "02-01 10:00",
    ]  # fmt: skip


def test_a_time_that_is_none_is_refused(folder):
    """So is one without a history; nothing is evaluated."""
    result = berryeval("evaluate", "qrels", "a.run", "--history", "h.jsonl", "--time", "monday")
    assert result.exit_code == 2
    assert "--time: expected a date or time such as 2026-01-05" in result.output
    result = berryeval("evaluate", "qrels", "a.run", "--time", "2026-01-05")
    assert "--time requires --history FILE." in result.output
    assert not (folder / "h.jsonl").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
def test_a_history_is_not_executable(folder):
    """It gets the usual permissions of new files."""
    record(3)
    [path] = folder.glob("*.jsonl")
    assert path.stat().st_mode & 0o111 == 0
