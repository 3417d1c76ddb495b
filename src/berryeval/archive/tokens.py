"""The tokens of an archive, with their roles."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, or_, select, update

from berryeval.archive.checks import check_id
from berryeval.archive.clock import now
from berryeval.archive.collections import HOME
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import ROLES, Page, Role, Token
from berryeval.archive.tables import collections as registry
from berryeval.archive.tables import tokens
from berryeval.errors import ArgumentError, ConflictError, NotFoundError

__all__ = ["USE_INTERVAL", "ArchivedTokens", "hash_of_secret", "token_of"]

USE_INTERVAL = timedelta(hours=1)
"""Precision of the last use of a token, since each record of it is a write."""

_PREFIX = "bev_"
"""Identifies leaked tokens to people and secret scanners."""

_N_BYTES = 32


class ArchivedTokens(ArchivePart):
    """Tokens by name. Only their hashes are stored.

    A token has 256 random bits, so its SHA-256 cannot be reversed, and the time of looking up a
    hash reveals nothing.
    """

    def create(self, name: str, role: Role, collections: Sequence[str] | None = None) -> str:
        """Create a token and return it; it cannot be retrieved again.

        Parameters
        ----------
        name : str
            A name that no other valid token has.
        role : str
            One of `ROLES`.
        collections : sequence of str, optional
            The collections that it may use. Default: all, including those created later.

        Raises
        ------
        NotFoundError
            If there is no such collection.
        ConflictError
            If a token of this name exists and was not revoked.
        """
        check_id(name, "name")
        if role not in ROLES:
            raise ArgumentError("role", " or ".join(map(repr, ROLES)), repr(role))
        token = _PREFIX + secrets.token_urlsafe(_N_BYTES)
        limits = None if collections is None else [*dict.fromkeys(collections)]
        row = {
            "hash": hash_of_secret(token),
            "name": name,
            "role": role,
            "created_at": now(),
            "collections": limits,
        }
        with self._database.writing(alone="collections") as connection:
            _check_collections(connection, limits or ())
            if not self._database.insert_new(connection, tokens, row):
                raise ConflictError("token", "a new name", f"{name!r}; revoke that one first")
        return token

    def verify(self, token: str) -> Token | None:
        """Return the record of a token; None if it is unknown or revoked."""
        rows = select(tokens).where(
            tokens.c.hash == hash_of_secret(token), tokens.c.revoked_at.is_(None)
        )
        return self._one(rows, token_of)

    def all(self) -> list[Token]:
        """Return all tokens by name, including revoked ones."""
        with self._database.reading() as connection:
            rows = select(tokens).order_by(tokens.c.name, tokens.c.created_at)
            return [*map(token_of, connection.execute(rows))]

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[Token]:
        """Return tokens by name, including revoked ones."""
        keys = (tokens.c.name, tokens.c.created_at)
        return self._page(select(tokens), keys, token_of, after=after, limit=limit)

    def note_use(self, name: str) -> None:
        """Record that a token is in use, to the hour."""
        moment = now()
        rows = (
            tokens.c.name == name,
            tokens.c.revoked_at.is_(None),
            or_(tokens.c.used_at.is_(None), tokens.c.used_at <= moment - USE_INTERVAL),
        )
        with self._database.writing() as connection:
            connection.execute(update(tokens).where(*rows).values(used_at=moment))

    def revoke(self, name: str) -> bool:
        """Revoke a token, and return whether it existed."""
        rows = tokens.c.name == check_id(name, "name"), tokens.c.revoked_at.is_(None)
        with self._database.writing() as connection:
            return (
                connection.execute(update(tokens).where(*rows).values(revoked_at=now())).rowcount
                > 0
            )


def _check_collections(connection: Connection, names: Iterable[str]) -> None:
    known = {HOME, *connection.scalars(select(registry.c.name))}
    for name in names:
        if name not in known:
            raise NotFoundError("collection", name)


def hash_of_secret(secret: str) -> str:
    """Return the hash that is stored for a token or a session id."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def token_of(row: Row[Any]) -> Token:
    """Return the record of a row."""
    limits = None if row.collections is None else tuple(row.collections)
    return Token(row.name, row.role, row.created_at, row.revoked_at, limits, row.used_at)
