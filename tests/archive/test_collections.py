"""Collections besides the archive's own, each in its own database."""

import json
import stat
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import select

from archive.databases import new_database
from berryeval import Document, Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts, collections, tables
from berryeval.archive.records import JudgingPolicy
from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    ConflictError,
    FormatError,
    InputError,
    NotFoundError,
)

HOSTILE = [
    "", "../x", "..", "/etc/x", "a/b", "A", "a.b", "-a", "_a", "a b", "a\0b", "a\n", "größe",
    "x" * 41, "x" * 300, "a;drop schema berryeval", '"a"', "\udcff", "CON",
]  # fmt: skip


@contextmanager
def opened(archive, name):
    """Open a collection within the block."""
    with archive.open_collection(archive.collections.get(name)) as found:
        yield found


def judge(archive, doc_id="d1", grade=1):
    archive.judgments.put([JudgmentEntry("q1", doc_id, grade)], author="ada")


def rows_of(archive):
    """Return every row of every table."""
    with archive._database.reading() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table))))
            for table in tables.metadata.sorted_tables
        }


def test_an_archive_is_its_own_first_collection(archive):
    """Without any other, there is one of the name default."""
    [only] = archive.collections.all()
    assert (only.name, only.title, only.place) == ("default", "default", None)
    assert archive.collections.get("default") == only


def test_collections_share_nothing(archive):
    """Data written to one is invisible in all others."""
    for name in ("shop", "legal"):
        archive.collections.create(name)
        with opened(archive, name) as one:
            judge(one, doc_id=name)
    judge(archive, doc_id="own")
    for name in ("shop", "legal"):
        with opened(archive, name) as one:
            assert [entry.doc_id for entry in one.judgments.page().items] == [name]
    assert [entry.doc_id for entry in archive.judgments.page().items] == ["own"]


def test_collections_are_listed_in_order_of_creation(archive):
    """The archive's own comes first, even if it has a title."""
    archive.collections.create("shop", "Shop, Größen")
    archive.collections.create("legal")
    archive.collections.retitle("default", "Help centre")
    shown = [(one.name, one.title) for one in archive.collections.all()]
    assert shown == [("default", "Help centre"), ("shop", "Shop, Größen"), ("legal", "legal")]
    assert archive.collections.retitle("legal", "Law").title == "Law"
    assert archive.collections.get("legal").title == "Law"


def test_another_process_sees_a_new_collection(archive, location):
    """The list is read from the database each time."""
    with Archive.open(location) as other:
        archive.collections.create("shop")
        assert other.collections.get("shop") is not None
        archive.collections.remove("shop")
        assert other.collections.get("shop") is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_rejected(tmp_path, name):
    """A name is part of addresses and file names, and must not do anything else there."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        with pytest.raises(ArgumentError, match="lower-case letters"):
            archive.collections.create(name)
        assert archive.collections.get(name) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["berryeval.db"]


def test_a_name_is_used_once(archive):
    """The second one is rejected, and leaves no database behind."""
    archive.collections.create("shop")
    before = databases_of(archive)
    for name in ("shop", "default"):
        with pytest.raises(ConflictError, match="a new name"):
            archive.collections.create(name)
    assert databases_of(archive) == before


def test_a_race_for_a_name_has_one_winner(archive, monkeypatch):
    """A name that another process has just taken is rejected, and its database is removed."""
    monkeypatch.setattr(type(archive.collections), "_check_new", lambda *_: None)
    archive.collections.create("shop")
    before = databases_of(archive)
    with pytest.raises(ConflictError):
        archive.collections.create("shop")
    assert databases_of(archive) == before


def test_there_are_not_too_many(archive, monkeypatch):
    """One collection too many is rejected."""
    monkeypatch.setattr(collections, "MAX_COLLECTIONS", 1)
    archive.collections.create("one")
    with pytest.raises(ArgumentError, match="at most 1, got 2"):
        archive.collections.create("two")


def test_a_removed_collection_is_gone(archive):
    """Its database is removed; a new collection of the same name is empty."""
    before = databases_of(archive)
    archive.collections.create("shop")
    with opened(archive, "shop") as one:
        judge(one)
    archive.collections.remove("shop")
    assert databases_of(archive) == before
    archive.collections.create("shop")
    with opened(archive, "shop") as one:
        assert one.judgments.page().items == ()


def test_the_first_and_unknown_collections_cannot_be_removed(archive):
    """Removing the first collection, or an unknown one, is an error."""
    with pytest.raises(ArgumentError, match="besides the archive's own"):
        archive.collections.remove("default")
    for change in (archive.collections.remove, lambda name: archive.collections.retitle(name, "x")):
        with pytest.raises(NotFoundError, match="there is no collection 'nope'"):
            change("nope")


def test_a_removed_collection_cannot_be_opened(archive):
    """A record of it may be older than its removal; nothing is created."""
    made = archive.collections.create("shop")
    archive.collections.remove("shop")
    before = databases_of(archive)
    with pytest.raises(ArchiveError):
        archive.open_collection(made)
    assert databases_of(archive) == before


def test_an_open_collection_never_writes_into_its_successor(archive):
    """A process may still have a removed collection open when another gets its name."""
    archive.collections.create("shop")
    with opened(archive, "shop") as former:
        archive.collections.remove("shop")
        archive.collections.create("shop")
        with suppress(ArchiveError):
            judge(former)
        with opened(archive, "shop") as new:
            assert new.judgments.page().items == ()


def test_files_are_private(tmp_path):
    """Only the owner can read a collection, like the archive itself."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        archive.collections.create("shop")
    folder = tmp_path / "berryeval.db.collections"
    [file] = folder.glob("shop_*.db")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    """A file may be in its place."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        (tmp_path / "berryeval.db.collections").write_text("")
        with pytest.raises(ArchiveError, match="a collection cannot be created"):
            archive.collections.create("shop")
        assert len(archive.collections.all()) == 1


def test_tokens_are_limited_to_collections(archive):
    """None means all, including later ones; removing a collection never widens a limit."""
    archive.collections.create("shop")
    archive.collections.create("legal")
    secrets = {
        "all": archive.tokens.create("all", "admin"),
        "both": archive.tokens.create("both", "read", ["shop", "legal", "shop"]),
        "one": archive.tokens.create("one", "read", ["shop"]),
    }

    def limits():
        return {name: archive.tokens.verify(one).collections for name, one in secrets.items()}

    assert limits() == {"all": None, "both": ("shop", "legal"), "one": ("shop",)}
    archive.collections.remove("shop")
    archive.collections.create("shop")
    assert limits() == {"all": None, "both": ("legal",), "one": ()}
    with pytest.raises(NotFoundError, match="no collection 'nope'"):
        archive.tokens.create("two", "read", ["nope"])


def test_the_last_use_of_a_token_is_known_to_the_hour(archive):
    """A second use within the hour writes nothing."""
    secret = archive.tokens.create("ci", "read")
    assert archive.tokens.verify(secret).used_at is None
    archive.tokens.note_use("ci")
    first = archive.tokens.verify(secret).used_at
    archive.tokens.note_use("ci")
    assert first is not None
    assert archive.tokens.verify(secret).used_at == first


def filled(archive):
    """Fill three collections with a bit of everything."""
    archive.collections.create("shop", "Shop")
    archive.collections.create("legal")
    archive.collections.retitle("default", "Help")
    archive.tokens.create("shop-ci", "judge", ["shop"])
    for name in ("default", "shop"):
        one = archive
        if name != "default":
            one = archive.open_collection(archive.collections.get(name))
        judge(one, doc_id=name)
        judge(one, doc_id=name, grade=2)
        one.judging.put(JudgingPolicy("mean", ("bad", "fair", "good")))
        one.queries.put([Query("q1", f"about {name}")])
        one.documents.put([Document("d1", "title", name)])
        one.runs.put(Run.from_dict({"q1": {name: 1.0}}), RunFacts(name))
        if one is not archive:
            one.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def copy_location(request, tmp_path):
    """The location to restore an export to."""
    if request.param == "sqlite":
        yield str(tmp_path / "copy.db")
    else:
        with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
            yield dsn


def test_a_restored_copy_equals_its_original_table_by_table(archive, copy_location, tmp_path):
    """An export includes all collections, and can be imported into either database."""
    filled(archive)
    counts = archive.export(tmp_path / "export")
    assert counts["collections/shop/history.jsonl"] == 1
    with Archive.open(copy_location) as copy:
        assert copy.import_(tmp_path / "export") == counts
        assert rows_of(copy) == rows_of(archive)
        for name in ("shop", "legal"):
            with opened(archive, name) as one, opened(copy, name) as other:
                assert rows_of(other) == rows_of(one)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"place": "../../shop"}, "place: expected lower-case letters"),
        ({"place": None}, "place: expected"),
        ({"name": "../shop"}, "collection: expected"),
        ({"name": "default"}, "place: expected"),
    ],
)
def test_hostile_exports_are_rejected(tmp_path, change, message):
    """Names and places in an export come from outside."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        archive.collections.create("shop")
        archive.export(tmp_path / "export")
    file = tmp_path / "export" / "collections.jsonl"
    record = json.loads(file.read_text()) | change
    file.write_text(json.dumps({key: value for key, value in record.items() if value}) + "\n")
    assert_not_imported(tmp_path, message)


def test_an_import_leaves_nothing_if_a_collection_is_damaged(tmp_path):
    """All collections are imported, or none."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        filled(archive)
        archive.export(tmp_path / "export")
    (tmp_path / "export" / "collections" / "shop" / "queries.jsonl").write_text("")
    assert_not_imported(tmp_path, "expected 1 lines")


def test_collections_have_no_further_collections(tmp_path):
    """An export that contains some was not written by BerryEval."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        archive.collections.create("shop")
        with opened(archive, "shop") as one:
            one.collections.create("inner")
        archive.export(tmp_path / "export")
    assert_not_imported(tmp_path, "without further collections")


def test_an_import_does_not_touch_a_database_that_exists(tmp_path):
    """A file may be left over in the same place, and contain data."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        archive.collections.create("shop")
        place = archive.collections.get("shop").place
        archive.export(tmp_path / "export")
    left = tmp_path / "copy.db.collections" / f"{place}.db"
    left.parent.mkdir()
    left.write_bytes(b"data")
    with Archive.open(tmp_path / "copy.db") as copy:
        with pytest.raises(ArchiveError, match="belongs to no collection"):
            copy.import_(tmp_path / "export")
        assert len(copy.collections.all()) == 1
    assert left.read_bytes() == b"data"


def assert_not_imported(tmp_path: Path, message: str) -> None:
    """Import an export into a new archive, which must fail and leave nothing."""
    with Archive.open(tmp_path / "copy.db") as copy:
        with pytest.raises((FormatError, InputError), match=message):
            copy.import_(tmp_path / "export")
        assert all(not rows for rows in rows_of(copy).values())
    left = tmp_path / "copy.db.collections"
    assert not left.exists() or not any(left.iterdir())


def databases_of(archive) -> set[str]:
    """Return the databases of further collections: files, or schemas."""
    path = archive._database.location.path
    if path is not None:
        folder = Path(f"{path}.collections")
        return {file.name for file in folder.iterdir()} if folder.exists() else set()
    with archive._database.reading() as connection:
        found = connection.exec_driver_sql(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'berryeval_%%'"
        )
        return set(found.scalars())
