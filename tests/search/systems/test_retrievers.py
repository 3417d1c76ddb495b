"""Retrievers of RAG frameworks as systems under test, with objects shaped like the real ones.

`test_frameworks.py` tests the real ones.
"""

import asyncio
import logging
import sys
from types import SimpleNamespace

import pytest

from berryeval.core.content_id import content_id
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search import Retriever, as_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.retrievers import is_retriever
from search.contract import DOCUMENTS, Contract
from search.systems.retriever_shapes import (
    CHUNKS,
    NODES,
    Haystack,
    HaystackDocument,
    LangChain,
    LangChainDocument,
    LlamaIndex,
    Pipeline,
    ids,
)


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
        """The default is the document's own id, or its position; a setting can change that."""
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
        """The message lists the available keys."""

        class OfReplies:
            def run(self, query):
                return {"replies": [query]}

        with pytest.raises(AnswerError, match="expected documents in the answer, got replies"):
            as_system(OfReplies()).search("x", 1)

    def test_a_pipeline_gets_the_query_where_it_is_required(self):
        """k is passed to every component that accepts it."""
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
        """Without it, no query is sent, since an answer would cost a call of the model."""
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
        "retriever": f"{LangChain.__module__}:LangChain",
        "id": "metadata.source",
        "excess": "cut",
        "duplicates": "keep-best",
    }
    named = Retriever(Pipeline([]), component="retriever")
    assert named.fingerprint()["component"] == "retriever"
