"""Limits: retries, delays and deadlines."""

import pickle

import pytest

from berryeval.errors import SystemUnderTestError
from berryeval.search.exchange import StatusError
from berryeval.search.limits import Limits, pause_before, retried


def busy(retry_after=None):
    return SystemUnderTestError("db", "busy", transient=True, retry_after=retry_after)


def test_delays_double_unless_the_server_requests_more():
    """X8: only temporary errors are retried, up to the limit."""
    limits = Limits(retries=3, backoff=0.5)
    assert [pause_before(n, busy(), limits) for n in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, None]
    assert pause_before(1, busy(retry_after=7), limits) == 7.0
    assert pause_before(2, busy(retry_after=0.1), limits) == 1.0
    assert pause_before(1, SystemUnderTestError("db", "gone"), limits) is None
    assert pause_before(1, None, limits) is None


def test_work_is_retried():
    """It is retried until it succeeds or fails permanently."""
    outcomes = [busy(), busy(), 7]

    def work():
        outcome = outcomes.pop(0)
        if isinstance(outcome, SystemUnderTestError):
            raise outcome
        return outcome

    assert retried(work, Limits(backoff=0)) == 7
    outcomes[:] = [SystemUnderTestError("db", "gone"), 7]
    with pytest.raises(SystemUnderTestError, match="db: gone"):
        retried(work, Limits(backoff=0))
    outcomes[:] = [busy(retry_after=99), 7]
    with pytest.raises(SystemUnderTestError, match="db: busy"):
        retried(work, Limits(timeout=30))


@pytest.mark.parametrize(
    "error", [busy(retry_after=2.5), StatusError("db", "no", status=404, content=b"x")]
)
def test_errors_can_be_sent_between_processes(error):
    """All their attributes are kept."""
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
