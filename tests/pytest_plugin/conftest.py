"""A small golden set, in a project in which pytest is run."""

import json

import pytest

# Inside a test, pytest unloads the modules it imported, and extensions cannot be loaded twice.
import berryeval.pytest_plugin.guard_check
import berryeval.pytest_plugin.page
import berryeval.pytest_plugin.plain
import berryeval.search.collect
import berryeval.search.systems.function
import berryeval.stats.paired_tests  # noqa: F401
from pytest_plugin.other_plugins import WITHOUT_THEM

JUDGMENTS = {
    "q1": {"reset-password": 3, "sign-in": 1},
    "q2": {"export-pdf": 3},
    "q3": {"two-factor": 2, "sign-in": 1},
}
RUN = {
    "q1": ["billing", "sign-in", "reset-password"],
    "q2": ["export-pdf", "billing"],
    "q3": ["trash", "billing"],
}
TEXTS = {"q1": "I forgot my password", "q2": "save as PDF", "q3": "turn on two-factor sign-in"}
BETTER = {
    "q1": ["reset-password", "sign-in"],
    "q2": ["export-pdf", "billing"],
    "q3": ["two-factor", "sign-in"],
}

TOML = """
judgments = "qrels.json"
queries = "queries.jsonl"
run = "run.json"
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Judgments, queries, a run and berryeval.toml, in the folder in which pytest runs."""
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(WITHOUT_THEM))
    pytester.path.joinpath("qrels.json").write_text(json.dumps(JUDGMENTS))
    pytester.path.joinpath("run.json").write_text(json.dumps(as_scores(RUN)))
    pytester.path.joinpath("better.json").write_text(json.dumps(as_scores(BETTER)))
    lines = [json.dumps({"id": query_id, "query": text}) for query_id, text in TEXTS.items()]
    pytester.path.joinpath("queries.jsonl").write_text("\n".join(lines))
    pytester.path.joinpath("berryeval.toml").write_text(TOML)
    return pytester


def as_scores(lists):
    return {
        query_id: {doc_id: 1 / rank for rank, doc_id in enumerate(ranking, start=1)}
        for query_id, ranking in lists.items()
    }
