"""Runs of MS MARCO: ``query_id TAB doc_id TAB rank``, one retrieved document per line.

There are no scores: the score of rank r is 1 / r. Ranks count from 1, and lines may come in any
order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import FormatError, InputError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.platforms._grades import iter_rankings, score_of_rank
from berryeval.formats.rows import Row

__all__ = ["HOLDS", "iter_rows", "sniff", "to_lines"]

HOLDS = Capabilities(("run",), ("run",), scores=False)

_LINE = re.compile(rb"([^\t]+)\t([^\t]+)\t([1-9]\d{0,8})\s*")


def sniff(beginning: Beginning) -> bool:
    """Whether the first line has two ids and a rank, separated by tabs."""
    return _LINE.fullmatch(beginning.line) is not None


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    assert kind == "run"
    for number, line in iter_lines(path):
        if not line.strip():
            continue
        columns = _LINE.fullmatch(line)
        if columns is None:
            found = decode_id(line.strip())[:60]
            raise FormatError.unexpected(
                "query, document and rank, separated by tabs", repr(found), path_name(path), number
            )
        query_id, doc_id, rank = columns.groups()
        yield number, query_id, doc_id, score_of_rank(int(rank))


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file.

    Raises `InputError` for judgments, and for ids with a tab or a line feed.
    """
    for query, ranking in iter_rankings(data, "a run of MS MARCO"):
        for rank, (doc_id, _) in enumerate(ranking, start=1):
            for name in (query, doc_id):
                if not name or not {"\t", "\n", "\r"}.isdisjoint(name):
                    raise InputError(f"an MS MARCO run cannot hold the id {name!r:.80}")
            yield b"%s\t%s\t%d\n" % (encode_id(query), encode_id(doc_id), rank)
