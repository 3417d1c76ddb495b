"""Systems under test: search engines that answer queries, and helpers to run them.

Each name is loaded when it is first used; the library of a search engine is imported only when a
system of that kind is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.search.collect import Collected
    from berryeval.search.hits import Hit, to_hits
    from berryeval.search.journal import Journal
    from berryeval.search.limits import Limits
    from berryeval.search.opening import open_system
    from berryeval.search.system import System
    from berryeval.search.systems.embedded import Embedded
    from berryeval.search.systems.foreign import as_system
    from berryeval.search.systems.function import Function
    from berryeval.search.systems.http import Http
    from berryeval.search.systems.opensearch import OpenSearch, QueryTemplate
    from berryeval.search.systems.postgres import Postgres
    from berryeval.search.systems.replay import Replay
    from berryeval.search.systems.retrievers import Retriever

_HOMES = {
    "Collected": "collect",
    "Embedded": "systems.embedded",
    "Function": "systems.function",
    "Hit": "hits",
    "Http": "systems.http",
    "Journal": "journal",
    "Limits": "limits",
    "OpenSearch": "systems.opensearch",
    "Postgres": "systems.postgres",
    "QueryTemplate": "systems.opensearch",
    "Replay": "systems.replay",
    "Retriever": "systems.retrievers",
    "System": "system",
    "as_system": "systems.foreign",
    "open_system": "opening",
    "to_hits": "hits",
}

__all__ = [
    "Collected",
    "Embedded",
    "Function",
    "Hit",
    "Http",
    "Journal",
    "Limits",
    "OpenSearch",
    "Postgres",
    "QueryTemplate",
    "Replay",
    "Retriever",
    "System",
    "as_system",
    "open_system",
    "to_hits",
]

__getattr__ = loader_of(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})
