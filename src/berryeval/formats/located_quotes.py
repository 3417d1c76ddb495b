"""Replaces the quotes of judgments with spans, which have positions in documents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from berryeval.errors import FormatError
from berryeval.formats.golden_folder import documents_in
from berryeval.formats.lines import Kept, PathLike, path_name
from berryeval.formats.quotes import LostQuote, locate_quote
from berryeval.formats.relevance_judgments import JudgedQuery, RelevanceJudgments

__all__ = ["locate_quotes", "located_beside"]


def locate_quotes(
    judgments: RelevanceJudgments, texts: Mapping[str, str]
) -> tuple[RelevanceJudgments, list[LostQuote]]:
    """Return judgments with spans in place of quotes, and the quotes that have no position.

    Parameters
    ----------
    judgments : RelevanceJudgments
        As they are read from a file.
    texts : mapping
        The documents, by name.
    """
    lost: list[LostQuote] = []
    queries = tuple(_located(query, texts, lost) for query in judgments.queries)
    return replace(judgments, queries=queries), lost


def _located(query: JudgedQuery, texts: Mapping[str, str], lost: list[LostQuote]) -> JudgedQuery:
    if not query.quotes:
        return query
    spans = [*query.spans]
    names: dict[str, str | None] = {}
    for quote in query.quotes:
        found = locate_quote(quote, texts)
        if isinstance(found, LostQuote):
            lost.append(found)
            names[quote.quote_id] = None
        else:
            spans.append(found)
            names[quote.quote_id] = found.span_id
    relevant = ((names.get(one, one), grade) for one, grade in query.relevant)
    others = (names.get(one, one) for one in query.not_relevant)
    return JudgedQuery(
        query.query_id,
        tuple((one, grade) for one, grade in relevant if one is not None),
        tuple(one for one in others if one is not None),
        tuple(spans),
    )


def located_beside(judgments: RelevanceJudgments, path: PathLike) -> RelevanceJudgments:
    """Return judgments with spans in place of quotes; documents are those next to their file.

    Raises
    ------
    FormatError
        If there are quotes but no documents, or a quote does not match.
    """
    if not any(query.quotes for query in judgments.queries):
        return judgments
    located, lost = locate_quotes(judgments, _texts_beside(path))
    for one in lost:
        raise FormatError(f"{one.judgment.query_id}: {one.message}", path_name(path))
    return located


def _texts_beside(path: PathLike) -> dict[str, str]:
    from berryeval.formats.source_texts import read_texts  # imports pathlib, which is slow

    # A pipe has no folder, and the name of an upload is not a path of this machine.
    is_piped = isinstance(path, Kept) or os.fspath(path) == "-"
    documents = None if is_piped else documents_in(os.path.dirname(path) or ".")  # noqa: PTH120
    if documents is None:
        message = (
            "judgments quote documents, and there are none next to the file; keep it in the folder "
            "of its golden set, or give 'start' and 'end' in place of 'quote'"
        )
        raise FormatError(message, path_name(path))
    return read_texts(documents)
