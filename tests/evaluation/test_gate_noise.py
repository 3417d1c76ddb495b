"""The noise of systems themselves, which a gate counts in."""

import json
import math
import random
import sys

import pytest
from berryeval.evaluation.noise import noise_of, together
from click.testing import CliRunner

from berryeval import ArgumentError, compare, gate
from berryeval.cli import main
from berryeval.measures import parse_measure
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.gate import gate_to_json
from evaluation.gating_cases import compared, decided, ids, judged, only, ranked

P5 = parse_measure("P@5")


def test_noise_of_the_system_makes_verdicts_harder():
    """What passes by itself does not if scores vary from run to run."""
    before, after = [3] * 40, [2, 4, 3, 3] * 10
    assert decided(before, after, margin=0.06).verdict == "pass"
    noisy = decided(before, after, margin=0.06, noise_sd={"P@5": 0.3})
    assert noisy.verdict == "inconclusive"
    assert decided([4] * 12, [3] * 12, margin=0.25).verdict == "pass"
    assert decided([4] * 12, [3] * 12, margin=0.25, noise_sd={"P@5": 0.3}).verdict == "inconclusive"


def test_noise_is_the_spread_of_a_query_over_runs():
    """Two queries of 3, 4, 5 and 2, 2, 2 hits of five: variances of 0.04 and 0."""
    runs = [ranked([3, 2]), ranked([4, 2]), ranked([5, 2])]
    assert noise_of(judged(2), runs, "P@5") == {P5: pytest.approx(math.sqrt(0.04 / 2))}
    assert noise_of(judged(2), [runs[0]] * 3, ["P@5", "RR"]) == {P5: 0, parse_measure("RR"): 0}
    (geometric,) = noise_of(judged(1), [ranked([4]), ranked([2])], "GMAP").values()
    assert geometric == pytest.approx(math.log(2) / math.sqrt(2))
    assert together(0.3, 0.4) == pytest.approx(0.5)
    with pytest.raises(ArgumentError, match="runs: expected at least two of the same system"):
        noise_of(judged(1), [ranked([4])], "P@5")


def with_repeats(*again, before=(3,) * 40, after=(2, 4, 3, 3) * 10, **named):
    repeats = {"candidate": [ranked(one) for one in again], **named}
    return compared(list(before), list(after), repeats=repeats)


def test_repeats_of_either_system_count():
    """The variances of both are added; nothing is where neither was asked again."""
    assert compared([3] * 40, [2, 4, 3, 3] * 10).differences[0].noise_sd is None
    swapped = (4, 2, 3, 3) * 10
    candidate = with_repeats(swapped).differences[0].noise_sd
    assert candidate == pytest.approx(0.2)  # 0.2 * sqrt(2) for every second query
    both = with_repeats(swapped, baseline=[ranked([5, 1, 3, 3] * 10)]).differences[0].noise_sd
    assert both == pytest.approx(math.hypot(candidate, 0.2))
    with pytest.raises(ArgumentError, match="repeats: expected the name of a run"):
        compared([3] * 12, [2] * 12, repeats={"other": [ranked([3] * 12)]})


def test_a_verdict_says_that_noise_is_counted_in():
    """From pass to inconclusive, in the sentence and in JSON."""
    swapped = (4, 2, 3, 3) * 10
    quiet = gate(compared([3] * 40, [2, 4, 3, 3] * 10), margin=0.05)
    noisy = gate(with_repeats(swapped), margin=0.05)
    assert (quiet.verdict, noisy.verdict) == ("pass", "inconclusive")
    assert noisy.sentence.endswith(" The systems' own noise, 0.2000 per query, is counted in.")
    assert only(noisy).interval.low < only(quiet).interval.low
    written = json.loads(gate_to_json(noisy))
    assert written["guards"][0]["noise_sd"] == pytest.approx(0.2)
    assert written["comparison"]["differences"][0]["noise_sd"] == pytest.approx(0.2)
    assert json.loads(gate_to_json(quiet))["guards"][0]["noise_sd"] is None
    told = gate(with_repeats(swapped), margin=0.05, noise_sd={"P@5": 0.0})
    assert told.verdict == "pass"


def test_a_comparison_counts_noise_in():
    """Wider intervals and higher p-values; tests of ranks and signs ignore it."""
    swapped = (5, 3, 3, 4) * 10
    better = (3, 4, 3, 4) * 10
    plain = compared([3] * 40, list(better)).differences[0]
    noisy = with_repeats(swapped, after=better).differences[0]
    assert noisy.interval.low < plain.interval.low < plain.interval.high < noisy.interval.high
    assert noisy.p_value > plain.p_value
    assert (noisy.mean, noisy.wins, noisy.cohens_dz) == (plain.mean, plain.wins, plain.cohens_dz)
    for test in ("sign", "wilcoxon"):
        runs = {"baseline": ranked([3] * 40), "candidate": ranked(better)}
        repeats = {"candidate": [ranked(swapped)]}
        blind = compare(judged(40), runs, "P@5", tests=[test], repeats=repeats)
        same = compare(judged(40), runs, "P@5", tests=[test])
        assert blind.differences[0].tests == same.differences[0].tests
        assert blind.notes[-1].endswith(f"Intervals and p-values include it, {test} ignores it.")


NOISY = """
import random
draw = random.Random(3)
def find(query, k):
    hits = [f"r{i}" for i in range(5)] + [f"n{i}" for i in range(5)]
    found = int(query)
    found += draw.choice((-2, 0, 2)) if NOISE else 0
    found = max(0, min(5, found))
    return hits[:found] + hits[5:10 - found]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Forty queries, a baseline, a quiet engine and a noisy one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("quiet", "noisy"):
        monkeypatch.delitem(sys.modules, name, raising=False)  # its draws begin anew
    hits = [random.Random(i).choice((2, 3, 4)) for i in range(40)]  # noqa: S311 - made up
    rows = [{"query_id": q, "text": str(n)} for q, n in zip(ids(40), hits, strict=True)]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "judgments.json").write_text(json.dumps(judged(40)))
    before = [n + (1 if i % 3 == 0 else -1 if i % 3 == 1 else 0) for i, n in enumerate(hits)]
    (tmp_path / "before.json").write_text(
        json.dumps({q: {d: 9.5 - i for i, d in enumerate(docs)}
                    for q, docs in ranked(before).items()})
    )  # fmt: skip
    (tmp_path / "quiet.py").write_text(NOISY.replace("NOISE", "False"))
    (tmp_path / "noisy.py").write_text(NOISY.replace("NOISE", "True"))
    return tmp_path


def berryeval(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


def retrieved(name, repeat):
    done = berryeval("retrieve", f"{name}:find", "--queries", "queries.jsonl", "-o", f"{name}.run",
                     "--repeat", repeat, "--concurrency", 1)  # fmt: skip
    assert done.exit_code == 0, done.output


GATE = ("gate", "--judgments", "judgments.json", "--baseline", "before.json", "--json")


def test_repeated_runs_turn_a_pass_into_inconclusive(project):
    """What `retrieve --repeat` wrote, given to the gate: a noisy system passes by luck no more."""
    retrieved("noisy", 4)
    gate_it = (*GATE, "--margin", "P@5=0.14", "--run", "noisy.run")
    repeats = [word for n in (2, 3, 4) for word in ("--repeat-run", f"noisy.{n}.run")]
    once, again = berryeval(*gate_it), berryeval(*gate_it, *repeats)
    assert (once.exit_code, again.exit_code) == (0, 3)
    found = json.loads(again.output)["guards"][0]
    assert found["noise_sd"] == pytest.approx(0.3, abs=0.05)
    assert "The systems' own noise, 0." in found["reason"]
    assert found["value"] == json.loads(once.output)["guards"][0]["value"]
    known = berryeval(*gate_it, "--noise", f"P@5={found['noise_sd']}")
    assert json.loads(known.output)["guards"][0]["p_pass"] == found["p_pass"]
    of_baseline = [word.replace("--repeat-run", "--baseline-repeat") for word in repeats]
    assert json.loads(berryeval(*gate_it, *of_baseline).output)["guards"][0]["noise_sd"] > 0.1
    assert (project / "noisy.4.run").exists()


def test_a_system_without_noise_is_judged_as_if_asked_once(project):
    """Its repeats are the same: the noise is 0, and so is what it changes."""
    retrieved("quiet", 3)
    gate_it = (*GATE, "--margin", "P@5=0.08", "--run", "quiet.run")
    repeats = [word for n in (2, 3) for word in ("--repeat-run", f"quiet.{n}.run")]
    once, again = (
        json.loads(berryeval(*gate_it, *more).output)["guards"][0] for more in ([], repeats)
    )
    assert (once.pop("noise_sd"), again.pop("noise_sd")) == (None, 0)
    assert once == again
    assert project


def test_settings_name_repeats(project):
    """berryeval.toml has files, or a number where a system is asked; and what is known."""
    retrieved("quiet", 2)
    retrieved("noisy", 3)
    top = 'judgments = "judgments.json"\nbaseline = "before.json"\nqueries = "queries.jsonl"\n'
    guard = '[[gate.guard]]\nmeasure = "P@5"\nmargin = 0.08\n'
    for text, code in (
        ('run = "quiet.run"\nrepeats = ["quiet.2.run"]\n', 0),
        ('run = "quiet.run"\nrepeats = ["noisy.2.run", "noisy.3.run"]\n', 3),
        ('run = "quiet.run"\nbaseline_repeats = ["noisy.2.run", "noisy.3.run"]\n', 3),
        ('system = "quiet:find"\n[gate]\nrepeat = 3\n', 0),
        ('run = "quiet.run"\n[gate]\nnoise = {"P@5" = 0.3}\n', 3),
        ('run = "quiet.run"\nrepeats = [3]\n', 2),
        ('run = "quiet.run"\n[gate]\nnoise = {"P@5" = -1}\n', 2),
        ('system = "quiet:find"\nrepeats = ["quiet.2.run"]\n', 2),
    ):
        (project / "berryeval.toml").write_text(top + text + guard)
        done = berryeval("gate", "--json")
        assert done.exit_code == code, (text, done.output, done.stderr)
        if code == 2:
            assert "repeat" in done.stderr or "noise" in done.stderr
    refused = berryeval("gate", "--run", "quiet.run", "--noise", "P@5")
    assert refused.exit_code == 2
    assert "--noise: expected numbers from 0 by measure, such as nDCG@10=0.02" in refused.stderr
    refused = berryeval("gate", "--run", "quiet.run", "--noise", "P@5=x")
    assert "--noise: expected numbers from 0 by measure, such as" in refused.stderr


def test_compare_takes_repeats_of_its_runs(project):
    """By the name of the run that they belong to."""
    retrieved("noisy", 2)
    done = berryeval("compare", "judgments.json", "before.json", "noisy.run", "-m", "P@5",
                     "--repeat-of", "noisy.run=noisy.2.run", "--json")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.output)
    assert found["differences"][0]["noise_sd"] > 0.05
    assert "noisy.run: a query's score varies between repeats" in found["notes"][-1]
    wrong = berryeval("compare", "judgments.json", "before.json", "noisy.run",
                      "--repeat-of", "other.run=noisy.2.run")  # fmt: skip
    assert wrong.exit_code == 2
    assert "--repeat-of: expected RUN=FILE with RUN one of before.json, noisy.run" in wrong.stderr
    assert project


def test_the_json_of_a_comparison_tells_noise():
    """Null where nobody asked again."""
    written = json.loads(comparison_to_json(compared([3] * 12, [2] * 12)))
    assert written["differences"][0]["noise_sd"] is None


@pytest.mark.parametrize("left_out", [{"missing": "skip"}, {"no_relevant": "skip"}])
def test_noise_is_that_of_the_queries_compared(left_out):
    """Queries that are left out vary by nothing, and would water it down."""
    known = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 0 if "no_relevant" in left_out else 1}}
    first, second = (dict.fromkeys(("q1", "q2"), ranking) for ranking in (["d", "x"], ["x", "d"]))
    comparison = compare(
        known, {"old": first, "new": first}, "P@1", repeats={"new": [second]}, **left_out
    )
    assert comparison.differences[0].noise_sd == pytest.approx(0.5**0.5)
