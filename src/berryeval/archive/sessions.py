"""Sessions of logged-in browsers: their cookies contain a session id instead of a token."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import delete, insert, or_, select

from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Token
from berryeval.archive.tables import sessions, tokens
from berryeval.archive.tokens import hash_of_secret, token_of

__all__ = ["SESSION_SECONDS", "ArchivedSessions"]

SESSION_SECONDS = 14 * 24 * 3600
"""How long a browser stays logged in."""

_N_BYTES = 32
_MAX_PER_TOKEN = 100
"""Sessions of one token; otherwise a client that logs in over and over would fill the disk."""


class ArchivedSessions(ArchivePart):
    """Sessions by id. As with tokens, only their hashes are stored.

    A session is over when it is ended, when it expires, when its token is revoked, or when its
    token has 100 newer sessions.
    """

    def start(self, token: str) -> str | None:
        """Start a session and return its id; None if the token is unknown or revoked."""
        moment = now()
        session_id = secrets.token_urlsafe(_N_BYTES)
        row = {
            "hash": hash_of_secret(session_id),
            "token_hash": hash_of_secret(token),
            "created_at": moment,
            "expires_at": moment + timedelta(seconds=SESSION_SECONDS),
        }
        valid = select(tokens.c.hash).where(
            tokens.c.hash == row["token_hash"], tokens.c.revoked_at.is_(None)
        )
        surplus = (
            select(sessions.c.hash)
            .where(sessions.c.token_hash == row["token_hash"])
            .order_by(sessions.c.created_at.desc())
            .offset(_MAX_PER_TOKEN - 1)
        )
        over = or_(sessions.c.expires_at <= moment, sessions.c.hash.in_(surplus))
        with self._database.writing() as connection:
            if connection.scalar(valid) is None:
                return None
            connection.execute(delete(sessions).where(over))
            connection.execute(insert(sessions).values(row))
        return session_id

    def verify(self, session_id: str) -> Token | None:
        """Return the token of a session; None if the session is unknown or over."""
        rows = (
            select(tokens)
            .join(sessions, sessions.c.token_hash == tokens.c.hash)
            .where(
                sessions.c.hash == hash_of_secret(session_id),
                sessions.c.expires_at > now(),
                tokens.c.revoked_at.is_(None),
            )
        )
        return self._one(rows, token_of)

    def end(self, session_id: str) -> None:
        """End a session; unknown ids are ignored."""
        rows = delete(sessions).where(sessions.c.hash == hash_of_secret(session_id))
        with self._database.writing() as connection:
            connection.execute(rows)
