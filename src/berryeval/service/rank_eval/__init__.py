"""Elasticsearch's ranking evaluation: its request, its metrics and its answer."""
