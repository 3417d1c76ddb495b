"""berryeval gate."""

import json
import logging
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

N = 30
RELEVANT = [f"r{i}" for i in range(5)]
OTHER = [f"n{i}" for i in range(5)]


def ids():
    return [f"q{i:02}" for i in range(N)]


def write_run(path, hits):
    """Write a run with this number of relevant documents among five, by query."""
    lines = [
        f"{q} Q0 {doc} {rank} {9 - rank} x\n"
        for q, n in zip(ids(), hits, strict=True)
        for rank, doc in enumerate(RELEVANT[:n] + OTHER[: 5 - n], start=1)
    ]
    Path(path).write_text("".join(lines))


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A folder with judgments, settings, and runs that are equal, worse and uncertain."""
    monkeypatch.chdir(tmp_path)
    for name in ("CONFIG", "JUDGMENTS", "RUN", "BASELINE", "ALPHA", "INFERENCE",
                 "INCONCLUSIVE", "QUERIES", "TIMINGS", "CORPUS"):  # fmt: skip
        monkeypatch.delenv(f"BERRYEVAL_{name}", raising=False)
    grades = {**dict.fromkeys(RELEVANT, 1), **dict.fromkeys(OTHER, 0)}
    rows = [f"{q} 0 {doc} {grade}\n" for q in ids() for doc, grade in grades.items()]
    Path("qrels.txt").write_text("".join(rows))
    write_run("main.run", [3] * N)
    write_run("worse.run", [1, 2] * (N // 2))
    write_run("unsure.run", [2, 4] * (N // 2))
    Path("berryeval.toml").write_text(
        'judgments = "qrels.txt"\nrun = "main.run"\nbaseline = "main.run"\n'
        '[[gate.guard]]\nmeasure = "P@5"\nmargin = 0.05\n'
    )
    yield tmp_path
    logger = logging.getLogger("berryeval")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


def gate(*arguments, env=None):
    return CliRunner().invoke(main, ["gate", *arguments], prog_name="berryeval", env=env)


def decided(*arguments, env=None):
    result = gate("--json", *arguments, env=env)
    assert result.exit_code != 2, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("run", "code", "verdict"),
    [("main.run", 0, "pass"), ("worse.run", 1, "fail"), ("unsure.run", 3, "inconclusive")],
)
def test_the_exit_code_is_the_verdict(run, code, verdict):
    """0 pass, 1 fail, 3 inconclusive; the first line says the same."""
    result = gate("--run", run)
    assert result.exit_code == code
    assert result.stdout.startswith(f"{verdict.upper()}: ")
    as_json = gate("--run", run, "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)["verdict"]) == (code, verdict)


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_exit_code_of_an_inconclusive_gate_is_configurable(code):
    """Flag, variable and file can set 0, 1 or 3."""
    assert gate("--run", "unsure.run", "--inconclusive", str(code)).exit_code == code
    env = {"BERRYEVAL_INCONCLUSIVE": str(code)}
    assert gate("--run", "unsure.run", env=env).exit_code == code
    text = Path("berryeval.toml").read_text()
    Path("berryeval.toml").write_text(
        text.replace("[[gate.guard]]", f"[gate]\ninconclusive = {code}\n[[gate.guard]]")
    )
    assert gate("--run", "unsure.run").exit_code == code
    assert gate("--run", "worse.run").exit_code == 1


def test_an_unchanged_run_is_reported_as_such():
    """It is identical, and needs no test."""
    result = gate()
    assert result.stdout.startswith(
        "PASS: 1 guard holds over 30 queries, unchanged: the rankings are the same.\n"
    )
    assert "pass (unchanged)" in result.stdout


def test_guards_of_flags_replace_those_of_the_file():
    """Thresholds and margins may be absolute or relative."""
    found = decided("--at-least", "P@5=0.6", "--margin", "nDCG@5=2%", "--margin", "RR=0.1")
    assert [guard["name"] for guard in found["guards"]] == [
        "P@5 at least 0.6",
        "nDCG@5 drops by less than 2%",
        "RR drops by less than 0.1",
    ]


def test_flags_win_over_variables_and_these_over_the_file():
    """BERRYEVAL_RUN names another run; --run names yet another."""
    env = {"BERRYEVAL_RUN": "worse.run"}
    assert gate().exit_code == 0
    assert gate(env=env).exit_code == 1
    assert gate("--run", "unsure.run", env=env).exit_code == 3
    assert decided(env={"BERRYEVAL_ALPHA": "0.1"})["alpha"] == 0.1
    assert decided("--alpha", "0.2", env={"BERRYEVAL_ALPHA": "0.1"})["alpha"] == 0.2
    assert decided(env={"BERRYEVAL_INFERENCE": "set"})["inference"] == "set"


def test_settings_are_found_in_parent_folders(monkeypatch, tmp_path):
    """Their paths are relative to the file."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert gate().exit_code == 0
    monkeypatch.chdir("/")
    assert gate("--config", str(tmp_path / "berryeval.toml")).exit_code == 0
    assert gate(env={"BERRYEVAL_CONFIG": str(tmp_path / "berryeval.toml")}).exit_code == 0


def test_pyproject_may_contain_settings(tmp_path):
    """The table is [tool.berryeval]."""
    text = (tmp_path / "berryeval.toml").read_text()
    (tmp_path / "berryeval.toml").unlink()
    text = "[tool.berryeval]\n" + text.replace("[[gate.guard]]", "[[tool.berryeval.gate.guard]]")
    (tmp_path / "pyproject.toml").write_text(text)
    assert gate().exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--at-least", "P@5"), "--at-least: expected MEASURE=VALUE such as P@5=0.70, got 'P@5'"),
        (("--at-least", "P@5=x"), "--at-least: expected MEASURE=VALUE such as P@5=0.70"),
        (("--at-least", "P@5=nan"), "at_least: expected a finite number, got nan"),
        (("--at-least", "=0.7"), "--at-least: expected MEASURE=VALUE such as P@5=0.70"),
        (("--at-least", "ndgc@5=0.7"), "unknown measure 'ndgc@5': did you mean 'nDCG@5'?"),
        (("--margin", "P@5"), "--margin: expected MEASURE=VALUE such as nDCG@10=0.05, got 'P@5'"),
        (("--margin", "P@5=0"), "margin: expected a number above 0, or a share such as '2%'"),
        (("--margin", "ndgc@5=2%"), "unknown measure 'ndgc@5': did you mean 'nDCG@5'?"),
        (("--alpha", "0.7"), "--alpha: expected a number between 0 and 0.5, got 0.7"),
        (("--smallest-slice", "0"), "--smallest-slice: expected a whole number from 1"),
        (("--run", "nope.run"), "nope.run: cannot be read: No such file or directory"),
        (("--baseline", "nope.json"), "nope.json: expected a baseline, found no file; save one"),
        (("--config", "nope.toml"), "nope.toml: cannot be read: No such file or directory"),
        (("--timings", "nope"), "nope: cannot be read: No such file or directory"),
        (("--queries", "nope"), "nope: cannot be read: No such file or directory"),
    ],
)
def test_invalid_input_is_one_line_and_exit_code_2(arguments, message):
    """It is on standard error, with nothing on standard output."""
    result = gate(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("run", ["q1 Q0 d1 1 nan x\n", "other Q0 d1 1 1 x\n"])
def test_runs_that_cannot_be_compared_are_exit_code_2(run):
    """Examples are NaN scores and no common query."""
    Path("bad.run").write_text(run)
    result = gate("--run", "bad.run")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_an_unknown_slice_is_exit_code_2():
    """An empty slice does not pass."""
    Path("queries.jsonl").write_text('{"query_id": "q00", "text": "t"}\n')
    with Path("berryeval.toml").open("a") as file:
        file.write('slices = ["category"]\n')
    for arguments, reason in (((), "no queries were given (`queries`, --queries)"),
                              (("--queries", "queries.jsonl"), "none has one")):  # fmt: skip
        result = gate(*arguments)
        assert result.exit_code == 2
        assert result.stderr == f"Error: expected queries with a category: {reason}\n"


def test_slices_and_latencies_come_from_their_files():
    """A slice is gated if it has 20 queries or more."""
    rows = [
        json.dumps({"query_id": q, "text": "t", "category": "a" if i < 25 else "b"})
        for i, q in enumerate(ids())
    ]
    Path("queries.jsonl").write_text("\n".join(rows))
    Path("times.jsonl").write_text('{"query_id": "q00", "ms": 12.5}\n')
    with Path("berryeval.toml").open("a") as file:
        file.write('slices = ["category"]\n[[gate.guard]]\nlatency = "p95"\nat_most_ms = 12\n')
    result = gate("--queries", "queries.jsonl", "--timings", "times.jsonl", "--json")
    assert result.exit_code == 1
    guards = json.loads(result.stdout)["guards"]
    assert [(g["queries"], g["is_watched"], g["verdict"]) for g in guards] == [
        (30, False, "pass"),
        (25, False, "pass"),
        (5, True, "pass"),
        (1, False, "fail"),
    ]


def test_another_corpus_is_allowed_by_a_flag():
    """Otherwise it is not comparable."""
    CliRunner().invoke(main, ["baseline", "save", "--baseline", "main.json", "--corpus", "v1"])
    arguments = ("--baseline", "main.json", "--corpus", "v2")
    refused = gate(*arguments)
    assert refused.exit_code == 2
    assert "is from another corpus, 'v1' instead of 'v2'" in refused.stderr
    assert gate(*arguments, "--allow-other-corpus").exit_code == 0


@pytest.mark.parametrize("name", ["gate.json", "gate.csv", "gate.xml", "gate.md", "gate.txt"])
def test_the_extension_sets_the_format_of_a_file(name):
    """Nothing is on standard output, and the exit code is the same."""
    result = gate("--run", "worse.run", "-o", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert Path(name).read_text()


def test_reports_are_written_in_addition_to_the_output():
    """One gate is written in several formats, and once to the history."""
    text = Path("berryeval.toml").read_text()
    Path("berryeval.toml").write_text('history = "history.jsonl"\n' + text)
    names = ("gate.html", "gate.md", "gate.xml")
    result = gate("--run", "worse.run", *(f"--report={name}" for name in names))
    assert result.exit_code == 1
    assert result.stdout.startswith("FAIL: ")
    starts = [Path(name).read_text(encoding="utf-8")[:5] for name in names]
    assert starts == ["<!DOC", "### ❌", "<?xml"]
    assert len(Path("history.jsonl").read_text().splitlines()) == 1


def test_a_history_is_read_and_appended_to_by_each_gate():
    """It is both input and output; the same data again counts as the first look."""
    text = Path("berryeval.toml").read_text()
    Path("berryeval.toml").write_text('history = "history.jsonl"\n' + text)
    found = [json.loads(gate("--json").stdout)["memory"] for _ in range(3)]
    assert [(one["looks"], one["tries"]) for one in found] == [(1, 1)] * 3
    assert len(Path("history.jsonl").read_text().splitlines()) == 3


def test_a_report_must_have_a_known_extension():
    """A table in any other file is useless."""
    result = gate("--report", "gate.pdf")
    assert result.exit_code == 2
    assert "--report takes names that end in .csv, .htm, .html" in result.stderr


def test_json_and_another_format_exclude_each_other():
    """It is a usage error."""
    result = gate("--json", "--format", "csv")
    assert result.exit_code == 2
    assert "Choose either --json or --format csv." in result.stderr


def test_output_never_contains_nan():
    """One query, and measures without a maximum, show dashes and null."""
    Path("one.txt").write_text("q00 0 r0 1\nq00 0 n0 0\n")
    for measure in ("DCG@5", "P@5", "GMAP"):
        arguments = ("--judgments", "one.txt", "--run", "worse.run", "--margin", f"{measure}=0.05")
        for form in ("table", "json", "csv"):
            result = gate(*arguments, "--format", form)
            assert result.exit_code in (0, 3), result.output
            assert "nan" not in result.stdout.lower().replace("unanswered", "")
            assert "infinity" not in result.stdout.lower()


def test_log_lines_are_json_with_level_event_and_facts():
    """X9: they are on standard error, one object per line, apart from the result."""
    result = gate("--run", "worse.run", "--at-least", "P@5=0.9", "--json",
                  "--log-level", "debug", "--log-format", "json")  # fmt: skip
    json.loads(result.stdout)
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    assert all({"time", "level", "event"} <= line.keys() for line in lines)
    assert {line["level"] for line in lines} == {"debug", "info", "error"}
    start, *_, end = lines
    assert (start["event"], start["queries"]) == ("gate starts", N)
    assert (end["event"], end["verdict"]) == ("gate ends", "fail")
    missed = next(line for line in lines if line["level"] == "error")
    assert (missed["measure"], missed["value"], missed["threshold"]) == ("P@5", 0.3, 0.9)
    assert start["time"].endswith("+00:00")


def test_log_lines_can_be_text():
    """X9: time, level, event, key=value; a value with spaces or line ends stays one value."""
    result = gate("--run", "worse.run", "--log-level", "info")
    first = result.stderr.splitlines()[0]
    assert first.endswith("info gate starts queries=30 guards=1")
    Path("odd.json").write_text('{"a b\\nerror c=1": {"d": 1}, "q00": {"r0": 1}}')
    odd = gate("--judgments", "odd.json", "--at-least", "P@5=0.0", "--log-level", "warning")
    assert odd.stderr.count("\n") == 1
    assert "query_id='a b\\nerror c=1'" in odd.stderr


def test_by_default_nothing_is_logged():
    """The table has the verdict; X9: in the log, missed thresholds are errors."""
    missed = ("--run", "worse.run", "--at-least", "P@5=0.9")
    assert gate().stderr == gate(*missed).stderr == ""
    shown = gate(*missed, "--log-level", "error").stderr
    assert shown.count("\n") == 1
    assert shown.rstrip().endswith(
        "error threshold not met measure=P@5 value=0.300 threshold=0.900"
    )


def commands_in(output):
    """Return the commands between backticks, without those of the gate's help."""
    named = re.findall(r"`(berryeval [^`]+)`", output)
    return [shlex.split(one)[1:] for one in named if "--help" not in one]


def test_the_commands_of_a_failed_gate_work():
    """They name the files that were compared, a run or a saved baseline."""
    saved = CliRunner().invoke(main, ["baseline", "save", "--baseline", "main.json"])
    assert saved.exit_code == 0, saved.output
    write_run("odd name.run", [1, 2] * (N // 2))
    unjudged = Path("odd name.run").read_text().replace(" n", " u")
    Path("odd name.run").write_text(unjudged)
    for baseline in ("main.run", "main.json"):
        shown = gate("--run", "odd name.run", "--baseline", baseline).stdout
        explain, holes = commands_in(shown)
        assert (explain[0], holes[0]) == ("explain", "holes")
        explained = CliRunner().invoke(main, explain)
        assert explained.output.startswith("P@5 of query q00 fell by 0.4000, from 0.6000 in main.")
        listed = CliRunner().invoke(main, holes)
        assert (listed.exit_code, "u0" in listed.output) == (0, True)


def test_a_gate_saves_the_run_of_a_system(tmp_path, monkeypatch):
    """The output names the option and the command, and these work one after the other."""
    (tmp_path / "engine_to_save.py").write_text("def find(query, k):\n    return ['n0', 'r0']\n")
    monkeypatch.syspath_prepend(tmp_path)
    Path("queries.jsonl").write_text("".join(f'{{"id": "{q}", "query": "x"}}\n' for q in ids()))
    text = Path("berryeval.toml").read_text()
    Path("berryeval.toml").write_text(
        text.replace(
            'run = "main.run"', 'system = "engine_to_save:find"\nqueries = "queries.jsonl"'
        )
    )
    keep, explain, *_ = commands_in(gate().stdout)
    assert keep == ["gate", "--save-run", "candidate.run"]
    assert CliRunner().invoke(main, keep).exit_code == 1
    explained = CliRunner().invoke(main, explain)
    assert explained.output.startswith("P@5 of query q00 fell by 0.4000, from 0.6000 in main.run")


def test_a_pass_starts_with_what_happened():
    """The change of the first margin, else the mean of the first threshold."""
    write_run("better.run", [4] * N)
    assert gate("--run", "better.run").stdout.startswith(
        "PASS: P@5 rose by 0.2000; 1 guard holds over 30 queries."
    )
    assert gate("--at-least", "P@5=0.5").stdout.startswith(
        "PASS: P@5 is 0.6000; 1 guard holds over 30 queries."
    )
