"""Judgment lists of Elasticsearch Learning to Rank.

::

    # qid:1: led tv
    # qid:2: remote control

    4	qid:1	1:9.8	2:12.3	# d7	led tv
    0	qid:2	# d9	remote control

The lines are those of LETOR (`berryeval.formats.letor`). A comment at the top names the text of a
query, which is its id here. Without it, the text that follows the document is, as in Quepid's
export; if there is none either, the number is. Features are left out. Written files number the
queries from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import encode_id
from berryeval.core.judging import JudgedRow
from berryeval.errors import InputError
from berryeval.formats import letor
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, iter_lines
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.rows import written

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments",), ("judgments",), negative=False, empty_queries=True, by_text=True
)

_TITLE = re.compile(rb"#\s*qid:(\S+?):[ \t]*(\S[^\r\n]*)", re.MULTILINE)
_WITHOUT_FEATURES = 2


def sniff(beginning: Beginning) -> bool:
    """Whether a comment names the text of a query, and the first line is one of LETOR."""
    return letor.sniff(beginning.line) and _TITLE.search(beginning.text) is not None


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the rows of a file."""
    texts = _texts(path)
    for number, query_id, doc_id, grade in letor.iter_rows(path, "judgments"):
        yield JudgedRow(number, texts.get(query_id, query_id), doc_id, grade)


def _texts(path: PathLike) -> dict[bytes, bytes]:
    """Return the texts of queries by number: those of titles, or else of rows."""
    titles: dict[bytes, bytes] = {}
    rows: dict[bytes, bytes] = {}
    for _, line in iter_lines(path):
        if title := _TITLE.match(line.lstrip()):
            titles[title[1]] = title[2].strip()
            continue
        data, _, comment = line.partition(b"#")
        columns, words = data.split(maxsplit=2), comment.split(maxsplit=1)
        if len(columns) > 1 and len(words) > 1:
            rows.setdefault(columns[1].removeprefix(b"qid:"), words[1].strip())
        note_loss(Loss.FEATURES, len(columns) > _WITHOUT_FEATURES)
    return rows | titles


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file.

    Raises `InputError` for a run, for subtopics, for queries with a line feed and for documents
    with white space.
    """
    queries = list(judged_queries(data, "an LTR list"))
    for number, (query, _) in enumerate(queries, start=1):
        if not query.strip() or query != query.strip() or {"\n", "\r"} & set(query):
            raise InputError(f"an LTR list cannot hold the query {query!r:.80}")
        yield b"# qid:%d: %s\n" % (number, encode_id(query))
    yield b"\n"
    for number, (query, documents) in enumerate(queries, start=1):
        for doc_id, grade in documents:
            if doc_id.split() != [doc_id]:
                raise InputError(f"an LTR list cannot hold the id {doc_id!r:.80}")
            fields = (written(grade).encode(), number, encode_id(doc_id), encode_id(query))
            yield b"%s\tqid:%d\t# %s\t%s\n" % fields
