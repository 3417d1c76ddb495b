"""Sessions of browsers, in both databases."""

from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import func, select

from berryeval.archive import Archive
from berryeval.archive.clock import backdated
from berryeval.archive.sessions import SESSION_SECONDS
from berryeval.archive.tables import sessions


@pytest.fixture
def token(archive):
    """A token with the role judge."""
    return archive.tokens.create("ada", "judge")


def all_rows(archive):
    with archive._database.reading() as connection:
        return connection.execute(select(sessions)).all()


def test_a_session_identifies_its_token(archive, token):
    """The id of the session is new each time, and is not the token."""
    first, second = archive.sessions.start(token), archive.sessions.start(token)
    assert len({first, second, token}) == 3
    for session_id in (first, second):
        found = archive.sessions.verify(session_id)
        assert (found.name, found.role) == ("ada", "judge")


def test_a_session_survives_a_restart(archive, token, location):
    """It is found after the archive was opened again."""
    session_id = archive.sessions.start(token)
    with Archive.open(location) as other:
        assert other.sessions.verify(session_id).name == "ada"


def test_the_archive_does_not_contain_session_ids(archive, token):
    """A stolen archive contains nothing to log in with."""
    session_id = archive.sessions.start(token)
    stored = repr(all_rows(archive))
    assert session_id not in stored
    assert token not in stored
    for hash_, *_ in all_rows(archive):
        assert archive.sessions.verify(hash_) is None


def test_only_a_valid_token_starts_a_session(archive, token):
    """Unknown tokens, revoked tokens and session ids do not."""
    session_id = archive.sessions.start(token)
    archive.tokens.revoke("ada")
    for secret in ("", "bev_unknown", "\ud800", token, session_id):
        assert archive.sessions.start(secret) is None
    assert len(all_rows(archive)) == 1


def test_a_token_is_not_a_session_and_a_session_is_not_a_token(archive, token):
    """Neither is accepted in place of the other."""
    session_id = archive.sessions.start(token)
    assert archive.sessions.verify(token) is None
    assert archive.tokens.verify(session_id) is None
    for secret in ("", "unknown", "\ud800"):
        assert archive.sessions.verify(secret) is None


def test_ending_a_session_leaves_the_others(archive, token, location):
    """It is over on every instance; ending it again changes nothing."""
    first, second = archive.sessions.start(token), archive.sessions.start(token)
    for _ in range(2):
        archive.sessions.end(first)
    archive.sessions.end("unknown")
    with Archive.open(location) as other:
        assert other.sessions.verify(first) is None
        assert other.sessions.verify(second).name == "ada"
    assert archive.tokens.verify(token).name == "ada"


def test_revoking_a_token_ends_all_its_sessions(archive, token):
    """A new token of the same name does not revive them."""
    session_id = archive.sessions.start(token)
    other = archive.sessions.start(archive.tokens.create("bob", "read"))
    archive.tokens.revoke("ada")
    assert archive.sessions.verify(session_id) is None
    archive.tokens.create("ada", "admin")
    assert archive.sessions.verify(session_id) is None
    assert archive.sessions.verify(other).name == "bob"


def test_a_session_expires(archive, token):
    """After two weeks, it is over; the next login removes its row."""
    started = datetime(2026, 3, 1, tzinfo=timezone.utc)
    end = started + timedelta(seconds=SESSION_SECONDS)
    with backdated(started):
        session_id = archive.sessions.start(token)
    with backdated(end - timedelta(seconds=1)):
        assert archive.sessions.verify(session_id).name == "ada"
    with backdated(end):
        assert archive.sessions.verify(session_id) is None
        archive.sessions.start(token)
    assert [row.created_at for row in all_rows(archive)] == [end]


def test_logging_in_over_and_over_does_not_fill_the_archive(archive, token, monkeypatch):
    """The newest sessions of a token are kept, and those of other tokens."""
    monkeypatch.setattr("berryeval.archive.sessions._MAX_PER_TOKEN", 3)
    other = archive.sessions.start(archive.tokens.create("bob", "read"))
    started = [archive.sessions.start(token) for _ in range(5)]
    is_valid = [archive.sessions.verify(one) is not None for one in (other, *started)]
    assert is_valid == [True, False, False, True, True, True]
    with archive._database.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(sessions)) == 4
