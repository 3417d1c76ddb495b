"""Repeated runs of a system: mean scores, and noise that queries share."""

import json
import math
import random
import sys
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from berryeval import ArgumentError, compare, evaluate, gate
from berryeval.cli import main
from berryeval.evaluation.hole_effects import hole_effect
from berryeval.evaluation.repeats import Noise, noise_between, noise_of
from berryeval.measures import parse_measure
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.gate import gate_to_json
from berryeval.stats import mean_of
from evaluation.gating_cases import compared, ids, judged, only, ranked

P5 = parse_measure("P@5")


def test_a_shift_of_the_whole_run_is_shared():
    """P@5 of 0.4 and 0.6, then of 0.8 and 1: each query and the mean have the variance 0.08."""
    [found] = noise_of(judged(2), [ranked([2, 3]), ranked([4, 5])], "P@5").values()
    assert found == Noise(pytest.approx(math.sqrt(0.08)), pytest.approx(math.sqrt(0.08)), 2)


def test_independent_noise_of_queries_is_not_shared():
    """One rises by 0.4, the other falls by as much, so the means of the runs are equal."""
    [found] = noise_of(judged(2), [ranked([2, 4]), ranked([4, 2])], "P@5").values()
    assert (found.per_query, found.shared) == (pytest.approx(math.sqrt(0.08)), 0.0)


def test_shared_noise_by_hand():
    """Two runs of three queries: changes by 0.2, 0.2 and 0.8, whose mean is 0.4.

    The means of the runs have the variance 0.4^2 / 2 = 0.08. The interaction is the variance of
    the changes, 0.12, over 2; a third of it, 0.02, is in the means, and 0.06 is left.
    """
    [found] = noise_of(judged(3), [ranked([1, 2, 1]), ranked([2, 3, 5])], "P@5").values()
    assert found.shared == pytest.approx(math.sqrt(0.06))
    assert found.per_query == pytest.approx(math.sqrt((0.02 + 0.02 + 0.32) / 3))


hits = st.lists(st.integers(0, 5), min_size=4, max_size=4)


@given(st.lists(hits, min_size=2, max_size=5))
def test_shared_noise_is_that_of_a_two_way_anova(table):
    """(Mean square of runs - mean square of the interaction) / queries, and not below 0."""
    values = np.array(table) / 5
    n_runs, n_queries = values.shape
    of_runs, of_queries = values.mean(axis=1), values.mean(axis=0)
    mean_square_of_runs = n_queries * of_runs.var(ddof=1)
    left = values - of_runs[:, None] - of_queries + values.mean()
    interaction = (left**2).sum() / ((n_runs - 1) * (n_queries - 1))
    shared = max(0.0, (mean_square_of_runs - interaction) / n_queries)
    [found] = noise_of(judged(4), [ranked(row) for row in table], "P@5").values()
    assert found.shared**2 == pytest.approx(shared, abs=1e-12)
    assert found.per_query**2 == pytest.approx(values.var(axis=0, ddof=1).mean(), abs=1e-12)
    assert found.n_runs == n_runs


def test_identical_runs_have_no_noise():
    """It is exactly 0 in every measure; geometric means use logarithms."""
    again = [ranked([3, 2, 1])] * 3
    found = noise_of(judged(3), again, ["P@5", "RR", "nDCG@5"])
    assert {(noise.per_query, noise.shared) for noise in found.values()} == {(0.0, 0.0)}
    [geometric] = noise_of(judged(1), [ranked([4]), ranked([2])], "GMAP").values()
    assert geometric.shared == pytest.approx(math.log(2) / math.sqrt(2))
    with pytest.raises(ArgumentError, match="runs: expected at least two runs of the same system"):
        noise_of(judged(1), [ranked([4])], "P@5")


def test_the_noise_of_a_difference_is_that_of_two_means():
    """Variances are divided by the number of runs; a single run is assumed to be as noisy."""
    before, after = Noise(0.9, 0.03, 3), Noise(0.9, 0.04, 2)
    assert noise_between(before, after) == pytest.approx(math.sqrt(0.03**2 / 3 + 0.04**2 / 2))
    once = pytest.approx(math.sqrt(0.04**2 / 2 + 0.04**2))
    assert noise_between(None, after) == noise_between(after, None) == once
    assert noise_between(None, None) is None


BEFORE, AFTER = [3] * 40, [2, 4, 3, 3] * 10
SHIFTED = [hits + 1 for hits in AFTER]


def with_repeats(*again, before=BEFORE, after=AFTER, **named):
    repeats = {"candidate": [ranked(one) for one in again], **named}
    return compared(list(before), list(after), repeats=repeats)


def test_scores_of_repeats_are_averaged():
    """The difference of a query is the mean over its runs, in any order."""
    third = [5, 1, 3, 4] * 10
    found = with_repeats(SHIFTED, third, baseline=[ranked([5] * 40)])
    means = np.mean([AFTER, SHIFTED, third], axis=0) / 5
    assert found.differences[0].values == pytest.approx(means - 0.8)
    assert found.evaluations["candidate"]["P@5"].mean == pytest.approx(means.mean())
    assert found.differences[0].candidate_mean == pytest.approx(means.mean())
    other = with_repeats(third, AFTER, after=SHIFTED, baseline=[ranked([5] * 40)])
    assert other.differences[0].values == pytest.approx(found.differences[0].values)
    assert other.differences[0].noise_sd == pytest.approx(found.differences[0].noise_sd)
    assert "candidate: scores are means over 3 runs." in found.notes[-1]


def test_a_query_missing_from_a_repeat_is_missing():
    """It scores 0 in that run, and the headline is based on the others."""
    again = {query: docs for query, docs in ranked(AFTER).items() if query != "q003"}
    runs = {"baseline": ranked(BEFORE), "candidate": ranked(AFTER)}
    found = compare(judged(40), runs, "P@5", repeats={"candidate": [again]})
    assert found.evaluations["candidate"].scores.is_missing.count(True) == 1
    assert found.differences[0].values[3] == pytest.approx(0.3 - 0.6)
    assert [difference.n_queries for difference in found.common] == [39]


def test_noise_of_single_queries_adds_nothing():
    """It is already part of the spread between queries."""
    swapped = [5, 3, 4, 2] * 10
    [found] = with_repeats(swapped, after=[3, 5, 2, 4] * 10).differences
    assert found.noise_sd == 0.0
    sample = mean_of(found.values)
    assert (found.interval, found.p_value) == (sample.interval(), sample.p_value())


def test_shared_noise_is_added_to_the_variance_of_the_mean():
    """The error of the interval combines that of the averages and the noise."""
    [found] = with_repeats(SHIFTED).differences
    assert found.noise_sd == pytest.approx(math.sqrt(0.02 / 2 + 0.02))  # queried twice, and once
    # The averages are symmetric, so intervals are Student's and extend as far as the error.
    plain = mean_of(found.values)
    half = found.interval.high - found.mean
    assert (found.mean - found.interval.low) == pytest.approx(half)
    grown = half / (plain.interval().high - plain.mean)
    error = math.hypot(plain.standard_error, found.noise_sd)
    assert grown == pytest.approx(error / plain.standard_error)
    assert found.p_value > plain.p_value()


def test_repeats_of_either_system_count():
    """Both variances are added, and none without repeats."""
    assert compared(BEFORE, AFTER).differences[0].noise_sd is None
    [both] = with_repeats(SHIFTED, baseline=[ranked([4] * 40)]).differences
    assert both.noise_sd == pytest.approx(math.sqrt(0.02 / 2 + 0.02 / 2))
    [quiet] = with_repeats(SHIFTED, baseline=[ranked(BEFORE)]).differences
    assert quiet.noise_sd == pytest.approx(math.sqrt(0.02 / 2))
    with pytest.raises(ArgumentError, match="repeats: expected the name of a run"):
        compared(BEFORE, AFTER, repeats={"other": [ranked(BEFORE)]})


def test_tests_of_ranks_and_signs_ignore_shared_noise():
    """They use the averages, as the note states."""
    runs = {"baseline": ranked(BEFORE), "candidate": ranked(AFTER)}
    for test in ("sign", "wilcoxon"):
        blind = compare(
            judged(40), runs, "P@5", tests=[test], repeats={"candidate": [ranked(SHIFTED)]}
        )
        assert blind.differences[0].tests[0].p_value < 0.01
        assert blind.differences[0].finding == "unclear"
        assert blind.notes[-1].endswith(f"Intervals and p-values include it, {test} ignores it.")


def test_a_verdict_reports_the_noise_it_includes():
    """It goes from pass to inconclusive, in the sentence and in JSON."""
    mostly = [hits - (i % 2) for i, hits in enumerate(AFTER)]
    quiet = gate(compared(BEFORE, AFTER), margin=0.1)
    noisy = gate(with_repeats(mostly), margin=0.1)
    assert (quiet.verdict, noisy.verdict) == ("pass", "inconclusive")
    sd = only(noisy).noise_sd
    assert f" Noise that all queries of a run share, {sd:.4f}, is included." in noisy.sentence
    assert only(noisy).interval.low < only(quiet).interval.low
    written = json.loads(gate_to_json(noisy))
    assert written["guards"][0]["noise_sd"] == pytest.approx(sd)
    assert written["comparison"]["differences"][0]["noise_sd"] == pytest.approx(sd)
    assert json.loads(gate_to_json(quiet))["guards"][0]["noise_sd"] is None


def test_rankings_are_unchanged_only_if_all_repeats_are():
    """One query of one repeat of either system has another order within the cutoff."""
    same, query_ids = ranked([3] * 12), ids(12)
    other = {**same, "q007": [*same["q007"][1:], same["q007"][0]]}
    runs = {"baseline": same, "candidate": same}
    for repeats, is_unchanged in (
        ({}, True),
        ({"candidate": [same, same], "baseline": [same]}, True),
        ({"candidate": [same, other]}, False),
        ({"baseline": [other]}, False),
    ):
        found = compare(judged(12), runs, "P@5", repeats=repeats)
        assert found.is_unchanged("candidate", 5, query_ids) is is_unchanged
        assert found.is_unchanged("candidate", 5, query_ids[:7])
        assert only(gate(found, margin=0.05)).is_unchanged is is_unchanged
    assert compare(judged(12), runs, "P@5", repeats={"candidate": [other]}).is_unchanged(
        "candidate", 0, query_ids
    )


def test_bounds_of_repeats_hold_for_all_grades_of_holes():
    """Every assignment to three unjudged documents gives a difference within them."""
    judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    before = {"q1": ["a", "x"], "q2": ["x", "b"]}
    after = {"q1": ["y", "a"], "q2": ["b", "z"]}
    again = {"q1": ["x", "b"], "q2": ["y", "b"]}
    runs = {"before": before, "after": after}
    repeats = {"after": [again, before], "before": [after]}
    for measure in ("P@2", "RR", "nDCG@2"):
        found = compare(judgments, runs, measure, bounds=True, repeats=repeats)
        [difference] = found.differences
        low, high = difference.extremes
        assert difference.bounds.is_outer
        assert difference.bounds.low <= difference.mean <= difference.bounds.high
        for grades in product((0, 1), repeat=3):
            filled = {
                query: {**dict(zip("xyz", grades, strict=True)), **known}
                for query, known in judgments.items()
            }
            [graded] = compare(filled, runs, measure, repeats=repeats).differences
            assert (low <= graded.values + 1e-12).all()
            assert (graded.values <= high + 1e-12).all()
            assert difference.bounds.low - 1e-12 <= graded.mean <= difference.bounds.high + 1e-12
        assert hole_effect(found, found.lead).low == pytest.approx(difference.bounds.low)
        assert hole_effect(found, found.lead).high == pytest.approx(difference.bounds.high)


def test_each_run_of_a_system_counts_equally_in_bounds():
    """With two runs of one and three of the other, bounds equal the difference."""
    found = with_repeats(SHIFTED, [5, 1, 3, 4] * 10, baseline=[ranked([4] * 40)])
    [difference] = found.differences
    assert (difference.bounds.low, difference.bounds.high) == pytest.approx(
        (difference.mean, difference.mean)
    )
    low, high = difference.extremes  # exactly, as rounding would look like a hole
    assert low.tolist() == high.tolist() == difference.values.tolist()
    assert only(gate(found, margin=0.1)).verdicts_by_holes is None


ENGINE = """
import random
draw = random.Random(3)
n_asked = -1
def find(query, k):
    global n_asked
    n_asked += 1
    hits = [f"r{i}" for i in range(5)] + [f"n{i}" for i in range(5)]
    found = max(0, min(5, int(query) + MOVE))
    return hits[:found] + hits[5:10 - found]
"""
MOVES = {
    "quiet": "0",
    "noisy": "draw.choice((-2, 0, 2))",  # each query independently
    "drifting": "(0, -1, 1)[n_asked // 40 % 3]",  # all queries of a run together
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Forty queries, a baseline, and engines that do or do not repeat their answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    hits = [random.Random(i).choice((2, 3, 4)) for i in range(40)]  # noqa: S311 - made up
    rows = [{"query_id": q, "text": str(n)} for q, n in zip(ids(40), hits, strict=True)]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "judgments.json").write_text(json.dumps(judged(40)))
    before = [n + (1 if i % 3 == 0 else -1 if i % 3 == 1 else 0) for i, n in enumerate(hits)]
    (tmp_path / "before.json").write_text(
        json.dumps({q: {d: 9.5 - i for i, d in enumerate(docs)}
                    for q, docs in ranked(before).items()})
    )  # fmt: skip
    for name, move in MOVES.items():
        monkeypatch.delitem(sys.modules, name, raising=False)  # its random draws start over
        (tmp_path / f"{name}.py").write_text(ENGINE.replace("MOVE", move))
    return tmp_path


def berryeval(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


def retrieved(name, repeat):
    done = berryeval("retrieve", "--system", f"{name}:find",
                     "--queries", "queries.jsonl", "-o", f"{name}.run",
                     "--repeat", repeat, "--concurrency", 1)  # fmt: skip
    assert done.exit_code == 0, done.output


def gated(name, margin, *numbers, of="run"):
    """Return the exit code and the guard of a gate with repeated runs."""
    repeats = [word for n in numbers for word in ("--repeat-of", f"{of}={name}.{n}.run")]
    done = berryeval("gate", "--judgments", "judgments.json", "--baseline", "before.json",
                     "--margin", f"P@5={margin}", "--run", f"{name}.run", *repeats,
                     "--json")  # fmt: skip
    return done.exit_code, json.loads(done.output)["guards"][0]


@pytest.mark.usefixtures("project")
def test_repeats_make_a_verdict_firmer_if_queries_vary():
    """Averages of `retrieve --repeat` vary less than single runs."""
    retrieved("noisy", 4)
    (inconclusive, once), (passed, again) = gated("noisy", 0.14), gated("noisy", 0.14, 2, 3, 4)
    assert (inconclusive, passed) == (3, 0)
    assert (once["noise_sd"], again["noise_sd"]) == (None, 0)
    assert again["p_pass"] < once["p_pass"] / 10
    assert again["value"] == pytest.approx(
        np.mean([gated("noisy", 0.14)[1]["value"]]
                + [evaluate("judgments.json", f"noisy.{n}.run", "P@5")["P@5"].mean
                   - once["baseline_mean"] for n in (2, 3, 4)])
    )  # fmt: skip
    assert "Noise" not in again["reason"]


@pytest.mark.usefixtures("project")
def test_repeats_turn_a_pass_into_inconclusive_if_whole_runs_vary():
    """For any number of queries, one run does not show how the next will be."""
    retrieved("drifting", 3)
    (passed, once), (inconclusive, again) = gated("drifting", 0.14), gated("drifting", 0.14, 2, 3)
    assert (passed, inconclusive) == (0, 3)
    assert once["noise_sd"] is None
    assert again["noise_sd"] == pytest.approx(0.2 * math.sqrt(1 + 1 / 3))  # one run, then three
    assert again["value"] == pytest.approx(once["value"])
    assert "Noise that all queries of a run share, 0.2309, is included." in again["reason"]
    of_baseline = gated("drifting", 0.14, 2, 3, of="baseline")[1]
    assert of_baseline["noise_sd"] > 0.05


@pytest.mark.usefixtures("project")
def test_former_names_of_options_still_work():
    """A hint names the new one; only runs and the baseline are accepted."""
    retrieved("drifting", 2)
    gate = ["gate", "--judgments", "judgments.json", "--baseline", "before.json",
            "--margin", "P@5=0.14", "--run", "drifting.run", "--json"]  # fmt: skip
    new = berryeval(*gate, "--repeat-of", "run=drifting.2.run")
    old = berryeval(*gate, "--repeat-run", "drifting.2.run")
    assert old.stdout == new.stdout
    assert old.stderr == "--repeat-run is now called --repeat-of run=FILE\n"
    refused = berryeval(*gate, "--repeat-of", "other=drifting.2.run")
    assert "--repeat-of: expected run=FILE or baseline=FILE, got 'other=" in refused.stderr


@pytest.mark.usefixtures("project")
def test_a_system_without_noise_is_judged_like_a_single_run():
    """Its repeats are equal, so the noise is 0."""
    retrieved("quiet", 3)
    (_, once), (_, again) = gated("quiet", 0.08), gated("quiet", 0.08, 2, 3)
    assert (once.pop("noise_sd"), again.pop("noise_sd")) == (None, 0)
    assert once == again


def test_settings_name_repeats(project):
    """berryeval.toml names files, or a number for a live system."""
    retrieved("quiet", 2)
    retrieved("drifting", 3)
    top = 'judgments = "judgments.json"\nbaseline = "before.json"\nqueries = "queries.jsonl"\n'
    guard = '[[gate.guard]]\nmeasure = "P@5"\nmargin = 0.1\n'
    for text, code in (
        ('run = "quiet.run"\nrepeats = ["quiet.2.run"]\n', 0),
        ('run = "quiet.run"\nrepeats = ["drifting.2.run", "drifting.3.run"]\n', 3),
        ('run = "quiet.run"\nbaseline_repeats = ["drifting.2.run", "drifting.3.run"]\n', 3),
        ('system = "quiet:find"\n[gate]\nrepeat = 3\n', 0),
        ('run = "quiet.run"\nrepeats = [3]\n', 2),
        ('run = "quiet.run"\n[gate]\nnoise = {"P@5" = 0.3}\n', 2),
        ('system = "quiet:find"\nrepeats = ["quiet.2.run"]\n', 2),
    ):
        (project / "berryeval.toml").write_text(top + text + guard)
        done = berryeval("gate", "--json")
        assert done.exit_code == code, (text, done.output, done.stderr)
        if code == 2:
            assert "repeat" in done.stderr or "noise" in done.stderr


@pytest.mark.usefixtures("project")
def test_compare_takes_repeats_of_its_runs():
    """They are assigned by the name of the run."""
    retrieved("drifting", 2)
    done = berryeval("compare", "judgments.json", "before.json", "drifting.run", "-m", "P@5",
                     "--repeat-of", "drifting.run=drifting.2.run", "--json")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.output)
    assert found["differences"][0]["noise_sd"] == pytest.approx(math.sqrt(0.02 / 2 + 0.02))
    assert found["notes"][-1] == (
        "drifting.run: scores are means over 2 runs. Noise that all queries of a run share "
        "(standard deviation): P@5 0.1414. Intervals and p-values include it."
    )
    wrong = berryeval("compare", "judgments.json", "before.json", "drifting.run",
                      "--repeat-of", "other.run=drifting.2.run")  # fmt: skip
    assert wrong.exit_code == 2
    assert "--repeat-of: expected RUN=FILE with RUN one of before.json, drifting" in wrong.stderr


def test_the_json_of_a_comparison_has_the_noise():
    """It is null without repeats."""
    written = json.loads(comparison_to_json(compared([3] * 12, [2] * 12)))
    assert written["differences"][0]["noise_sd"] is None


@pytest.mark.parametrize("left_out", [{"missing": "skip"}, {"no_relevant": "skip"}])
def test_noise_is_computed_over_the_compared_queries(left_out):
    """Queries that are left out would dilute it."""
    known = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 0 if "no_relevant" in left_out else 1}}
    first, second = (dict.fromkeys(("q1", "q2"), ranking) for ranking in (["d", "x"], ["x", "d"]))
    comparison = compare(
        known, {"old": first, "new": first}, "P@1", repeats={"new": [second]}, **left_out
    )
    assert comparison.noise["new"][comparison.lead] == Noise(*[pytest.approx(0.5**0.5)] * 2, 2)
