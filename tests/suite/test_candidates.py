"""The candidate of a gate: a stored run, or the answers of a live system."""

import json

import pytest

from berryeval import ArgumentError, MismatchError
from berryeval.cli._settings import load_settings
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import SystemUnderTestError
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import LatencyGuard, ThresholdGuard
from berryeval.measures import parse_measure
from berryeval.suite.gate import run_gate
from berryeval.suite.settings import Settings

RR = parse_measure("RR")
ENGINE = """
def find(query, k):
    return ["d1", "d2"] if query == "one" else ["d2"]

def none(query, k):
    raise RuntimeError("out of order")

def fail(query, k):
    if query == "two":
        raise RuntimeError("out of order")
    return find(query, k)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two judged queries, and a custom engine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "engine_of_candidates.py").write_text(ENGINE)
    (tmp_path / "judgments.json").write_text('{"q1": {"d1": 1}, "q2": {"d2": 1}}')
    queries = {"queries": [{"id": "q1", "query": "one"}, {"id": "q2", "query": "two"}]}
    (tmp_path / "queries.json").write_text(json.dumps(queries))
    return tmp_path


def settings(system="engine_of_candidates:find", max_failed=0, guards=None, **others):
    rules = GateRules(guards=guards or (ThresholdGuard(RR, 1.0),), max_failed=max_failed)
    named = {"judgments": "judgments.json", "queries": "queries.json", "system": system} | others
    return Settings(**named, gate=rules)


@pytest.mark.usefixtures("folder")
def test_a_system_receives_every_judged_query():
    """Its answers are the run, and durations are measured."""
    result = run_gate(settings(guards=(ThresholdGuard(RR, 1.0), LatencyGuard(95, 60_000))))
    assert result.verdict == "pass"
    assert result.guards[1].n_queries == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("system", ["bm25", "vector", "hybrid", "mine"])
def test_an_embedded_system_without_documents_is_an_error(system):
    """The message names the setting, for a system by name and by table."""
    tables = {"mine": {"system": "bm25"}}
    message = rf"documents: expected some that {system} can search, got none; .*\(documents = "
    with pytest.raises(ArgumentError, match=message):
        run_gate(settings(system, systems=tables))


@pytest.mark.usefixtures("folder")
def test_a_system_that_answers_nothing_has_no_verdict():
    """With any number of allowed failures, there is nothing to decide on."""
    with pytest.raises(
        SystemUnderTestError, match="failed for all 2 queries, so there is nothing to"
    ):
        run_gate(settings("engine_of_candidates:none", max_failed=2))


@pytest.mark.usefixtures("folder")
def test_documents_are_indexed_first(folder):
    """The embedded engine has no other documents."""
    pytest.importorskip("tantivy")
    rows = [{"_id": "d1", "text": "number one"}, {"_id": "d2", "text": "number two"}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run_gate(settings("bm25", documents="corpus.jsonl")).verdict == "pass"


def test_questions_are_indexed_with_the_documents(folder):
    """The settings file names them."""
    pytest.importorskip("tantivy")
    rows = [{"_id": "d1", "text": "first"}, {"_id": "d2", "text": "second"}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run_gate(settings("bm25", documents="corpus.jsonl")).verdict == "fail"
    (folder / "asked.json").write_text('{"d1": ["one"], "d2": ["two"]}')
    asked = settings("bm25", documents="corpus.jsonl", questions="asked.json")
    assert run_gate(asked).verdict == "pass"
    with pytest.raises(ArgumentError, match="questions: expected the documents that the ques"):
        run_gate(settings("bm25", questions="asked.json"))


@pytest.mark.usefixtures("folder")
def test_a_system_gets_its_settings():
    """They come from the settings file."""
    with pytest.raises(ArgumentError, match=r"setting: expected one of embedded's .*, got 'x'"):
        run_gate(settings("bm25", system_settings={"x": "1"}))


@pytest.mark.usefixtures("folder")
def test_a_system_may_be_named_by_its_table(folder):
    """`system = "shop"` opens the system of `[systems.shop]` under that name."""
    from berryeval.suite.candidates import find_candidate

    (folder / "berryeval.toml").write_text(
        'judgments = "judgments.json"\nqueries = "queries.json"\nsystem = "shop"\n'
        '[systems.shop]\nsystem = "engine_of_candidates:find"\n'
        '[[gate.guard]]\nmeasure = "RR"\nat_least = 1.0\n'
    )
    found = load_settings(None, {})
    assert run_gate(found).verdict == "pass"
    queries = {"q1": Query("q1", "one")}
    assert find_candidate(found, Judgments.from_dict({"q1": {"d1": 1}}), queries).name == "shop"


@pytest.mark.usefixtures("folder")
def test_system_settings_override_the_table():
    """`[system_settings]` is combined with `[systems.NAME]`."""
    table = {"system": "bm25", "title_weight": "2"}
    with pytest.raises(ArgumentError, match=r"setting: expected one of embedded's .*, got 'x'"):
        run_gate(settings("shop", systems={"shop": table}, system_settings={"x": "1"}))


@pytest.mark.usefixtures("folder")
def test_failed_queries_end_the_gate_unless_allowed():
    """The exit code is 4, not a score of 0; allowed failures find nothing."""
    with pytest.raises(SystemUnderTestError, match=r"\(0 allowed\); q2: .*out of order"):
        run_gate(settings("engine_of_candidates:fail"))
    assert run_gate(settings("engine_of_candidates:fail", max_failed=1)).verdict == "fail"


@pytest.mark.usefixtures("folder")
def test_a_run_and_a_system_together_are_an_error():
    """So is neither of them."""
    with pytest.raises(ArgumentError, match="run: expected a run or a system, got both"):
        run_gate(settings(run="a.run"))
    with pytest.raises(
        ArgumentError, match=r"run: expected a run or a system named in .*, got none"
    ):
        run_gate(settings(system=None))


@pytest.mark.usefixtures("folder")
def test_a_query_without_text_is_an_error():
    """The message names what is missing."""
    with pytest.raises(MismatchError, match="query 'q1' has no text to send to a system"):
        run_gate(settings(queries=None))


def test_a_run_on_the_command_line_replaces_the_system(folder):
    """Flags take precedence over the file."""
    (folder / "berryeval.toml").write_text('system = "hybrid"\n')
    assert load_settings(None, {"run": None}).system == "hybrid"
    assert load_settings(None, {"run": "a.run"}).system is None


@pytest.mark.usefixtures("folder")
def test_queries_with_other_ids_are_shown(folder):
    """A file is named, so the message has examples of what it contains."""
    (folder / "queries.json").write_text('{"queries": [{"id": "d1", "query": "one"}]}')
    message = (
        r"query 'q1' has no text to send to a system: it is not in queries.json \(1 query, such as "
        r"'d1'\); name the file of the judged queries"
    )
    with pytest.raises(MismatchError, match=message):
        run_gate(settings())


def test_documents_of_a_system_with_its_own_are_for_titles(folder):
    """Tests show them; there is nothing to index."""
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "text": "first"}\n')
    assert run_gate(settings(documents="corpus.jsonl")).verdict == "pass"
