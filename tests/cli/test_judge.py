"""berryeval judge, against a chat API of our own over real HTTP."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.golden.reading import read_golden_set
from berryeval.judges.model_grades import read_grades
from judges.chat_server import confused
from judges.judged_set import truth, write_judged_set

GOOD = [[0.95, 0.05, 0, 0], [0.05, 0.9, 0.05, 0], [0, 0.05, 0.9, 0.05], [0, 0, 0.05, 0.95]]


@pytest.fixture
def model(chat_server, tmp_path, monkeypatch):
    """A model that gives the same grades as people, in a folder with a golden set."""
    monkeypatch.chdir(tmp_path)
    write_judged_set(tmp_path / "golden", n_queries=30)
    chat_server[0].reset()
    chat_server[0].grade = truth
    return chat_server[0]


@pytest.fixture
def judge(chat_server):
    """Run a command of judges."""
    place = chat_server[1]

    def run(*arguments, name=None, golden="golden"):
        sub = ("check",) * (arguments[:1] == ("check",))
        rest = arguments[len(sub) :]
        words = ["judge", *sub, "--golden", golden, "--judge", name or place, *rest]
        return CliRunner().invoke(main, words, prog_name="berryeval")

    return run


def shown(result, place):
    """Return the output without the port."""
    return result.stdout.replace(place.partition("//")[2].removesuffix("/v1"), "HOST")


def test_holes_are_judged_and_do_not_count(model, judge, chat_server):
    """The grades are stored beside the judgments; nothing that people judged changes."""
    before = read_golden_set("golden").content_hash
    result = judge("--run", "old.run", "--run", "new.run", "--price", "1,2")
    assert result.exit_code == 0, result.output
    text = shown(result, chat_server[1])
    assert text.startswith(
        "Grades by tiny@HOST\n\n"
        "grade  pairs  share\n"
        "0 no      30  50.0%\n"
        "3 yes     30  50.0%\n\n"
        "0 grades were stored before; 60 calls now, "
    )
    assert "These grades do not count: this judge was never checked against people. " in text
    assert "cost 0." in text
    assert len(read_grades("golden")) == 60 == model.n_requests
    assert read_golden_set("golden").content_hash == before


def test_a_dry_run_sends_nothing(model, judge):
    """It shows calls, tokens and the cost."""
    result = judge("--run", "new.run", "--dry-run", "--price", "1", "--json")
    found = json.loads(result.stdout)
    assert (found["kind"], found["pairs"], found["calls"]) == ("judging_plan", 60, 60)
    assert found["output_tokens"] == 60 * 300
    assert found["cost"] == (found["input_tokens"] + found["output_tokens"]) / 1e6
    table = judge("--run", "new.run", "--dry-run", "--price", "1").stdout
    assert "cost, at most" in table
    assert "Nothing was sent." in table
    assert model.n_requests == 0


def test_a_dry_run_of_a_check_sends_nothing(model, judge):
    """It counts the calls of the check: repeated pairs are included, stored ones are not."""
    words = ["check", "--pairs", "60", "--repeats", "10"]
    planned = json.loads(judge(*words, "--dry-run", "--json").stdout)
    assert (planned["pairs"], planned["calls"], model.n_requests) == (60, 70, 0)
    assert judge(*words).exit_code in (0, 1)
    assert model.n_requests == 70
    planned = json.loads(judge(*words, "--dry-run", "--json").stdout)
    assert (planned["stored"], planned["calls"]) == (60, 0)
    assert model.n_requests == 70


def test_the_budget_has_an_exit_code_and_the_rest_follows(model, judge):
    """The exit code is 6, standard error states how many are left, and none is judged twice."""
    result = judge("--run", "new.run", "--max-calls", "25", "--json")
    assert result.exit_code == 6
    assert "Stopped: the budget of 25 calls is used up. Left: 35 pairs" in result.stderr
    assert json.loads(result.stdout)["budget"] == "the budget of 25 calls is used up"
    again = judge("--run", "new.run", "--repeats", "0", "--json")
    assert (again.exit_code, json.loads(again.stdout)["stored"]) == (0, 25)
    assert model.n_requests == 60


def test_a_judge_that_fails_has_an_exit_code(model, judge):
    """It is 4, as for a system; the other pairs are judged."""
    model.faults = [(400, {"error": "too long"})]
    result = judge("--run", "new.run")
    assert result.exit_code == 4
    assert "answered 400" in result.stderr
    assert "(1 pair)" in result.stderr
    assert "Left: 1 pair; repeat the command to retry." in result.stderr
    assert len(read_grades("golden")) == 59


def test_a_judge_is_checked_admitted_and_counts(model, judge, chat_server):
    """The workflow has a check, an admission, counted grades, and a model that changes."""
    model.grade = confused(truth, GOOD)
    result = judge("check", "--run", "old.run", "--run", "new.run", "--price", "1")
    assert result.exit_code == 0, result.output
    text = shown(result, chat_server[1])
    assert "weighted kappa with people" in text
    assert "Grades of the judge, by the grade of people" in text
    assert "retrieved by new.run" in text
    assert "admitted  its grades count" in text
    assert result.stderr.startswith("Cost: ")
    judged = judge("--run", "new.run", "-n", "10")
    assert "These grades count: admitted on " in judged.stdout
    assert "Judged again: 5 pairs, of which 0 changed." in judged.stdout
    model.version = "tiny-2026-09-09"
    judged = judge("--run", "new.run", "-n", "20", "--json")
    assert json.loads(judged.stdout)["standing"]["state"] == "expired"
    Path("golden/GUIDELINE.md").write_text("Be strict.\n")
    judged = judge("--run", "new.run", "-n", "1")
    assert "the guideline or the scale" in judged.stdout


def test_a_pair_that_cannot_be_judged_does_not_hold_up_the_export(model, judge):
    """It is written as -1: in the pool but not judged."""
    model.grade = confused(truth, GOOD)
    assert judge("check", "--pairs", "60").exit_code == 0
    grade = model.grade
    model.grade = lambda query, document: (
        None if document.startswith("Page 7 about topic 0.") else grade(query, document)
    )
    runs = ("--run", "old.run", "--run", "new.run")
    assert judge("--pool", "all", *runs, "--repeats", "0").exit_code == 0
    words = ["judge", "export", "--golden", "golden", *runs, "-o", "model.qrels"]
    result = CliRunner().invoke(main, words)
    assert result.stdout == (
        "Exported 239 model judgments of 30 queries.\n"
        "Written as -1, which gains nothing: 1 pair that the judge could not judge.\n"
    )
    assert "q0 0 d0-7 -1\n" in Path("model.qrels").read_text()


def test_a_judge_that_is_not_admitted_has_an_exit_code(model, judge):
    """It is 1, with the reasons, and the grades do not count."""
    model.grade = lambda _query, document: len(document) % 4
    result = judge("check", "--run", "old.run", "--pairs", "60", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["admitted"], found["pairs"]) == (1, False, 60)
    assert "weighted kappa" in found["reasons"][0]
    assert "not admitted" in judge("check", "--pairs", "60").stdout
    assert "the judge was not admitted" in judge("--run", "new.run", "-n", "1").stdout


@pytest.mark.usefixtures("model")
def test_a_check_within_a_budget_is_continued(judge):
    """An incomplete check stores no admission."""
    result = judge("check", "--pairs", "60", "--max-calls", "20")
    assert result.exit_code == 6
    assert result.stdout == ""
    result = judge("check", "--pairs", "60", "--repeats", "0", "--max-calls", "40")
    assert result.exit_code == 0, result.output


def test_drift_is_a_warning(model, judge):
    """A server that grades differently under the same name is noticed."""
    judge("--run", "new.run", "-n", "20")
    model.grade = lambda query, document: 3 - truth(query, document)
    result = judge("--run", "new.run", "--repeats", "10")
    assert "Warning: judged again: 10 pairs, of which 10 changed. 5% is expected" in result.stdout


def test_other_judges_are_opened_by_name(model, judge, tmp_path):
    """A file of grades judges without a call; pairs that it lacks cannot be judged."""
    (tmp_path / "model.qrels").write_text("q0 0 d0-6 2\n")
    result = judge("--run", "new.run", "-o", "out.md", name="model.qrels")
    assert result.exit_code == 0, result.output
    written = (tmp_path / "out.md").read_text()
    assert "| cannot judge | 59 |" in written
    assert "| 2 partly | 1 |" in written
    assert model.n_requests == 0


@pytest.mark.usefixtures("model")
def test_what_is_missing_is_named(judge):
    """Usage errors are exit code 2, before anything is sent."""

    def invoke(*words):
        return CliRunner().invoke(main, ["judge", *words], prog_name="berryeval")

    assert "Missing option '--golden'" in invoke("--judge", "x:y").stderr
    assert "Missing option '--judge'" in invoke("--golden", "golden").stderr
    assert "Missing option '--judge'" in invoke("check", "--golden", "golden").stderr
    assert "Write --golden after check." in invoke("--golden", "g", "check").stderr
    assert "at least one run" in judge().stderr
    for result in (judge("-s", "temperatur=1"), judge("--price", "cheap"), judge(name="gpt")):
        assert result.exit_code == 2
    assert "--against" in invoke("--help").stdout
    result = judge("--run", "new.run", "--pool", "deciding")
    assert (result.exit_code, "a run to compare with" in result.stderr) == (2, True)


def test_deciding_documents_are_judged_first(model, judge):
    """The baseline can be named by its file, and need not be among the runs."""
    result = judge("--pool", "deciding", "--run", "new.run", "--against", "old.run", "-n", "5")
    assert result.exit_code == 0, result.output
    assert {one.doc_id[-1] for one in read_grades("golden")} == {"7"}
    assert model.n_requests == 5


def test_documents_without_text_are_reported(model, judge, tmp_path):
    """Pairs that cannot be shown to a judge are counted on standard error."""
    with (tmp_path / "new.run").open("a") as file:
        file.write("q0 Q0 elsewhere 7 1 x\n")
    result = judge("--run", "new.run", "-n", "1")
    assert "Left out, since the golden set does not have their text: 1." in result.stderr
    assert model.n_requests == 1


def test_judges_are_shown_with_cost_and_standing(model, judge):
    """The list shows the cost so far, whether grades count, and whether a judge has changed."""

    def show(*words):
        return CliRunner().invoke(main, ["judge", "show", "--golden", "golden", *words])

    assert "No judge has graded anything yet." in show().stdout
    judge("--run", "new.run", "-n", "20")
    table = show("--price", "1").stdout
    assert "do not count" in table
    assert "never checked against people." in table
    judge("check", "--pairs", "60")
    assert " count " in show().stdout
    model.grade = lambda query, document: 3 - truth(query, document)
    judge("--run", "new.run", "--repeats", "10")
    assert "changed 10 of 10 grades when asked again." in show().stdout
    model.version = "tiny-2"
    judge("--run", "old.run", "--run", "new.run", "--pool", "all", "-n", "130")
    [found] = json.loads(show("--json", "--price", "2").stdout)["judges"]
    assert (found["standing"]["state"], found["calls"]) == ("expired", model.n_requests)
    assert found["cost"] == 2 * (found["input_tokens"] + found["output_tokens"]) / 1e6
    Path("golden/GUIDELINE.md").write_text("Be strict.")
    assert "the guideline or the scale has changed" in show().stdout


def test_a_rejected_judge_is_shown(model, judge):
    """The list shows the reasons."""
    model.grade = lambda _query, document: len(document) % 4
    judge("check", "--pairs", "60")
    result = CliRunner().invoke(main, ["judge", "show", "--golden", "golden"])
    assert "weighted kappa" in result.stdout
