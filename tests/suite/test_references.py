"""Baselines and the anchor: a candidate must pass against each of them."""

import json
import logging
from dataclasses import replace

import pytest

from berryeval import ArgumentError, FormatError, Judgments, MismatchError, Run
from berryeval.evaluation.baseline import Baseline, release_path
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.measures import parse_measure
from berryeval.suite import history
from berryeval.suite.gate import run_gate
from berryeval.suite.settings import Settings, read_settings
from evaluation.gating_cases import judged, ranked

P5 = parse_measure("P@5")
N = 60
LEVELS = {
    "good": [4 if i % 2 else 3 for i in range(N)],
    "fair": [3] * N,
    "poor": [2 if i % 2 else 3 for i in range(N)],
}
"""Numbers of relevant documents among the first five, with means of .7, .6 and .5."""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """A gate on a fair candidate with a margin of .07, and a baseline of each quality."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judgments.json").write_text(json.dumps(judged(N)))
    for name, hits in LEVELS.items():
        save(name, hits)
    (tmp_path / "run.json").write_text(json.dumps(scored(LEVELS["fair"])))
    gate = GateRules(guards=(MarginGuard(P5, Margin(0.07)),))
    return Settings(judgments="judgments.json", run="run.json", baseline="fair.json", gate=gate)


def save(name, hits, **changes):
    run = Run.from_lists(ranked(hits))
    baseline = Baseline.make(name, Judgments.from_dict(judged(len(hits))), run, [P5])
    replace(baseline, **changes).save(f"{name}.json")


def scored(hits):
    return {q: {doc: 9 - i for i, doc in enumerate(ids)} for q, ids in ranked(hits).items()}


def verdicts(result):
    return {guard.baseline: guard.verdict for guard in result.guards}


def test_a_candidate_must_pass_against_every_baseline(settings):
    """The verdict names the baseline that it fails against."""
    both = replace(settings, other_baselines=("poor.json",))
    found = run_gate(both)
    assert (found.verdict, verdicts(found)) == ("pass", {"baseline": "pass", "poor": "pass"})
    assert "both guards hold over 60 queries against the baseline and against poor" in (
        found.sentence
    )
    found = run_gate(replace(settings, other_baselines=("good.json",)))
    assert (found.verdict, verdicts(found)) == ("fail", {"baseline": "pass", "good": "fail"})
    assert found.sentence.startswith("P@5 against good fell by 0.1")
    assert found.guards[1].name == "P@5 drops by less than 0.07 against good"


def test_failing_is_corrected_over_the_guards_of_all_baselines(settings):
    """Holm's correction doubles the p-values of two equal failures."""
    save("same", LEVELS["good"])
    alone = run_gate(replace(settings, baseline="good.json"))
    both = run_gate(replace(settings, baseline="good.json", other_baselines=("same.json",)))
    p_values = [guard.p_fail for guard in both.guards]
    assert p_values == pytest.approx([2 * alone.guards[0].p_fail] * 2)


def test_a_single_baseline_has_no_name_in_results(settings):
    """Gates with one baseline are unaffected."""
    [guard] = run_gate(settings).guards
    assert (guard.baseline, guard.name) == (None, "P@5 drops by less than 0.07")


def test_an_anchor_shows_a_drop_that_a_moving_baseline_hides(settings):
    """Each step was within the margin, but the total is not."""
    assert run_gate(settings).verdict == "pass"
    anchored = replace(settings, gate=replace(settings.gate, anchor="good"))
    found = run_gate(anchored)
    assert verdicts(found) == {"baseline": "pass", "good": "fail"}


def test_a_marked_release_is_the_anchor_by_default(settings):
    """The rules can name another release, or none."""
    save("main", LEVELS["fair"], release="good")
    marked = replace(settings, baseline="main.json")
    assert verdicts(run_gate(marked)) == {"baseline": "pass", "good": "fail"}
    other = replace(marked, gate=replace(settings.gate, anchor="poor.json"))
    assert verdicts(run_gate(other)) == {"baseline": "pass", "poor": "pass"}
    none = replace(marked, gate=replace(settings.gate, anchor="none"))
    assert verdicts(run_gate(none)) == {None: "pass"}


def test_a_release_equal_to_the_baseline_is_compared_once(settings):
    """They are equal until the first change; the reserve can be opened anyway."""
    save("main", LEVELS["fair"], release="fair")
    marked = replace(settings, baseline="main.json", history="history.jsonl")
    assert verdicts(run_gate(marked)) == {None: "pass"}
    reserved = replace(marked, gate=replace(settings.gate, reserve=0.3), history="other.jsonl")
    assert run_gate(reserved, opens_reserve=True).opening.anchor == "fair"


def test_an_anchor_uses_only_its_own_queries(settings):
    """New queries of a grown set are not scored as 0 for the release."""
    save("v1", LEVELS["good"][:40])
    found = run_gate(replace(settings, gate=replace(settings.gate, anchor="v1")))
    main, release = found.guards
    assert (main.n_queries, release.n_queries) == (60, 40)
    assert release.means == pytest.approx((0.7, 0.6))
    assert not found.missing


def test_a_baseline_with_fewer_queries_is_still_rejected(settings):
    """Only an anchor may be older than the set."""
    save("old", LEVELS["fair"][:40])
    with pytest.raises(MismatchError, match="has different queries from the judgments: 20 queries"):
        run_gate(replace(settings, baseline="old.json"))


@pytest.mark.parametrize(
    ("anchor", "error", "message"),
    [
        ("v9", ArgumentError, "anchor: expected a release or a baseline file, got 'v9'; mark one"),
        ("strange", MismatchError, "anchor 'strange' has none of the judged queries; mark a newer"),
    ],
)
def test_an_anchor_that_cannot_be_compared_is_an_error(settings, anchor, error, message):
    """The message says what to do."""
    run = Run.from_lists({"elsewhere": ["d1"]})
    Baseline.make("strange", Judgments.from_dict({"elsewhere": {"d1": 1}}), run, [P5]).save(
        "strange.json"
    )
    with pytest.raises(error, match=message):
        run_gate(replace(settings, gate=replace(settings.gate, anchor=anchor)))


def test_baselines_need_different_names(settings):
    """Otherwise results would be ambiguous."""
    with pytest.raises(ArgumentError, match="baselines of different names, got baseline, good, go"):
        run_gate(replace(settings, other_baselines=("good.json", "good.json")))
    with pytest.raises(FormatError, match="expected a baseline, found no file"):
        run_gate(replace(settings, other_baselines=("gone.json",)))


def test_a_list_of_baselines_is_read_from_the_file(tmp_path, monkeypatch):
    """The first one is the moving baseline, and paths are relative to the file."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "sub" / "berryeval.toml"
    file.parent.mkdir()
    file.write_text('baseline = ["main.json", "v1.json"]\n[gate]\nanchor = "v0"\n')
    found = read_settings(file)
    assert (found.baseline, found.other_baselines) == ("sub/main.json", ("sub/v1.json",))
    assert found.gate.anchor == "v0"
    file.write_text("baseline = []\n")
    assert read_settings(file).baseline is None
    file.write_text('baseline = ["main.json", 3]\n')
    with pytest.raises(FormatError, match="baseline: expected a list of files, got 3"):
        read_settings(file)
    file.write_text("baseline = 3\n")
    with pytest.raises(FormatError, match="baseline: expected a file, or a list of files, got 3"):
        read_settings(file)


@pytest.mark.parametrize("name", ["", "../v1", "a/b", "none", ".v1", "main", "x" * 101])
def test_a_release_needs_a_valid_file_name(name):
    """It must differ from the name of the baseline."""
    with pytest.raises(ArgumentError, match="release: expected"):
        release_path("baselines/main.json", name)


def test_judgments_of_some_queries_keep_their_declarations():
    """Grades, scale and labels are kept."""
    judgments = Judgments.from_dict({"q1": {"d1": 1}, "q2": {"d2": 2}})
    judgments.scale, judgments.labels = 3.0, ("no", "yes")
    found = judgments.of_queries({"q2"})
    assert found.to_dict() == {"q2": {"d2": 2.0}}
    assert (found.scale, found.labels) == (3.0, ("no", "yes"))


def reserving(settings, **rules):
    """Settings with a reserve, a fair release, and a history."""
    save("main", LEVELS["fair"], release="poor")
    declared = {"reserve": 0.3, "openings": 2, **rules}
    gate = replace(settings.gate, **declared)
    return replace(settings, baseline="main.json", history="history.jsonl", gate=gate)


def test_reserved_queries_are_hidden_from_gates(settings, caplog):
    """They appear neither in scores nor in the history or the log."""
    caplog.set_level(logging.DEBUG, logger="berryeval")
    found = run_gate(reserving(settings))
    seen = {*found.evaluation.scores.query_ids}
    assert {one.query_id for one in caplog.records if hasattr(one, "query_id")} == seen
    assert history.read("history.jsonl").entries[0].n_queries == len(seen)
    assert 30 < len(seen) < 55
    assert all(guard.n_queries == len(seen) for guard in found.guards)
    assert found.memory.decision.query_ids == tuple(sorted(seen))
    assert found.opening is None


def test_a_reserve_is_opened_for_a_release(settings):
    """It reports its gain over the anchor; repeating it counts as the same opening."""
    chosen = reserving(settings)
    first, again = (run_gate(chosen, opens_reserve=True) for _ in range(2))
    opening = first.opening
    assert opening.n_reserved + opening.n_seen == N
    assert (opening.anchor, opening.number, again.opening.number) == ("poor", 1, 1)
    shown = f"Reserve, opening 1 of 2: compared with poor, P@5 gained {opening.gain:.4f} on "
    assert shown in first.sentence
    assert opening.gain == pytest.approx(0.1, abs=0.06)


def test_a_reserve_is_retired_after_its_last_opening(settings, tmp_path):
    """Every other candidate uses another opening."""
    chosen = reserving(settings)
    for number, name in enumerate(("fair", "good", "poor")):
        (tmp_path / f"{name}.run.json").write_text(json.dumps(scored(LEVELS[name])))
        candidate = replace(chosen, run=f"{name}.run.json")
        if number < 2:
            assert run_gate(candidate, opens_reserve=True).opening.number == number + 1
        else:
            with pytest.raises(ArgumentError, match="all 2 used; it is retired"):
                run_gate(candidate, opens_reserve=True)


@pytest.mark.parametrize(
    ("changes", "rules", "message"),
    [
        ({}, {"reserve": None}, "open_reserve: expected a reserve, got none; declare one"),
        (
            {},
            {"anchor": "none"},
            "open_reserve: expected a release to compare with, got none; mark",
        ),
        ({"history": None}, {}, "open_reserve: expected a history, got none; name a history file"),
        ({}, {"guards": ()}, "gate.guard: expected at least one"),
    ],
)
def test_a_reserve_requires_a_release_and_a_history(settings, changes, rules, message):
    """The error names what is missing and how to add it."""
    with pytest.raises(ArgumentError, match=message):
        run_gate(replace(reserving(settings, **rules), **changes), opens_reserve=True)


def test_a_seal_cannot_be_changed_in_use(settings):
    """Another salt would reserve queries that were already seen."""
    run_gate(reserving(settings))
    with pytest.raises(
        ArgumentError, match=r"reserve: expected 0\.3 with the salt '' and 2 openings"
    ):
        run_gate(reserving(settings, reserve_salt="other"))
