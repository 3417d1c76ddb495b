"""Further collections of an archive, each in a database of its own.

The archive itself is the first collection, named ``default``. The others are beside it: files in
a folder ``ARCHIVE.collections`` for SQLite, schemas of the same database for PostgreSQL.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, text, update

from berryeval.archive.checks import check_text
from berryeval.archive.clock import moment_after, now
from berryeval.archive.database import Database
from berryeval.archive.location import create_private_file
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import StoredCollection
from berryeval.archive.schema import migrate
from berryeval.archive.tables import collections, tokens
from berryeval.errors import ArchiveError, ArgumentError, ConflictError, NotFoundError

__all__ = [
    "HOME",
    "MAX_COLLECTIONS",
    "ArchivedCollections",
    "check_collection_name",
    "check_place",
    "create_database",
    "drop_database",
    "further_collections",
    "opened_database",
]

HOME = "default"
"""The name of the archive's own collection."""

MAX_COLLECTIONS = 1000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_PLACE = re.compile(r"[a-z0-9][a-z0-9_]{0,48}")
"""A part of a file name and of an identifier in PostgreSQL, which has at most 63 bytes."""

_N_BYTES = 4
_ENDINGS = ("", "-wal", "-shm")


class ArchivedCollections(ArchivePart):
    """The collections of an archive by name, beginning with its own."""

    def all(self) -> tuple[StoredCollection, ...]:
        """Return all collections: the archive's own, then the others in order of creation."""
        rows = select(collections).order_by(collections.c.created_at, collections.c.name)
        with self._database.reading() as connection:
            found = tuple(map(_collection_of, connection.execute(rows)))
        own = [one for one in found if one.place is None]
        return *(own or [_UNTITLED]), *(one for one in found if one.place is not None)

    def get(self, name: str) -> StoredCollection | None:
        """Return a collection; None if there is none of this name."""
        if not _NAME.fullmatch(name):
            return None
        found = self._one(select(collections).where(collections.c.name == name), _collection_of)
        return _UNTITLED if found is None and name == HOME else found

    def create(self, name: str, title: str | None = None) -> StoredCollection:
        """Create an empty collection; its title is its name unless one is given.

        Raises
        ------
        ArgumentError
            For an invalid name or title, or if there are too many collections.
        ConflictError
            If there is one of this name.
        """
        check_collection_name(name)
        check_text(title, "title", optional=True)
        self._check_new(name)
        # The number makes every database unique, even if a name is reused: a process
        # that still has the former one open never writes into its successor.
        place = f"{name.replace('-', '_')}_{secrets.token_hex(_N_BYTES)}"
        with create_database(self._database, place):
            return self._register(name, title or name, place)

    def retitle(self, name: str, title: str) -> StoredCollection:
        """Change the title of a collection, and return it.

        Raises
        ------
        NotFoundError
            If there is no such collection.
        """
        check_text(title, "title")
        found = self._existing(name)
        moment = found.created_at or now()
        row = {"name": name, "title": title, "place": found.place, "created_at": moment}
        with self._database.writing(alone="collections") as connection:
            if found.place is not None:
                changed = update(collections).where(collections.c.name == name).values(title=title)
                if not connection.execute(changed).rowcount:
                    raise NotFoundError("collection", name)
            else:
                self._database.upsert(connection, collections, "name", [row])
        return StoredCollection(name, title, found.place, moment)

    def remove(self, name: str) -> None:
        """Remove a collection with everything in it, and from the limits of tokens.

        A token that is limited to other collections keeps those; one that is left with none may
        use nothing.

        Raises
        ------
        NotFoundError
            If there is no such collection.
        ArgumentError
            For the archive's own collection.
        ArchiveError
            If the database cannot be removed, for example because other clients are writing.
        """
        found = self._existing(name)
        if found.place is None:
            raise ArgumentError("collection", "one besides the archive's own", repr(name))
        with self._database.writing(alone="collections") as connection:
            is_it = collections.c.name == name, collections.c.place == found.place
            if not connection.execute(delete(collections).where(*is_it)).rowcount:
                raise NotFoundError("collection", name)
            _forget_in_tokens(connection, name)
            if not self._database.is_sqlite:
                _drop_schema(connection, self._database.location.beside(found.place).schema)
        if self._database.is_sqlite:
            drop_database(self._database, found.place)

    def open(self, collection: StoredCollection) -> Database:
        """Return the database of a further collection, upgraded if it is older.

        Raises
        ------
        ArchiveError
            If it cannot be opened.
        """
        assert collection.place is not None
        return _open(self._database, collection.place)

    def _register(self, name: str, title: str, place: str) -> StoredCollection:
        with self._database.writing(alone="collections") as connection:
            _check_number(connection)
            moment = moment_after(connection, collections.c.created_at)
            row = {"name": name, "title": title, "place": place, "created_at": moment}
            if not self._database.insert_new(connection, collections, row):
                raise _conflict(name)
        return StoredCollection(name, title, place, moment)

    def _existing(self, name: str) -> StoredCollection:
        found = self.get(name)
        if found is None:
            raise NotFoundError("collection", name)
        return found

    def _check_new(self, name: str) -> None:
        if self.get(name) is not None:
            raise _conflict(name)


_UNTITLED = StoredCollection(HOME, HOME, None, None)


def check_collection_name(name: str) -> str:
    """Return a name, or raise if it cannot be part of an address.

    Examples
    --------
    >>> check_collection_name("shop-de")
    'shop-de'
    >>> check_collection_name("../etc")
    Traceback (most recent call last):
      ...
    berryeval.errors.ArgumentError: collection: expected lower-case letters, digits, dashes and
    underscores, a letter or digit first, at most 40, got '../etc'
    """
    if not _NAME.fullmatch(name):
        expected = (
            "lower-case letters, digits, dashes and underscores, a letter or digit first, "
            "at most 40"
        )
        raise ArgumentError("collection", expected, repr(name[:80]))
    return name


def check_place(place: str | None, name: str) -> None:
    """Raise if a place could be a file or schema of something else, or belongs to no collection."""
    if not _is_place(place, name):
        expected = "lower-case letters, digits and underscores, or none for the first collection"
        raise ArgumentError("place", expected, repr(place)[:80])


def further_collections(connection: Connection) -> list[tuple[str, str]]:
    """Return the names and places of all collections but the archive's own, by name."""
    found = map(
        _collection_of, connection.execute(select(collections).order_by(collections.c.name))
    )
    return [(one.name, one.place) for one in found if one.place is not None]


@contextmanager
def create_database(home: Database, place: str) -> Iterator[Database]:
    """Create the database of a collection; if the block raises, remove it again."""
    where = home.location.beside(place)
    if _exists(home, place):
        raise ArchiveError(where.name, "exists, but belongs to no collection; remove it")
    if where.path is not None:
        try:
            Path(where.path).parent.mkdir(mode=0o700, exist_ok=True)
            create_private_file(where.path)
        except OSError as error:
            message = f"a collection cannot be created in it: {error.strerror}"
            raise ArchiveError(str(Path(where.path).parent), message) from None
    try:
        with opened_database(home, place, create=True) as database:
            yield database
    except BaseException:
        drop_database(home, place)
        raise


@contextmanager
def opened_database(home: Database, place: str, *, create: bool = False) -> Iterator[Database]:
    """Return the database of a collection, upgraded if it is older, and close it afterwards."""
    database = _open(home, place, create=create)
    try:
        yield database
    finally:
        database.close()


def drop_database(home: Database, place: str) -> None:
    """Remove the database of a collection with the files beside it."""
    where = home.location.beside(place)
    if where.path is None:
        with home.writing() as connection:
            _drop_schema(connection, where.schema)
        return
    try:
        for ending in _ENDINGS:
            Path(where.path + ending).unlink(missing_ok=True)
    except OSError as error:
        message = f"is no longer used, but cannot be deleted ({error.strerror}); delete it"
        raise ArchiveError(where.name, message) from None
    shutil.rmtree(f"{where.path}.stores", ignore_errors=True)


def _exists(home: Database, place: str) -> bool:
    where = home.location.beside(place)
    if where.path is not None:
        return Path(where.path).exists()
    with home.reading() as connection:
        found = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
        return connection.scalar(found, {"name": where.schema}) is not None


def _open(home: Database, place: str, *, create: bool = False) -> Database:
    where = home.location.beside(place)
    where.check_exists()  # otherwise, SQLite would create an empty file
    database = Database(where, home.timeout)
    try:
        migrate(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def _drop_schema(connection: Connection, schema: str) -> None:
    connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))


def _check_number(connection: Connection) -> None:
    n_others = connection.scalar(select(func.count()).select_from(collections)) or 0
    if n_others >= MAX_COLLECTIONS:
        raise ArgumentError("collections", f"at most {MAX_COLLECTIONS:,}", f"{n_others + 1:,}")


def _forget_in_tokens(connection: Connection, name: str) -> None:
    """Remove a collection from the limits of tokens: another may have its name one day."""
    limited = select(tokens.c.hash, tokens.c.collections).where(tokens.c.collections.is_not(None))
    for row in connection.execute(limited).all():
        if name in row.collections:
            others = [other for other in row.collections if other != name]
            of_token = update(tokens).where(tokens.c.hash == row.hash)
            connection.execute(of_token.values(collections=others))


def _conflict(name: str) -> ConflictError:
    return ConflictError("collection", "a new name", f"{name!r}, which exists")


def _is_place(place: str | None, name: str) -> bool:
    if not _NAME.fullmatch(name):
        return False
    return name == HOME if place is None else name != HOME and bool(_PLACE.fullmatch(place))


def _collection_of(row: Row[Any]) -> StoredCollection:
    if not _is_place(row.place, row.name):  # damaged: it could be any file
        raise ValueError(f"collection {row.name!r} in {row.place!r}")
    return StoredCollection(row.name, row.title, row.place, row.created_at)
