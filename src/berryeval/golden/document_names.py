"""Documents under the names that judgments use for them: with or without the file extension."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from berryeval.formats.source_texts import SOURCE_ENDINGS
from berryeval.search.chunking import Chunk

__all__ = ["judged_names", "renamed"]

_ENDINGS = (*SOURCE_ENDINGS, ".html", ".htm", ".json", ".pdf")
_SHARE = 0.5
"""Share of the judged ids that have to be names of documents; others are mistakes."""


def judged_names(names: Iterable[str], judged: Collection[str]) -> dict[str, str]:
    """Return the name of each document as judgments write it; empty if these are other ids.

    Examples
    --------
    >>> judged_names(["a.md", "b.md"], ["a"])
    {'a.md': 'a', 'b.md': 'b'}
    >>> judged_names(["a", "b"], ["a.md"])
    {'a': 'a.md', 'b': 'b'}
    >>> judged_names(["a.md", "b.md"], ["a#start"])
    {}
    """
    documents = [*names]
    if not judged:
        return {}
    for form in (str, _without_ending):
        written = {form(one): one for one in judged}
        forms = {name: form(name) for name in documents}
        n_known = len(written.keys() & set(forms.values()))
        is_unique = max(Counter(forms.values()).values(), default=0) == 1
        if is_unique and n_known and n_known >= _SHARE * len(judged):
            return {name: written.get(one, one) for name, one in forms.items()}
    return {}


def renamed(
    texts: Mapping[str, str], pieces: Iterable[Chunk], names: Mapping[str, str]
) -> tuple[dict[str, str], tuple[Chunk, ...]]:
    """Return whole documents and their chunks under other names."""
    chunks = (
        replace(one, chunk_id=names[one.chunk_id], source=names[one.source]) for one in pieces
    )
    return {names[name]: text for name, text in texts.items()}, tuple(chunks)


def _without_ending(name: str) -> str:
    stem, ending = os.path.splitext(name)  # noqa: PTH122
    return stem if ending.lower() in _ENDINGS else name
