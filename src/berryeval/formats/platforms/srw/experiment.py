"""Results of an experiment of OpenSearch's Search Relevance Workbench.

::

    {"type": "POINTWISE_EVALUATION", "evaluationResultList": [
     {"searchText": "led tv", "documentIds": ["d7", "d9"],
      "metrics": [{"metric": "NDCG@10", "value": 0.8}]}]}

It is the body of ``POST /_plugins/_search_relevance/experiments``, which imports an experiment.
The same entries are read as the hits of a search in ``search-relevance-evaluation-result``. They
have a run, whose documents stand in the order of their ranks (the score of rank r is 1 / r), and
scores. The query is its text, which is its id here. Entries of several search configurations are
an error: a run has the results of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.errors import FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import iter_rankings, score_of_rank
from berryeval.formats.platforms._json import Node, load, write_list
from berryeval.formats.platforms.srw._documents import iter_documents
from berryeval.formats.rows import Row

__all__ = ["HOLDS", "iter_rows", "read_scores", "scores_to_lines", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("run", "scores"), ("run", "scores"), scores=False, empty_queries=True, by_text=True
)

_RESULTS = "evaluationResultList"
_FACTS = {"name": "BerryEval", "description": "", "type": "POINTWISE_EVALUATION"}


def sniff(beginning: Beginning) -> bool:
    """Whether it contains results of an evaluation."""
    return beginning.has_keys(_RESULTS) or beginning.has_anywhere("searchText", "documentIds")


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the results, in the order of their ranks."""
    assert kind == "run"
    for query_id, entry in _iter_results(path):
        documents = entry.get("documentIds")
        for rank, document in enumerate([] if documents is None else documents.entries(), 1):
            yield None, query_id, document.id(), score_of_rank(rank)


def read_scores(path: PathLike) -> dict[str, dict[str, float]]:
    """Return the score of each query by measure."""
    found: dict[str, dict[str, float]] = {}
    for query_id, entry in _iter_results(path):
        metrics = entry.get("metrics")
        for one in [] if metrics is None else metrics.entries():
            value = one.get("value")
            if value is None:
                note_loss(Loss.UNRATED)
                continue
            scores = found.setdefault(one["metric"].text(), {})
            scores[decode_id(query_id)] = value.number("run")
    return found


def _iter_results(path: PathLike) -> Iterator[tuple[bytes, Node]]:
    content = load(path)
    entries = content.get(_RESULTS)
    configurations: set[bytes | None] = set()
    for entry in iter_documents(content) if entries is None else entries.entries():
        configurations.add(entry.optional("searchConfigurationId"))
        if len(configurations) > 1:
            expected, found = "results of one search configuration", "those of several"
            way_out = f"select one: `jq '.{_RESULTS} |= map(select(.searchConfigurationId == …))'`"
            raise FormatError.unexpected(expected, found, path_name(path), way_out=way_out)
        yield entry["searchText"].id(), entry


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file with a run. Raises `InputError` for judgments."""
    rankings = iter_rankings(data, "an experiment of OpenSearch")
    entries = (
        {
            "searchText": query,
            "judgmentIds": [],
            "documentIds": [doc_id for doc_id, _ in ranking],
            "metrics": [],
        }
        for query, ranking in rankings
    )
    return write_list(_FACTS, _RESULTS, entries)


def scores_to_lines(scores: Mapping[str, Mapping[str, float]]) -> Iterator[bytes]:
    """Iterate over the lines of a file with scores, by measure and query."""
    queries = dict.fromkeys(query for by_query in scores.values() for query in by_query)
    entries = (
        {
            "searchText": query,
            "judgmentIds": [],
            "documentIds": [],
            "metrics": [
                {"metric": name, "value": by_query[query]}
                for name, by_query in scores.items()
                if query in by_query
            ],
        }
        for query in queries
    )
    return write_list(_FACTS, _RESULTS, entries)
