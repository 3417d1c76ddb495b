"""The pairs that people judge for a draw: everything that runs return for the drawn queries."""

from __future__ import annotations

from collections.abc import Mapping

from berryeval.core.documents import Document
from berryeval.core.run import Run
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.protocol import Pair
from berryeval.suite.judged_pairs import documents_of, human_pairs, ranks_of

__all__ = ["pairs_to_label"]


def pairs_to_label(
    golden: GoldenSet, draw: LabelDraw, runs: Mapping[str, Run], *, k: int = 10
) -> list[Pair]:
    """Return what people have yet to judge, by query and document: neither rank nor run shows.

    Parameters
    ----------
    golden : GoldenSet
        Queries, documents and judgments. A document that it does not have has no text.
    draw : LabelDraw
        The queries that people judge.
    runs : mapping of str to Run
        The runs to be compared.
    k : int
        Ranks of each run to judge, at least the cutoff of the measures.
    """
    credited = {name: golden.credit(run) for name, run in runs.items()}
    judged = {one.pair.key for one in human_pairs(golden)}
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    return [
        Pair(queries[query_id], documents.get(doc_id) or Document(doc_id, ""))
        for query_id, doc_id in sorted(ranks_of(golden, credited, k))
        if query_id in draw.labelled and (query_id, doc_id) not in judged
    ]
