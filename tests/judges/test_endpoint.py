"""A model behind a chat API, over real HTTP."""

import time

import pytest

from berryeval.errors import (
    AnswerError,
    ArgumentError,
    SystemTimeoutError,
    SystemUnderTestError,
)
from berryeval.judges.collecting import ask_once
from berryeval.judges.metering import BudgetSpentError, Meter
from berryeval.judges.opening import open_judge
from berryeval.search.limits import Limits
from judges.pairs import GUIDELINE, pair

AT_ONCE = Limits(timeout=5.0, retries=2, backoff=0.0)


def ask(place, settings=None, *, limits=AT_ONCE, meter=None):
    """Ask a model about a pair."""
    judge = open_judge(place, settings, limits=limits, meter=meter)
    return ask_once(judge, pair(), GUIDELINE)


def test_a_model_grades_a_pair(model, place):
    """The grade, the reason, the confidence, the exact model and the tokens come back."""
    model.grade = lambda query, document: (
        2 if (query, document) == ("sign in", "Use a token.") else 0
    )
    answer = ask(place)
    opinion = answer.opinion
    assert (opinion.grade, opinion.reason, opinion.confidence) == (2.0, "as told", 0.9)
    assert (answer.model, answer.n_calls, answer.output_tokens) == ("tiny-2026-01-01", 1, 20)
    assert answer.input_tokens > 100


def test_what_is_sent(model, place, monkeypatch):
    """Temperature 0, a limit on the answer, and the key from the environment."""
    monkeypatch.setenv("MY_KEY", "sk-secret-1")
    ask(place, {"key_variable": "MY_KEY"})
    [request] = model.requests
    sent = {key: value for key, value in request["body"].items() if key != "messages"}
    assert sent == {"model": "tiny", "temperature": 0.0, "max_tokens": 300}
    assert request["headers"]["Authorization"] == "Bearer sk-secret-1"
    assert [one["role"] for one in request["body"]["messages"]] == ["system", "user"]


def test_settings_for_other_servers(model, place):
    """Models with their own temperature and another name of the limit can be asked."""
    ask(place, {"temperature": "none", "limit_name": "max_completion_tokens",
                "answer_tokens": "50", "json_mode": "yes"})  # fmt: skip
    sent = {key: value for key, value in model.requests[0]["body"].items() if key != "messages"}
    assert sent == {
        "model": "tiny",
        "max_completion_tokens": 50,
        "response_format": {"type": "json_object"},
    }


@pytest.mark.parametrize(
    "invalid",
    [
        "", "I would say 2.", '{"code": "CODE", "grade": 7}', '{"grade": 3}', "{broken",
        "これは関連性があります。", '{"code": "CODE", "grade": 3} {"code": "CODE", "grade": 0}',
    ],
)  # fmt: skip
def test_an_invalid_answer_is_asked_for_again(model, place, invalid):
    """The second request states what was wrong, and does not repeat the answer."""
    model.faults = [invalid]
    answer = ask(place)
    assert (answer.opinion.grade, answer.n_calls) == (1.0, 2)
    first, second = (request["body"]["messages"] for request in model.requests)
    assert second[:2] == first
    assert "not valid" in second[2]["content"]
    assert not invalid or invalid.replace("CODE", "") not in second[2]["content"]


def test_after_the_last_try_the_judge_cannot_judge(model, place):
    """No grade is invented for a model that never answers properly."""
    model.faults = ["no", "never", '{"code": "CODE", "grade": 9}']
    answer = ask(place)
    assert (answer.opinion.grade, answer.n_calls) == (None, 3)
    assert (
        answer.opinion.reason
        == "no valid answer in 3: expected a whole number from 0 to 3 as grade"
    )
    assert model.n_requests == 3
    assert answer.output_tokens == 60


def test_a_busy_server_is_asked_again(model, place):
    """429 with Retry-After, and errors of the server, are temporary."""
    model.faults = [
        (429, {"error": "slow down"}, ("Retry-After", "0.01")),
        (500, {"error": "oops"}),
    ]
    assert ask(place).opinion.grade == 1.0
    assert model.n_requests == 3


def test_the_delay_that_the_server_asks_for_is_kept(model, place, monkeypatch):
    """Retry-After takes precedence over the shorter delay of the client."""
    paused = []
    monkeypatch.setattr(time, "sleep", paused.append)
    model.faults = [(429, {}, ("Retry-After", "3"))]
    ask(place)
    assert paused == [3.0]


def test_a_server_that_stays_busy_fails(model, place):
    """After the retries the error is raised, and not turned into a grade."""
    model.faults = [(429, {"error": "slow down"})] * 3
    with pytest.raises(SystemUnderTestError, match="429"):
        ask(place)


def test_a_silent_server_times_out(model, place):
    """A late answer is a separate error."""
    model.faults = [lambda _request: time.sleep(0.3)] * 2
    with pytest.raises(SystemTimeoutError, match=r"no answer within 0\.05 s"):
        ask(place, limits=Limits(timeout=0.05, retries=0))


def test_a_lost_connection_is_retried(model, place):
    """A server that hangs up once is asked again."""
    model.faults = [lambda _request: None]
    assert ask(place).opinion.grade == 1.0


def test_a_wrong_key_is_explained_and_not_shown(model, place, monkeypatch):
    """The message names the variable; the key is not in it although the server repeats it."""
    model.key = "sk-right"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-99")
    with pytest.raises(SystemUnderTestError, match="OPENAI_API_KEY") as caught:
        ask(place)
    assert "sk-wrong-99" not in str(caught.value)
    assert model.n_requests == 1


@pytest.mark.parametrize("body", [{"choices": []}, [], {"choices": [{"message": {"content": 3}}]}])
def test_another_protocol_is_reported(model, place, body):
    """A server with another protocol is an error that contains its answer."""
    model.faults = [(200, body)]
    with pytest.raises(AnswerError, match="choices"):
        ask(place)


def test_a_refusal_without_content_is_an_invalid_answer(model, place):
    """Servers return null as content if a model refuses."""
    model.faults = [(200, {"choices": [{"message": {"content": None}}]})]
    assert ask(place).n_calls == 2


def test_tokens_are_estimated_where_the_server_does_not_count(model, place):
    """A server without usage still has a cost."""
    model.usage = False
    meter = Meter()
    answer = ask(place, meter=meter)
    assert answer.input_tokens > 100
    assert meter.tokens == answer.input_tokens + answer.output_tokens


def test_every_try_counts_against_the_budget(model, place):
    """Answers asked for again are paid for as well."""
    model.faults = ["no", "no"]
    with pytest.raises(BudgetSpentError, match="2 calls"):
        ask(place, meter=Meter(max_calls=2))
    assert model.n_requests == 2


@pytest.mark.usefixtures("model")
def test_the_address_comes_from_the_environment(place, monkeypatch):
    """OPENAI_BASE_URL is used where the name has no address."""
    monkeypatch.setenv("OPENAI_BASE_URL", place.partition("@")[2])
    assert ask("openai:tiny").opinion.grade == 1.0


def test_the_fingerprint_is_that_of_model_settings_and_template(place):
    """Another temperature is another judge; another key variable is not."""
    first = open_judge(place).fingerprint()
    assert open_judge(place, {"key_variable": "MY_KEY"}).fingerprint() == first
    assert open_judge(place, {"temperature": "0.7"}).fingerprint() != first
    assert open_judge(place.replace("tiny", "big")).fingerprint() != first
    assert first["template"].startswith("1:")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("openai:", {}),
        ("openai:tiny@http://me:pw@host/v1", {}),
        ("openai:tiny", {"tries": "0"}),
        ("openai:tiny", {"answer_tokens": "0"}),
        ("openai:tiny", {"temperature": "warm"}),
        ("openai:tiny", {"json_mode": "perhaps"}),
        ("openai:tiny", {"temprature": "0"}),
    ],
)
def test_a_wrong_setting_is_rejected_before_anything_is_sent(name, settings):
    """Names, addresses and settings are checked when the judge is opened."""
    with pytest.raises(ArgumentError):
        open_judge(name, settings)
