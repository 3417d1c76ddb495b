"""Systems of OpenSearch and Elasticsearch that tests search."""

from berryeval.search.limits import Limits
from berryeval.search.systems.opensearch import OpenSearch
from search.contract import DOCUMENTS

DIALECTS = ["opensearch", "elasticsearch"]
QUICK = Limits(backoff=0)


def indexed(engine, mode="hybrid", documents=DOCUMENTS, **settings):
    """Return a system whose index has the documents."""
    system = OpenSearch(f"{engine.url}/docs", mode=mode, limits=QUICK, **settings)
    assert system.index(documents) == len(documents)
    return system


def found(system, query="configure OAuth", k=5):
    """Return the ids of what a search finds."""
    return [hit.doc_id for hit in system.search(query, k)]
