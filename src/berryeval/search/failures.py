"""What code of others raises, as errors of a system."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager

from berryeval.errors import BerryEvalError, SystemTimeoutError, SystemUnderTestError

__all__ = ["check_any_answered", "failures_of"]


@contextmanager
def failures_of(system: str) -> Iterator[None]:
    """Turn what is raised inside into errors of a system; broken connections may heal.

    Errors of ours stay as they are, and so do those that end a program.
    """
    try:
        yield
    except BerryEvalError:
        raise
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise SystemTimeoutError(system, _said(error)) from error
    except ConnectionError as error:
        raise SystemUnderTestError(system, _said(error), transient=True) from error
    except Exception as error:
        raise SystemUnderTestError(system, _said(error)) from error


def check_any_answered(
    system: str, answered: Sized, failures: Mapping[str, SystemUnderTestError]
) -> None:
    """Raise if a system failed for every query: there is nothing to score, and 0 would mislead.

    Parameters
    ----------
    system : str
        What the message calls the system.
    answered : sized
        The queries that were answered.
    failures : mapping of str to SystemUnderTestError
        The error of each query that was not.

    Raises
    ------
    SystemUnderTestError
        With the first of the errors.
    """
    if failures and not len(answered):
        query_id, first = next(iter(failures.items()))
        n_queries = "its only query" if len(failures) == 1 else f"all {len(failures):,} queries"
        message = f"failed for {n_queries}, so there is nothing to score; {query_id}: "
        raise SystemUnderTestError(system, f"{message}{first.message}", transient=first.transient)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
