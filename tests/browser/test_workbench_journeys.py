"""The main jobs, from an empty archive to a new baseline, as a person does them in a browser."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judge_all, judged_by

pytestmark = pytest.mark.browser


@pytest.fixture
def files(tmp_path):
    """What somebody has on their disk."""
    contents = {
        "qrels.txt": small_archive.judgments_file(),
        "bm25.run": small_archive.run_file(small_archive.baseline(), "bm25"),
        "hybrid.run": small_archive.run_file(small_archive.candidate(), "hybrid"),
        "queries.jsonl": "".join(
            json.dumps({"id": one.query_id, "query": one.text, "category": one.category}) + "\n"
            for one in small_archive.queries()
        ),
        "documents.jsonl": "".join(
            json.dumps({"_id": one.doc_id, "title": one.title, "text": one.text}) + "\n"
            for one in small_archive.documents()
        ),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path
