"""Opens systems by name: ``hybrid``, ``postgresql://…``, ``module:function``.

Every interface opens its systems here, so a name refers to the same system, with the same
defaults, everywhere.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from berryeval.core.query import Query
from berryeval.errors import ArgumentError, BerryEvalError
from berryeval.search.failures import failures_of
from berryeval.search.system import System
from berryeval.search.systems.renamed import PLACE, Renamed

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from berryeval.search.hosts import AllowedHosts

__all__ = [
    "ENTRY_POINTS",
    "OWN_KEYS",
    "POSTGRES",
    "SETTINGS",
    "check_no_secret",
    "kind_of",
    "open_configured_system",
    "open_object",
    "open_system",
    "read_settings",
]

ENTRY_POINTS = "berryeval.systems"
"""The group of entry points in which packages register their systems."""

POSTGRES: Mapping[str, Mapping[str, str]] = {
    "postgres": {},
    "postgres-hybrid": {"mode": "hybrid"},
    "postgres-bm25": {"mode": "text", "rank": "bm25"},
    "postgres-text": {"mode": "text", "rank": "ts_rank_cd"},
    "postgres-vector": {"mode": "vector"},
}
"""Names of PostgreSQL systems, with the settings that they imply. The address of the database is
given separately; ``postgres`` is the same as the address alone."""

OWN_KEYS = ("system", "dsn", "headers")
"""The keys of a table ``[systems.NAME]`` that are not settings of the system."""

_KEYWORD = re.compile(r"(?:^|[\s;])\w+\s*=")
"""A part of a connection string of keywords, such as ``host=db password=…``. No name of a system
contains one, and a password may be anywhere in it."""

_EMBEDDED = ("bm25", "vector", "hybrid")
_SCHEMES = ("postgresql://", "postgres://")
_FUNCTION = re.compile(r"[\w.-]+:[\w.]+")
"""``module:function``. Other texts with a colon may contain a password: ``me:secret@host``."""
_KIND_OF_PREFIX = {
    "http": "http",
    "https": "http",
    "opensearch": "opensearch",
    "elasticsearch": "opensearch",
    "replay": "replay",
}


def _pair(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def _yes_or_no(text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise ValueError
    return known[text.lower()]


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


_FUSION: dict[str, Callable[[str], Any]] = {
    "fusion": str,
    "weights": _pair,
    "depth": int,
    "late": float,
    "feedback": int,
    "constant": float,
}

_VECTORS: dict[str, Callable[[str], Any]] = {
    "embedder": str,
    "vector_cache": str,
    "pooling": str,
    "max_length": int,
    "query_prefix": str,
    "document_prefix": str,
}

_KNOWN = (
    *_EMBEDDED,
    *POSTGRES,
    "postgresql://…",
    "http://…",
    "opensearch:http://…",
    "replay:FILE",
)

SETTINGS: dict[str, dict[str, Callable[[str], Any]]] = {
    "embedded": {
        "path": str,
        "title_weight": float,
        "approximate": _yes_or_no,
        **_FUSION,
        **_VECTORS,
    },
    "postgres": {
        "mode": str,
        "table": str,
        "rank": str,
        "match": str,
        "normalization": int,
        "title_weight": float,
        "approximate": _yes_or_no,
        **_FUSION,
        **_VECTORS,
    },
    "postgres_query": {"template": str, **_VECTORS},
    "opensearch": {
        "index": str,
        "mode": str,
        "dialect": str,
        "template": str,
        "search_pipeline": str,
        "user": str,
        "password": str,
        "api_key": str,
        "fields": _names,
        "vector_field": str,
        "weights": _pair,
        "constant": float,
        "depth": int,
        **_VECTORS,
    },
    "http": {"body": str, "ids": str, "scores": str},
    "replay": {},
    "function": {
        "id": str,
        "score": str,
        "source": str,
        "start": str,
        "excess": str,
        "duplicates": str,
        "component": str,
        "asynchronous": _yes_or_no,
    },
}
"""The settings of each kind of system, and the functions that parse their text."""


def kind_of(place: str) -> str | None:
    """Return the kind of a system, one of `SETTINGS`.

    None for a system of another package, and for an unknown name.

    Examples
    --------
    >>> kind_of("hybrid"), kind_of("https://search.example"), kind_of("module:function")
    ('embedded', 'http', 'function')
    """
    if place in _EMBEDDED:
        return "embedded"
    if place in POSTGRES or place.startswith(_SCHEMES):
        return "postgres"
    prefix = place.partition(":")[0]
    if prefix in _KIND_OF_PREFIX:
        return _KIND_OF_PREFIX[prefix]
    is_foreign = bool(entry_points(group=ENTRY_POINTS, name=prefix))
    return "function" if _FUNCTION.fullmatch(place) and not is_foreign else None


def open_system(  # noqa: C901, PLR0911 - one for each kind
    place: str,
    settings: Mapping[str, str] | None = None,
    *,
    dsn: str | None = None,
    queries: Iterable[Query] = (),
    headers: Mapping[str, str] | None = None,
    table: str | None = None,
    hosts: AllowedHosts | None = None,
) -> System:
    """Open a system by name.

    Parameters
    ----------
    place : str
        ``bm25``, ``vector`` or ``hybrid`` for the embedded engine; an address that begins with
        ``postgresql://`` or ``http://``; one of `POSTGRES`, with `dsn`; an OpenSearch or
        Elasticsearch address after ``opensearch:`` or ``elasticsearch:``; ``replay:FILE`` for a
        stored run; ``module:function``, or a class or an object with ``search``, or a retriever of
        LangChain, LlamaIndex or Haystack, or a function without parameters that returns one of
        these; or the name of an entry point, with its argument after a colon.
    settings : mapping, optional
        Settings as text, see `SETTINGS`. Those of entry points are passed on unchanged. For any
        system, an ``id`` with ``{id}`` in it, such as ``{id}.txt``, is how its ids are written in
        the judgments.
    dsn : str, optional
        Address of the database, for the names in `POSTGRES`.
    queries : iterable of Query
        For replays: the queries whose texts are looked up.
    headers : mapping, optional
        For HTTP and OpenSearch: additional headers.
    table : str, optional
        For PostgreSQL: the table of documents, unless the settings name one.
    hosts : AllowedHosts, optional
        For HTTP and OpenSearch: requests go only to these hosts. If omitted, to any.

    Raises
    ------
    ArgumentError
        If the name is unknown, a setting is unknown or invalid, a name of PostgreSQL is given
        without an address, or an address with another system.
    """
    given = dict(settings or {})
    if PLACE in given.get("id", ""):
        template = given.pop("id")
        opened = open_system(
            place, given, dsn=dsn, queries=queries, headers=headers, table=table, hosts=hosts
        )
        return Renamed(opened, template)
    prefix, _, rest = place.partition(":")
    if place in POSTGRES:
        system = open_system(_address(place, dsn), {**POSTGRES[place], **given}, table=table)
        system.name = place
        return system
    if dsn is not None:
        raise ArgumentError("dsn", f"none with system {_shown(place)}", "one")
    kind = kind_of(place)
    if kind == "embedded":
        from berryeval.search.systems.embedded import Embedded

        return Embedded(place, **read_settings(given, kind))  # type: ignore[arg-type]
    if kind == "postgres":
        return _in_postgres(place, given, table)
    if kind == "http":
        from berryeval.search.systems.http import Http

        return Http(place, headers=headers, hosts=hosts, **read_settings(given, kind))
    if kind == "opensearch":
        from berryeval.search.systems.opensearch import OpenSearch

        return OpenSearch(
            rest, headers=headers, name=prefix, hosts=hosts, **read_settings(given, kind)
        )
    if kind == "replay":
        from berryeval.search.systems.replay import Replay

        read_settings(given, kind)
        return Replay(rest, queries)
    if kind == "function":
        return _imported(place, read_settings(given, kind))
    for found in entry_points(group=ENTRY_POINTS, name=prefix):
        return _brought(found, rest, given)
    brought = sorted(entry_points(group=ENTRY_POINTS).names)
    known = [*_KNOWN, *brought]
    near = difflib.get_close_matches(prefix, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    expected = f"{', '.join(known)} or module:function"
    raise ArgumentError("system", expected, _shown(place) + hint)


def _in_postgres(address: str, settings: Mapping[str, str], table: str | None) -> System:
    """Open our own search in a table, or the query of a file."""
    if "template" in settings:
        from berryeval.search.systems.postgres.own_query import PostgresQuery

        return PostgresQuery(address, **read_settings(settings, "postgres_query"))
    from berryeval.search.systems.postgres import Postgres

    defaults = {} if table is None else {"table": table}
    return Postgres(address, **read_settings({**defaults, **settings}, "postgres"))


def open_configured_system(
    name: str,
    table: Mapping[str, Any],
    *,
    queries: Iterable[Query] = (),
    documents_table: str | None = None,
    hosts: AllowedHosts | None = None,
) -> System:
    """Return the system of a table ``[systems.NAME]``, under that name.

    Parameters
    ----------
    name : str
        Name of the system.
    table : mapping
        ``system``, a name that `open_system` accepts; ``dsn`` and ``headers`` if required; every
        other key is a setting of that system, as text.
    queries : iterable of Query
        For replays: the queries whose texts are looked up.
    documents_table : str, optional
        For PostgreSQL: the table of documents, unless the settings name one.
    hosts : AllowedHosts, optional
        As for `open_system`.
    """
    settings = {key: value for key, value in table.items() if key not in OWN_KEYS}
    system = open_system(
        table["system"],
        settings,
        dsn=table.get("dsn"),
        queries=queries,
        headers=table.get("headers"),
        table=documents_table,
        hosts=hosts,
    )
    system.name = name
    return system


def open_object(thing: object, settings: Mapping[str, str]) -> System:
    """Return an object that can search as a system, with settings as text, as for a function.

    A `System` is returned unchanged, with the settings that it was opened with.
    """
    from berryeval.search.systems.foreign import as_system

    if isinstance(thing, System):
        return as_system(thing)
    given = dict(settings)
    template = given.pop("id") if PLACE in given.get("id", "") else None
    system = as_system(thing, **read_settings(given, "function"))
    return system if template is None else Renamed(system, template)


def _address(name: str, dsn: str | None) -> str:
    """Return the address of a database that a name needs; libpq's ``host=…`` is not accepted."""
    if dsn is None:
        way_out = (
            "give --dsn postgresql://user@host/database, set BERRYEVAL_DSN, or name the address "
            "as the system"
        )
        raise ArgumentError("dsn", f"the address of the database of {name!r}", f"none; {way_out}")
    if not dsn.startswith(_SCHEMES):
        # The text is not repeated, since a password may be anywhere in it.
        expected = "an address such as postgresql://user@host/database"
        raise ArgumentError("dsn", expected, "another form")
    return dsn


def _shown(place: str) -> str:
    """Return an address for messages, without a password."""
    from berryeval.search.exchange import shown_address

    if "@" in place and "//" not in place:
        return "an address without a scheme"
    if _KEYWORD.search(place):
        return "a connection string of the form NAME=VALUE"
    return shown_address(place)


def check_no_secret(place: str, argument: str) -> None:
    """Raise if the name of a system contains a password or a key, as in an address.

    Raises
    ------
    ArgumentError
        With the ways to give it without writing it into a file.
    """
    from berryeval.search.exchange import without_keys

    user = place.rpartition("//")[2].rpartition("@")[0]
    is_connection = "://" not in place and bool(_KEYWORD.search(place))
    if ":" in user or is_connection or without_keys(place) != place:
        way_out = "set PGPASSWORD or use ~/.pgpass for PostgreSQL, and headers for HTTP"
        expected = "an address without a password or key"
        raise ArgumentError(argument, expected, f"one with it; {way_out}")


def _brought(found: EntryPoint, rest: str, settings: Mapping[str, str]) -> System:
    """Return the system that another package registered."""
    from berryeval.search.systems.foreign import as_system

    try:
        factory = found.load()
    except Exception as error:
        # An import of another package can raise anything; its name helps to find the cause.
        what = f"{found.value} ({type(error).__name__}: {error})"
        raise ArgumentError("system", f"a package that provides {found.name!r}", what) from error
    return as_system(_called(factory, found.name, rest, **settings))


def _imported(place: str, settings: Mapping[str, Any]) -> System:
    """Return a system from a module: its object or function, or what a factory there makes."""
    from berryeval.search.asynchronous import resolve
    from berryeval.search.importing import import_object
    from berryeval.search.systems.calling import METHODS, method_of
    from berryeval.search.systems.foreign import as_system
    from berryeval.search.systems.function import Function
    from berryeval.search.systems.retrievers import is_retriever

    found = import_object(place)
    owner = _class_of_method(place)
    if owner is not None:
        bound = getattr(_created(*owner), place.rpartition(".")[2])
        return Function(bound, name=place, **settings)
    if _is_factory(found):
        return as_system(resolve(_created(found, place)), **settings)
    if hasattr(found, "search") or is_retriever(found) or method_of(type(found)) is not None:
        return as_system(found, **settings)
    if callable(found) and not isinstance(found, type):
        return Function(place, **settings)
    expected = f"a function, or an object with a method such as {', '.join(METHODS)}"
    kind = found if isinstance(found, type) else type(found)
    names = [name for name in dir(kind) if not name.startswith("_")]
    methods = [name for name in names if callable(getattr(kind, name, None))]
    is_own = kind.__module__ != "builtins" and bool(methods)
    way_out = f"; name its method, such as {place}.{methods[0]}" if is_own else ""
    what = "the class" if found is kind else "an object of type"
    raise ArgumentError(place, expected, f"{what} {kind.__name__}{way_out}")


def _class_of_method(place: str) -> tuple[type, str] | None:
    """Return the class, and its place, if a name stands for a method that requires an object."""
    from berryeval.search.importing import import_object

    owner_place, _, name = place.rpartition(".")
    if ":" not in owner_place:
        return None
    owner = import_object(owner_place)
    if not isinstance(owner, type) or not inspect.isfunction(inspect.getattr_static(owner, name)):
        return None
    return owner, owner_place


def _is_factory(found: object) -> TypeIs[Callable[..., Any]]:
    """Whether something has to be called first: a class, or a function without parameters."""
    from berryeval.search.systems.calling import has_call, method_of
    from berryeval.search.systems.retrievers import has_retriever_methods

    if isinstance(found, type):
        is_search = has_retriever_methods(found) or has_call(found)
        return is_search or hasattr(found, "search") or method_of(found) is not None
    if not inspect.isroutine(found):
        return False
    try:
        return not inspect.signature(found).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


def _created(factory: Callable[..., Any], place: str) -> object:
    """Call a class, or a function without parameters."""
    try:
        signature = inspect.signature(factory)
        signature.bind()
    except TypeError:
        expected = "a class whose objects can be created without arguments"
        way_out = "name an object of it, or a function without parameters that returns one"
        got = f"one that requires {signature}; {way_out}"
        raise ArgumentError(place, expected, got) from None
    except ValueError:  # of some built-in classes
        pass
    with failures_of(place):
        return factory()


def _called(factory: Callable[..., Any], name: str, *given: str, **settings: str) -> object:
    """Call the factory of a system; an argument that it does not accept is an unknown setting."""
    try:
        inspect.signature(factory).bind(*given, **settings)
    except TypeError as error:
        what = ", ".join(settings) or "none"
        raise ArgumentError("setting", f"one of {name}'s", f"{what} ({error})") from None
    with failures_of(name):
        return factory(*given, **settings)


def read_settings(settings: Mapping[str, str], kind: str) -> dict[str, Any]:
    """Return the settings of a kind of system as arguments, read from text.

    Raises
    ------
    ArgumentError
        If a setting is unknown or invalid.
    """
    readers = SETTINGS[kind]
    found = {}
    for name, text in settings.items():
        if name not in readers:
            known = ", ".join(sorted(readers)) or "none"
            raise ArgumentError("setting", f"one of {kind}'s ({known})", repr(name))
        try:
            found[name] = readers[name](text)
        except BerryEvalError:
            raise
        except ValueError:
            raise ArgumentError(f"setting {name}", _wanted(readers[name]), repr(text)) from None
    vectors = {name: found.pop(name) for name in _VECTORS if name in found}
    if vectors:
        from berryeval.search.embedding.opening import open_embedder

        found["embedder"] = open_embedder(vectors.pop("embedder", "wordllama"), **vectors)
    return found


def _wanted(reader: Callable[[str], Any]) -> str:
    if reader is _pair:
        return "two numbers such as 1,0.5"
    return "yes or no" if reader is _yes_or_no else "a number"
