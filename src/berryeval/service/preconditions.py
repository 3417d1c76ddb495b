"""If-Match and If-None-Match: the state that a caller expects before it writes.

Without them, the second of two concurrent changes would silently overwrite the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Header

from berryeval.service.problems import Problem

__all__ = [
    "IfMatch",
    "IfNoneMatch",
    "Precondition",
    "WriteCheck",
    "concurrent_change",
    "precondition",
]

Item = TypeVar("Item")

_TAG = re.compile(r'(?:W/)?("[^"]*")')

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag of the state to replace, or `*` for any state.",
        examples=['"3"'],
        max_length=1024,
    ),
]
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        description="`*`: write only if nothing exists yet.",
        examples=["*"],
        max_length=1024,
    ),
]


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
        """Raise unless the state, or nothing, may be replaced."""
        self.is_new = before is None
        if self._wanted.is_given:
            self._wanted.check(None if before is None else self._etag_of(before), self._what)


def concurrent_change(what: str, etag: str | None) -> Problem:
    """Return the problem of a caller that would overwrite another change."""
    way_out = "read it again and retry"
    return Problem(412, f"{what} was changed in the meantime; {way_out}", where="If-Match",
                   found=etag, way_out=way_out)  # fmt: skip


def precondition(if_match: str | None, if_none_match: str | None) -> Precondition:
    """Read both headers.

    Raises
    ------
    Problem
        400 for anything but ``*`` or a list of ETags.
    """
    if if_none_match is not None and if_none_match.strip() != "*":
        raise Problem(400, "If-None-Match: only * is supported for writes",
                      where="If-None-Match", expected="*", found=if_none_match[:80])  # fmt: skip
    is_none = if_none_match is not None
    if if_match is None:
        return Precondition(is_none=is_none)
    if if_match.strip() == "*":
        return Precondition(is_any=True, is_none=is_none)
    parts = [part.strip() for part in if_match.split(",")]
    if not all(_TAG.fullmatch(part) for part in parts):
        raise Problem(400, 'If-Match: expected an ETag such as "3", in quotes', where="If-Match",
                      expected='an ETag such as "3", in quotes', found=if_match[:80])  # fmt: skip
    # A weak tag never matches here (RFC 9110, 13.1.1).
    return Precondition(frozenset(part for part in parts if part[0] == '"'), is_none=is_none)
