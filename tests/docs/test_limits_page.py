"""The page of limits states those of the code."""

import re
from pathlib import Path

import pytest

from berryeval.archive.checks import LONGEST_ID
from berryeval.service import ServiceSettings, bodies, body_limits, fields, server
from berryeval.service.middleware import limits, turns
from berryeval.service.routes import (
    comparisons,
    documents,
    evaluation,
    gates,
    judgments,
    queries,
    stores,
)
from berryeval.service.workbench.state import memory

PAGE = (Path(__file__).parents[2] / "docs/reference/limits.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `?([^|`]+?)`? \| ([^|]+?) \|", PAGE, re.MULTILINE))


@pytest.mark.parametrize(
    "name",
    ["max_body_mb", "max_upload_mb", "max_rows", "max_comparison", "workers", "worker_memory_mb",
     "timeout", "max_connections", "max_jobs"],
)  # fmt: skip
def test_defaults_are_on_the_page(name):
    """An operator who reads it knows what is in force."""
    value = getattr(ServiceSettings(), name.removesuffix("_mb"))
    value = value >> 20 if name.endswith("_mb") else value
    assert float(ROWS[name].replace(",", "")) == value


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("the headers of a request", f"{server._HEADER_SECONDS:g} seconds"),
        ("a whole body", f"a second per {limits._SLOWEST >> 10} KB"),
        ("values of a JSON body with many records", f"{body_limits._MANY.values:,}"),
        ("values of a JSON body with many records", f"{body_limits._MANY.objects:,} objects"),
        ("values of any other JSON body", f"{body_limits._ONE.values:,}"),
        ("keys of a JSON object", f"{body_limits._MANY.keys:,}"),
        ("keys of a JSON object", f"{gates.MOST_TIMES:,} in a verdict"),
        ("JSON bodies processed at the same time", f"{bodies._BUDGET:,} values"),
        ("fields of a form", f"{bodies.MOST_FIELDS:,}"),
        ("judgments or documents of a store in one request", f"{judgments.MOST_AT_ONCE:,}"),
        ("judgments or documents of a store in one request", f"{stores.MOST_AT_ONCE:,}"),
        ("queries or documents of the archive in one request", f"{queries.MOST_AT_ONCE:,}"),
        ("queries or documents of the archive in one request", f"{documents.MOST_AT_ONCE:,}"),
        ("queries of an evaluation", f"{evaluation.MOST_QUERIES:,}"),
        ("hits of an evaluation in total", f"{fields.MOST_HITS:,}"),
        ("candidates of a comparison", f"{comparisons.MOST_CANDIDATES}"),
        ("measures of a request", f"{fields.MOST_MEASURES}"),
        ("an id", f"{LONGEST_ID:,} bytes"),
        ("pages of the workbench computed at the same time", f"{turns.AT_ONCE}"),
        ("previews of imports in memory", f"{memory._STAGED_BYTES >> 20} MB"),
    ],
)
def test_fixed_limits_are_on_the_page(name, words):
    """They are what the code checks."""
    assert words in ROWS[name]
