"""OpenSearch and Elasticsearch systems for tests."""

from berryeval.search.limits import Limits
from berryeval.search.systems.opensearch import OpenSearch
from search.contract import DOCUMENTS

DIALECTS = ["opensearch", "elasticsearch"]
QUICK = Limits(backoff=0)


def indexed(engine, mode="hybrid", documents=DOCUMENTS, **settings):
    """Return a system with the documents indexed."""
    system = OpenSearch(f"{engine.url}/docs", mode=mode, limits=QUICK, **settings)
    assert system.index(documents) == len(documents)
    return system


def found(system, query="configure OAuth", k=5):
    """Return the ids of the hits of a search."""
    return [hit.doc_id for hit in system.search(query, k)]
