"""OpenSearch and Elasticsearch as a system under test."""

from berryeval.search.systems.opensearch.opensearch import OpenSearch
from berryeval.search.systems.opensearch.query_template import QueryTemplate

__all__ = ["OpenSearch", "QueryTemplate"]
