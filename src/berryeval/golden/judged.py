"""The judgments of a golden set, in their own format or in any other."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from berryeval.core.judgments import Judgments
from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import FormatError
from berryeval.formats import read_judgments, relevance_judgments
from berryeval.formats.golden_folder import JUDGMENTS
from berryeval.formats.lines import iter_pieces
from berryeval.formats.relevance_judgments import JudgedQuery, RelevanceJudgments
from berryeval.search.chunking import CHUNKERS

__all__ = ["judged_queries", "read_any_judgments", "with_spans"]

_SPAN = re.compile(r"(.+)@(\d+)-(\d+)", re.DOTALL)


def read_any_judgments(path: str | os.PathLike[str], *, strict: bool = True) -> RelevanceJudgments:
    """Read the judgments of a golden set, in their own format or in any other.

    Parameters
    ----------
    path : path
        The file.
    strict : bool
        Whether a missing file is an error; if not, there are no judgments.

    Raises
    ------
    FormatError
        If the file is missing or malformed.
    """
    if not Path(path).is_file():
        if not strict:
            return RelevanceJudgments("1", None, None, ())
        raise FormatError.unexpected("the judgments of a golden set", "no file", os.fspath(path))
    if Path(path).name == JUDGMENTS or _is_own_format(path):
        found = relevance_judgments.read(path)
        _check_chunking(found.chunks, path)
        return found
    judgments = read_judgments(path)
    return RelevanceJudgments(
        version="1",
        scale=judgments.scale,
        pool_depth=None,
        queries=tuple(judged_queries(judgments)),
        labels=judgments.labels,
        judges=judgments.judges,
    )


def _check_chunking(chunks: str | None, path: str | os.PathLike[str]) -> None:
    if chunks is not None and chunks not in CHUNKERS:
        expected = " or ".join(map(repr, CHUNKERS))
        raise FormatError.unexpected(f"{expected} as chunks", repr(chunks), os.fspath(path))


def _is_own_format(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one JSON object with a list of judgments."""
    content = b"".join(iter_pieces(path))
    if not content.lstrip().startswith(b"{"):
        return False
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):  # JSON lines, or an error that its reader reports
        return False
    return isinstance(found.get("judgments"), list)


def judged_queries(judgments: Judgments) -> list[JudgedQuery]:
    """Return the judgments of each query, the best first; negative grades come last."""
    return [
        JudgedQuery(
            query_id,
            tuple(
                sorted(
                    ((doc_id, _plain(grade)) for doc_id, grade in grades.items() if grade),
                    key=lambda graded: -graded[1],
                )
            ),
            tuple(doc_id for doc_id, grade in grades.items() if not grade),
        )
        for query_id, grades in judgments.to_dict().items()
    ]


def _plain(grade: float) -> float:
    """Return a grade as JSON, a whole one without a point: the hash of a set includes grades."""
    return int(grade) if grade.is_integer() else grade


def with_spans(judged: RelevanceJudgments, texts: Mapping[str, str]) -> RelevanceJudgments:
    """Return judgments in which ids such as ``guide.md@120-340`` are spans of documents."""
    return replace(judged, queries=tuple(_with_own_spans(one, texts) for one in judged.queries))


def _with_own_spans(judged: JudgedQuery, texts: Mapping[str, str]) -> JudgedQuery:
    known = {span.span_id for span in judged.spans}
    found = [*judged.spans]
    for name, grade in judged.iter_grades():
        match = None if name in known or name in texts else _SPAN.fullmatch(name)
        if match is not None and match[1] in texts and int(match[2]) < int(match[3]):
            found.append(
                SpanJudgment(judged.query_id, match[1], int(match[2]), int(match[3]), grade)
            )
    if len(found) == len(judged.spans):
        return judged
    return replace(judged, spans=tuple(found))
