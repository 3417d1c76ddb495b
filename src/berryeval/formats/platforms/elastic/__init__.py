"""Requests and responses of Elasticsearch and OpenSearch."""
