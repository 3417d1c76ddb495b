"""The documented JSON keys match the output."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval import compare
from berryeval.archive import Archive
from berryeval.cli import main
from berryeval.evaluation import Evaluation, evaluate
from berryeval.evaluation.comparison import QueryChange
from berryeval.evaluation.labelled import RestsOn
from berryeval.evaluation.memory import Memory
from berryeval.evaluation.next_steps import Losses
from berryeval.evaluation.reserve import Drift, Opening
from berryeval.golden.check import check_golden_set
from berryeval.measures import parse_measure
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.evaluation import Shown, evaluations_to_json
from berryeval.reports.gate import gate_to_json
from berryeval.reports.golden import check_to_json
from berryeval.reports.rendering import render_quality
from berryeval.search.systems.function import Function
from berryeval.stats import Interval
from berryeval.suite import history
from berryeval.suite.quality import run_quality
from example_results import a_comparison, a_gate, example_data
from judges.judged_set import GRADES, write_judged_set
from small_golden_set import QUERIES, write_golden_set

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
ANY_KEY = {
    "source_ranks",
    "rows",
    "agreements",
    "by_category",
    "by_difficulty",
    "ceilings",
    "counts",
    "fingerprint",
    "grades",
    "holes",
    "intervals",
    "means",
    "missing",
    "milliseconds",
    "noise",
    "per_query",
    "ranks",
    "sampling_errors",
    "sampling_errors_per_query",
    "packages",
    "parameters",
    "settings",
    "slices",
    "unjudged",
}
SOME_LOSSES = Losses(parse_measure("nDCG@10"), (QueryChange("q1", None, 0.9, 0.4, -0.5, "worse"),))
_INTERVAL = Interval(-0.01, 0.03, 0.98, "t and hall")
RESTS_ON = RestsOn(120, 4300, 50, 430, 0.0, "too few differences")
AN_OPENING = Opening(
    parse_measure("RR"), "v1.4", 1, 5, 12, 28, 0.01, _INTERVAL, Drift(0.02, _INTERVAL, 0.2), 0.01
)
ALIKE = {
    "agreements.*",
    "alpha",
    "biases[].interval",
    "calibration[].interval",
    "common[]",
    "confusion[].interval",
    "judges[].drift",
    "judges[].standing",
    "kappa.interval",
    "repeats.interval",
    "tau_ap",
    "comparison",
    "counts.*",
    "measures[].parameters.*",
    "per_query[]",
    "report.by_category.*",
    "report.by_difficulty.*",
    "runs[].per_query.*",
    "runs[].sampling_errors_per_query.*",
    "runs[].slices.*",
    "slices[]",
    "unjudged.*",
    "without_questions",
}
"""Keys that the page describes elsewhere."""


def documented(section: str) -> set[str]:
    page = PAGE.read_text(encoding="utf-8")
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def paths(value, path="") -> set[str]:
    """Return the paths of values, such as ``runs[].means.*``, including nullable objects."""
    if path in ALIKE or value is None:
        return {path}
    if isinstance(value, list):
        return set().union(*(paths(item, f"{path}[]") for item in value))
    if not isinstance(value, dict):
        return {path}
    found: set[str] = set()
    for key, item in value.items():
        name = "*" if path.rpartition(".")[2] in ANY_KEY else key
        found |= paths(item, f"{path}.{name}" if path else name)
    return found


def with_everything():
    """Compare runs, one with a missing query, with slices, bounds, pairs and another test."""
    judgments, runs, queries = example_data(40)
    runs["bm25"].popitem()
    options = {"queries": queries, "slices": ["category"], "bounds": True, "tests": ["sign"],
               "risk": [1], "all_pairs": True}  # fmt: skip
    comparison = compare(judgments, runs, ["nDCG@10", "P@5"], **options)
    for difference in (*comparison.differences, *comparison.common, *comparison.sliced):
        difference.__dict__["rests_on"] = RESTS_ON  # a model excludes bounds and tests
    return comparison


def with_cautions(comparison):
    """Return the evaluations of a comparison with cautions about their scores, and variances."""
    return {
        name: Evaluation(
            one.scores,
            one.measures,
            one.queries,
            cautions=["all scores are tied"],
            variances={"nDCG@10": dict.fromkeys(one.scores.query_ids, 0.01)},
        )
        for name, one in comparison.evaluations.items()
    }


def resting_on_a_model(result):
    """Return a gate whose guards and differences are based on model judgments."""
    for difference in (*result.comparison.differences, *result.comparison.sliced):
        difference.__dict__["rests_on"] = RESTS_ON
    guards = tuple(replace(guard, rests_on=RESTS_ON) for guard in result.guards)
    return replace(result, guards=guards)


def optional(keys: set[str]) -> set[str]:
    """Return the keys with an object or null, which are documented themselves."""
    return {key for key in keys if any(other.startswith((f"{key}.", f"{key}[")) for other in keys)}


@pytest.mark.parametrize("section", ["Evaluation", "Comparison", "Gate"])
def test_documented_keys_match_the_output(section):
    """None is missing, and none is superfluous."""
    comparison = a_comparison(40)
    comparison.evaluations["bm25"].cautions = ("all scores are equal",)
    everything = Shown(per_query=True, label="category", intervals=True, sampling_errors=True)
    text = {
        "Evaluation": lambda: evaluations_to_json(with_cautions(comparison), everything),
        "Comparison": lambda: comparison_to_json(with_everything(), per_query=True),
        "Gate": lambda: gate_to_json(
            replace(
                resting_on_a_model(a_gate(comparison)),
                memory=Memory((25, 40), 3),
                opening=AN_OPENING,
                losses=SOME_LOSSES,
            )
        ),
    }[section]()
    written = paths(json.loads(text))
    keys = documented(section)
    assert keys - optional(keys) == written - optional(written)


def moody(query, _k):
    if "slow" in query:
        raise ValueError("no such index")
    return ["guide.md#configure-oauth", "page-7"]


def test_keys_of_quality_and_golden_sets_are_documented(tmp_path):
    """A failed query, two passes and a checked system make every key appear."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 3, 3], "tuning.md#bananas": [0, 0, 0]}}
    again = {"id": "Q3", "query": "why are the slow searches slow"}  # a near duplicate
    facts = {"labels": ["no", "a little", "half", "all"], "judges": "first"}
    folder = write_golden_set(tmp_path / "small", passes=passes, queries=[*QUERIES, again], **facts)
    check = check_golden_set(folder)
    result = run_quality(Function(moody), check.golden, repeat=2)
    check = check_golden_set(folder, {"moody": result.run})
    for section, text in (
        ("Quality", render_quality(result, "json")),
        ("Golden set", check_to_json(check)),
    ):
        written = paths(json.loads(text))
        keys = documented(section)
        assert keys - optional(keys) == written - optional(written)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Judgments, queries, two runs with an unjudged document, and a history with a decline."""
    monkeypatch.chdir(tmp_path)
    grades = {f"q{i:02}": {"a": 2, "b": 1, "c": 0} for i in range(20)}
    good = {query: ["a", "b", "c", "x"] for query in grades}
    bad = {query: ["c", "x", "b", "a"][i % 2 :] for i, query in enumerate(grades)}
    runs = {"good": good, "bad": bad}
    Path("qrels.json").write_text(json.dumps(grades))
    Path("other.json").write_text(json.dumps({query: {"a": 1, "b": 2} for query in grades}))
    for name, run in runs.items():
        scored = {q: {d: 9.5 - i for i, d in enumerate(docs)} for q, docs in run.items()}
        Path(f"{name}.json").write_text(json.dumps(scored))
    queries = [
        {"query_id": query, "text": f"about {query}", "session": f"s{i // 2}", "turn": i % 2 + 1}
        for i, query in enumerate(grades)
    ]
    Path("queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    for name in ("good", "bad"):
        history.append("history.jsonl", "mine", evaluate(grades, runs[name], "nDCG@10"), grades)
    with Path("history.jsonl").open("a") as file:
        file.write("broken\n")
    Path("corpus.jsonl").write_text('{"_id": "a", "title": "A", "text": "first"}\n')
    Archive.open("new.db").close()
    Path("odd.run").write_text("q1 0 a 1 -inf x\nq1 0 b 2 5 x\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("section", "arguments"),
    [
        ("Power", ["power", "qrels.json", "bad.json"]),
        ("History", ["history", "history.jsonl"]),
        ("Holes", ["holes", "qrels.json", "good.json", "bad.json", "--queries", "queries.jsonl"]),
        (
            "Explanation",
            [
                "explain",
                "qrels.json",
                "good.json",
                "bad.json",
                "--query",
                "q01",
                "--fused-from",
                "good.json",
                "--documents",
                "corpus.jsonl",
            ],
        ),
        ("Sessions", ["sessions", "qrels.json", "good.json", "--queries", "queries.jsonl"]),
        ("Agreement", ["agree", "qrels.json", "other.json", "good.json", "bad.json"]),
        (
            "Agreement of measures",
            ["agree", "qrels.json", "good.json", "bad.json", "-m", "nDCG@10", "-m", "RR"],
        ),
        ("Overlap", ["overlap", "good.json", "bad.json"]),
        ("Archive", ["archive", "info", "new.db"]),
        ("Files", ["inspect", "odd.run"]),
        ("Measures", ["measures"]),
        ("Recommendation", ["measures", "--for", "rag"]),
        ("Version", ["version"]),
    ],
)
def test_keys_of_other_commands_are_documented(section, arguments):
    """The output of the command has exactly the documented keys."""
    done = CliRunner().invoke(main, [*arguments, "--json"], prog_name="berryeval")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert isinstance(content["version"], int)
    assert content["kind"]
    written = paths(content)
    keys = documented(section)
    assert keys - optional(keys) == written - optional(written)


def test_every_kind_of_json_is_documented():
    """Every command with --json has a section."""
    page = PAGE.read_text(encoding="utf-8")
    described = set(re.findall(r"^`berryeval ([a-z_]+)", page, re.MULTILINE))
    with_json = {
        name
        for name in main.list_commands(None)
        if any(
            "--json" in option.opts
            for one in commands_of(main.get_command(None, name))
            for option in one.params
        )
    }
    assert with_json <= described


def commands_of(command):
    return command.commands.values() if hasattr(command, "commands") else [command]


def test_documented_keys_of_judges_match_the_output(tmp_path, monkeypatch):
    """This covers a plan, grades, a check and a list of judges, with a file of grades as judge."""
    monkeypatch.chdir(tmp_path)
    write_judged_set(tmp_path / "golden", n_queries=30)
    ids = [
        (f"q{number}", f"d{number}-{place}", place) for number in range(30) for place in range(8)
    ]
    lines = [f"{query} 0 {doc} {GRADES[place]}\n" for query, doc, place in ids]
    Path("model.qrels").write_text("".join(lines))
    judge = ("--golden", "golden", "--judge", "model.qrels", "--run", "old.run")
    words = {
        "Judging plan": (*judge, "--pool", "all", "--dry-run"),
        "Judge check": ("check", *judge, "--run", "new.run"),
        "Judging": (*judge, "--pool", "all"),
        "Judges": ("show", "--golden", "golden"),
    }
    for section, arguments in words.items():
        result = CliRunner().invoke(main, ["judge", *arguments, "--json"])
        written = paths(json.loads(result.stdout))
        keys = documented(section)
        assert keys - optional(keys) - {
            "reasons[]",
            "models[]",
            "judges[].models[]",
        } == written - optional(written), section
