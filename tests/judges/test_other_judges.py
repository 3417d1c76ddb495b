"""Functions, commands and files as judges, and how they are opened."""

import sys

import pytest

from berryeval.errors import (
    AnswerError,
    ArgumentError,
    InputTypeError,
    SystemTimeoutError,
    SystemUnderTestError,
)
from berryeval.judges.collecting import ask_once
from berryeval.judges.command import CommandJudge
from berryeval.judges.function import FunctionJudge
from berryeval.judges.metering import BudgetSpentError, Meter
from berryeval.judges.opening import open_judge
from berryeval.judges.protocol import Opinion
from berryeval.search.limits import Limits
from judges.pairs import GUIDELINE, pair

MODULE = """
def grade(query, intent, document, guideline, scale):
    return {"grade": 2 if "token" in document.text else 0, "reason": f"{query.text}: {intent}"}

async def later(query, intent, document, guideline, scale):
    return scale.highest

class Careful:
    def judge(self, query, intent, document, guideline, scale):
        return None

    def fingerprint(self):
        return {"version": "7"}

number = 3
"""

JUDGE = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if "slow" in asked["document"]:
        time.sleep(60)
    if "crash" in asked["document"]:
        sys.exit("out of memory")
    if "noise" in asked["document"]:
        print("warming up", flush=True)
        continue
    grade = len(asked["document"]) % (asked["scale"] + 1)
    print(json.dumps({"grade": grade, "reason": asked["intent"]}), flush=True)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module with judges."""
    name = f"judges_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.fixture
def command(tmp_path):
    """The name of a judge that is a program."""
    script = tmp_path / "judge.py"
    script.write_text(JUDGE)
    return f"command:{sys.executable} {script}"


def ask(judge, text="Use a token."):
    """Return the opinion of a judge."""
    return ask_once(judge, pair(text=text), GUIDELINE).opinion


def test_a_function_judges(module):
    """It gets the query, the intent, the document, the guideline and the scale."""
    judge = open_judge(f"{module}:grade")
    assert ask(judge) == Opinion(2.0, "sign in: How to sign in.")
    assert ask(judge, "Use a key.").grade == 0.0


def test_a_coroutine_judges(module):
    """An asynchronous function is awaited."""
    assert ask(open_judge(f"{module}:later")).grade == 3.0


def test_a_class_judges_and_states_its_version(module):
    """An object's own fingerprint says what its grades depend on."""
    judge = open_judge(f"{module}:Careful")
    assert ask(judge).grade is None
    assert judge.fingerprint() == {"judge": f"{module}:Careful", "version": "7"}


def test_another_source_is_another_judge():
    """A changed function has to be admitted again."""

    def generous(*_):
        return 3

    def strict(*_):
        return 0

    sources = [FunctionJudge(one, "one").fingerprint()["source"] for one in (generous, strict, len)]
    assert len(set(sources)) == 3


def test_an_exception_of_a_function_is_an_error_of_the_judge():
    """The error names the judge."""

    def broken(*_):
        raise KeyError("model")

    with pytest.raises(SystemUnderTestError, match=r"mine: KeyError: 'model'"):
        ask(FunctionJudge(broken, "mine"))


def test_a_function_has_a_budget():
    """Calls are counted and limited like those of a model."""
    judge = FunctionJudge(lambda *_: 1, "mine", meter=Meter(max_calls=1))
    ask(judge)
    with pytest.raises(BudgetSpentError):
        ask(judge)


def test_what_cannot_be_called_is_no_judge(module):
    """A number in a module is rejected when the judge is opened."""
    with pytest.raises(InputTypeError, match="a function"):
        open_judge(f"{module}:number")


def test_a_command_judges_many_pairs_in_one_process(command):
    """It reads lines, and answers with lines."""
    judge = open_judge(command)
    try:
        assert ask(judge, "abcd") == Opinion(0.0, "How to sign in.")
        assert ask(judge, "abcdé").grade == 1.0
    finally:
        judge.close()


def test_a_command_that_ends_says_why_and_is_started_again(command):
    """The exit code and the last words are in the error; the next pair is judged."""
    judge = open_judge(command)
    try:
        with pytest.raises(SystemUnderTestError, match=r"exit code 1 .*: out of memory"):
            ask(judge, "crash")
        assert ask(judge, "abcd").grade == 0.0
    finally:
        judge.close()


def test_a_command_that_does_not_answer_is_ended(command):
    """A late answer cannot be taken for that of the next pair."""
    judge = open_judge(command, limits=Limits(timeout=0.5))
    try:
        with pytest.raises(SystemTimeoutError, match=r"no answer within 0\.5 s"):
            ask(judge, "slow")
    finally:
        judge.close()


def test_other_output_of_a_command_is_reported(command):
    """A line that is not an answer is shown."""
    judge = open_judge(command)
    try:
        with pytest.raises(AnswerError, match="warming up"):
            ask(judge, "noise")
    finally:
        judge.close()


def test_a_command_that_is_gone_before_it_is_asked():
    """A program that reads nothing is reported, too."""
    judge = CommandJudge(f"{sys.executable} -c pass")
    with pytest.raises(SystemUnderTestError, match="exit code 0"):
        ask(judge, "x" * 1_000_000)
    judge.close()


def test_a_changed_script_is_another_judge(command, tmp_path):
    """Files among the arguments are part of the fingerprint."""
    before = open_judge(command).fingerprint()
    assert open_judge(command).fingerprint() == before
    (tmp_path / "judge.py").write_text(JUDGE + "\n")
    assert open_judge(command).fingerprint() != before


@pytest.mark.parametrize("text", ["command:", "command:'open quote"])
def test_a_command_is_needed(text):
    """An empty or unreadable command is rejected."""
    with pytest.raises(ArgumentError, match="a command"):
        open_judge(text)


def test_an_unknown_program_is_reported():
    """A program that does not exist is an error of the judge."""
    with pytest.raises(SystemUnderTestError, match="cannot be started"):
        ask(open_judge("command:no-such-program-7"))


def test_a_file_of_grades_judges(tmp_path):
    """Pairs that are not in the file, and those marked unjudged, cannot be judged."""
    path = tmp_path / "model.qrels"
    path.write_text("q1 0 d1 2\nq1 0 d2 -1\nq1 0 d3 9\n")
    judge = open_judge(str(path))

    def grade(doc_id):
        found = ask_once(judge, pair(query_id="q1", doc_id=doc_id), GUIDELINE)
        return found.opinion.grade

    assert [grade(doc_id) for doc_id in ("d1", "d2", "d3", "d4")] == [2.0, None, None, None]
    before = judge.fingerprint()
    path.write_text("q1 0 d1 1\n")
    assert open_judge(f"file:{path}").fingerprint() != before


def test_an_unknown_name_lists_what_is_known():
    """The message explains how judges are named."""
    with pytest.raises(ArgumentError, match="openai:MODEL"):
        open_judge("gpt")


def test_settings_belong_to_models(module):
    """A function has no temperature."""
    with pytest.raises(ArgumentError, match="no settings"):
        open_judge(f"{module}:grade", {"temperature": "0"})
