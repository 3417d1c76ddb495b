"""If-Match and If-None-Match: what a caller believes to be there before it writes.

Without them the second of two people who change the same thing would undo the first unseen.
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
    "Look",
    "Precondition",
    "changed_meanwhile",
    "precondition",
]

Item = TypeVar("Item")

_TAG = re.compile(r'(?:W/)?("[^"]*")')

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag of what is to be replaced, or `*` for whatever is there.",
        examples=['"3"'],
        max_length=1024,
    ),
]
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        description="`*`: write only if there is nothing yet.",
        examples=["*"],
        max_length=1024,
    ),
]


@dataclass(frozen=True)
class Precondition:
    """What has to be there for a write to happen."""

    tags: frozenset[str] | None = None
    """The ETags of which one has to be there; None means any."""
    is_any: bool = False
    """Whether something has to be there, whatever it is."""
    is_none: bool = False
    """Whether nothing may be there."""

    @property
    def is_given(self) -> bool:
        """Whether the caller said anything."""
        return self.tags is not None or self.is_any or self.is_none

    def check(self, etag: str | None, what: str) -> None:
        """Raise unless the thing with this ETag, None if there is none, may be written.

        Raises
        ------
        Problem
            412 if something else is there; 428 if something is there, and nobody said what.
        """
        if self.is_none and etag is not None:
            raise Problem(412, f"{what} exists already", expected="nothing", found=etag)
        if (self.is_any or self.tags is not None) and etag is None:
            raise Problem(412, f"{what} does not exist", expected="something", found="nothing")
        if self.tags is not None and etag not in self.tags:
            raise changed_meanwhile(what, etag)
        if etag is not None and not self.is_given:
            way_out = f"read it, and send its ETag back: If-Match: {etag}"
            raise Problem(428, f"{what} exists, and no If-Match says which; {way_out}",
                          where="If-Match", expected=etag, found="nothing",
                          way_out=way_out)  # fmt: skip


class Look(Generic[Item]):
    """What an archive calls with what is there, in the very transaction that replaces it.

    A caller who said nothing may write.

    Parameters
    ----------
    wanted : Precondition
        What the caller believes to be there.
    etag_of : callable
        Returns the ETag of a thing.
    what : str
        What messages call it.
    """

    def __init__(self, wanted: Precondition, etag_of: Callable[[Item], str], what: str) -> None:
        self._wanted = wanted
        self._etag_of = etag_of
        self._what = what
        self.is_new = False
        """Whether there was nothing."""

    def __call__(self, before: Item | None) -> None:
        """Raise unless this, or nothing, may be replaced."""
        self.is_new = before is None
        if self._wanted.is_given:
            self._wanted.check(None if before is None else self._etag_of(before), self._what)


def changed_meanwhile(what: str, etag: str | None) -> Problem:
    """Return the answer to somebody who would undo another's change."""
    way_out = "read it again, and decide anew"
    return Problem(412, f"{what} was changed meanwhile; {way_out}", where="If-Match",
                   found=etag, way_out=way_out)  # fmt: skip


def precondition(if_match: str | None, if_none_match: str | None) -> Precondition:
    """Read both headers.

    Raises
    ------
    Problem
        400 for what is neither ``*`` nor a list of ETags.
    """
    if if_none_match is not None and if_none_match.strip() != "*":
        raise Problem(400, "If-None-Match: only * has a meaning for a write",
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
