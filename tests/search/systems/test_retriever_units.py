"""Chunks of retrievers, scored in the units of the judgments."""

import logging

import pytest

import berryeval as be
from search.systems.retriever_shapes import (
    CHUNKS,
    NODES,
    Haystack,
    HaystackDocument,
    LangChain,
    LlamaIndex,
    TextNode,
)


class TestJudgedUnits:
    """Chunks are scored in the units of the judgments."""

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
