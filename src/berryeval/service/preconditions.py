"""If-Match and If-None-Match: the state that a caller expects before it writes.

Without them, the second of two concurrent changes would silently overwrite the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from fastapi import Depends, Header

from berryeval.service.problems import Problem

__all__ = ["Precondition", "RemovalDep", "WriteCheck", "WriteDep", "concurrent_change"]

Item = TypeVar("Item")

_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True)
class Precondition:
    """The state that a write requires."""

    tags: frozenset[str] | None = None
    """The accepted ETags; None means any."""
    is_any: bool = False
    """Whether something must exist, in any state."""
    is_none: bool = False
    """Whether nothing may exist."""

    @property
    def is_given(self) -> bool:
        """Whether the caller sent a precondition."""
        return self.tags is not None or self.is_any or self.is_none

    def check(self, etag: str | None, what: str) -> None:
        """Raise unless a resource with this ETag, None if it does not exist, may be written.

        Raises
        ------
        Problem
            412 if the state differs; 428 if it exists and the caller sent no precondition.
        """
        if self.is_none and etag is not None:
            raise Problem(412, f"{what} already exists", expected="nothing", found=etag)
        if (self.is_any or self.tags is not None) and etag is None:
            raise Problem(412, f"{what} does not exist", expected="something", found="nothing")
        if self.tags is not None and etag not in self.tags:
            raise concurrent_change(what, etag)
        if etag is not None and not self.is_given:
            way_out = f"read it, and send its ETag: If-Match: {etag}"
            raise Problem(428, f"{what} exists, and If-Match is missing; {way_out}",
                          where="If-Match", expected=etag, found="nothing",
                          way_out=way_out)  # fmt: skip


class WriteCheck(Generic[Item]):
    """A check that an archive calls with the current state, in the transaction that replaces it.

    Without a precondition, any state may be replaced.

    Parameters
    ----------
    wanted : Precondition
        The precondition of the caller.
    etag_of : callable
        Returns the ETag of a state.
    what : str
        The name of the resource in messages.
    """

    def __init__(self, wanted: Precondition, etag_of: Callable[[Item], str], what: str) -> None:
        self._wanted = wanted
        self._etag_of = etag_of
        self._what = what
        self.is_new = False
        """Whether the resource did not exist."""

    def __call__(self, before: Item | None) -> None:
        """Raise unless the state may be replaced; None means that the resource does not exist."""
        self.is_new = before is None
        if self._wanted.is_given:
            self._wanted.check(None if before is None else self._etag_of(before), self._what)


def concurrent_change(what: str, etag: str | None) -> Problem:
    """Return the problem of a caller that would overwrite another change."""
    way_out = "read it again and retry"
    return Problem(412, f"{what} was changed in the meantime; {way_out}", where="If-Match",
                   found=etag, way_out=way_out)  # fmt: skip


@dataclass(frozen=True)
class WriteHeaders:
    """The headers that state a precondition, as they were sent."""

    if_match: str | None
    if_none_match: str | None = None

    def check(self, etag_of: Callable[[Item], str], what: str) -> WriteCheck[Item]:
        """Return a check of the precondition; see `WriteCheck`."""
        return WriteCheck(self.precondition(), etag_of, what)

    def precondition(self) -> Precondition:
        """Read both headers.

        Raises
        ------
        Problem
            400 for anything but ``*`` or a list of ETags.
        """
        is_none = self.if_none_match is not None
        if self.if_none_match is not None and self.if_none_match.strip() != "*":
            raise Problem(400, "If-None-Match: only * is supported for writes",
                          where="If-None-Match", expected="*",
                          found=self.if_none_match[:80])  # fmt: skip
        if self.if_match is None:
            return Precondition(is_none=is_none)
        if self.if_match.strip() == "*":
            return Precondition(is_any=True, is_none=is_none)
        parts = [part.strip() for part in self.if_match.split(",")]
        if not all(_TAG.fullmatch(part) for part in parts):
            expected = 'an ETag such as "3", in quotes'
            raise Problem(400, f"If-Match: expected {expected}", where="If-Match",
                          expected=expected, found=self.if_match[:80])  # fmt: skip
        # A weak tag never matches here (RFC 9110, 13.1.1).
        return Precondition(frozenset(part for part in parts if part[0] == '"'), is_none=is_none)


def _header(name: str, description: str, example: str) -> Any:  # noqa: ANN401 - FastAPI's
    return Header(alias=name, description=description, examples=[example], max_length=1024)


_IfMatch = Annotated[
    str | None,
    _header("If-Match", "The ETag of the state to replace, or `*` for any state.", '"3"'),
]
_IfNoneMatch = Annotated[
    str | None, _header("If-None-Match", "`*`: write only if nothing exists yet.", "*")
]


# Coroutines, since FastAPI would run functions in a thread. The headers are read by the route:
# an invalid body is reported first.
async def _write(if_match: _IfMatch = None, if_none_match: _IfNoneMatch = None) -> WriteHeaders:
    return WriteHeaders(if_match, if_none_match)


async def _removal(if_match: _IfMatch = None) -> WriteHeaders:
    return WriteHeaders(if_match)


WriteDep: TypeAlias = Annotated[WriteHeaders, Depends(_write)]
RemovalDep: TypeAlias = Annotated[WriteHeaders, Depends(_removal)]
