"""The retrievers of real RAG frameworks; `make frameworks` installs them separately.

Without an installed framework its tests are skipped, unless FRAMEWORKS_REQUIRED is set.
"""

import asyncio
import importlib
import os

import pytest

import berryeval as be
from berryeval.search import Retriever, as_system

TEXTS = {
    "auth.md": "Register a client and configure OAuth with a secret.",
    "tokens.md": "Access tokens expire after an hour. Renew the token.",
    "docker.md": "Run the container with Docker and a volume.",
    "cache.md": "A larger cache makes queries faster.",
    "index.md": "Build the index again when queries become slow.",
}
QUERIES = [
    be.Query("q1", "how do I configure oauth"),
    be.Query("q2", "renew the token"),
    be.Query("q3", "docker volume"),
]
JUDGMENTS = {"q1": {"auth.md": 1}, "q2": {"tokens.md": 1}, "q3": {"docker.md": 1}}


def framework(*names: str):
    """Import the modules of a framework, or skip the test if it is not installed."""
    if os.environ.get("FRAMEWORKS_REQUIRED"):
        found = [importlib.import_module(name) for name in names]
    else:
        found = [pytest.importorskip(name) for name in names]
    return found if len(found) > 1 else found[0]


def embed(text: str) -> list[float]:
    """Return a vector of the words in a text, which needs no model."""
    words = ("oauth", "token", "docker", "cache", "index")
    return [float(text.lower().count(word)) for word in words]


def check_perfect(system, **settings):
    """Require that every query has its document first, and that k is respected."""
    found = be.evaluate_system(system, QUERIES, [1], judgments=JUDGMENTS, settings=settings)
    assert not found.failed
    assert found.summary.mean_mrr == 1
    opened = as_system(system, **settings)
    assert len(opened.search("how do I configure oauth", 1)) == 1
    again = Retriever(system, asynchronous=True, **settings)
    assert asyncio.run(again.asearch("renew the token", 2)) == opened.search("renew the token", 2)


class TestLangChain:
    """Retrievers and vector stores of LangChain."""

    @pytest.fixture
    def documents(self):
        """Return documents without ids, as loaders create them."""
        core = framework("langchain_core.documents")
        return [
            core.Document(page_content=text, metadata={"source": name})
            for name, text in TEXTS.items()
        ]

    def test_bm25(self, documents):
        """Words are compared as they are written, so the queries have lower case."""
        community = framework("langchain_community.retrievers")
        retriever = community.BM25Retriever.from_documents(
            documents, k=2, preprocess_func=lambda text: text.lower().strip(".").split()
        )
        check_perfect(retriever, id="metadata.source")
        assert len(as_system(retriever).search("renew the token", 5)) == 5
        assert retriever.k == 2

    def test_a_vector_store_and_its_retriever(self, documents):
        """k is an argument of the search, and chunks are scored as their documents."""
        core, vectors = framework("langchain_core.embeddings", "langchain_core.vectorstores")

        class Words(core.Embeddings):
            def embed_documents(self, texts):
                return [self.embed_query(text) for text in texts]

            def embed_query(self, text):
                return embed(text)

        store = vectors.InMemoryVectorStore(Words())
        store.add_documents(documents)
        check_perfect(store)
        check_perfect(store.as_retriever(search_kwargs={"k": 2}))
        assert len(as_system(store).search("oauth", 5)) == 5

    def test_positions_of_the_text_splitter_become_spans(self):
        """``add_start_index`` of LangChain's splitters is enough."""
        splitters, core, community = framework(
            "langchain_text_splitters", "langchain_core.documents", "langchain_community.retrievers"
        )
        text = " ".join(TEXTS.values())
        splitter = splitters.RecursiveCharacterTextSplitter(
            chunk_size=60, chunk_overlap=0, add_start_index=True
        )
        chunks = splitter.split_documents(
            [core.Document(page_content=text, metadata={"source": "all.md"})]
        )
        retriever = community.BM25Retriever.from_documents(chunks)
        start = text.index("Docker")
        judgments = {"q3": {f"all.md@{start}-{start + 20}": 1}}
        found = be.evaluate_system(
            retriever, [be.Query("q3", "Docker volume.")], [1], judgments=judgments
        )
        assert found.summary.mean_recall[1] == 1


class TestLlamaIndex:
    """Retrievers and indexes of LlamaIndex."""

    @pytest.fixture
    def nodes(self):
        """Return nodes with random ids, and names of files in the metadata."""
        schema = framework("llama_index.core.schema")
        return [
            schema.TextNode(text=text, metadata={"file_name": name}) for name, text in TEXTS.items()
        ]

    def test_bm25(self, nodes):
        """k is larger than the number of nodes, which bm25s rejects."""
        bm25 = framework("llama_index.retrievers.bm25")
        retriever = bm25.BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=2)
        check_perfect(retriever)
        assert len(as_system(retriever).search("renew the token", 100)) == 5
        assert retriever.similarity_top_k == 2

    def test_an_index(self, nodes):
        """All vectors of the mock embedding are the same, so only the number of hits is tested."""
        core = framework("llama_index.core")
        index = core.VectorStoreIndex(nodes, embed_model=core.MockEmbedding(embed_dim=4))
        assert len(as_system(index).search("renew the token", 4)) == 4
        assert len(as_system(index.as_retriever()).search("renew the token", 4)) == 4

    def test_positions_of_the_node_parser_become_spans(self):
        """Nodes have their positions and the id of their document."""
        core, parsers, bm25 = framework(
            "llama_index.core", "llama_index.core.node_parser", "llama_index.retrievers.bm25"
        )
        text = "\n\n".join(TEXTS.values())
        parser = parsers.SentenceSplitter(chunk_size=16, chunk_overlap=0)
        nodes = parser.get_nodes_from_documents([core.Document(text=text, id_="all.md")])
        retriever = bm25.BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=2)
        start = text.index("Docker")
        judgments = {"q3": {f"all.md@{start}-{start + 20}": 1}}
        found = be.evaluate_system(
            retriever, [be.Query("q3", "docker volume")], [1], judgments=judgments
        )
        assert found.summary.mean_recall[1] == 1


class TestHaystack:
    """Components and pipelines of Haystack."""

    @pytest.fixture
    def store(self):
        """Return a store; ids are hashes that Haystack computes."""
        haystack, memory = framework("haystack", "haystack.document_stores.in_memory")
        store = memory.InMemoryDocumentStore()
        documents = [
            haystack.Document(content=text, meta={"source": name}) for name, text in TEXTS.items()
        ]
        store.write_documents(documents)
        return store

    def test_bm25_and_a_pipeline(self, store):
        """Both return the same documents."""
        haystack, retrievers = framework("haystack", "haystack.components.retrievers.in_memory")
        component = retrievers.InMemoryBM25Retriever(store)
        check_perfect(component)
        pipeline = haystack.Pipeline()
        pipeline.add_component("retriever", retrievers.InMemoryBM25Retriever(store))
        check_perfect(pipeline)

    def test_a_retriever_of_vectors_needs_a_pipeline(self):
        """The query goes to the embedder, and k to the retriever."""
        haystack, memory, retrievers = framework(
            "haystack",
            "haystack.document_stores.in_memory",
            "haystack.components.retrievers.in_memory",
        )

        @haystack.component
        class Embedder:
            @haystack.component.output_types(embedding=list[float])
            def run(self, text: str):
                return {"embedding": embed(text)}

        store = memory.InMemoryDocumentStore()
        store.write_documents(
            [
                haystack.Document(content=text, meta={"source": name}, embedding=embed(text))
                for name, text in TEXTS.items()
            ]
        )
        retriever = retrievers.InMemoryEmbeddingRetriever(store)
        with pytest.raises(be.SystemUnderTestError, match="put it into a Pipeline after a text"):
            as_system(retriever)
        pipeline = haystack.Pipeline()
        pipeline.add_component("embedder", Embedder())
        pipeline.add_component("retriever", retriever)
        pipeline.connect("embedder.embedding", "retriever.query_embedding")
        check_perfect(pipeline)

    def test_positions_of_the_splitter_become_spans(self):
        """``DocumentSplitter`` notes where a chunk starts."""
        haystack, memory, retrievers, splitters = framework(
            "haystack",
            "haystack.document_stores.in_memory",
            "haystack.components.retrievers.in_memory",
            "haystack.components.preprocessors",
        )
        text = " ".join(TEXTS.values())
        splitter = splitters.DocumentSplitter(split_by="word", split_length=8, split_overlap=0)
        splitter.warm_up()
        chunks = splitter.run(documents=[haystack.Document(id="all.md", content=text)])
        store = memory.InMemoryDocumentStore()
        store.write_documents(chunks["documents"])
        start = text.index("Docker")
        found = be.evaluate_system(
            retrievers.InMemoryBM25Retriever(store),
            [be.Query("q3", "docker volume")],
            [1],
            judgments={"q3": {f"all.md@{start}-{start + 20}": 1}},
        )
        assert found.summary.mean_recall[1] == 1
