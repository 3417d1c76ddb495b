"""The tokens of an archive, with their roles."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from sqlalchemy import Row, select, update

from berryeval.archive.checks import check_id
from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import ROLES, Page, Role, Token
from berryeval.archive.tables import tokens
from berryeval.errors import ArgumentError, ConflictError

__all__ = ["ArchivedTokens", "hash_of_secret", "token_of"]

_PREFIX = "bev_"
"""Identifies leaked tokens to people and secret scanners."""

_N_BYTES = 32


class ArchivedTokens(ArchivePart):
    """Tokens by name. Only their hashes are stored.

    A token has 256 random bits, so its SHA-256 cannot be reversed, and the time of looking up a
    hash reveals nothing.
    """

    def create(self, name: str, role: Role) -> str:
        """Create a token and return it; it cannot be retrieved again.

        Raises
        ------
        ConflictError
            If a token of this name exists and was not revoked.
        """
        check_id(name, "name")
        if role not in ROLES:
            raise ArgumentError("role", " or ".join(map(repr, ROLES)), repr(role))
        token = _PREFIX + secrets.token_urlsafe(_N_BYTES)
        row = {"hash": hash_of_secret(token), "name": name, "role": role, "created_at": now()}
        with self._database.writing() as connection:
            if not self._database.insert_new(connection, tokens, row):
                raise ConflictError("token", "a new name", f"{name!r}; revoke that one first")
        return token

    def verify(self, token: str) -> Token | None:
        """Return the record of a token; None if it is unknown or revoked."""
        rows = select(tokens).where(
            tokens.c.hash == hash_of_secret(token), tokens.c.revoked_at.is_(None)
        )
        return self._one(rows, token_of)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[Token]:
        """Return tokens by name, including revoked ones."""
        keys = (tokens.c.name, tokens.c.created_at)
        return self._page(select(tokens), keys, token_of, after=after, limit=limit)

    def revoke(self, name: str) -> bool:
        """Revoke a token, and return whether it existed."""
        rows = tokens.c.name == check_id(name, "name"), tokens.c.revoked_at.is_(None)
        with self._database.writing() as connection:
            return (
                connection.execute(update(tokens).where(*rows).values(revoked_at=now())).rowcount
                > 0
            )


def hash_of_secret(secret: str) -> str:
    """Return the hash that is stored for a token or a session id."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def token_of(row: Row[Any]) -> Token:
    """Return the record of a row."""
    return Token(row.name, row.role, row.created_at, row.revoked_at)
