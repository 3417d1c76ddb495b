"""A folder to retrieve in, and how tests call the command."""

import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main

QUERIES = '{"_id": "q1", "text": "configure OAuth"}\n{"_id": "q2", "text": "slow queries"}\n'
MODULE = """
import os, time

def find(query, k):
    return {"guide.md#oauth": 2.0, "guide.md#speed": 1.0}

def half(query, k):
    if query.startswith("slow") and not os.path.exists("healed"):
        raise ValueError("no such index")
    return find(query, k)

def picky(query, k):
    raise ValueError(query)

def some(query, k):
    return find(query, k) if query.startswith("slow") else []

def many(query, k):
    return [f"document-{i}" for i in range(k)]

def nothing(query, k):
    return []

def none_of_some(query, k):
    return half(query, k) and []

def slow(query, k):
    if not os.path.exists("healed"):
        time.sleep(0.2)
    with open("asked", "a") as file:
        file.write(query + "\\n")
    return ["a"]
"""
GUIDE = (
    "# OAuth\n\nConfigure OAuth with a secret.\n\n# Speed\n\nQueries are slow without an index.\n"
)


@pytest.fixture(name="folder", autouse=True)
def search_folder(tmp_path, monkeypatch):
    """Change to a folder with queries, documents and a search engine."""
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE)
    (tmp_path / "engine_of_test.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "engine_of_test", raising=False)
    return tmp_path


def retrieve(system, *arguments):
    return invoke("--system", system, *arguments)


def invoke(*arguments):
    words = ["retrieve", *arguments]
    if "--queries" not in arguments:
        words += ["--queries", "queries.jsonl"]
    return CliRunner().invoke(main, words, prog_name="berryeval")
