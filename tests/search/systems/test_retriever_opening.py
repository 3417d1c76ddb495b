"""Functions, objects and names that can be opened as a retriever."""

import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search import Function, as_system, open_system
from berryeval.search.systems.foreign import Foreign
from search.systems.retriever_shapes import (
    CHUNKS,
    NODES,
    NodeWithScore,
    ids,
)
from small_golden_set import write_golden_set


class TestFunctions:
    """Functions and objects with a method ``search`` may return the same types."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ([7, 3], [("7", -1.0), ("3", -2.0)]),
            ([{"id": 7, "score": 2}, {"id": 3, "score": 1.5}], [("7", 2.0), ("3", 1.5)]),
            ([{"doc_id": "a"}, {"_id": "b"}], [("a", -1.0), ("b", -2.0)]),
            ([SimpleNamespace(doc_id="a", score=2.0)], [("a", 2.0)]),
            ([SimpleNamespace(id="a", score=2.0), {"id": "b"}], [("a", -1.0), ("b", -2.0)]),
            (CHUNKS[:1], [("auth.md#0-18", -1.0)]),
            ([(CHUNKS[0], 0.9), (CHUNKS[1], 0.4)], [("auth.md#0-18", 0.9), ("auth.md#19-35", 0.4)]),
            ([NodeWithScore(NODES[0], 0.9)], [("n1", 0.9)]),
        ],
    )
    def test_answers_may_be_integers_dicts_or_objects(self, answer, expected):
        """Scores count if every hit has one."""
        assert Function(lambda _query, _k: answer).search("x", 5) == expected
        assert as_system(SimpleNamespace(search=lambda _q, _k: answer)).search("x", 5) == expected

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ([{"score": 2}], "hit 1: expected a document id and a score, a dict or an .*has score"),
            ([{}], "got dict; .*; it has no keys"),
            ([1.5], "hit 1: expected a document id and a score, got float 1.5"),
            ([("a", 1, 2)], "hit 1: expected a document id and a score, got tuple"),
            ([{"id": 1.5}], "hit 1: expected text or a whole number as document id, got float"),
            ([{"id": "a", "score": "x"}], "hit 1: expected a number as score"),
        ],
    )
    def test_what_is_no_hit_is_rejected(self, answer, message):
        """The message has what was found."""
        with pytest.raises(AnswerError, match=message):
            Function(lambda _query, _k: answer, name="mine").search("x", 5)

    def test_settings_of_a_function(self):
        """Surplus and repeated hits are errors unless a setting says otherwise."""

        def find(_query, _k):
            return [{"url": "a", "rank": -1}, {"url": "b", "rank": -2}, {"url": "a", "rank": -3}]

        lenient = {"id": "url", "duplicates": "keep-best", "excess": "cut"}
        assert ids(Function(find, **lenient).search("x", 9)) == ["a", "b"]
        assert Function(find, score="rank", **lenient).search("x", 1) == [("a", -1.0)]
        assert Function(find, **lenient).fingerprint()["id"] == "url"
        with pytest.raises(AnswerError, match="expected each document once, got 'a' twice"):
            Function(find, id="url").search("x", 9)
        with pytest.raises(AnswerError, match="expected at most 2 hits, got 3"):
            Function(find, id="url").search("x", 2)
        with pytest.raises(ArgumentError, match=r"expected one of a function's .*'component'"):
            Function(find, component="x")

    def test_a_mapping_is_cut_by_score(self):
        """Its order does not matter; 7 and "7" are the same document."""
        found = {"a": 1.0, "7": 2.0, 7: 3.0}
        system = Function(lambda _query, _k: found, excess="cut", duplicates="keep-best")
        assert system.search("x", 1) == [("7", 3.0)]

    def test_a_system_with_settings_is_wrapped(self):
        """Without settings it is returned unchanged."""
        own = Function(lambda _query, _k: ["a"])
        assert as_system(own) is own
        wrapped = as_system(own, excess="cut")
        assert isinstance(wrapped, Foreign)
        assert ids(wrapped.search("x", 1)) == ["a"]

    def test_search_comes_before_other_methods(self):
        """An engine may have a method ``run`` for something else."""

        class Engine:
            def search(self, _query, _k):
                return ["a"]

            def run(self, query):
                raise AssertionError(query)

        assert ids(as_system(Engine()).search("x", 1)) == ["a"]

    def test_other_objects_cannot_search(self):
        """The message lists objects that can."""
        with pytest.raises(SystemUnderTestError, match=r"a retriever of LangChain, .*got int"):
            as_system(7)


class TestByName:
    """Retrievers of a module, opened by name."""

    @pytest.fixture(autouse=True)
    def module(self, tmp_path, monkeypatch):
        """Write a module with a retriever, a class and two functions that return one."""
        (tmp_path / "my_rag_app.py").write_text(
            "class Documents:\n"
            "    k = 4\n"
            "    def invoke(self, query):\n"
            "        return [{'id': 'c1', 'metadata': {'source': 'a.md'}}]\n"
            "retriever = Documents()\n"
            "def build():\n    return Documents()\n"
            "async def abuild():\n    return Documents()\n"
            "def fail():\n    raise ConnectionRefusedError('no index')\n"
            "class Guide:\n"
            "    def invoke(self, query):\n"
            "        return [{'text': 'x' * 40, 'metadata': {'source': 'guide.md',"
            " 'start_index': 2}}]\n"
            "guide = Guide()\n"
            "def find(query, k):\n    return [{'id': 'c1'}] * 2\n"
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        yield
        sys.modules.pop("my_rag_app", None)

    @pytest.mark.parametrize("name", ["retriever", "Documents", "build", "abuild"])
    def test_a_name_leads_to_a_retriever(self, name):
        """It may be an object, a class, or a function without parameters that returns one."""
        with open_system(f"my_rag_app:{name}", {"id": "metadata.source"}) as system:
            assert ids(system.search("x", 3)) == ["a.md"]
            assert system.name == "Documents"

    def test_the_gate_and_the_quality_suite_score_documents(self, tmp_path):
        """The chunks of the retriever are not judged, but their documents are."""
        (tmp_path / "judgments.json").write_text('{"q1": {"a.md": 1}}')
        (tmp_path / "queries.json").write_text('[{"id": "q1", "query": "x"}]')
        (tmp_path / "berryeval.toml").write_text(
            'judgments = "judgments.json"\nqueries = "queries.json"\nsystem = "my_rag_app:build"\n'
        )
        done = CliRunner().invoke(main, ["gate", "--at-least", "RR=1"])
        assert done.exit_code == 0, done.output
        spans = [
            {
                "query_id": name,
                "relevant": [{"document": source, "start": 9, "end": 39, "grade": 3}],
            }
            for name, source in (("Q1", "guide.md"), ("Q2", "tuning.md"))
        ]
        write_golden_set(tmp_path / "golden", spans)
        found = CliRunner().invoke(
            main,
            ["quality", "--system", "my_rag_app:guide", "--golden", "golden", "--at-least",
             "R@10=0.5", "-o", "quality.json", "--format", "json"],
        )  # fmt: skip
        assert found.exit_code == 0, found.output

    def test_functions_have_the_same_settings(self):
        """Those for pipelines are rejected."""
        system = open_system("my_rag_app:find", {"duplicates": "keep-best"})
        assert ids(system.search("x", 3)) == ["c1"]
        with pytest.raises(ArgumentError, match="expected one of a function's"):
            open_system("my_rag_app:find", {"component": "retriever"})

    def test_a_failing_factory_is_an_error_of_the_system(self):
        """The message is that of the exception."""
        with pytest.raises(SystemUnderTestError, match="ConnectionRefusedError: no index"):
            open_system("my_rag_app:fail")
