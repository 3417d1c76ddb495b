"""Gates from settings: inputs, verdict and log."""

import io
import json
import logging
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval import ArgumentError, FormatError, Judgments, MismatchError, Run
from berryeval.cli import main
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.measures import ReciprocalRank, parse_measure
from berryeval.suite import history
from berryeval.suite.gate import decide, guarded_measures, read_timings, run_gate
from berryeval.suite.settings import Settings

P5 = parse_measure("P@5")
N = 12


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Settings for twelve queries, the first without hits, and a baseline that is the same run."""
    monkeypatch.chdir(tmp_path)
    judgments = {f"q{i:02}": {"d": 1, "x": 0} for i in range(N)}
    rankings = {f"q{i:02}": ["x", "d"] if i else ["x"] for i in range(N)}
    (tmp_path / "judgments.json").write_text(json.dumps(judgments))
    run = {q: {doc: 9 - rank for rank, doc in enumerate(ids)} for q, ids in rankings.items()}
    (tmp_path / "a.json").write_text(json.dumps(run))
    baseline = Baseline.make(
        "main", Judgments.from_dict(judgments), Run.from_lists(rankings), [P5], corpus="v1"
    )
    baseline.save("main.json")
    lines = [json.dumps({"query_id": q, "ms": 10 + i}) for i, q in enumerate(judgments)]
    (tmp_path / "times.jsonl").write_text("\n".join(lines) + "\n\n")
    return Settings(judgments="judgments.json", run="a.json", baseline="main.json")


def with_guards(settings, *guards, **rules):
    return replace(settings, gate=GateRules(guards=guards, **rules))


MARGIN = MarginGuard(P5, Margin(0.05))


def test_a_baseline_is_scored_again_and_compared(settings):
    """The same rankings are unchanged."""
    result = run_gate(with_guards(settings, MARGIN))
    assert (result.verdict, result.guards[0].is_unchanged) == ("pass", True)
    assert result.comparison.baseline == "baseline"


def test_a_history_counts_looks_and_tries(settings, tmp_path):
    """The same data again counts as neither, and stored decisions are read back."""
    counted = with_guards(replace(settings, history="history.jsonl"), MARGIN)
    found = [run_gate(counted).memory for _ in range(2)]
    run = json.loads((tmp_path / "a.json").read_text())
    run["q01"] = {"d": 9, "x": 8}
    (tmp_path / "b.json").write_text(json.dumps(run))
    found.append(run_gate(replace(counted, run="b.json")).memory)
    assert [(one.looks, one.tries) for one in found] == [(1, 1), (1, 1), (1, 2)]
    kept = history.read("history.jsonl").entries
    assert [one.decision.tries for one in kept] == [1, 1, 2]
    assert [one.decision.query_ids is None for one in kept] == [False, True, True]


def test_a_grown_set_is_another_look_in_the_history(settings, tmp_path):
    """Judgments, run and baseline may all be new; n_max sets the level."""
    counted = with_guards(replace(settings, history="history.jsonl"), MARGIN, n_max=2 * N)
    first = run_gate(counted)
    judgments = json.loads((tmp_path / "judgments.json").read_text())
    run = json.loads((tmp_path / "a.json").read_text())
    for i in range(N, 2 * N):
        judgments[f"q{i:02}"], run[f"q{i:02}"] = {"d": 1, "x": 0}, {"d": 9, "x": 8}
    (tmp_path / "judgments.json").write_text(json.dumps(judgments))
    (tmp_path / "a.json").write_text(json.dumps(run))
    both = Judgments.from_dict(judgments), Run.from_dict(run)
    Baseline.make("main", *both, [P5], corpus="v1").save("main.json")
    second = run_gate(counted)
    assert (first.memory.sizes, second.memory.sizes) == ((N,), (N, 2 * N))
    assert first.level < 0.01 < second.level < 0.05
    assert (
        "Second check of these runs on this set, 24 of 24 queries, "
        f"at significance level {second.level:.3g}." in (second.sentence)
    )


def test_a_better_candidate_can_replace_a_run(settings, tmp_path):
    """`baseline update` refuses a run; the command of the suggestion works, also in a folder."""
    judgments = {f"q{i:02}": {"d": 1} for i in range(3 * N)}
    (tmp_path / "judgments.json").write_text(json.dumps(judgments))
    for name, ranking in (("old.json", {"x": 2, "d": 1}), ("new run.json", {"d": 2, "x": 1})):
        (tmp_path / name).write_text(json.dumps(dict.fromkeys(judgments, ranking)))
    guard = MarginGuard(ReciprocalRank(), Margin(0.05))
    named = replace(settings, run="new run.json", baseline="old.json")
    result = run_gate(with_guards(named, guard))
    assert result.suggestion.endswith(
        "consider making it the baseline. old.json is a run: save the candidate as a baseline "
        'file, and name that in berryeval.toml (baseline = "baseline.json").'
    )
    assert result.suggested_command == (
        "berryeval baseline save --judgments judgments.json --run 'new run.json' --baseline "
        "baseline.json -m RR"
    )
    assert CliRunner().invoke(main, shlex.split(result.suggested_command)[1:]).exit_code == 0
    Baseline.read("baseline.json")
    saved = replace(named, run="new run.json", baseline="baseline.json")
    assert run_gate(with_guards(saved, guard)).suggested_command is None
    elsewhere = run_gate(with_guards(replace(named, folder=str(tmp_path / "deep")), guard))
    assert elsewhere.suggested_command.endswith(f"{Path('deep') / 'baseline.json'} -m RR")


def test_without_a_history_nothing_is_counted(settings):
    """The verdict does not mention looks."""
    found = run_gate(with_guards(settings, MARGIN))
    assert (found.memory, found.level) == (None, 0.05)
    assert "look" not in found.sentence


def test_a_run_can_be_the_baseline(settings):
    """It does not have to be saved first."""
    result = run_gate(with_guards(replace(settings, baseline="a.json"), MARGIN))
    assert result.guards[0].is_unchanged


def test_standard_input_can_be_the_baseline(settings, monkeypatch):
    """It is a run that is read once."""
    rows = [f"q{i:02} Q0 {doc} 0 {score} x\n" for i in range(N) for doc, score in
            ([("x", 9), ("d", 8)] if i else [("x", 9)])]  # fmt: skip
    content = "".join(rows).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    result = run_gate(with_guards(replace(settings, baseline="-"), MARGIN))
    assert result.guards[0].is_unchanged


def test_thresholds_and_latencies_need_no_baseline(settings):
    """With a mean of 11/60, and 21 ms for the slowest query, guards can be decided alone."""
    alone = replace(settings, baseline=None, timings="times.jsonl")
    result = run_gate(with_guards(alone, ThresholdGuard(P5, 0.1), LatencyGuard(100, 21)))
    assert (result.verdict, result.comparison) == ("pass", None)
    only_times = run_gate(with_guards(alone, LatencyGuard(50, 10)))
    assert only_times.verdict == "fail"


@pytest.mark.parametrize(
    ("changes", "guards", "message"),
    [
        ({}, (), "gate.guard: expected at least one, got none; add .*--at-least or --margin"),
        (
            {"judgments": None},
            (MARGIN,),
            "judgments: expected a file named .*--judgments, got none",
        ),
        ({"run": None}, (MARGIN,), "run: expected a run or a system named in berryeval.toml"),
        ({"baseline": None}, (MARGIN,), "baseline: expected a file named .*--baseline, got none"),
        ({}, (LatencyGuard(95, 5),), "expected query times, got no times"),
    ],
)
def test_missing_inputs_are_reported(settings, changes, guards, message):
    """The message says what to do."""
    with pytest.raises(ArgumentError, match=message):
        run_gate(with_guards(replace(settings, **changes), *guards))


def test_a_missing_baseline_is_reported_with_the_way_to_save_one(settings):
    """The first build of a project has none."""
    with pytest.raises(FormatError, match=r"none.json: expected a baseline, found no file; save"):
        run_gate(with_guards(replace(settings, baseline="none.json"), MARGIN))


def test_another_corpus_is_rejected_unless_allowed(settings):
    """It is allowed by a flag, or in the file."""
    other = replace(settings, corpus="v2")
    with pytest.raises(MismatchError, match="is from another corpus, 'v1' instead of 'v2'"):
        run_gate(with_guards(other, MARGIN))
    assert run_gate(with_guards(other, MARGIN, allow_other_corpus=True)).verdict == "pass"


def test_the_pool_depth_decides_whether_holes_are_inconclusive(settings, tmp_path):
    """An unjudged document replaces a relevant one, with and without a pool of ten."""
    run = {f"q{i:02}": {"u": 2, "x": 1} for i in range(N)}
    (tmp_path / "b.json").write_text(json.dumps(run))
    changed = with_guards(replace(settings, run="b.json"), MARGIN)
    assert run_gate(changed).verdict == "fail"
    pooled = replace(changed.gate, pool_depth=5)
    assert run_gate(replace(changed, gate=pooled)).verdict == "inconclusive"
    shown = replace(changed, gate=replace(pooled, holes="report"))
    assert run_gate(shown).verdict == "fail"


def test_a_brief_decision_is_the_same_decision(settings):
    """Unjudged documents are bounded only if they could make it inconclusive."""
    run = {f"q{i:02}": {"u": 2, "x": 1} for i in range(N)}
    changed = with_guards(settings, MARGIN)
    judgments = Judgments.from_dict({f"q{i:02}": {"d": 1, "x": 0} for i in range(N)})
    for depth, policy in ((None, None), (5, None), (5, "report"), (None, "inconclusive")):
        shown = replace(changed, gate=replace(changed.gate, pool_depth=depth, holes=policy))
        whole, brief = (
            decide(shown, judgments, Run.from_dict(run), {}, is_brief=is_brief)
            for is_brief in (False, True)
        )
        assert brief.verdict == whole.verdict
        assert [g.p_fail for g in brief.guards] == [g.p_fail for g in whole.guards]
        [difference] = brief.comparison.differences
        assert (difference.extremes is not None) == (brief.verdict == "inconclusive")


def test_slices_are_gated_from_the_configured_size(settings, tmp_path):
    """Twelve queries of one category are watched, unless twelve are enough."""
    rows = [{"query_id": f"q{i:02}", "text": "t", "category": "a"} for i in range(N)]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    sliced = replace(settings, queries="queries.jsonl")
    guard = MarginGuard(P5, Margin(0.05), ("category",))
    for smallest, is_watched in ((20, True), (12, False)):
        result = run_gate(with_guards(sliced, guard, smallest_slice=smallest))
        assert [g.is_watched for g in result.guards] == [False, is_watched]


def test_the_highest_grade_bounds_the_effect_of_holes(settings, tmp_path):
    """It comes from the scale, otherwise from the highest grade given."""
    run = {f"q{i:02}": {"u": 2, "x": 1} for i in range(N)}
    (tmp_path / "b.json").write_text(json.dumps(run))
    guarded = with_guards(
        replace(settings, run="b.json", baseline="a.json"),
        MarginGuard(parse_measure("DCG@1"), Margin(0.05)),
    )
    for grade, highest in ((None, 1.0), (10, 10.0)):
        [difference] = run_gate(
            replace(guarded, gate=replace(guarded.gate, max_grade=grade))
        ).comparison.differences
        assert difference.bounds.high == highest


def test_guarded_measures_are_those_of_the_guards():
    """Each is listed once, and latency guards have none."""
    guards = [MARGIN, LatencyGuard(95, 5), ThresholdGuard(P5, 0.5)]
    assert guarded_measures(guards) == (P5,)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x", "found 'x'"),
        ("[1]", "found '[1]'"),
        ('{"query_id": "q1"}', "found "),
        ('{"query_id": 1, "ms": 2}', "found "),
        ('{"query_id": "q1", "ms": "2"}', "found "),
        ('{"query_id": "q1", "ms": true}', "found "),
        ('{"query_id": "q1", "ms": -1}', "found "),
        ('{"query_id": "q1", "ms": NaN}', "found "),
        ('{"query_id": "q1", "ms": Infinity}', "found "),
        (f'{{"query_id": "q1", "ms": 1{"0" * 400}}}', "found "),
        ("[" * 100_000, "found "),
        ('{"query_id": "q0", "ms": 2}', "expected each query once, found 'q0' again"),
    ],
)
def test_invalid_times_are_errors_with_their_line(tmp_path, line, found):
    """The message has the file, the line, what was expected and what was found."""
    path = tmp_path / "times.jsonl"
    path.write_text('{"query_id": "q0", "ms": 1}\n\n' + line + "\n")
    with pytest.raises(FormatError) as caught:
        read_timings(str(path))
    assert caught.value.line == 3
    assert found in str(caught.value)
    if "once" not in found:
        assert 'expected {"query_id": "q1", "ms": 12.5}' in str(caught.value)


def test_a_file_without_times_is_an_error(tmp_path):
    """So is a missing file."""
    path = tmp_path / "times.jsonl"
    path.write_text("\n")
    with pytest.raises(FormatError, match="expected the time of at least one query, found none"):
        read_timings(str(path))
    with pytest.raises(FormatError, match="cannot be read"):
        read_timings(str(tmp_path / "nope"))


def facts(record):
    plain = vars(logging.makeLogRecord({}))
    left_out = {*plain, "message", "event"}
    return {key: value for key, value in vars(record).items() if key not in left_out}


def test_the_outcome_is_logged(settings, caplog):
    """X9: start, queries, means to three digits, queries without hits, missed thresholds."""
    caplog.set_level(logging.DEBUG, "berryeval")
    logged = replace(settings, timings="times.jsonl")
    run_gate(with_guards(logged, ThresholdGuard(P5, 0.2), ThresholdGuard(P5, 0.1), MARGIN))
    shown = [(r.levelname, r.event, facts(r)) for r in caplog.records]
    assert shown[0] == ("INFO", "gate starts", {"queries": N, "guards": 3})
    queries = [entry for entry in shown if entry[1] == "query"]
    assert len(queries) == N
    assert queries[0] == ("DEBUG", "query", {"query_id": "q00", "documents": 1, "ms": 10.0})
    assert ("INFO", "measured", {"P@5": 0.183, "P@10": 0.092, "MRR": 0.458}) in shown
    assert ("WARNING", "no relevant result", {"query_id": "q00"}) in shown
    assert sum(level == "WARNING" for level, _, _ in shown) == 1
    missed = {"measure": "P@5", "value": 0.183, "threshold": 0.2}
    assert [entry for entry in shown if entry[0] == "ERROR"] == [
        ("ERROR", "threshold not met", missed)
    ]
    assert shown[-1] == ("INFO", "gate ends", {"verdict": "fail"})


@pytest.mark.parametrize("candidate", [{}, {"run": None, "system": "no_such_module:find"}])
def test_a_threshold_above_the_best_mean_is_reported_first(settings, candidate):
    """The run is not read and the system is not opened."""
    wanted = with_guards(replace(settings, **{"run": "not_there.run", **candidate}),
                         ThresholdGuard(P5, 0.7))  # fmt: skip
    with pytest.raises(MismatchError, match=r"best possible P@5 is 0\.2000 .* threshold 0\.7 can"):
        run_gate(wanted)


def test_queries_without_times_are_logged_without(settings, caplog):
    """X9: no duration is invented."""
    caplog.set_level(logging.DEBUG, "berryeval")
    run_gate(with_guards(settings, MARGIN))
    assert all("ms" not in facts(r) for r in caplog.records)


def test_a_missed_threshold_is_logged_even_if_nothing_else_is(settings, caplog):
    """X9: at level error, no other measure is computed for the log."""
    caplog.set_level(logging.ERROR, "berryeval")
    run_gate(with_guards(settings, ThresholdGuard(P5, 0.2)))
    assert [r.levelname for r in caplog.records] == ["ERROR"]


def test_a_gate_is_appended_to_a_configured_history(settings):
    """E6: each evaluation is appended, with its verdict."""
    remembered = replace(settings, history="history.jsonl")
    run_gate(with_guards(remembered, MARGIN))
    run_gate(with_guards(remembered, MARGIN))
    entries = history.read("history.jsonl").entries
    assert [(entry.run, entry.note) for entry in entries] == [("a.json", "pass")] * 2
