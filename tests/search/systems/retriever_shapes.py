"""Objects shaped like the retrievers and documents of RAG frameworks, for tests."""

import asyncio
from dataclasses import dataclass, field
from typing import Any


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
    """A result of LlamaIndex: a node, some of whose attributes it exposes."""

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
