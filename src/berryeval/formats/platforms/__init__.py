"""Files of other platforms: search workbenches, search engines and evaluation libraries.

One module per format. Each has its grammar in its docstring, and

- ``HOLDS``, the `Capabilities` of the format,
- ``sniff(beginning)``, whether a file that begins so is one,
- ``iter_judged(path)``, ``iter_rows(path, kind)``, ``read_scores(path)``: what can be read,
- ``to_lines(data)``, ``scores_to_lines(scores)``: what can be written.

They are imported when a file may be of one of them, which a TREC file never is.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["PLATFORM_FORMATS", "load", "may_be_one"]

PLATFORM_FORMATS: dict[str, str] = {
    "quepid-csv": "quepid.ratings_csv",
    "quepid-book-csv": "quepid.book_csv",
    "quepid-book": "quepid.book",
    "quepid-case": "quepid.case",
    "quepid-snapshot": "quepid.snapshot",
    "quepid-snapshot-csv": "quepid.snapshot_csv",
    "srw-judgments": "srw.judgments",
    "srw-experiment": "srw.experiment",
    "srw-query-set": "srw.query_set",
    "rre": "rre",
    "rre-gains": "rre_gains",
    "rank-eval": "elastic.rank_eval_request",
    "rank-eval-response": "elastic.rank_eval_response",
    "search-response": "elastic.search_response",
    "ltr": "ltr",
    "msmarco": "msmarco",
    "ranx-lz4": "ranx_lz4",
}
"""Modules by the name of the format, in the order of detection."""

_COLUMNS_OF_MSMARCO = 3
_LZ4 = b"\x04\x22\x4d\x18"


def load(name: str) -> ModuleType:
    """Import the module of a format."""
    return import_module(f"{__name__}.{PLATFORM_FORMATS[name]}")


def may_be_one(line: bytes) -> bool:
    """Whether the file whose first line this is may be of a platform."""
    return (
        line.lstrip().startswith(b"{")
        or b"," in line
        or b"qid:" in line
        or line.startswith(_LZ4)
        or line.count(b"\t") == _COLUMNS_OF_MSMARCO - 1
    )
