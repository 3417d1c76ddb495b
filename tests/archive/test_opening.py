import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, text

from archive.databases import new_database
from berryeval.archive import Archive, JudgmentEntry, schema
from berryeval.archive.schema import VERSION_TABLE, newest_version
from berryeval.archive.tables import metadata
from berryeval.errors import ArchiveError, ArgumentError, MissingExtraError
from recorded_schema import migrations

ONE = [JudgmentEntry("q", "d", 1)]


def test_an_archive_is_created_and_reopened(location):
    """Data that was written is found again."""
    with Archive.open(location) as archive:
        archive.judgments.put(ONE, author="ada")
    with Archive.open(location) as archive:
        assert archive.judgments.get("q", "d").author == "ada"
        facts = archive.check(deep=True)
    assert (facts.version, facts.problem) == (newest_version(), None)
    assert facts.database == ("postgresql" if "://" in location else "sqlite")
    assert facts.counts["judgments"] == 1
    assert facts.size_bytes > 0


def test_sqlite_leaves_a_single_file(tmp_path):
    """After closing, no other files need to be copied."""
    with Archive.open(tmp_path / "a.db") as archive:
        archive.judgments.put(ONE, author="ada")
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_a_connection_in_use_is_closed_when_its_block_ends(location):
    """The archive may be closed in the meantime, by a service that stops."""
    archive = Archive.open(location)
    with archive._database.reading() as connection:
        raw = connection.connection.dbapi_connection
        archive.close()
        assert connection.execute(text("SELECT 1")).scalar() == 1
    if "://" in location:
        assert raw.closed
    else:
        with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
            raw.execute("SELECT 1")


def test_every_sqlite_connection_is_durable(tmp_path):
    """E5: WAL, an fsync per commit, foreign keys, and a busy timeout."""
    with Archive.open(tmp_path / "a.db", timeout=3) as archive:
        for _ in range(2):
            with archive._database.reading() as connection:
                values = [
                    connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                    for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
                ]
            assert values == ["wal", 2, 1, 3000]


def test_postgres_commits_are_on_disk_when_acknowledged(postgres_archive):
    """This holds even if the server defaults to asynchronous commit, as the test server does."""
    with (
        Archive.open(postgres_archive, timeout=3) as archive,
        archive._database.reading() as connection,
    ):
        values = [
            connection.scalar(text(f"SHOW {name}"))
            for name in ("synchronous_commit", "lock_timeout", "search_path")
        ]
    assert values == ["on", "3s", "berryeval"]


def test_the_migrations_create_the_tables_that_the_code_uses(archive):
    """Both descriptions of the schema are equal."""
    with archive._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []


def test_archives_of_tests_have_the_schema_of_the_migrations(tmp_path, monkeypatch):
    """Recorded statements create them, which must not differ from what users get."""
    for name in ("first.db", "repeated.db"):
        Archive.open(tmp_path / name).close()
    monkeypatch.setattr(schema, "_upgrade", migrations)
    Archive.open(tmp_path / "migrated.db").close()
    assert schema_of(tmp_path / "repeated.db") == schema_of(tmp_path / "migrated.db")


def schema_of(path):
    """Return the statements that create the tables of a file, and its version."""
    with closing(sqlite3.connect(path)) as file:
        tables = file.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        return tables.fetchall(), file.execute(f"SELECT * FROM {VERSION_TABLE}").fetchall()  # noqa: S608


def test_a_newer_archive_is_rejected_and_not_changed(location):
    """The message has the version and what to do."""
    with Archive.open(location) as archive, archive._database.writing() as connection:
        connection.execute(text("UPDATE archive_version SET version_num = '9999'"))
    expected = "version 0012 or older, found 9999: a newer berryeval created it; upgrade berryeval"
    for _ in range(2):
        with pytest.raises(ArchiveError, match=expected) as caught:
            Archive.open(location)
        assert not caught.value.transient


def test_an_unrelated_database_is_rejected(tmp_path):
    """Its tables are not changed."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as shop:
        shop.execute("CREATE TABLE orders (id)")
    with pytest.raises(ArchiveError, match=r"not a BerryEval database .*tables orders"):
        Archive.open(path)
    with closing(sqlite3.connect(path)) as shop:
        assert shop.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)


def test_postgres_may_contain_other_tables(postgres_dsn):
    """The archive uses its own schema."""
    import psycopg

    with new_database(postgres_dsn) as dsn:
        with psycopg.connect(dsn) as connection:
            connection.execute("CREATE TABLE public.judgments (other int)")
        with Archive.open(dsn) as archive:
            assert archive.judgments.put(ONE, author="ada") == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "is a folder; name a file in it, such as .*berryeval.db"),
        (lambda path: path.write_text("not a database" * 100), "is not an archive"),
    ],
)
def test_a_location_that_is_not_an_archive_is_rejected(tmp_path, make, words):
    """A folder or a file of another kind is left unchanged."""
    path = tmp_path / "x"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ArchiveError, match=words):
        Archive.open(path)
    assert before is None or path.read_bytes() == before


def test_a_damaged_archive_is_reported(tmp_path):
    """The message is one line, and says what to do."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put([JudgmentEntry("q", f"d{i}", 1) for i in range(2000)], author="a")
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xa5" * (len(content) - 4096 * 2)
    path.write_bytes(bytes(content))
    words = "is damaged; restore it from a backup"
    with pytest.raises(ArchiveError, match=words), Archive.open(path) as archive:
        archive.judgments.page(limit=5000)


def test_a_deep_check_finds_damage(tmp_path):
    """It detects an index that lacks a row."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put(ONE, author="a")
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(
                "PRAGMA writable_schema=ON;"
                "UPDATE sqlite_master SET sql = replace(sql, '(doc_id)', '(query_id)')"
                " WHERE name = 'judgments_by_document';"
            )
    with Archive.open(path) as archive:
        assert "judgments_by_document" in archive.check(deep=True).problem


@pytest.mark.parametrize("given", ["", "mysql://localhost/x", "http://localhost", "a\0b"])
def test_an_unsupported_address_is_rejected(given):
    """The message lists the supported kinds."""
    with pytest.raises(ArgumentError, match="archive: expected a file, or postgresql://"):
        Archive.open(given)


def test_the_folder_of_an_archive_must_exist(tmp_path):
    """A misspelt path creates no folders."""
    with pytest.raises(ArchiveError, match="its folder does not exist"):
        Archive.open(tmp_path / "no" / "a.db")


def test_a_timeout_must_be_positive(tmp_path):
    """A timeout of 0 is rejected."""
    with pytest.raises(ArgumentError, match="timeout"):
        Archive.open(tmp_path / "a.db", timeout=0)


def test_a_locked_file_is_reported_after_a_timeout(tmp_path):
    """E5: the message is clear, and nothing is changed."""
    path = tmp_path / "a.db"
    with Archive.open(path, timeout=0.2) as archive:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            words = "other clients have been writing for 0.2 seconds; try again"
            with pytest.raises(ArchiveError, match=words) as caught:
                archive.judgments.put(ONE, author="ada")
            assert caught.value.transient
            assert archive.judgments.page().items == (), "reading continues"
        assert archive.judgments.put(ONE, author="ada") == 1


def test_a_locked_server_is_reported_after_a_timeout(postgres_archive):
    """PostgreSQL behaves like SQLite."""
    with Archive.open(postgres_archive, timeout=0.2) as archive:
        with (
            Archive.open(postgres_archive) as other,
            other._database.writing(alone="judgments"),
            pytest.raises(ArchiveError, match=r"for 0\.2 seconds; try again") as caught,
        ):
            archive.judgments.put(ONE, author="ada")
        assert caught.value.transient
        assert archive.judgments.put(ONE, author="ada") == 1


def test_threads_that_wait_too_long_get_an_error(tmp_path):
    """Writers in one process take turns, up to the timeout."""
    with Archive.open(tmp_path / "a.db", timeout=0.2) as archive:
        words = "other clients have been writing"
        with archive._database.writing(), pytest.raises(ArchiveError, match=words) as caught:
            archive.judgments.put(ONE, author="ada")
        assert caught.value.transient


def test_an_error_is_raised_if_all_connections_are_in_use(tmp_path, monkeypatch):
    """The caller may try again."""
    monkeypatch.setattr("berryeval.archive.database._MAX_CONNECTIONS", 1)
    with Archive.open(tmp_path / "a.db", timeout=0.2) as archive:
        with (
            archive._database.reading(),
            pytest.raises(ArchiveError, match=r"for 0\.2 seconds") as caught,
        ):
            archive.judgments.page()
        assert caught.value.transient


def test_a_full_disk_changes_nothing(tmp_path):
    """A failed write leaves no partial data, and earlier data is kept."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put(ONE, author="ada")
        engine = archive._database._engine
        engine.dispose()

        @event.listens_for(engine, "connect")
        def limit(connection, _record):
            connection.execute("PRAGMA max_page_count=60").close()

        many = [JudgmentEntry("q", f"e{number}" * 50, 1) for number in range(5000)]
        with pytest.raises(ArchiveError, match="the disk is full, and nothing was changed"):
            archive.judgments.put(many, author="ada")
        assert [item.doc_id for item in archive.judgments.page().items] == ["d"]
        assert archive.judgments.put([JudgmentEntry("q", "d2", 1)], author="ada") == 1
        assert archive.check(deep=True).problem is None


WRITER = """
import resource, sys
from berryeval.archive import Archive, JudgmentEntry, schema
from berryeval.errors import ArchiveError
with Archive.open(sys.argv[1]) as archive:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    for number in range(10_000):
        pair = [JudgmentEntry("q", f"{number}{half}" * 20, 1) for half in "ab"]
        try:
            archive.judgments.put(pair, author="ada")
        except ArchiveError as error:
            print(error)
            break
        print(number, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_file_size_limit_is_reported_as_a_full_disk(tmp_path):
    """Acknowledged writes are kept; the failed write leaves nothing."""
    path = tmp_path / "a.db"
    done = subprocess.run(
        [sys.executable, "-c", WRITER, path], capture_output=True, text=True, check=True
    )
    *numbers, message = done.stdout.splitlines()
    assert "disk" in message
    assert "nothing was changed" in message
    assert len(numbers) > 10
    with Archive.open(path) as archive:
        assert archive.judgments.current().n_rows == 2 * len(numbers)
        assert archive.check(deep=True).problem is None


def test_an_unreachable_server_is_reported_without_the_password():
    """E5: the message is one line."""
    dsn = "postgresql://ada:secret@127.0.0.1:9/x?password=secret"
    with pytest.raises(ArchiveError, match="cannot be reached") as caught:
        Archive.open(dsn, timeout=2)
    assert caught.value.transient
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.archive == "postgresql://ada@127.0.0.1:9/x"


def test_a_missing_permission_is_named(postgres_dsn):
    """The message says what an administrator has to do."""
    import psycopg

    with new_database(postgres_dsn) as dsn:
        with psycopg.connect(postgres_dsn, autocommit=True) as server:
            server.execute("DROP ROLE IF EXISTS guest")
            server.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        guest = dsn.replace(dsn.split("@")[0], "postgresql://guest:guest")
        with pytest.raises(ArchiveError, match=r"lacks a privilege; .*CREATE SCHEMA berryeval"):
            Archive.open(guest)


def test_the_name_of_an_archive_contains_no_password(postgres_archive):
    """It appears in logs and messages."""
    with Archive.open(postgres_archive) as archive:
        assert "@127.0.0.1" in repr(archive)
        assert postgres_archive.split("@")[0].split(":")[-1] not in repr(archive)


@pytest.mark.parametrize("missing", ["sqlalchemy", "alembic"])
def test_without_its_libraries_the_archive_names_the_extra(missing, tmp_path):
    """Other packages may have installed one of them."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None; "
        f"from berryeval.archive import Archive; Archive.open({str(tmp_path / 'a.db')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: The archive requires an optional dependency" in done.stderr
    assert "pip install 'berryeval[archive]'" in done.stderr


def test_an_archive_does_not_require_the_service(tmp_path):
    """The extra for the archive is enough to open one."""
    blocked = ("fastapi", "starlette", "uvicorn", "prometheus_client", "jinja2", "multipart")
    code = (
        f"import sys; sys.modules |= dict.fromkeys({blocked!r}); "
        "from berryeval.archive import Archive, JudgmentEntry; "
        f"archive = Archive.open({str(tmp_path / 'a.db')!r}); "
        "archive.judgments.put([JudgmentEntry('q1', 'd1', 1)], author='ada'); "
        "print(archive.judgments.current().to_dict())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{'q1': {'d1': 1.0}}\n", "")


def test_without_psycopg_the_archive_names_the_extra(monkeypatch):
    """Only an address of PostgreSQL requires psycopg."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[postgres\]"):
        Archive.open("postgresql://localhost/x")


def test_other_missing_modules_are_not_blamed_on_an_extra(monkeypatch):
    """A bug is not reported as an incomplete installation."""
    import berryeval.archive as package

    monkeypatch.setitem(package._OTHERS, "Archive", "berryeval.archive.nothing")
    monkeypatch.setattr(package, "_load", package.loader_of("berryeval.archive", package._OTHERS))
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        package.__getattr__("Archive")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://ada:hunter2@db/eval",
        "mysql://ada:hunter2@db/eval",
        "postgresql://ada:hunter2@[db/eval",
        "host=db password=hunter2 dbname=eval",
        "password = hunter2",
        "port=5432 host=db password=hunter2",
        "sslmode=require host=db password=hunter2",
        "application_name=berryeval password=hunter2",
        " host=db password=hunter2",
        "db host=db password='hunter2'",
        "Server=db;Password=hunter2",
        "jdbc:postgresql://db/eval?user=ada&password=hunter2",
        " postgresql://ada:hunter2@db/eval",
        "postgresql:/ada:hunter2@db/eval",
        "ada:hunter2@db/eval",
        "postgres://ada:hunt@er2@db/eval",
        "postgres://ada:hunt/er2@db/eval",
        "postgres://ada:12/hunt?er2@db/eval",
        "postgres://ada:hunter2%zz@db/eval",
        "postgres://ada:hunter2%00@db/eval",
        "postgres://db?password=hunter2@ada/eval",
    ],
)
def test_no_message_repeats_a_password(tmp_path, monkeypatch, address):
    """This holds for any kind of address, and no file is named after one."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="archive: expected a file, or postgresql://") as error:
        Archive.open(address)
    assert not re.search("hunt|er2", str(error.value))
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="permissions differ there")
def test_a_new_archive_is_private_to_its_owner(tmp_path):
    """Other users can read neither the archive nor the files beside it."""
    with Archive.open(tmp_path / "a.db") as archive:
        archive.judgments.put([JudgmentEntry("q", "d", 1)], author="ada")
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.skipif(os.name == "nt", reason="permissions differ there")
def test_existing_file_permissions_are_kept(tmp_path):
    """An archive that is shared on purpose stays shared."""
    path = tmp_path / "a.db"
    Archive.open(path).close()
    path.chmod(0o640)
    Archive.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o640


def test_files_of_upgrades_are_named_by_their_version():
    """The newest version is known without loading them."""
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    for script in scripts.walk_revisions():
        assert Path(script.path).name.startswith(f"v{script.revision}_")
    assert schema.newest_version() == scripts.get_current_head()


def test_an_up_to_date_archive_is_opened_without_alembic(tmp_path):
    """Loading it takes as long as opening the archive does."""
    path = tmp_path / "archive.db"
    Archive.open(path).close()
    code = (
        "import sys; from berryeval.archive import Archive; "
        f"Archive.open({str(path)!r}).close(); assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
