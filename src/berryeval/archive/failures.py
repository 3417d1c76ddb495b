"""Errors of databases, in one line with the fix."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from berryeval.errors import ArchiveError

__all__ = ["damaged", "explained", "unreadable"]


class _Failure(NamedTuple):
    message: str
    transient: bool = False


_RESTORE = "restore it from a backup, or from `berryeval archive export`"
_SHOWN = 80

_LOCKED = _Failure(
    "other clients have been writing for {timeout:g} seconds; try again", transient=True
)
_FULL = _Failure("the disk is full, and nothing was changed; free some space and try again")
_READ_ONLY = _Failure("permission denied: the file or its folder is not writable")

# By a part of SQLite's message: Python 3.10 does not report the error code.
_SQLITE = {
    "database is locked": _LOCKED,
    "database table is locked": _LOCKED,
    "database or disk is full": _FULL,
    "disk I/O error": _Failure(
        "the disk rejected the write, and nothing was changed; check free space and quotas"
    ),
    "file is not a database": _Failure("is not an archive; choose another file"),
    "database disk image is malformed": _Failure(f"is damaged; {_RESTORE}"),
    "malformed database schema": _Failure(f"is damaged; {_RESTORE}"),
    "Could not decode to UTF-8": _Failure(f"is damaged; {_RESTORE}"),
    "readonly database": _READ_ONLY,
    "unable to open database file": _Failure(
        "cannot be opened: permission denied, or the path does not exist"
    ),
    "locking protocol": _LOCKED,
}

# By SQLSTATE, or its first two characters.
_POSTGRES = {
    "53100": _FULL,
    "55P03": _LOCKED,
    "40P01": _LOCKED,
    "25006": _Failure("the server is read-only; use the address of the primary server"),
    "42501": _Failure(
        "the user lacks a privilege; ask an administrator to run "
        "`CREATE SCHEMA berryeval AUTHORIZATION …`"
    ),
    "57": _Failure("the server is stopping or starting; try again", transient=True),
    "53": _Failure("the server is out of connections or memory; try again", transient=True),
}


def explained(error: DBAPIError, archive: str, timeout: float) -> ArchiveError:
    """Return the error to raise instead of a database's own."""
    cause = error.orig
    message = str(cause).strip().partition("\n")[0]
    failure = _known(message, getattr(cause, "sqlstate", None))
    if failure is None and type(cause).__name__ in ("OperationalError", "InterfaceError"):
        return ArchiveError(archive, f"cannot be reached: {message}", transient=True)
    if failure is None:
        return ArchiveError(archive, f"the database rejected the request: {message}")
    return ArchiveError(
        archive, failure.message.format(timeout=timeout), transient=failure.transient
    )


def damaged(problem: str, archive: str) -> ArchiveError:
    """Return the error to raise for damage that an integrity check found."""
    return ArchiveError(archive, f"is damaged ({problem}); {_RESTORE}")


def unreadable(error: Exception, archive: str) -> ArchiveError:
    """Return the error to raise for a content that cannot be decoded."""
    message = str(error).partition("\n")[0][:_SHOWN]
    return ArchiveError(archive, f"contains something that cannot be read, and may be damaged "
                        f"({type(error).__name__}: {message}); {_RESTORE}")  # fmt: skip


def _known(message: str, sqlstate: str | None) -> _Failure | None:
    if sqlstate is not None:
        return _POSTGRES.get(sqlstate) or _POSTGRES.get(sqlstate[:2])
    return next((failure for part, failure in _SQLITE.items() if part in message), None)
