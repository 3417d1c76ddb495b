"""The location of an archive."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from berryeval.errors import ArchiveError, ArgumentError

__all__ = ["Location"]

_SCHEMES = ("postgresql://", "postgres://")
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


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

        Raises
        ------
        ArgumentError
            If it is another kind of address.
        ArchiveError
            If it is a folder, or a file in a missing folder.
        """
        name = os.fspath(given)
        if name.startswith(_SCHEMES):
            return cls(_without_password(name), dsn=name)
        if not name or _ANY_SCHEME.match(name) or "\0" in name:
            raise ArgumentError("archive", "a file, or postgresql://…", repr(name))
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


def _without_password(dsn: str) -> str:
    try:
        parts = urlsplit(dsn)
    except ValueError:  # brackets that do not close; not shown, as a password may be in it
        expected = "an address such as postgresql://user@host/database"
        raise ArgumentError("archive", expected, "one that cannot be read") from None
    user, at, host = parts.netloc.rpartition("@")
    # Parameters are not shown, since they may contain a password.
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=""))
