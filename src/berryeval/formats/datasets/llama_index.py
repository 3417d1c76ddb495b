"""LlamaIndex's ``EmbeddingQAFinetuneDataset``, as ``save_json`` writes it.

::

    {"queries": {"q1": "…"}, "corpus": {"node-1": "…"}, "relevant_docs": {"q1": ["node-1"]}}

Other keys, such as ``mode``, are ignored. Documents are nodes: their ids are those that the
retriever returns. Every relevant node has grade 1.
"""

from __future__ import annotations

import json
from typing import Any

from berryeval.errors import FormatError
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.lines import PathLike, path_name, read_content

__all__ = ["KEYS", "read"]

KEYS = ("queries", "corpus", "relevant_docs")


def read(path: PathLike) -> Dataset:
    """Read a file.

    Raises
    ------
    FormatError
        If it has another structure.
    """
    try:
        content = json.loads(read_content(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected JSON ({error})", path_name(path)) from None
    parts: list[dict[str, Any]] = []
    for key in KEYS:
        part = content.get(key) if isinstance(content, dict) else None
        if not isinstance(part, dict):
            raise FormatError.unexpected(f"an object {key!r}", type(part).__name__, path_name(path))
        parts.append(part)
    queries, corpus, relevant = parts
    for where, part, kind in (("queries", queries, str), ("corpus", corpus, (str, dict))):
        for key, value in part.items():
            if not isinstance(value, kind):
                raise FormatError.unexpected(
                    f"text as {where}[{key!r}]", type(value).__name__, path_name(path)
                )
    for query_id, judged in relevant.items():
        is_list = isinstance(judged, list) and all(isinstance(one, str) for one in judged)
        if not is_list and not isinstance(judged, dict):
            expected = f"a list of ids as relevant_docs[{query_id!r}]"
            raise FormatError.unexpected(expected, type(judged).__name__, path_name(path))
        if query_id not in queries:
            message = f"relevant_docs has the query {query_id!r}, which queries does not have"
            raise FormatError(message, path_name(path))
    return Dataset.of(queries, corpus, relevant, name=path_name(path))
