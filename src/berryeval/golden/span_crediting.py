"""Replaces the chunks of stored runs with the judged spans, so that files can be scored."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from berryeval.core.run import Run
from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import FormatError
from berryeval.formats import beir, relevance_judgments
from berryeval.formats.located_quotes import located_beside
from berryeval.search.chunking import credit_spans
from berryeval.search.documents import iter_chunks

__all__ = ["read_crediting", "read_spans"]


def read_spans(path: str | os.PathLike[str]) -> list[SpanJudgment]:
    """Read the judged spans from a file of judgments, or from the folder of a golden set.

    Raises
    ------
    FormatError
        If it is not a file of judgments.
    """
    file = beir.judgments_file(path)
    judged = located_beside(relevance_judgments.read(file), file)
    return [span for query in judged.queries for span in query.spans]


def read_crediting(
    spans: str | os.PathLike[str], documents: str, chunks: str = "heading"
) -> Callable[[Run], Run]:
    """Return a function that credits chunks of a run with spans, each span once.

    The resulting runs have the ids of the judgments, such as ``guide.md@120-340``, and can be
    evaluated, compared and gated as files.

    Parameters
    ----------
    spans : path
        Judgments of spans, or a golden set's folder.
    documents : str
        The documents of the spans: a file or a folder of Markdown or text.
    chunks : str
        The chunking, as in `berryeval.search.chunking.cutting.cut`.

    Raises
    ------
    FormatError
        If the judgments have no spans, or a file cannot be read.
    """
    known = read_spans(spans)
    if not known:
        raise FormatError.unexpected("judgments of spans", "none", str(spans))
    return partial(credit_spans, spans=known, chunks=list(iter_chunks(documents, chunks)))
