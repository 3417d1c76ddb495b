"""Stores the examples of the package: a small help centre with the runs of two search engines."""

from __future__ import annotations

import json

from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.records import RunFacts
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import InputError
from berryeval.formats import read_run
from berryeval.service.demo.filling import BASELINE, content_of
from berryeval.suite.examples import examples_folder

__all__ = ["store_samples"]

_JUDGE = "samples"
_RUNS = ("words", "stems")
"""The first one is the baseline."""


def store_samples(archive: Archive) -> None:
    """Store documents, queries, judgments and two runs in an empty archive.

    Raises
    ------
    InputError
        If the archive is not empty.
    """
    found = content_of(archive)
    if found:
        raise InputError(f"samples are stored only in an empty archive; this one has {found}")
    folder = examples_folder()
    centre = json.loads((folder / "help_centre.json").read_text(encoding="utf-8"))
    archive.documents.put(_document(doc_id, text) for doc_id, text in centre["documents"].items())
    archive.queries.put([Query(one["id"], one["query"]) for one in centre["queries"]])
    archive.judgments.put(
        [
            JudgmentEntry(one["id"], doc_id, grade)
            for one in centre["queries"]
            for doc_id, grade in one["relevant"].items()
        ],
        author=_JUDGE,
        source="help_centre.json",
    )
    archive.judging.adopt_guideline(centre["guideline"])
    runs = {
        name: archive.runs.put(read_run(folder / "runs" / f"{name}.run"), RunFacts(name))
        for name in _RUNS
    }
    archive.baselines.put(BASELINE, runs[_RUNS[0]].run_id)


def _document(doc_id: str, text: str) -> Document:
    """Return an article, whose first sentence is its title."""
    title, _, content = text.partition(". ")
    return Document(doc_id, content, title=title)
