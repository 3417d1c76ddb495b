"""One gate through every interface: the same verdict, words and numbers."""

import html
import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.cli import main
from berryeval.evaluation.memory import Memory
from berryeval.pytest_plugin.results import Results
from berryeval.reports.gate import gate_as_dict, guard_figures
from berryeval.reports.markdown import gate_to_markdown
from berryeval.reports.rendering import render_gate
from berryeval.suite.gate import gate_files
from berryeval.suite.settings import find_settings, gate_to_toml
from service.workbench.html import get_page

N_QUERIES = 40
GATE = {
    "guards": [
        {"measure": "nDCG@10", "margin": 0.02},
        {"measure": "P@5", "margin": "10%"},
        {"measure": "R@2", "equivalent": 0.05},
        {"measure": "RR", "at_least": 0.2},
    ],
    "alpha": 0.1,
}
FORMATS = ("table", "json", "markdown", "html", "junit", "latex", "csv")


def ids():
    return [f"q{number:02}" for number in range(N_QUERIES)]


def judged():
    return {q: {"a": 2, "b": 1, "c": 0, "d": 0} for q in ids()}


def rankings():
    """A baseline that lacks three queries, and a candidate that is alternately better and worse."""
    before = {q: ["a", "c", "b"] if i % 3 else ["a", "b"] for i, q in enumerate(ids()) if i >= 3}
    after = {q: ["c", "a", "b"] if i % 2 else ["a", "b", "d"] for i, q in enumerate(ids())}
    return before, after


@pytest.fixture
def decided():
    """The verdict of a first look in Python, as counted by the service and by a project."""
    before, after = rankings()
    rules = be.GateRules.from_dict(GATE)
    comparison = be.compare(
        judged(),
        {"baseline": before, "candidate": after},
        ["nDCG@10", "P@5", "R@2", "RR"],
        bounds=True,
    )
    return be.gate(comparison, rules=rules, memory=Memory(sizes=(N_QUERIES,), tries=1))


@pytest.fixture
def project(tmp_path, monkeypatch, decided):
    """The same data as files, with a berryeval.toml written from the rules."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{q} 0 {doc} {grade}\n" for q, grades in judged().items() for doc, grade in grades.items()
    ]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in zip(("main.run", "new.run"), rankings(), strict=True):
        rows = [
            f"{q} Q0 {doc} 1 {-rank} x\n"
            for q, docs in run.items()
            for rank, doc in enumerate(docs)
        ]
        (tmp_path / name).write_text("".join(rows))
    files = {
        "judgments": "qrels.txt",
        "run": "new.run",
        "baseline": "main.run",
        "history": "history.jsonl",
    }
    top = "".join(f'{key} = "{name}"\n' for key, name in files.items())
    (tmp_path / "berryeval.toml").write_text(top + gate_to_toml(decided.rules))
    return tmp_path


@pytest.fixture
def stored(client, archive):
    """The same data in an archive, with a verdict of the service."""
    entries = [
        JudgmentEntry(q, doc, grade)
        for q, grades in judged().items()
        for doc, grade in grades.items()
    ]
    archive.judgments.put(entries, author="ada")
    before, after = (
        archive.runs.put(be.Run.from_lists(run), RunFacts(name)).run_id
        for name, run in zip(("main", "new"), rankings(), strict=True)
    )
    archive.baselines.put("main", before)
    assert client.put("/v1/gates/release", json={**GATE, "baseline": "main"}).status_code == 201
    answer = client.post("/v1/gates/release/verdicts", json={"run": after})
    assert answer.status_code == 201, answer.text
    return answer


def plain(text):
    """Return the text of any report without its markup."""
    found = html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\N{MINUS SIGN}", "-")
    return re.sub(r"\s+", " ", found.replace("\\_", "_").replace("\\%", "%").replace("$-$", "-"))


def test_the_gate_is_a_meaningful_example(decided):
    """It reports missing queries first, has intervals, and its guards have different verdicts."""
    assert decided.missing == {"baseline": 3}
    assert decided.sentence.startswith("3 of 40 judged queries are missing from the baseline")
    assert {guard.verdict for guard in decided.guards} == {"pass", "inconclusive"}
    assert any(guard.interval for guard in decided.guards)


@pytest.mark.usefixtures("project")
def test_the_command_line_matches_python(decided):
    """JSON has everything; every other format is byte-identical to the library's report.

    Only the command line knows the names of the files, for the commands that it names.
    """
    runner = CliRunner()
    decided = replace(decided, files=gate_files(find_settings()))
    code = {"pass": 0, "fail": 1, "inconclusive": 3}[decided.verdict]
    for name in FORMATS:
        done = runner.invoke(main, ["gate", "--format", name])
        assert done.exit_code == code, done.output
        if name == "json":
            assert json.loads(done.stdout) == json.loads(json.dumps(gate_as_dict(decided)))
        else:
            assert done.stdout.rstrip("\n") == render_gate(decided, name).rstrip("\n")


@pytest.mark.parametrize("name", FORMATS)
def test_every_report_has_the_figures_and_the_words(decided, name):
    """These are verdict, sentence and the figures of each guard; CSV has no sentence."""
    text = plain(render_gate(decided, name))
    if name != "csv":
        assert decided.sentence in text
    for guard in decided.guards if name not in ("junit", "latex") else ():
        assert guard.verdict in text.lower()
        if name in ("table", "markdown", "html"):
            for figure in guard_figures(guard):
                assert plain(figure) in text


def test_the_service_matches_python(stored, decided):
    """The report is the same to the last digit, and so is its Markdown."""
    report = stored.json()["report"]
    assert report.pop("markdown") == gate_to_markdown(decided)
    assert report == json.loads(json.dumps(gate_as_dict(decided)))
    assert stored.json()["verdict"] == decided.verdict


def test_the_page_of_the_verdict_matches_python(client, stored, decided):
    """It shows the same sentence, reasons and figures."""
    page = get_page(client, stored.headers["location"].replace("/v1", ""))
    text = plain(page.text)
    assert decided.sentence in text
    for guard in decided.guards:
        assert guard.name in text
        assert guard.reason in text
        value, limit, _ = guard_figures(guard)
        assert value in text
        assert limit in text


@pytest.mark.usefixtures("project")
def test_pytest_matches_python(decided):
    """The plugin's gate has the same result, and its page the same sentence."""
    settings = find_settings()
    results = Results(settings.judgments, settings.run, settings=settings)
    assert gate_as_dict(results.gate)["guards"] == gate_as_dict(decided)["guards"]
    assert results.gate.sentence == decided.sentence


@pytest.mark.usefixtures("project")
def test_a_variable_affects_every_interface_that_reads_it(monkeypatch, pytestconfig):
    """`BERRYEVAL_ALPHA` is read by the command line and by the plugin."""
    from berryeval.pytest_plugin import _options

    monkeypatch.setenv("BERRYEVAL_ALPHA", "0.2")
    done = CliRunner().invoke(main, ["gate", "--json"])
    assert json.loads(done.stdout)["alpha"] == 0.2
    monkeypatch.setattr(_options, "_named", lambda *_: None)
    monkeypatch.setattr(_options, "_SETTINGS", pytest.StashKey())
    assert _options.load_settings(pytestconfig).gate.alpha == 0.2
