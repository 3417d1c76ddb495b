"""--judged-only: an option of every command that scores runs, with one answer everywhere."""

import json
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import berryeval as be
from beir_of_fruit import write_fruit
from berryeval.cli import main
from berryeval.suite.gate import run_gate
from berryeval.suite.settings import read_settings
from small_golden_set import write_golden_set

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "find-what-to-judge.md"
MEASURED = {"measure", "measures", "at_least", "margin", "equivalent"}
"""Parameters of commands that name measures."""

CONDENSED = "nDCG(judged_only=True)@3"
JUDGMENTS = {f"q{i}": {"a": 2, "b": 0, "c": 1} for i in range(6)}
RUNS = {
    "one": {q: ["x", "a", "y", "b", "c"] for q in JUDGMENTS},
    "two": {
        q: ["c", "x", "y", "b", "a"] if i % 2 else ["x", "y", "z", "a", "c"]
        for i, q in enumerate(JUDGMENTS)
    },
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with judgments, two runs with unjudged documents, and sessions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("qrels.json").write_text(json.dumps(JUDGMENTS))
    Path("other.json").write_text(json.dumps({q: {"a": 1, "b": 2} for q in JUDGMENTS}))
    Path("queries.jsonl").write_text(
        "".join(
            json.dumps({"query_id": q, "text": q, "session": f"s{i % 2}", "turn": i + 1}) + "\n"
            for i, q in enumerate(JUDGMENTS)
        )
    )
    for name, run in RUNS.items():
        rows = (
            f"{q} Q0 {doc_id} 0 {-rank} t\n"
            for q, ids in run.items()
            for rank, doc_id in enumerate(ids)
        )
        Path(f"{name}.run").write_text("".join(rows))
    return tmp_path


def call(*words):
    """Run a command, and return what it prints."""
    result = CliRunner().invoke(main, [*words], prog_name="berryeval")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 3), result.output
    return result.stdout


def all_commands(command, path=()):
    """Iterate over all commands and subcommands, with their names."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from all_commands(command.get_command(context, name), (*path, name))


def test_every_command_with_measures_has_the_option_or_a_documented_reason():
    """The table of exemptions in the docs lists exactly the commands without it."""
    lacking = set()
    for name, command in all_commands(main):
        parameters = {parameter.name for parameter in command.params}
        if parameters & MEASURED and "judged_only" not in parameters:
            lacking.add(name)
    section = PAGE.read_text().split("## Leave unjudged documents out")[1].split("\n## ")[0]
    assert lacking == set(re.findall(r"^\| `berryeval ([a-z ]+)` \|", section, re.MULTILINE))


FILES = ("qrels.json", "one.run", "two.run")


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", *FILES, "--json"),
        ("compare", *FILES, "--json"),
        ("explain", *FILES, "--json"),
        ("agree", "other.json", *FILES, "--json"),
        ("power", "qrels.json", "one.run", "--against", "two.run", "--json"),
    ],
)
def test_the_option_equals_the_parameter_of_the_measure(words):
    """Both spellings print the same bytes, which differ from those without the option."""
    by_name = call(*words, "-m", CONDENSED)
    assert call(*words, "-m", "nDCG@3", "--judged-only") == by_name
    assert call(*words, "-m", "nDCG@3") != by_name
    assert CONDENSED in by_name


def test_agreement_of_measures_takes_the_option():
    """There is one set of judgments, and the measures are the default ones."""
    found = json.loads(call("agree", *FILES, "--judged-only", "--json"))
    assert "nDCG(judged_only=True)@10" in json.dumps(found)
    by_name = call(
        "agree", *FILES, "-m", "nDCG(judged_only=True)@10", "-m", "AP(judged_only=True)", "--json"
    )
    assert json.loads(by_name) == found


def test_session_dcg_is_condensed_as_well():
    """It equals that of runs from which the unjudged documents are removed."""
    words = ("sessions", "qrels.json", "--queries", "queries.jsonl", "-k", "2", "--json")
    found = json.loads(call(*words, "two.run", "-m", "nDCG@3", "--judged-only"))
    condensed = {q: [one for one in ids if one in "abc"] for q, ids in RUNS["two"].items()}
    sessions = {"s0": ["q0", "q2", "q4"], "s1": ["q1", "q3", "q5"]}
    expected = be.session_scores(JUDGMENTS, condensed, sessions, k=2, measures="nDCG@3")
    [run] = found["runs"]
    assert run["sdcg"] == expected.sdcg
    assert run["nsdcg"] == expected.nsdcg
    assert run["means"] == {CONDENSED: expected.means["nDCG@3"]}
    plain = be.session_scores(JUDGMENTS, RUNS["two"], sessions, k=2)
    assert plain.sdcg != expected.sdcg


def test_fusion_is_tuned_by_judged_documents():
    """The option and the name of the measure both work; without --tune, nothing is scored."""
    words = ("fuse", "one.run", "two.run", "--judgments", "qrels.json", "--folds", "3")
    by_name = call(*words, "--tune", CONDENSED)
    assert call(*words, "--tune", "nDCG@3", "--judged-only") == by_name
    assert CONDENSED in by_name
    result = CliRunner().invoke(main, ["fuse", "one.run", "two.run", "--judged-only"])
    assert (result.exit_code, "--judged-only requires --tune." in result.output) == (2, True)


@pytest.mark.parametrize("command", ["fuse", "tune"])
def test_tuning_takes_one_measure(command):
    """A name that stands for several measures is a one-line error."""
    words = ["fuse", "one.run", "two.run", "--judgments", "qrels.json", "--tune", "official"]
    if command == "tune":
        write_fruit(Path("fruit"))
        words = ["tune", "--system", "hybrid", "--golden", "fruit", "-m", "official"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "measure: expected one measure, got NumQ, NumRet" in result.output


def test_hybrid_search_is_tuned_by_judged_documents():
    """The ranking is searched below the cutoff, since judged documents may come later."""
    write_fruit(Path("fruit"))
    words = ("tune", "--system", "hybrid", "--golden", "fruit", "--folds", "3", "-s", "late=0")
    by_name = call(*words, "-m", CONDENSED, "--json")
    assert call(*words, "-m", "nDCG@3", "--judged-only", "--json") == by_name
    assert json.loads(by_name)["measure"] == CONDENSED


def test_a_history_shows_the_measure_that_was_recorded():
    """The option applies both to recording and to showing."""
    for note in "12":
        call(
            "evaluate", "qrels.json", "one.run", "-m", "nDCG@3", "--judged-only",
            "--history", "h.jsonl", "--note", note,
        )  # fmt: skip
    by_name = call("history", "h.jsonl", "-m", CONDENSED, "--json")
    assert call("history", "h.jsonl", "-m", "nDCG@3", "--judged-only", "--json") == by_name


def saved(*words):
    """Save a baseline, and return its means and depth."""
    call("baseline", "save", "--judgments", "qrels.json", "--run", "one.run",
         "--baseline", "main.json", "--force", *words)  # fmt: skip
    content = json.loads(Path("main.json").read_text())
    return content["means"], content["depth"]


def test_a_baseline_keeps_whole_rankings(monkeypatch):
    """This holds for the option, the name, the settings and the environment."""
    expected = {CONDENSED: be.evaluate(JUDGMENTS, RUNS["one"], CONDENSED)[CONDENSED].mean}, None
    assert saved("-m", CONDENSED) == expected
    assert saved("-m", "nDCG@3", "--judged-only") == expected
    Path("berryeval.toml").write_text(
        '[gate]\njudged_only = true\n[[gate.guard]]\nmeasure = "nDCG@3"\nmargin = 0.1\n'
    )
    assert saved() == expected
    monkeypatch.setenv("BERRYEVAL_JUDGED_ONLY", "no")
    assert saved()[1] == 3
    assert saved("--judged-only") == expected
    means = {**expected[0], **be.evaluate(JUDGMENTS, RUNS["one"], "nDCG@3").to_dict()}
    assert saved("-m", "nDCG@3")[0].keys() == {"nDCG@3"}
    call("baseline", "update", "--judgments", "qrels.json", "--run", "one.run",
         "--baseline", "main.json", "--judged-only")  # fmt: skip
    assert json.loads(Path("main.json").read_text())["means"] == means


def toml(measure, rule="", baseline="one.run"):
    """Write the settings of a gate, and return the file."""
    content = (
        f'judgments = "qrels.json"\nrun = "two.run"\nbaseline = "{baseline}"\n'
        f'[gate]\n{rule}\n[[gate.guard]]\nmeasure = "{measure}"\nmargin = 0.1\nat_least = 0.2\n'
    )
    Path("berryeval.toml").write_text(content)
    return "berryeval.toml"


def figures(text):
    """Return the figures of a gate, without the rule that names them."""
    found = json.loads(text)
    return found["verdict"], found["sentence"], found["guards"]


def test_a_gate_decides_the_same_by_every_interface(monkeypatch):
    """These are the name of the measure, the settings, the environment, the flag and Python."""
    toml(CONDENSED)
    by_name = figures(call("gate", "--json"))
    toml("nDCG@3")
    assert figures(call("gate", "--json")) != by_name
    assert figures(call("gate", "--json", "--judged-only")) == by_name
    monkeypatch.setenv("BERRYEVAL_JUDGED_ONLY", "yes")
    assert figures(call("gate", "--json")) == by_name
    guards = ("--margin", "nDCG@3=0.1", "--at-least", "nDCG@3=0.2")
    assert sorted(map(str, figures(call("gate", "--json", *guards))[2])) == sorted(
        map(str, by_name[2])
    )
    monkeypatch.delenv("BERRYEVAL_JUDGED_ONLY")
    file = toml("nDCG@3", "judged_only = true")
    assert figures(call("gate", "--json")) == by_name
    monkeypatch.setenv("BERRYEVAL_JUDGED_ONLY", "no")
    assert figures(call("gate", "--json"))[2][0]["measure"] == "nDCG@3"
    result = run_gate(read_settings(file))
    comparison = be.compare(
        JUDGMENTS, {"baseline": RUNS["one"], "candidate": RUNS["two"]}, "nDCG@3", judged_only=True
    )
    decided = be.gate(comparison, judged_only=True, margin=0.1, at_least={"nDCG@3": 0.2})
    values = {str(one.guard): one.value for one in result.guards}
    assert values == {str(one.guard): one.value for one in decided.guards}
    assert [one["value"] for one in by_name[2]] == [one.value for one in result.guards]


def test_a_deep_pool_does_not_block_a_verdict_on_judged_documents():
    """There are no holes that could change it."""
    file = toml("nDCG@3", "judged_only = true")
    Path(file).write_text("pool_depth = 3\n" + Path(file).read_text())
    assert not any(one.depends_on_holes for one in run_gate(read_settings(file)).guards)
    rules = be.GateRules(pool_depth=3, judged_only=True)
    assert rules.holes_policy(be.nDCG(3, judged_only=True)) == "report"
    assert rules.holes_policy(be.nDCG(3)) == "inconclusive"


def test_a_baseline_that_was_cut_is_rejected():
    """A condensed list may need documents below the cutoff."""
    saved("-m", "nDCG@3")
    toml("nDCG@3", baseline="main.json")
    result = CliRunner().invoke(main, ["gate", "--judged-only"])
    assert result.exit_code == 2
    assert f"keeps 3 documents per query, but {CONDENSED} needs" in result.output


def test_thresholds_of_the_suite_apply_to_judged_documents():
    """Both means are shown; the first hit, which is not judged, costs nothing."""
    write_golden_set(Path("golden"))
    Path("engine_of_judged_only.py").write_text(
        'GOOD = {"configure OAuth": "guide.md#configure-oauth"}\n'
        "def find(query, k):\n"
        '    return ["guide.md#guide", GOOD.get(query, "tuning.md#slow-searches")]\n'
    )
    words = ("quality", "--golden", "golden", "--system", "engine_of_judged_only:find", "--json")
    found = json.loads(call(*words, "--at-least", "RR@10=0.5", "--judged-only"))
    by_name = json.loads(call(*words, "--at-least", "RR(judged_only=True)@10=0.5"))
    assert found["thresholds"] == by_name["thresholds"]
    condensed = {name for name in found["means"] if "judged_only" in name}
    assert len(condensed) == len(found["means"]) / 2
    assert {name: found["means"][name] for name in by_name["means"]} == by_name["means"]
