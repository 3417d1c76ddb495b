"""The location of an archive."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from berryeval.errors import ArchiveError, ArgumentError

__all__ = ["Location", "create_private_file"]

_EXPECTED = "a file, or postgresql://user@host/database"
_SCHEMES = ("postgresql://", "postgres://")
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_KEYWORDS = re.compile(r"(?:host|hostaddr|user|password|dbname|service)\s*=", re.IGNORECASE)
"""What a connection string of keywords, such as libpq takes, begins with."""


@dataclass(frozen=True)
class Location:
    """A file for SQLite, or the address of a database in PostgreSQL."""

    name: str
    """Its name in messages: as given, but without a password."""
    path: str | None = None
    dsn: str | None = None

    @classmethod
    def of(cls, given: str | os.PathLike[str]) -> Location:
        """Parse a path or an address.

        Raises `ArgumentError` for another kind of address, and `ArchiveError` for a folder or a
        file in a missing folder.
        """
        name = os.fspath(given)
        if name.startswith(_SCHEMES):
            return cls(_without_password(name), dsn=name)
        # What was given is not repeated: a password may be in it.
        if scheme := _ANY_SCHEME.match(name):
            raise ArgumentError("archive", _EXPECTED, f"an address that begins with {scheme[0]}")
        if _KEYWORDS.match(name):
            raise ArgumentError("archive", _EXPECTED, "a connection string of keywords")
        if not name or "\0" in name:
            raise ArgumentError("archive", _EXPECTED, repr(name))
        path = Path(name).absolute()
        if path.is_dir():
            way_out = f"name a file in it, such as {Path(name, 'berryeval.db')}"
            raise ArchiveError(name, f"is a folder; {way_out}")
        if not path.parent.is_dir():
            raise ArchiveError(name, "cannot be created: its folder does not exist")
        return cls(name, path=str(path))

    def check_exists(self) -> None:
        """Raise if it is a missing file; databases of a server are not checked."""
        if self.path is not None and not Path(self.path).exists():
            raise ArchiveError(self.name, "does not exist")


def create_private_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file that only its owner can read and write, unless there is one.

    SQLite would let everybody read a new file, and gives those beside it the rights of the first.
    """
    with suppress(OSError):  # opening it reports what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _without_password(dsn: str) -> str:
    try:
        parts = urlsplit(dsn)
    except ValueError:  # brackets that do not close; not shown, as a password may be in it
        raise ArgumentError("archive", _EXPECTED, "an address that cannot be read") from None
    user, at, host = parts.netloc.rpartition("@")
    # Parameters are not shown, since they may contain a password.
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=""))
