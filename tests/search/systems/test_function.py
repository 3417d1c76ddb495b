"""Python functions as systems under test."""

import asyncio

import pytest

from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.function import Function
from search.contract import DOCUMENTS, Contract


class TestFunction(Contract):
    """A function that asks the embedded engine."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)
        return Function(engine.search)


class TestAsynchronousFunction(Contract):
    """One that has to be awaited."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)

        async def find(query, k):
            await asyncio.sleep(0)
            return engine.search(query, k)

        return Function(find, name="async")


def test_a_function_is_found_by_its_place(tmp_path, monkeypatch):
    """In the working directory, too."""
    (tmp_path / "my_search_of_test.py").write_text(
        "class Engine:\n    @staticmethod\n    def find(query, k):\n        return {query: k}\n"
    )
    monkeypatch.chdir(tmp_path)
    system = Function("my_search_of_test:Engine.find")
    assert system.search("oauth", 3) == [("oauth", 3.0)]
    assert system.name == "my_search_of_test:Engine.find"
    assert system.fingerprint() == {
        "system": "function",
        "function": "my_search_of_test:Engine.find",
    }


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("json", "function: expected 'module:function', got 'json'"),
        ("no_such_module:find", "No module named 'no_such_module'"),
        ("json:no_such_name", "has no attribute 'no_such_name'"),
        ("json:__doc__", "function: expected a function, got 'json:__doc__', a str"),
    ],
)
def test_a_place_without_a_function_is_refused(place, message):
    """With Python's reason."""
    with pytest.raises(ArgumentError, match=message):
        Function(place)


def test_what_cannot_be_called_is_refused():
    """When the system is made."""
    with pytest.raises(ArgumentError, match="function: expected a function of a query and k"):
        Function(7)


@pytest.mark.parametrize(
    ("raised", "kind", "transient", "message"),
    [
        (
            ValueError("no such\nindex"),
            SystemUnderTestError,
            False,
            "mine: ValueError: no such index",
        ),
        (KeyError(), SystemUnderTestError, False, "mine: KeyError"),
        (
            ConnectionResetError("gone"),
            SystemUnderTestError,
            True,
            "mine: ConnectionResetError: gone",
        ),
        (TimeoutError("slow"), SystemTimeoutError, False, "mine: TimeoutError: slow"),
        (
            SystemUnderTestError("inner", "busy", transient=True),
            SystemUnderTestError,
            True,
            "inner: busy",
        ),
    ],
)
def test_whatever_a_function_raises_is_an_error_of_the_system(raised, kind, transient, message):
    """With the exception's own words, and as its cause."""

    def find(_query, _k):
        raise raised

    with pytest.raises(kind) as caught:
        Function(find, name="mine").search("x", 1)
    assert type(caught.value) is kind
    assert str(caught.value) == message
    assert caught.value.transient is transient


def test_a_generator_that_breaks_is_an_error_of_the_system():
    """It runs while it is read."""

    def find(_query, _k):
        yield "a"
        raise ValueError("half way")

    with pytest.raises(SystemUnderTestError, match="mine: ValueError: half way"):
        Function(find, name="mine").search("x", 5)


def test_an_answer_that_is_no_ranking_is_told():
    """Checked where every answer is."""
    with pytest.raises(AnswerError, match="expected each document once"):
        Function(lambda _query, _k: ["a", "a"], name="mine").search("x", 5)
