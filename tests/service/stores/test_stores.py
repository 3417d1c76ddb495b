"""Stores without HTTP: storage, search, and valid names."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from berryeval.archive import Archive
from berryeval.core.documents import Document
from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    ConflictError,
    NotFoundError,
    SystemUnderTestError,
)
from berryeval.search.embedding.embedder import WordLlama
from berryeval.service import ServiceSettings
from berryeval.service.stores.stores import Stores, check_store_name, open_stores

DOCUMENTS = [
    Document("d1", "Renew tokens hourly.", "OAuth"),
    Document("d2", "Ripe bananas."),
    Document("d3", "Tokens are renewed by the server."),
]


def answer(query, k):
    """A system that the tests configure."""
    if query == "broken":
        raise ConnectionError("no line")
    return [("x2", 0.9), ("x1", 0.5)][:k]


HERE = f"{__name__}:answer"


@pytest.fixture
def stores(tmp_path, archive):
    opened = Stores(archive, tmp_path / "stores", {"own": {"system": HERE}})
    yield opened
    opened.close()


@pytest.fixture
def other_archive(archive):
    """The same archive, opened as if by another process."""
    with Archive.open(archive.name) as opened:
        yield opened


def found(stores, name, query="token renewal", k=10):
    return [hit.doc_id for hit in stores.find(name).search(query, k)]


@pytest.mark.parametrize("kind", ["bm25", "vector", "hybrid"])
def test_indexed_documents_are_found(stores, kind):
    """Each kind of store finds its documents, including those added later."""
    assert stores.create("docs", kind, {})
    assert found(stores, "docs") == []
    assert stores.put("docs", DOCUMENTS[:2]) == 2
    assert found(stores, "docs")[0] == "d1"
    stores.put("docs", DOCUMENTS[2:])
    assert set(found(stores, "docs")[:2]) == {"d1", "d3"}


def test_a_document_with_the_same_id_is_replaced(stores):
    """The newest text counts; the order of indexing stays."""
    stores.create("docs", "bm25", {})
    stores.put("docs", DOCUMENTS)
    stores.put("docs", [Document("d1", "Bananas again.")])
    store = stores.find("docs")
    assert store.n_documents == 3
    assert found(stores, "docs") == ["d3"]
    assert store.list_ids(None, 2) == ["d1", "d2"]
    assert store.list_ids(["d3", "d1", "unknown"], 5) == ["d1", "d3"]
    assert store.find(["d1", "nobody"]) == {"d1": Document("d1", "Bananas again.")}


def test_documents_can_be_removed(stores):
    """One can be removed, or all with their store; a recreated store is empty."""
    stores.create("docs", "bm25", {})
    stores.put("docs", DOCUMENTS)
    assert found(stores, "docs")
    assert stores.discard("docs", "d1")
    assert not stores.discard("docs", "d1")
    assert found(stores, "docs") == ["d3"]
    stores.remove("docs")
    stores.create("docs", "bm25", {})
    assert found(stores, "docs") == []
    assert stores.find("docs").n_documents == 0


def test_stores_survive_a_restart(stores, tmp_path, other_archive):
    """Another process reads kind, settings and documents, and builds its own index."""
    stores.create("docs", "hybrid", {"title_weight": 2.0, "weights": [1.0, 0.5]})
    stores.put("docs", DOCUMENTS)
    stores.close()
    again = Stores(other_archive, tmp_path / "stores")
    store = again.find("docs")
    assert (store.kind, store.settings) == ("hybrid", {"title_weight": 2.0, "weights": [1.0, 0.5]})
    assert set(found(again, "docs")[:2]) == {"d1", "d3"}
    assert again.names() == ["default", "docs"]
    again.close()


@pytest.mark.parametrize(
    ("name", "folder"),
    [("data/a.db", "data/a.db.stores"), ("postgresql://db/quality", "berryeval.stores")],
)
def test_caches_are_next_to_the_archive(name, folder):
    """For an archive in PostgreSQL, they are in the working directory of the service."""
    opened = open_stores(SimpleNamespace(name=name), ServiceSettings())
    assert opened._vectors == Path(folder) / "vectors.db"
    assert not Path(folder).exists()


def test_two_processes_see_each_others_changes(stores, tmp_path, other_archive):
    """What one writes, the other finds in its next search."""
    other = Stores(other_archive, tmp_path / "stores")
    stores.create("docs", "bm25", {})
    stores.put("docs", DOCUMENTS[:1])
    assert found(other, "docs") == ["d1"]
    stores.put("docs", DOCUMENTS[2:])
    assert set(found(other, "docs")) == {"d1", "d3"}
    other.close()


def test_a_corpus_is_identified_by_its_content(stores):
    """The same documents in another order, or in another store, have the same hash."""
    for name, documents in (("a", DOCUMENTS), ("b", DOCUMENTS[::-1]), ("c", DOCUMENTS[1:])):
        stores.create(name, "bm25", {})
        stores.put(name, documents)
    hashes = [stores.find(name).corpus_hash() for name in "abc"]
    assert hashes[0] == hashes[1] != hashes[2]
    assert stores.find("own").corpus_hash() is None


def test_many_searches_build_one_index(stores, monkeypatch):
    """Searches that arrive while the index is built wait for it."""
    from berryeval.service.stores import store as module

    built = []
    build = module.build_engine
    monkeypatch.setattr(module, "build_engine", lambda *given: built.append(given) or build(*given))
    stores.create("docs", "bm25", {})
    stores.put("docs", DOCUMENTS)
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(found(stores, "docs"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert answers == [answers[0]] * 8


def test_an_evaluation_sees_one_state_of_a_store(stores, monkeypatch):
    """Documents added in the meantime do not change its results, and cost one index."""
    from berryeval.service.stores import store as module

    made = []
    build = module.build_engine
    monkeypatch.setattr(module, "build_engine", lambda *given: made.append(given) or build(*given))
    stores.create("docs", "bm25", {})
    stores.put("docs", [Document("d1", "tokens")])
    earlier = stores.find("docs")
    earlier.prepare()
    stores.put("docs", [Document("d2", "tokens")])
    later = stores.find("docs")
    for _ in range(3):
        assert [hit.doc_id for hit in earlier.search("tokens", 5)] == ["d1"]
        assert {hit.doc_id for hit in later.search("tokens", 5)} == {"d1", "d2"}
    assert earlier.corpus_hash() != later.corpus_hash()
    assert len(made) == 2


def test_each_text_is_embedded_once(stores, archive, tmp_path, monkeypatch):
    """This holds after a restart and across stores; vectors of queries are not stored."""
    embedded = []
    embed = WordLlama.embed
    monkeypatch.setattr(
        WordLlama, "embed", lambda self, texts: embedded.extend(texts) or embed(self, texts)
    )
    stores.create("docs", "vector", {})
    stores.put("docs", DOCUMENTS[:2])
    first = stores.find("docs").search("token renewal", 2)
    stores.put("docs", DOCUMENTS[2:])
    stores.find("docs").prepare()
    again = Stores(archive, tmp_path / "stores")
    again.create("other", "hybrid", {})
    again.put("other", DOCUMENTS)
    again.find("docs").prepare()
    again.find("other").prepare()
    again.close()
    assert len(embedded) == len(DOCUMENTS) + 1
    with sqlite3.connect(tmp_path / "stores" / "vectors.db") as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (3,)
    database.close()
    (tmp_path / "fresh").mkdir()
    fresh = Stores(archive, tmp_path / "fresh")
    fresh.create("fresh", "vector", {})
    fresh.put("fresh", DOCUMENTS[:2])
    (tmp_path / "fresh" / "vectors.db").write_bytes(b"no cache of ours, and long enough to be seen")
    assert fresh.find("fresh").search("token renewal", 2) == first
    fresh.close()


def test_a_failing_cache_costs_only_time(stores, monkeypatch):
    """A full disk is an example."""

    def fail(*_given):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("berryeval.search.embedding.vector_cache.CachedEmbedder.embed", fail)
    stores.create("docs", "vector", {})
    stores.put("docs", DOCUMENTS)
    assert set(found(stores, "docs", k=2)) == {"d1", "d3"}


def test_creating_the_same_store_again_changes_nothing(stores):
    """Another kind or other settings are rejected, and the documents stay."""
    stores.create("docs", "bm25", {"title_weight": 2.0})
    stores.put("docs", DOCUMENTS)
    assert not stores.create("docs", "bm25", {"title_weight": 2.0})
    for kind, settings in (("hybrid", {"title_weight": 2.0}), ("bm25", {})):
        with pytest.raises(ConflictError, match="store 'docs'"):
            stores.create("docs", kind, settings)
    assert stores.find("docs").n_documents == 3


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("bm25", {"weights": [1, 1]}, "one of bm25's"),
        ("vector", {"title_weight": 1}, "one of vector's"),
        ("bm25", {"path": "/etc"}, "one of bm25's"),
        ("hybrid", {"embedder": "os:system"}, "one of hybrid's"),
        ("hybrid", {"weights": [0.0, 0.0]}, "weights"),
        ("bm25", {"title_weight": -1}, "title_weight"),
    ],
)
def test_settings_are_checked(stores, kind, settings, message):
    """No setting names a path or a function, and none is silently ignored."""
    with pytest.raises(ArgumentError, match=message):
        stores.create("docs", kind, settings)


NO_NAMES = [
    "",
    ".",
    "..",
    "../etc/passwd",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:\\x",
    "os:system",
    "http://example.org",
    "postgresql://db",
    "replay:run",
    "bm25\n",
    "a b",
    "-x",
    "_all",
    "a\0b",
    "ä",
    "x" * 101,
]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_must_not_be_a_path_address_or_function(stores, name, tmp_path):
    """No such store can be created, and looking one up opens nothing."""
    before = [*tmp_path.rglob("*")]
    with pytest.raises(ArgumentError, match="store: expected letters"):
        stores.create(name, "bm25", {})
    with pytest.raises(NotFoundError):
        stores.find(name)
    assert [*tmp_path.rglob("*")] == before


@pytest.mark.parametrize("name", ["default", "a", "7", "products-2026.v1", "A_b", "x" * 100])
def test_names_may_have_letters_digits_dots_dashes_and_underscores(name):
    """These are the usual characters of index names."""
    assert check_store_name(name) == name


@pytest.mark.parametrize("name", ["bm25", "hybrid", "postgres"])
def test_names_known_to_open_system_are_not_stores(stores, name):
    """Only created stores and configured systems exist."""
    with pytest.raises(NotFoundError):
        stores.find(name)


def test_a_repeated_document_is_rejected(stores):
    """It is repeated within one call, and nothing is stored."""
    stores.create("docs", "bm25", {})
    with pytest.raises(ArgumentError, match="'d1' twice"):
        stores.put("docs", [DOCUMENTS[0], DOCUMENTS[0]])
    with pytest.raises(ArgumentError, match="UTF-8"):
        stores.put("docs", [DOCUMENTS[0], Document("d9", "half a \ud800 character")])
    assert stores.find("docs").n_documents == 0


def test_ids_that_are_not_utf_8_survive(stores):
    """Their bytes are returned unchanged, as everywhere."""
    stores.create("docs", "bm25", {})
    stores.put("docs", [Document("d\udcff", "tokens")])
    assert found(stores, "docs") == ["d\udcff"]
    assert [one.doc_id for one in stores.embedded("docs").page(None, 10)] == ["d\udcff"]


def test_a_configured_system_is_read_only(stores):
    """It is searched by name, and cannot be replaced, filled or removed."""
    store = stores.find("own")
    assert (store.kind, store.is_read_only, store.n_documents) == ("configured", True, None)
    assert found(stores, "own") == ["x2", "x1"]
    assert store.fingerprint()
    assert store.find(["x1"]) == {}
    with pytest.raises(ArgumentError, match="a text, as own manages its own documents"):
        store.list_ids(None, 10)
    for change in (
        lambda: stores.create("own", "bm25", {}),
        lambda: stores.put("own", DOCUMENTS),
        lambda: stores.discard("own", "x1"),
        lambda: stores.remove("own"),
        lambda: stores.embedded("own"),
    ):
        with pytest.raises(ConflictError, match="a configured system"):
            change()


@pytest.mark.parametrize(
    "systems",
    [
        {"own": {}},
        {"own": {"system": "bm25", "secret": "x"}},
        {"own": {"system": "postgres", "body": "x"}},
        {"own": {"system": "https://x?q={query}", "id": "hits[*]"}},
        {"own": {"system": "operator:matmul", "depth": 10}},
        {"own": {"system": 7}},
        {"../own": {"system": "bm25"}},
    ],
)
def test_the_configuration_is_checked_at_startup(tmp_path, systems):
    """A misspelt key would be ignored silently."""
    with pytest.raises(ArgumentError):
        Stores(None, tmp_path, systems)


def test_a_configured_system_is_opened_on_first_use(tmp_path, archive):
    """A server starts even if its database is down; PostgreSQL has its own setting names."""
    systems = {
        "pg": {"system": "postgres-bm25", "dsn": "postgresql://nobody@127.0.0.1:1/none"},
        "web": {
            "system": "http://127.0.0.1:1/?q={query}",
            "ids": "hits[*]",
            "headers": {"Authorization": "secret"},
        },
    }
    stores = Stores(archive, tmp_path, systems)
    for name in systems:
        with pytest.raises(SystemUnderTestError):
            stores.find(name).search("x", 1)
    assert "secret" not in str(stores.find("web").fingerprint())
    stores.close()


def test_settings_are_passed_to_a_configured_system(tmp_path, archive):
    """Numbers, lists and booleans have their TOML types."""
    table = {"system": "hybrid", "weights": [1, 0.5], "depth": 50, "approximate": False}
    fingerprint = Stores(archive, tmp_path, {"own": table}).find("own").fingerprint()
    assert (fingerprint["weights"], fingerprint["depth"]) == ("1 0.5", "50")
    assert fingerprint["nearest"] == "exact"


def test_a_missing_store_is_reported_by_name(stores):
    """This holds for adding documents and for removing the store."""
    for change in (
        lambda: stores.put("docs", DOCUMENTS),
        lambda: stores.discard("docs", "d1"),
        lambda: stores.remove("docs"),
        lambda: stores.embedded("docs"),
    ):
        with pytest.raises(NotFoundError, match="there is no store 'docs'"):
            change()


FORMER = """
CREATE TABLE stores (number INTEGER PRIMARY KEY, name TEXT, kind TEXT, settings TEXT,
                     version INTEGER);
CREATE TABLE documents (number INTEGER PRIMARY KEY, store INTEGER, doc_id BLOB, title BLOB,
                        text BLOB);
INSERT INTO stores VALUES (7, 'docs', 'bm25', '{"stemmer": "en"}', 3);
INSERT INTO documents VALUES (1, 7, X'6432', X'', X'52697065'), (2, 7, X'FF', X'54', X'00');
"""
"""The file that an earlier version kept next to the archive."""


def test_documents_of_an_earlier_version_are_migrated(archive):
    """They may contain any bytes; starting again after a crash is safe."""
    folder = Path(f"{archive.name}.stores")
    folder.mkdir()
    for _ in range(2):
        with closing(sqlite3.connect(folder / "documents.db")) as database:
            database.executescript(FORMER)
        store = open_stores(archive, ServiceSettings()).find("docs")
        assert (store.kind, store.settings, store.n_documents) == ("bm25", {"stemmer": "en"}, 2)
        assert store.find(["d2", "\udcff"]) == {
            "d2": Document("d2", "Ripe"), "\udcff": Document("\udcff", "\0", "T"),
        }  # fmt: skip
        assert [path.name for path in folder.iterdir()] == ["documents.db.moved"]


def test_an_unreadable_file_of_an_earlier_version_is_named(archive):
    """It is not dropped, and the service does not start."""
    folder = Path(f"{archive.name}.stores")
    folder.mkdir()
    (folder / "documents.db").write_bytes(b"not a database, and long enough to be seen as none")
    with pytest.raises(ArchiveError, match=r"documents.db: cannot be read: .*; restore it from"):
        open_stores(archive, ServiceSettings())


def test_a_summary_does_not_fix_the_kind_of_a_store(stores, archive):
    """An evaluated default store without documents can still be created with other settings."""
    archive.stores.note_summary("default", "hybrid", {}, {"query_count": 1})
    archive.stores.note_summary("docs", "configured", {}, {"query_count": 1})
    assert stores.names() == ["default", "own"]
    stores.create("default", "bm25", {})
    assert stores.create("docs", "vector", {})
    assert stores.find("default").kind == "bm25"
    assert stores.find("docs").kind == "vector"
