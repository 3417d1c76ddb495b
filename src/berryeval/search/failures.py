"""Errors of a system: exceptions of third-party code, no answer at all, ids of another set."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sized
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
_MAX_SHOWN = 40
"""Characters of an id in an example."""
_MAX_COMPARED = 1_000
"""Ids of each side that are compared."""
_MIN_WORDS = 3
"""Ids have fewer words than texts."""


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
        message += first.message
        error = SystemUnderTestError(system, message, transient=first.transient)
        raise error.suggest(first.setting)


def other_ids(
    system: str,
    returned: Iterable[str],
    known: Iterable[str],
    place: str,
    likely_id: str | None = None,
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
    likely_id : str, optional
        The setting that probably names the ids, see `System.likely_id`.
    """
    ids = list(returned)
    known = list(dict.fromkeys(known))
    way_out, setting = _way_out(ids, known, likely_id)
    return MismatchError(
        f"{system}: none of the {len(ids):,} returned ids is one of {place}; returned: "
        f"{_examples(ids)}; in {place}: {_examples(known)}; {way_out}"
    ).suggest(setting)


def _way_out(
    ids: Collection[str], known: Collection[str], likely_id: str | None
) -> tuple[str, str | None]:
    """Return what helps, and the setting for it, if there is one."""
    if all(map(is_content_id, ids)):
        start = "the hits have no ids, only texts; name the field that identifies a document with"
        return f"{start} the setting id", likely_id or "id=metadata.source"
    if all(len(one.split()) >= _MIN_WORDS for one in ids):
        return "these are texts; return the ids of documents instead", None
    for one in islice(dict.fromkeys(ids), _MAX_COMPARED):
        for other in islice(known, _MAX_COMPARED):
            if _contains(one, other):
                return f"return {other!r} instead of {one!r}", None
            if _contains(other, one):
                return "map them with the setting id", f"id={other.replace(one, '{id}')}"
    return "map them with a setting such as id={id}.txt", "id={id}.txt"


def _contains(whole: str, part: str) -> bool:
    """Whether an id is a part of another one, between characters that are no letters or digits."""
    before, found, after = whole.partition(part)
    return bool(found) and not (before[-1:].isalnum() or after[:1].isalnum())


def _examples(ids: Iterable[str]) -> str:
    shown = (one if len(one) <= _MAX_SHOWN else f"{one[:_MAX_SHOWN]}…" for one in ids)
    return ", ".join(map(repr, islice(dict.fromkeys(shown), _N_EXAMPLES)))


def describe_exception(error: BaseException) -> str:
    """Return the type and the text of an exception, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
