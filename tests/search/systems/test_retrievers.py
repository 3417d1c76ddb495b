"""Retrievers of RAG frameworks as systems under test, with objects shaped like the real ones.

`test_frameworks.py` has the real ones.
"""

import asyncio
import logging
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.content_id import content_id
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search import Function, Retriever, as_system, open_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.foreign import Foreign
from berryeval.search.systems.retrievers import is_retriever
from search.contract import DOCUMENTS, Contract
from small_golden_set import write_golden_set


@dataclass
class LangChainDocument:
    """A document of LangChain; its id is optional."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


class LangChain:
    """A retriever of LangChain: k is an attribute, and there are no scores."""

    def __init__(self, documents=(), k=4):
        self.documents = documents
        self.k = k

    def invoke(self, _query):
        return list(self.documents[: self.k])

    async def ainvoke(self, query):
        await asyncio.sleep(0)
        return self.invoke(query)


@dataclass
class TextNode:
    """A node of LlamaIndex."""

    node_id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    ref_doc_id: str | None = None
    start_char_idx: int | None = None
    end_char_idx: int | None = None


@dataclass
class NodeWithScore:
    """What LlamaIndex returns: a node, some of whose attributes it passes on."""

    node: TextNode
    score: float | None = None

    @property
    def node_id(self):
        return self.node.node_id

    @property
    def metadata(self):
        return self.node.metadata

    @property
    def text(self):
        raise ValueError("Node must be a TextNode to get text.")


class LlamaIndex:
    """A retriever of LlamaIndex."""

    def __init__(self, nodes=(), similarity_top_k=2):
        self.nodes = nodes
        self._similarity_top_k = similarity_top_k

    @property
    def similarity_top_k(self):
        return self._similarity_top_k

    @similarity_top_k.setter
    def similarity_top_k(self, value):
        self._similarity_top_k = value

    def retrieve(self, _query):
        return [NodeWithScore(node, 0.5) for node in self.nodes[: self._similarity_top_k]]

    async def aretrieve(self, query):
        return self.retrieve(query)


@dataclass
class HaystackDocument:
    """A document of Haystack."""

    id: str
    content: str
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None


class Haystack:
    """A component of Haystack."""

    n_warmed = 0

    def __init__(self, documents=()):
        self.documents = documents

    def warm_up(self):
        self.n_warmed += 1

    def run(self, query, filters=None, top_k=None):  # noqa: ARG002 - as Haystack's
        return {"documents": list(self.documents[: top_k or 10])}


class Pipeline:
    """A pipeline of Haystack: an embedder, a retriever that takes its vectors, and a model."""

    def __init__(self, documents, outputs=None):
        self.documents = documents
        self._outputs = {"retriever": {"documents": {}}} if outputs is None else outputs
        self.asked = []

    def inputs(self):
        optional = {"is_mandatory": False}
        return {
            "embedder": {"text": {"is_mandatory": True}},
            "retriever": {"filters": optional, "top_k": optional},
        }

    def outputs(self):
        return self._outputs

    def run(self, data, include_outputs_from=None):
        self.asked.append(data)
        found = self.documents[: data["retriever"]["top_k"]]
        return {name: {"documents": found} for name in include_outputs_from or ()}


CHUNKS = [
    LangChainDocument("Register a client.", {"source": "auth.md", "start_index": 0}),
    LangChainDocument("Renew the token.", {"source": "auth.md", "start_index": 19}),
    LangChainDocument("Run the container.", {"source": "deploy.md", "start_index": 0}),
]
NODES = [
    TextNode("n1", "Register a client.", {"file_name": "auth.md"}, "uuid-1", 0, 18),
    TextNode("n2", "Run the container.", {"file_name": "deploy.md"}, "uuid-2", 0, 18),
    TextNode("n3", "Renew the token.", {"file_name": "auth.md"}, "uuid-1", 19, 35),
]


def ids(hits):
    return [hit.doc_id for hit in hits]


class TestRetriever(Contract):
    """A retriever that calls the embedded engine."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)

        class OverTheEngine(LangChain):
            def invoke(self, query):
                return [
                    LangChainDocument("…", id=hit.doc_id) for hit in engine.search(query, self.k)
                ]

        return as_system(OverTheEngine())


@pytest.mark.parametrize(
    "thing", [LangChain(), LlamaIndex(), Haystack(), Pipeline([]), SimpleNamespace]
)
def test_retrievers_are_recognised_by_their_methods(thing):
    """No framework is imported; a class is not a retriever."""
    assert is_retriever(thing) is (thing is not SimpleNamespace)
    assert not is_retriever(type(thing))
    assert not {"langchain_core", "llama_index", "haystack"} & {*sys.modules}


def test_attributes_are_not_methods():
    """A data frame with columns of these names is still a run."""
    assert not is_retriever(SimpleNamespace(run=lambda query: query, invoke=print, retrieve=print))


@pytest.mark.parametrize(
    ("retriever", "attribute", "own"),
    [(LangChain(CHUNKS, k=1), "k", 1), (LlamaIndex(NODES, 1), "similarity_top_k", 1)],
)
def test_k_is_set_in_a_copy(retriever, attribute, own):
    """The retriever of the application keeps its own k."""
    system = as_system(retriever)
    assert len(system.search("x", 3)) == 3
    assert len(system.search("x", 2)) == 2
    assert getattr(retriever, attribute) == own


def test_k_of_a_vector_store_is_a_search_argument():
    """Other arguments stay, and so does the dict of the retriever."""

    class OverAStore:
        def __init__(self):
            self.search_kwargs = {"filter": "en", "k": 1}

        def invoke(self, _query):
            assert self.search_kwargs["filter"] == "en"
            return CHUNKS[: self.search_kwargs["k"]]

    retriever = OverAStore()
    assert len(as_system(retriever).search("x", 3)) == 3
    assert retriever.search_kwargs == {"filter": "en", "k": 1}


def test_k_of_bm25_does_not_exceed_its_corpus():
    """LlamaIndex's BM25 raises an error if k is larger than the number of nodes."""

    class WithCorpus(LlamaIndex):
        corpus = NODES

        def retrieve(self, query):
            assert self.similarity_top_k <= len(self.corpus)
            return super().retrieve(query)

    assert len(as_system(WithCorpus(NODES)).search("x", 100)) == 3


def test_a_retriever_without_k_decides_itself(caplog):
    """A warning says so, once; surplus documents are cut."""

    class Fixed:
        def invoke(self, _query):
            return CHUNKS

    system = as_system(Fixed())
    with caplog.at_level(logging.WARNING):
        assert len(system.search("x", 2)) == len(system.search("y", 2)) == 2
    assert [record.event for record in caplog.records] == [
        "the retriever decides how many documents it returns"
    ]
    with pytest.raises(AnswerError, match="Fixed: expected at most 2 hits, got 3"):
        Retriever(Fixed(), excess="error").search("x", 2)


def test_the_order_of_documents_is_the_ranking():
    """Scores may be distances; a path to them makes them count."""
    documents = [HaystackDocument("a", "", score=0.1), HaystackDocument("b", "", score=0.7)]
    assert as_system(Haystack(documents)).search("x", 5) == [("a", -1.0), ("b", -2.0)]
    with pytest.raises(AnswerError, match="expected the best hit first"):
        Retriever(Haystack(documents), score="score").search("x", 5)
    scored = Retriever(Haystack(documents[::-1]), score="score")
    assert scored.search("x", 5) == [("b", 0.7), ("a", 0.1)]


def test_asynchronous_methods_are_used_on_request():
    """Retrievers that have no other method are always awaited."""

    class OnlyAsynchronous:
        async def ainvoke(self, _query):
            return CHUNKS

    for system in (as_system(OnlyAsynchronous()), Retriever(LangChain(CHUNKS), asynchronous=True)):
        assert system.is_asynchronous
        assert asyncio.run(system.asearch("x", 5)) == system.search("x", 5)
    assert not as_system(LangChain(CHUNKS)).is_asynchronous
    assert len(asyncio.run(as_system(LangChain(CHUNKS)).asearch("x", 5))) == 3
    with pytest.raises(ArgumentError, match="asynchronous: expected no, since Haystack has no asy"):
        Retriever(Haystack(), asynchronous=True)


class TestIds:
    """Where the ids of documents come from."""

    @pytest.mark.parametrize(
        ("retriever", "settings", "expected"),
        [
            (LangChain(CHUNKS), {}, ["auth.md#0-18", "auth.md#19-35", "deploy.md#0-18"]),
            (LangChain(CHUNKS), {"id": "metadata.source"}, ["auth.md", "deploy.md"]),
            (LangChain([LangChainDocument("x", id="own")]), {}, ["own"]),
            (LlamaIndex(NODES), {}, ["n1", "n2", "n3"]),
            (LlamaIndex(NODES), {"id": "ref_doc_id"}, ["uuid-1", "uuid-2"]),
            (LlamaIndex(NODES), {"id": "metadata.file_name"}, ["auth.md", "deploy.md"]),
            (
                Haystack([HaystackDocument("h", "x", {"doc.id": 7, "url": {"path": "/a"}})]),
                {"id": "metadata.doc.id"},
                ["7"],
            ),
            (
                Haystack([HaystackDocument("h", "x", {"url": {"path": "/a"}})]),
                {"id": "meta.url.path"},
                ["/a"],
            ),
            (
                LangChain([LangChainDocument("Use a\ntoken.", id="own")]),
                {"id": "hash"},
                [content_id("Use a token.")],
            ),
        ],
    )
    def test_ids_are_found(self, retriever, settings, expected):
        """By default the document's own, or its position; otherwise where a setting says."""
        assert ids(Retriever(retriever, **settings).search("x", 10)) == expected

    def test_a_hash_is_the_last_resort(self, caplog):
        """A warning names the keys to choose from."""
        system = as_system(LangChain([LangChainDocument("Use a token.", {"page": 3, "url": "/a"})]))
        with caplog.at_level(logging.WARNING):
            system.search("x", 1)
            assert ids(system.search("x", 1)) == [content_id("Use a token.")]
        (record,) = caplog.records
        assert record.event == "documents without ids are identified by their text"
        assert record.way_out.endswith("with the setting id; its metadata has page, url")

    def test_a_path_that_leads_nowhere_is_an_error(self):
        """The message names the keys that exist."""
        message = "hit 1: expected metadata.key as document id, got none; .* has source, start_in"
        with pytest.raises(AnswerError, match=message):
            Retriever(LangChain(CHUNKS), id="metadata.key").search("x", 1)
        with pytest.raises(AnswerError, match=r"hit 1: expected metadata.score as score"):
            Retriever(LangChain(CHUNKS), score="metadata.score").search("x", 1)

    def test_repeated_documents_are_an_error_on_request(self):
        """By default, the first chunk of a document counts."""
        system = Retriever(LangChain(CHUNKS), id="metadata.source", duplicates="error")
        with pytest.raises(AnswerError, match=r"expected each document once, got 'auth.md' twice"):
            system.search("x", 3)

    @pytest.mark.parametrize("setting", ["excess", "duplicates"])
    def test_unknown_choices_are_rejected(self, setting):
        """The message lists what is known."""
        with pytest.raises(ArgumentError, match=f"{setting}: expected 'error' or '"):
            Retriever(LangChain(), **{setting: "ignore"})


class TestHaystack:
    """Components and pipelines."""

    def test_models_are_loaded_first(self):
        """Haystack requires `warm_up` before `run`."""
        component = Haystack([HaystackDocument("a", "")])
        assert ids(as_system(component).search("x", 3)) == ["a"]
        assert component.n_warmed == 1

    def test_a_component_without_text_is_rejected(self):
        """The message explains how to evaluate a retriever of vectors."""

        class OfVectors:
            def run(self, query_embedding, top_k=None):
                """Take a vector."""

        message = r"OfVectors: expected run\(query=…\), found run\(query_embedding, top_k\); put it"
        with pytest.raises(SystemUnderTestError, match=message):
            as_system(OfVectors())

    def test_an_answer_without_documents_is_rejected(self):
        """The message names what there is."""

        class OfReplies:
            def run(self, query):
                return {"replies": [query]}

        with pytest.raises(AnswerError, match="expected documents in the answer, got replies"):
            as_system(OfReplies()).search("x", 1)

    def test_a_pipeline_gets_the_query_where_it_is_required(self):
        """And k wherever a component takes it."""
        pipeline = Pipeline([HaystackDocument("a", ""), HaystackDocument("b", "")])
        assert ids(as_system(pipeline).search("x", 1)) == ["a"]
        assert pipeline.asked == [{"embedder": {"text": "x"}, "retriever": {"top_k": 1}}]

    @pytest.mark.parametrize(
        ("outputs", "found"),
        [
            ({"llm": {"replies": {}}}, "none"),
            ({"a": {"documents": {}}, "b": {"documents": {}}}, r"several \(a, b\)"),
        ],
    )
    def test_the_component_of_a_pipeline_is_a_setting(self, outputs, found):
        """Without it, no query is sent: an answer would cost a call of the model."""
        pipeline = Pipeline([HaystackDocument("a", "")], outputs)
        message = f"ends the pipeline with documents, found {found}; choose one with the setting"
        with pytest.raises(SystemUnderTestError, match=message):
            as_system(pipeline)
        assert ids(Retriever(pipeline, component="retriever").search("x", 3)) == ["a"]

    def test_a_pipeline_without_queries_is_rejected(self):
        """The message names its inputs."""

        class ForIndexing(Pipeline):
            def inputs(self):
                return {"writer": {"documents": {"is_mandatory": True}}}

        with pytest.raises(SystemUnderTestError, match=r"query or text, found writer\.documents"):
            as_system(ForIndexing([]))

    @pytest.mark.parametrize("thing", [Haystack(), LangChain()])
    def test_only_pipelines_have_components(self, thing):
        """The setting would have no effect elsewhere."""
        with pytest.raises(ArgumentError, match="component: expected none, since only pipelines"):
            Retriever(thing, component="retriever")


def test_an_index_is_searched_through_its_retriever():
    """Stores of LangChain have a method ``search`` with other parameters."""

    class Store:
        def search(self, query, search_type):
            raise AssertionError((query, search_type))

        def as_retriever(self):
            return LangChain(CHUNKS)

    assert len(as_system(Store()).search("x", 3)) == 3


def test_a_chain_is_rejected():
    """Its answer is not a list of documents."""

    class Chain:
        def invoke(self, query):
            return {"answer": query}

    message = "Chain: expected a list of documents, got dict; put the retriever under test"
    with pytest.raises(AnswerError, match=message):
        as_system(Chain()).search("x", 1)


def test_errors_of_a_retriever_are_errors_of_the_system():
    """They become one line, and an exit code."""

    class Broken:
        def invoke(self, _query):
            raise KeyError("OPENAI_API_KEY")

    with pytest.raises(SystemUnderTestError, match="Broken: KeyError: 'OPENAI_API_KEY'"):
        as_system(Broken()).search("x", 1)


def test_the_fingerprint_names_the_class_and_the_paths():
    """Settings of the retriever itself are not known."""
    assert Retriever(LangChain(), id="metadata.source").fingerprint() == {
        "system": "retriever",
        "retriever": f"{__name__}:LangChain",
        "id": "metadata.source",
        "excess": "cut",
        "duplicates": "keep-best",
    }
    named = Retriever(Pipeline([]), component="retriever")
    assert named.fingerprint()["component"] == "retriever"


class TestFunctions:
    """Functions and objects with a method ``search`` may return the same things."""

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
            ([{}], "got dict; it has no keys"),
            ([1.5], "hit 1: expected a document id and a score, got float 1.5"),
            ([("a", 1, 2)], "hit 1: expected a document id and a score, got tuple"),
            ([{"id": 1.5}], "hit 1: expected text or a whole number as document id, got float"),
            ([{"id": "a", "score": "x"}], "hit 1: expected a number as score"),
        ],
    )
    def test_what_is_no_hit_is_rejected(self, answer, message):
        """The message names what was found."""
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
        """Its order does not count; 7 and "7" are the same document."""
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
        """The message lists what can."""
        with pytest.raises(SystemUnderTestError, match=r"a retriever of LangChain, .*got int"):
            as_system(7)


class TestJudgedUnits:
    """Chunks are scored as what the judgments refer to."""

    QUERIES = (be.Query("q1", "How do I renew a token?"),)

    def evaluated(self, retriever, judgments, **settings):
        found = be.evaluate_system(
            retriever, self.QUERIES, [1, 2], judgments={"q1": judgments}, settings=settings
        )
        (result,) = found.results
        return result

    def test_judged_chunks_stay_chunks(self):
        """Ids of the retriever are judged."""
        assert self.evaluated(LlamaIndex(NODES), {"n2": 1}).mrr == 0.5
        assert self.evaluated(LangChain(CHUNKS), {"auth.md#19-35": 1}).mrr == 0.5

    def test_chunks_become_their_documents(self):
        """Each document has the rank of its first chunk."""
        assert self.evaluated(LangChain(CHUNKS), {"deploy.md": 1}).mrr == 0.5
        assert self.evaluated(LlamaIndex(NODES), {"uuid-2": 1}).mrr == 0.5
        assert self.evaluated(LlamaIndex(NODES), {"deploy.md": 1}).mrr == 0.5

    def test_the_field_with_most_judged_documents_counts(self):
        """Two fields may have names that are judged."""
        nodes = [
            TextNode("n1", "…", {"file_name": "a.md", "source": "b.md"}),
            TextNode("n2", "…", {"file_name": "b.md", "source": "web"}),
            TextNode("n3", "…", {"file_name": "c.md", "source": "web"}),
        ]
        result = self.evaluated(LlamaIndex(nodes), {"b.md": 1, "c.md": 1})
        assert (result.mrr, result.recall[2]) == (0.5, 0.5)

    def test_the_source_is_a_setting(self):
        """Names of documents can be anywhere."""
        nodes = [TextNode(str(i), "…", {"page": f"p{i}"}) for i in range(3)]
        assert self.evaluated(LlamaIndex(nodes), {"p1": 1}).mrr == 0
        assert self.evaluated(LlamaIndex(nodes), {"p1": 1}, source="metadata.page").mrr == 0.5

    @pytest.mark.parametrize(
        "retriever",
        [
            LangChain(CHUNKS),
            LlamaIndex(NODES),
            Haystack(
                [
                    HaystackDocument(str(i), chunk.page_content, {
                        "source_id": chunk.metadata["source"],
                        "split_idx_start": chunk.metadata["start_index"],
                    })
                    for i, chunk in enumerate(CHUNKS)
                ]
            ),
        ],
    )  # fmt: skip
    def test_a_position_becomes_a_span(self, retriever):
        """A span is credited to the chunk that covers most of it."""
        result = self.evaluated(retriever, {"auth.md@22-33": 1, "auth.md@500-600": 1})
        assert result.mrr == (1 / 3 if isinstance(retriever, LlamaIndex) else 1 / 2)

    def test_the_run_has_the_judged_units(self):
        """Stored runs can be compared with the same judgments."""
        found = be.evaluate_system(
            LangChain(CHUNKS), self.QUERIES, [1], judgments={"q1": {"deploy.md": 1}}
        )
        assert found.run.ranking("q1") == ["auth.md", "deploy.md"]

    def test_nothing_judged_changes_nothing(self, caplog):
        """The run has the ids of the retriever, and a warning says how to choose others."""
        with caplog.at_level(logging.WARNING):
            found = be.evaluate_system(
                LlamaIndex(NODES), self.QUERIES, [1], judgments={"q1": {"other": 1}}
            )
        assert found.run.ranking("q1") == ["n1", "n2", "n3"]
        assert found.summary.mean_mrr == 0
        (record,) = caplog.records
        assert record.way_out == "choose the path to the judged ids with the setting id"


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
