"""Sessions of browsers: what a cookie holds in place of a token."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import delete, select

from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Token
from berryeval.archive.tables import sessions, tokens
from berryeval.archive.tokens import hash_of_secret, token_of

__all__ = ["SESSION_SECONDS", "ArchivedSessions"]

SESSION_SECONDS = 30 * 24 * 3600
"""How long a browser stays logged in."""

_N_BYTES = 32


class ArchivedSessions(ArchivePart):
    """Sessions by id. Only the hashes of the ids are stored, as of tokens.

    A session ends when it is ended, when it expires, or when its token is revoked.
    """

    def start(self, token: str) -> str | None:
        """Start a session of a token, and return its id; None if the token is not valid."""
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
        with self._database.writing() as connection:
            if connection.scalar(valid) is None:
                return None
            connection.execute(delete(sessions).where(sessions.c.expires_at <= moment))
            self._database.insert_new(connection, sessions, row)
        return session_id

    def verify(self, session_id: str) -> Token | None:
        """Return the token of a session; None if the session has ended."""
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
        """End a session; one that has ended stays so."""
        rows = delete(sessions).where(sessions.c.hash == hash_of_secret(session_id))
        with self._database.writing() as connection:
            connection.execute(rows)
