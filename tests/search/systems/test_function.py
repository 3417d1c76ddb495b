"""Python functions as systems under test."""

import asyncio

import pytest

from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.function import Function
from search.contract import DOCUMENTS, Contract


class TestFunction(Contract):
    """A function that calls the embedded engine."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)
        return Function(engine.search)


class TestAsynchronousFunction(Contract):
    """An asynchronous function."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)

        async def find(query, k):
            await asyncio.sleep(0)
            return engine.search(query, k)

        return Function(find, name="async")


def test_a_function_is_named_by_its_module(tmp_path, monkeypatch):
    """Modules in the working directory are found, too."""
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
def test_a_missing_function_is_rejected(place, message):
    """The message contains Python's reason."""
    with pytest.raises(ArgumentError, match=message):
        Function(place)


def test_an_object_that_is_not_callable_is_rejected():
    """The error is raised when the system is created."""
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
def test_exceptions_of_a_function_are_errors_of_the_system(raised, kind, transient, message):
    """The message is the exception's, which is also the cause."""

    def find(_query, _k):
        raise raised

    with pytest.raises(kind) as caught:
        Function(find, name="mine").search("x", 1)
    assert type(caught.value) is kind
    assert str(caught.value) == message
    assert caught.value.transient is transient


def test_a_failing_generator_is_an_error_of_the_system():
    """A generator runs only while it is consumed."""

    def find(_query, _k):
        yield "a"
        raise ValueError("half way")

    with pytest.raises(SystemUnderTestError, match="mine: ValueError: half way"):
        Function(find, name="mine").search("x", 5)


def test_an_invalid_ranking_is_reported():
    """The answers of functions are checked like all others."""
    with pytest.raises(AnswerError, match="expected each document once"):
        Function(lambda _query, _k: ["a", "a"], name="mine").search("x", 5)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package' "
         r"\(broken_of_test.py, line 1\)"),
        ("x = 1\ny = x / 0", r"ZeroDivisionError: division by zero \(broken_of_test.py, line 2\)"),
        ("def f(:", "SyntaxError"),
    ],
)  # fmt: skip
def test_a_module_that_fails_is_reported_with_its_line(tmp_path, monkeypatch, code, message):
    """It is not reported as a wrong name, and the traceback does not show BerryEval's own code."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_of_test.py").write_text(code)
    expected = "^broken_of_test:find: expected a module that can be imported, got "
    with pytest.raises(ArgumentError, match=expected + message):
        Function("broken_of_test:find")


def test_other_parameters_are_rejected_at_once():
    """Otherwise every query would fail with Python's count of positional arguments."""

    def retrieve(index, query, k):
        return [index, query, k]

    with pytest.raises(
        ArgumentError,
        match=r"of a query alone, got one with the parameters \(index, query, k\); name one that",
    ):
        Function(retrieve)
    assert Function(max, name="without a signature").name == "without a signature"


def by_keyword(question, filters=None, *, top_k=4):  # noqa: ARG001
    return [f"d{i}" for i in range(top_k)]


def alone(query):  # noqa: ARG001
    return [f"d{i}" for i in range(7)]


def optional(query, filters=None):
    return alone(query) if filters is None else []


def unusual(query, amount=4):  # noqa: ARG001
    return [f"d{i}" for i in range(amount)]


def named_only(*, query, limit):  # noqa: ARG001
    return [f"d{i}" for i in range(limit)]


@pytest.mark.parametrize(
    ("function", "n_of_5", "n_of_9"),
    [
        (by_keyword, 5, 9),
        (alone, 5, 7),
        (optional, 5, 7),
        (unusual, 5, 9),
        (named_only, 5, 9),
        (lambda *both: [f"d{i}" for i in range(both[1])], 5, 9),
    ],
)
def test_k_goes_where_the_function_expects_it(function, n_of_5, n_of_9):
    """A function without a place for k returns what it has, of which k count."""
    system = Function(function)
    assert (len(system.search("x", 5)), len(system.search("x", 9))) == (n_of_5, n_of_9)


def test_chunks_of_one_document_count_once():
    """Different texts under one id are chunks; without texts, a repeated id may be a mistake."""
    hits = [
        {"id": "a.md", "text": "first", "score": 3},
        {"id": "b.md", "text": "other", "score": 2},
        {"id": "a.md", "text": "second", "score": 1},
    ]
    assert Function(lambda _query, _k: hits).search("x", 5) == [("a.md", 3.0), ("b.md", 2.0)]
    pairs = [(hit, hit["score"]) for hit in hits]
    assert Function(lambda _query, _k: pairs).search("x", 5) == [("a.md", 3.0), ("b.md", 2.0)]
    again = [*hits, {**hits[1], "score": 0}]
    for strict in (
        Function(lambda _query, _k: again),
        Function(lambda _query, _k: hits, duplicates="error"),
        Function(lambda _query, _k: [hit["id"] for hit in hits]),
    ):
        with pytest.raises(AnswerError, match="expected each document once") as caught:
            strict.search("x", 5)
        assert caught.value.setting == "duplicates=keep-best"


def test_hits_without_an_id_suggest_the_likely_field():
    """A command says how it takes the setting."""
    hits = [{"passage_id": 7, "body": "Use a token."}]
    with pytest.raises(AnswerError, match=r"with the setting id; it has passage_id, body") as error:
        Function(lambda _query, _k: hits).search("x", 5)
    assert error.value.setting == "id=passage_id"
    assert Function(lambda _query, _k: [{"chunk_id": "c1"}]).search("x", 1) == [("c1", -1.0)]


def test_hits_with_equal_texts_and_no_id_name_the_keys():
    """A hash of the text would be reported as a repeated document."""
    hits = [{"text": "same", "path": "a.md"}, {"text": "same", "path": "b.md"}]
    with pytest.raises(AnswerError, match=r"hit 2: expected an id, got none, .*it has text, path"):
        Function(lambda _query, _k: hits).search("q", 10)
    found = Function(lambda _query, _k: hits, id="path").search("q", 10)
    assert [hit.doc_id for hit in found] == ["a.md", "b.md"]


def test_doc_is_an_id_beside_a_text():
    """Alone, or with the text itself, it may be the document."""
    hits = [{"doc": "a.md", "text": "one"}, {"doc": "b.md", "text": "two"}]
    found = Function(lambda _query, _k: hits)
    assert [hit.doc_id for hit in found.search("q", 10)] == ["a.md", "b.md"]
    assert found.likely_id is None
    with pytest.raises(AnswerError, match="it has doc") as error:
        Function(lambda _query, _k: [{"doc": "a.md"}]).search("q", 10)
    assert error.value.setting == "id=doc"
    same = Function(lambda _query, _k: [{"doc": "one", "text": "one", "article": 7}])
    assert same.search("q", 10)[0].doc_id.startswith("sha256:")
    assert same.likely_id == "id=doc"
