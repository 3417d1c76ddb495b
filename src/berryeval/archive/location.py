"""The location of an archive."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from berryeval.errors import ArchiveError, ArgumentError

__all__ = ["SCHEMA", "Location", "check_no_address", "create_private_file"]

SCHEMA = "berryeval"
"""The schema of the tables in PostgreSQL, so that an archive can share a database."""

_EXPECTED = "a file, or postgresql://user@host/database"
_SCHEMES = ("postgresql://", "postgres://")
_ANY_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]+:(?://)?")
"""The start of an address. A single letter is a drive of Windows."""

_KEYWORD = re.compile(r"(?:^|[\s;])\w+\s*=")
"""A part of a connection string of keywords, such as libpq's ``host=db password=…``."""

_HOST = r"(?:\[[^\]/?#@]*\]|[^\[\]:,/?#@]*)(?::\d*)?"
_ADDRESS = re.compile(
    r"(postgres(?:ql)?://)(?:([^:/?#@]*)(?::[^/@]*)?(@))?"
    rf"({_HOST}(?:,{_HOST})*(?:/[^?#@]*)?)"
    r"(?:\?(?:\w+=[^&@]*(?:&\w+=[^&@]*)*)?)?"
)
"""Scheme, user, @, hosts with the database. There is one @ at most: libpq ends a password at the
first, and would show the rest of it as the name of a host."""

_BAD_ESCAPE = re.compile(r"%(?!(?!00)[0-9A-Fa-f]{2})")
"""An escape that libpq rejects with a message that repeats the password."""


@dataclass(frozen=True)
class Location:
    """A file for SQLite, or the address of a database in PostgreSQL."""

    name: str
    """Its name in messages: as given, but without a password."""
    path: str | None = None
    dsn: str | None = None
    schema: str = SCHEMA

    @classmethod
    def of(cls, given: str | os.PathLike[str]) -> Location:
        """Parse a path or an address.

        Raises `ArgumentError` for another kind of address, and `ArchiveError` for a folder or a
        file in a missing folder.
        """
        name = os.fspath(given)
        if name.startswith(_SCHEMES):
            return cls(_without_password(name), dsn=name)
        check_no_address(name)
        if not name or "\0" in name:
            raise ArgumentError("archive", _EXPECTED, repr(name))
        path = Path(name).absolute()
        if path.is_dir():
            way_out = f"name a file in it, such as {Path(name, 'berryeval.db')}"
            raise ArchiveError(name, f"is a folder; {way_out}")
        if not path.parent.is_dir():
            raise ArchiveError(name, "cannot be created: its folder does not exist")
        return cls(name, path=str(path))

    def beside(self, place: str) -> Location:
        """Return the location of a further collection: a file in a folder, or a schema."""
        if self.path is None:
            schema = f"{SCHEMA}_{place}"
            return Location(f"{self.name} (schema {schema})", dsn=self.dsn, schema=schema)
        inside = f".collections/{place}.db"
        return Location(self.name + inside, path=self.path + inside)

    def check_exists(self) -> None:
        """Raise if it is a missing file; databases of a server are not checked."""
        if self.path is not None and not Path(self.path).exists():
            raise ArchiveError(self.name, "does not exist")


def check_no_address(name: str, argument: str = "archive") -> None:
    """Raise `ArgumentError` for the address of a database, unless it is one of PostgreSQL.

    The text is not repeated, since a password may be anywhere in it.
    """
    if name.startswith(_SCHEMES):
        return
    way_out = "write the name of a file as ./NAME if it has such characters"
    if scheme := _ANY_SCHEME.match(name):
        found = f"an address that begins with {scheme[0]!r}; {way_out}"
        raise ArgumentError(argument, _EXPECTED, found)
    if _KEYWORD.search(name):
        found = f"a connection string of the form NAME=VALUE; {way_out}"
        raise ArgumentError(argument, _EXPECTED, found)


def create_private_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file that only its owner can read and write, unless there is one.

    SQLite would let everyone read a new file, and gives the files next to it the same permissions.
    """
    with suppress(OSError):  # opening it reports what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _without_password(dsn: str) -> str:
    address = _ADDRESS.fullmatch(dsn)
    if address is None or _BAD_ESCAPE.search(dsn):
        found = "one with invalid characters; write @ in a password as %40, / as %2F and % as %25"
        raise ArgumentError("archive", _EXPECTED, found)
    # Parameters are not shown, since they may contain a password.
    return "".join(part or "" for part in address.groups())
