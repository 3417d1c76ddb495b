"""Errors of a system: exceptions of third-party code, no answer at all, ids of another set."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from itertools import islice

from berryeval.core.content_id import is_content_id
from berryeval.errors import (
    BerryEvalError,
    MismatchError,
    SystemTimeoutError,
    SystemUnderTestError,
)

__all__ = [
    "NotSentError",
    "check_any_answered",
    "describe_exception",
    "failures_of",
    "other_ids",
]

_N_EXAMPLES = 3


class NotSentError(SystemUnderTestError):
    """A query was not sent: those before it all failed in the same way."""


@contextmanager
def failures_of(system: str) -> Iterator[None]:
    """Convert exceptions to errors of a system; those of connections are transient.

    BerryEval's own errors, and exceptions that end a program, are passed on unchanged.
    """
    try:
        yield
    except BerryEvalError:
        raise
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise SystemTimeoutError(system, describe_exception(error)) from error
    except ConnectionError as error:
        raise SystemUnderTestError(system, describe_exception(error), transient=True) from error
    except Exception as error:
        raise SystemUnderTestError(system, describe_exception(error)) from error


def check_any_answered(
    system: str, answered: Sized, failures: Mapping[str, SystemUnderTestError]
) -> None:
    """Raise if a system failed for every query: there is nothing to score, and 0 would mislead.

    Parameters
    ----------
    system : str
        Name of the system in the message.
    answered : sized
        Queries that were answered.
    failures : mapping of str to SystemUnderTestError
        Errors of the other queries.

    Raises
    ------
    SystemUnderTestError
        With the first of the errors.
    """
    if failures and not len(answered):
        sent = {
            query_id: error
            for query_id, error in failures.items()
            if not isinstance(error, NotSentError)
        }
        query_id, first = next(iter(sent.items()))
        n_queries = "its only query" if len(failures) == 1 else f"all {len(failures):,} queries"
        if n_not_sent := len(failures) - len(sent):
            n_queries = (
                f"the first {len(sent):,} queries in the same way (the other {n_not_sent:,} were "
                "not sent)"
            )
        message = f"failed for {n_queries}, so there is nothing to score; {query_id}: "
        raise SystemUnderTestError(system, f"{message}{first.message}", transient=first.transient)


def other_ids(
    system: str, returned: Iterable[str], known: Iterable[str], place: str
) -> MismatchError:
    """Return the error of a system whose ids are all unknown, with examples of both sides.

    Parameters
    ----------
    system : str
        Name of the system in the message.
    returned : iterable of str
        Every id that it returned; an id may be repeated.
    known : iterable of str
        The ids that were expected.
    place : str
        What has the known ids, such as "the golden set".
    """
    ids = list(returned)
    return MismatchError(
        f"{system}: none of the {len(ids):,} returned ids is one of {place}; returned: "
        f"{_examples(ids)}; in {place}: {_examples(known)}; {_way_out(ids)}"
    )


def _way_out(ids: Iterable[str]) -> str:
    if all(map(is_content_id, ids)):
        path = "metadata.source"
        start = "the hits have no ids, only texts; name the field that identifies a document:"
    else:
        path = "{id}.txt"
        start = "map them with a setting such as"
    return f"{start} -s id='{path}', or id = \"{path}\" below [system_settings] in berryeval.toml"


def _examples(ids: Iterable[str]) -> str:
    return ", ".join(map(repr, islice(dict.fromkeys(ids), _N_EXAMPLES)))


def describe_exception(error: BaseException) -> str:
    """Return the type and the text of an exception, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
