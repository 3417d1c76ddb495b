"""ms@p95: the times of queries as a measure, and a gate that guards it beside quality."""

import json
import math
import random

import numpy as np
import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.query import Query
from berryeval.engine import score
from berryeval.errors import ArgumentError, InputError, InputTypeError, MismatchError
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.evaluation.percentiles import (
    N_RESAMPLES,
    Spread,
    few_queries,
    fewest_queries,
    percentile_in,
    percentile_of,
    resampled,
)
from berryeval.evaluation.sampling import PLAIN, Sampling
from berryeval.evaluation.sources import load_judgments, load_run
from berryeval.measures import parse_measure, parse_measures
from berryeval.search.collect import collect
from berryeval.search.systems.function import Function

IDS = [f"q{i:03}" for i in range(120)]
JUDGMENTS = {query_id: {"d1": 1, "d2": 0} for query_id in IDS}
RUN = {query_id: ["d1", "d2"] for query_id in IDS}


def drawn(seed: int, factor: float = 1.0) -> dict[str, float]:
    draw = random.Random(3)  # noqa: S311 - a test set
    own = random.Random(seed)  # noqa: S311
    return {q: draw.lognormvariate(3, 0.4) * factor * own.uniform(0.97, 1.03) for q in IDS}


BEFORE, SAME, SLOWER = drawn(1), drawn(2), drawn(3, 1.4)


def test_a_percentile_is_the_time_of_a_query():
    """Between two queries, it is the longer time; without a percentile, the mean."""
    times = {"q1": 10.0, "q2": 30.0, "q3": 20.0}
    judged = {query_id: {"d1": 1} for query_id in times}
    run = {query_id: ["d1"] for query_id in times}
    result = be.evaluate(judged, run, ["ms", "ms@p50", "ms@p95", "RR"], timings=times)
    assert result.to_dict() == {"ms": 20.0, "ms@p50": 20.0, "ms@p95": 30.0, "RR": 1.0}
    assert result["ms@p95"].by_query == times
    assert result["ms@p95"].interval is None  # three queries are too few
    assert result["ms"].interval is not None


@pytest.mark.parametrize("percentile", [1, 50, 90, 95, 99.9, 100])
def test_percentiles_equal_those_of_numpy(percentile):
    """Latency guards, and the summary of `berryeval retrieve`, have the same values."""
    for n in (1, 2, 19, 20, 21, 101):
        values = [float(i * 7 % n) for i in range(n)]
        expected = float(np.percentile(values, percentile, method="higher"))
        assert percentile_of(values, percentile) == expected


def test_names_are_read_and_written():
    """A p precedes the percentile; a bare number would look like a cutoff."""
    assert [str(one) for one in parse_measures("ms@p95 ms@p99.9, ms latency@p50")] == [
        "ms@p95", "ms@p99.9", "ms", "ms@p50",
    ]  # fmt: skip
    assert be.ms @ 95 == parse_measure("ms@p95") == be.ms(percentile=95)
    for text in ("ms@95", "ms@p0", "ms@p101", "ms@px"):
        with pytest.raises(be.MeasureSyntaxError, match="ms@p95"):
            parse_measure(text)
    measure = parse_measure("ms@p95")
    assert (measure.aggregate, be.ms().aggregate, measure.depth) == ("percentile", "mean", 1)
    assert not measure.higher_is_better


def test_times_belong_to_a_run():
    """They come with the run or separately; separate ones take precedence."""
    run = be.Run.from_lists(RUN).with_timings(BEFORE)
    expected = be.evaluate(JUDGMENTS, RUN, "ms@p95", timings=BEFORE)["ms@p95"].mean
    assert be.evaluate(JUDGMENTS, run, "ms@p95")["ms@p95"].mean == expected
    assert be.evaluate(JUDGMENTS, run, "ms@p95", exclude_self=True)["ms@p95"].mean == expected
    slower = be.evaluate(JUDGMENTS, run, "ms@p95", timings=SLOWER)["ms@p95"].mean
    assert slower == percentile_of([*SLOWER.values()], 95) > expected
    condensed = be.evaluate(JUDGMENTS, run, ["ms@p95", "P@1"], judged_only=True)
    assert [*condensed] == ["ms@p95", "P(judged_only=True)@1"]


def test_collected_runs_have_their_times():
    """The times of a live system need no other step."""
    system = Function(lambda _query, _k: ["d1"])
    collected = collect(system, [Query("q1", "a"), Query("q2", "b")])
    result = be.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, collected.run, "ms@p50")
    milliseconds = [1000 * seconds for seconds in collected.durations.values()]
    assert result["ms@p50"].mean == percentile_of(milliseconds, 50)


def test_a_query_without_a_time_is_an_error():
    """A failed query does not count as fast; it can be left out."""
    times = {query_id: time for query_id, time in BEFORE.items() if query_id != "q007"}
    with pytest.raises(MismatchError, match="requires the time of every query, found none for 'q0"):
        be.evaluate(JUDGMENTS, RUN, "ms@p95", timings=times)
    run = {query_id: RUN[query_id] for query_id in times}
    result = be.evaluate(JUDGMENTS, run, "ms@p95", timings=times, missing="skip")
    assert result["ms@p95"].n_queries == 119
    with pytest.raises(InputError, match="ms@p95 requires the times of queries, found none; pass"):
        be.evaluate(JUDGMENTS, RUN, ["RR", "ms@p95"])


@pytest.mark.parametrize(
    ("timings", "error", "message"),
    [
        ({"q1": -1}, ArgumentError, "milliseconds, from 0 to 1e12"),
        ({"q1": math.nan}, ArgumentError, "milliseconds"),
        ({"q1": "fast"}, InputTypeError, "str"),
        ({"q1": True}, InputTypeError, "bool"),
        (["q1"], InputTypeError, "a mapping from query id"),
    ],
)
def test_times_are_checked(timings, error, message):
    """The query is named."""
    with pytest.raises(error, match=message):
        be.evaluate(JUDGMENTS, RUN, "ms", timings=timings)


def test_times_say_nothing_about_rankings():
    """Functions that score rankings reject the measure."""
    with pytest.raises(InputError, match="ms is not a measure of a ranking"):
        be.ms().score([1.0], [1.0])
    assert be.ms().native_call() is None
    with pytest.raises(InputError, match="is not a measure of rankings, and cannot be used here"):
        score(load_judgments(JUDGMENTS), load_run(RUN), [be.ms()])
    with pytest.raises(InputError, match="cannot be used here"):
        be.explain(JUDGMENTS, RUN, RUN, IDS[0], "ms")
    with pytest.raises(AssertionError, match="RR is no percentile"):
        percentile_in(be.RR())


def test_how_many_queries_a_percentile_needs():
    """Five must lie beyond it."""
    assert [fewest_queries(p) for p in (50, 90, 95, 99, 5)] == [10, 50, 100, 500, 100]
    assert fewest_queries(100) is None
    assert few_queries(100, 10_000) == "a percentile of 100 is not tested"
    assert few_queries(95, 99) == "p95 is not tested with fewer than 100 queries"
    assert few_queries(95, 100) is None


def test_resamples_draw_the_same_queries_for_both_systems():
    """A candidate that is 3 ms slower for each query is 3 ms slower in each resample."""
    before = np.array([*BEFORE.values()])
    first, second = resampled([before, before + 3.0], 95, PLAIN, seed=4)
    assert len(first) == N_RESAMPLES
    assert second - first == pytest.approx(3.0)
    assert set(first) <= set(before)
    again, _ = resampled([before, before], 95, PLAIN, seed=4)
    assert (again == first).all()
    assert not (resampled([before], 95, PLAIN, seed=5)[0] == first).all()


def test_groups_and_strata_are_resampled_as_wholes():
    """All queries of a group are drawn together, and strata keep their numbers of units."""
    values = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 3.0] * 2)
    groups = tuple("aabbcc" * 2)
    [found] = resampled([values], 50, Sampling(groups=groups), seed=1)
    assert set(found) <= {1.0, 2.0, 3.0}
    assert np.var(found) > np.var(resampled([values], 50, PLAIN, seed=1)[0])
    strata = tuple("x" if value < 3 else "y" for value in values)
    [same] = resampled([values], 100, Sampling(strata=strata), seed=1)
    assert set(same) == {3.0}  # the slow stratum is never left out


def test_intervals_agree_with_p_values():
    """A limit outside of the interval is rejected, one inside is not."""
    spread = Spread(np.arange(1.0, 2000.0))  # 1,999 resamples
    interval = spread.interval(0.9)
    assert (interval.low, interval.high, interval.method) == (100.0, 1900.0, "bootstrap")
    assert spread.p_above(interval.low - 0.5) <= 0.05 < spread.p_above(interval.low)
    assert spread.p_below(interval.high + 0.5) <= 0.05 < spread.p_below(interval.high)
    assert spread.p_value() == pytest.approx(2 / 2000)
    assert Spread(np.arange(9.0)).interval(0.99).low == -math.inf
    wider = spread.widened(1000.0)
    before, after = (np.var(one.values, ddof=1) for one in (spread, wider))
    assert after == pytest.approx(before + 1000.0**2)
    assert spread.widened(0.0) is spread


def compared(after, measures=("nDCG@10", "ms@p95"), **options):
    return be.compare(
        JUDGMENTS,
        {"before": RUN, "after": RUN},
        [*measures],
        timings={"before": BEFORE, "after": after},
        **options,
    )


def test_a_comparison_says_which_is_slower():
    """Lower is better, and the difference is that of the percentiles."""
    found = compared(SLOWER).difference("after", "ms@p95")
    assert found.finding == "worse"
    assert found.mean == found.candidate_mean - found.baseline_mean
    assert found.baseline_mean == percentile_of([*BEFORE.values()], 95)
    assert found.interval.low < found.mean < found.interval.high
    assert found.interval.low > 0
    assert found.p_value < 0.01
    assert found.losses == 120
    assert compared(SAME).difference("after", "ms@p95").finding == "unclear"
    unchanged = compared(BEFORE).difference("after", "ms@p95")
    assert (unchanged.mean, unchanged.interval, unchanged.reason) == (0.0, None, "no time changed")
    few = compared(SLOWER, ["ms@p99"]).difference("after", "ms@p99")
    assert few.reason == "p99 is not tested with fewer than 500 queries"
    with pytest.raises(ArgumentError, match="the name of a run, 'a' or 'b', got 'c'"):
        be.compare(JUDGMENTS, {"a": RUN, "b": RUN}, "ms", timings={"c": BEFORE})


def test_two_percentiles_hold_together():
    """By Bonferroni's correction, each interval is wider than it would be alone."""
    alone = compared(SLOWER, ["nDCG@10", "ms@p95"]).difference("after", "ms@p95").interval
    both = compared(SLOWER, ["nDCG@10", "ms@p95", "ms@p50"])
    together = both.difference("after", "ms@p95").interval
    assert together.high - together.low > alone.high - alone.low
    assert (together.level, alone.level) == (0.95, 0.95)


@pytest.mark.parametrize(
    ("after", "verdicts"), [(SAME, ["pass", "pass"]), (SLOWER, ["pass", "fail"])]
)
def test_a_gate_guards_speed_and_quality(after, verdicts):
    """The rankings are the same, and times are equal or 40% longer."""
    decided = be.gate(compared(after), margin={"nDCG@10": 0.02, "ms@p95": "10%"})
    assert [guard.verdict for guard in decided.guards] == verdicts
    _, guard = decided.guards
    assert guard.value == pytest.approx(guard.means[1] - guard.means[0])
    assert guard.limit == pytest.approx(0.1 * guard.means[0])
    inside = guard.interval.high < guard.limit
    assert inside == (guard.verdict == "pass")
    assert guard.is_better is False


def test_few_queries_are_inconclusive_unless_they_are_all_that_matters():
    """p99 of 120 queries depends on one or two of them."""
    comparison = compared(SLOWER, ["ms@p99"])
    [guard] = be.gate(comparison, margin="10%").guards
    assert (guard.verdict, guard.queries_needed) == ("inconclusive", 500)
    assert guard.reason.endswith("; p99 is not tested with fewer than 500 queries.")
    assert be.gate(comparison, margin="10%", inference="set").verdict == "fail"
    assert be.gate(compared(SAME, ["ms@p99"]), margin="10%", inference="set").verdict == "pass"


def test_a_faster_candidate_is_better_and_not_equivalent():
    """An equivalence guard fails on a change in either direction."""
    faster = {query_id: time / 2 for query_id, time in BEFORE.items()}
    comparison = compared(faster, ["ms@p95"])
    [guard] = be.gate(comparison, margin=5.0).guards
    assert (guard.verdict, guard.is_better) == ("pass", True)
    measure = parse_measure("ms@p95")
    for after, verdict in ((faster, "fail"), (SAME, "pass")):
        equivalent = MarginGuard(measure, Margin.parse("20%"), is_equivalence=True)
        assert be.gate(compared(after, ["ms@p95"]), [equivalent]).verdict == verdict


def test_repeats_add_their_noise():
    """A second round at another speed widens the interval of the difference."""
    runs = {
        name: be.Run.from_lists(RUN).with_timings(times)
        for name, times in (("before", BEFORE), ("after", SAME), ("again", SLOWER))
    }
    pair = {name: runs[name] for name in ("before", "after")}
    alone = be.compare(JUDGMENTS, pair, "ms@p95").difference("after", "ms@p95")
    found = be.compare(JUDGMENTS, pair, "ms@p95", repeats={"after": [runs["again"]]})
    noisy = found.difference("after", "ms@p95")
    assert noisy.noise_sd > 1
    assert noisy.interval.high - noisy.interval.low > alone.interval.high - alone.interval.low


def test_slices_have_percentiles_of_their_own():
    """A slice that got slower is seen, if it is large enough."""
    half = {query_id: (SLOWER if i % 2 else SAME)[query_id] for i, query_id in enumerate(IDS)}
    queries = [Query(q, q, category="odd" if i % 2 else "even") for i, q in enumerate(IDS)]
    found = compared(half, ["ms@p90"], queries=queries, slices=["category"])
    by_slice = {str(one.slice.value): one.finding for one in found.sliced}
    assert by_slice == {"odd": "worse", "even": "unclear"}
    decided = be.gate(found, [MarginGuard(be.ms @ 90, Margin.parse("10%"), slices=("category",))])
    verdicts = {str(one.slice and one.slice.value): one.verdict for one in decided.guards}
    assert verdicts["odd"] == "fail"
    assert verdicts["even"] == "pass"


def write_all(folder):
    """Write the judgments, runs and times of a project."""
    (folder / "qrels").write_text("".join(f"{q} 0 d1 1\n" for q in IDS))
    for name, times in (("before", BEFORE), ("same", SAME), ("slower", SLOWER)):
        (folder / f"{name}.run").write_text("".join(f"{q} Q0 d1 1 1 t\n" for q in IDS))
        lines = [json.dumps({"query_id": q, "ms": round(ms, 3)}) for q, ms in times.items()]
        (folder / f"{name}.timings").write_text("\n".join(lines) + "\n")


def run_cli(*arguments):
    return CliRunner().invoke(main, [*arguments], prog_name="berryeval")


@pytest.fixture
def project(tmp_path, monkeypatch):
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "code"), [("same", 0), ("slower", 1)])
def test_every_interface_gives_the_same_verdict(project, name, code):
    """Options, berryeval.toml with a saved baseline, and Python give the same words."""
    guards = ["--margin", "nDCG@10=0.02", "--margin", "ms@p95=10%"]
    files = ["--judgments", "qrels", "--run", f"{name}.run", "--timings", f"{name}.timings"]
    of_run = ["--baseline", "before.run", "--baseline-timings", "before.timings"]
    by_options = run_cli("gate", *files, *of_run, *guards, "--json")
    assert by_options.exit_code == code, by_options.output
    (project / "berryeval.toml").write_text(
        f'judgments = "qrels"\nrun = "{name}.run"\ntimings = "{name}.timings"\n'
        'baseline = "main.json"\n'
        '[[gate.guard]]\nmeasure = "nDCG@10"\nmargin = 0.02\n'
        '[[gate.guard]]\nmeasure = "ms@p95"\nmargin = "10%"\n'
    )
    saved = run_cli("baseline", "save", "--run", "before.run", "--timings", "before.timings")
    assert saved.exit_code == 0, saved.output
    kept = Baseline.read("main.json")
    assert (kept.depth, kept.milliseconds["q000"]) == (10, round(BEFORE["q000"], 3))
    by_file = run_cli("gate", "--json")
    assert json.loads(by_file.stdout)["guards"] == json.loads(by_options.stdout)["guards"]
    comparison = be.compare(
        "qrels",
        {"baseline": "before.run", "candidate": f"{name}.run"},
        ["nDCG@10", "ms@p95"],
        timings={"baseline": "before.timings", "candidate": f"{name}.timings"},
        bounds=True,
    )
    decided = be.gate(comparison, margin={"nDCG@10": 0.02, "ms@p95": "10%"})
    found = json.loads(by_options.stdout)
    assert [one["verdict"] for one in found["guards"]] == [one.verdict for one in decided.guards]
    assert found["guards"][1]["value"] == pytest.approx(decided.guards[1].value)


@pytest.mark.usefixtures("project")
def test_commands_take_the_times_of_runs():
    """evaluate needs no name for a single run; compare does."""
    one = run_cli("evaluate", "qrels", "before.run", "-m", "ms@p95", "--timings", "before.timings")
    expected = be.evaluate("qrels", "before.run", "ms@p95", timings="before.timings")
    assert f"{expected['ms@p95'].mean:.4f}" in one.stdout
    named = ["--timings", "before.run=before.timings", "--timings", "slower.run=slower.timings"]
    two = run_cli("compare", "qrels", "before.run", "slower.run", "-m", "ms@p95", *named)
    assert "slower.run is worse than before.run" in two.stdout
    both = run_cli("evaluate", "qrels", "before.run", "slower.run", "-m", "ms@p50", *named)
    assert both.exit_code == 0, both.output
    wrong = run_cli("compare", "qrels", "before.run", "slower.run", "--timings", "nope.run=x")
    assert wrong.exit_code == 2
    reported = "--timings: expected RUN=FILE, once for each RUN of before.run, slower.run"
    assert reported in wrong.stderr
    missing = run_cli("evaluate", "qrels", "before.run", "-m", "ms@p95")
    assert (missing.exit_code, "pass them with --timings FILE" in missing.stderr) == (2, True)


def test_a_baseline_keeps_times_only_if_they_are_guarded(project):
    """Files in git stay small."""
    run = be.Run.from_lists(RUN).with_timings(BEFORE)
    judged = load_judgments(JUDGMENTS)
    plain = Baseline.make("main", judged, run, [parse_measure("RR")])
    assert plain.milliseconds is None
    assert "milliseconds" not in plain.to_json()
    timed = Baseline.make("main", judged, run, [parse_measure("ms@p95")])
    timed.save("timed.json")
    read = Baseline.read("timed.json")
    assert read.milliseconds == timed.milliseconds == read.to_run().milliseconds
    broken = (project / "timed.json").read_text().replace('"q000": ', '"q000": -', 1)
    (project / "broken.json").write_text(broken)
    with pytest.raises(be.FormatError, match=r"milliseconds\['q000'\]: expected milliseconds"):
        Baseline.read("broken.json")
