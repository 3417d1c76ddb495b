"""Elasticsearch's ranking evaluation: request, metrics and response."""
