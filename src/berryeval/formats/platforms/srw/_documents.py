"""Documents of the workbench, alone or as the hits of a search for them."""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.formats.platforms._json import Node

__all__ = ["iter_documents"]


def iter_documents(content: Node) -> Iterator[Node]:
    """Iterate over the documents of a response of the workbench, or of an index."""
    hits = content.get("hits")
    if hits is None:
        yield content
        return
    for hit in hits["hits"].entries():
        yield hit["_source"]
