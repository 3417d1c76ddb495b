"""The parameters after a measure's name in ``-m``: cutoffs, shares, numbers, gains."""

from __future__ import annotations

import math
import re

from berryeval.errors import InputError
from berryeval.kernels.gains import Gain
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.trec_eval.lines import atof, atol
from berryeval.trec_eval.names import Version

__all__ = ["read_gains", "read_numbers", "read_patience", "read_ranks", "read_shares"]

_WHOLE = re.compile(rb"[-+]?\d+")


def read_ranks(name: str, text: str) -> tuple[int, ...]:
    """Read cutoffs, and sort them."""
    ranks = tuple(sorted(atol(part) for part in _parts(text)))
    if ranks[0] <= 0 or len(set(ranks)) < len(ranks):
        raise _unusable(name, text, "cutoffs, at least 1, each once")
    return ranks


def read_shares(name: str, text: str) -> tuple[float, ...]:
    """Read recall points or multiples of R, and sort them."""
    shares = tuple(sorted(read_numbers(name, text)))
    if len(set(shares)) < len(shares):
        raise _unusable(name, text, "cutoffs, each once")
    return shares


def read_numbers(name: str, text: str) -> tuple[float, ...]:
    """Read numbers, in their order."""
    numbers = tuple(atof(part) for part in _parts(text))
    if not all(math.isfinite(number) for number in numbers):
        raise _unusable(name, text, "finite numbers")
    return numbers


def read_gains(name: str, text: str, version: Version) -> Gain:
    """Read pairs ``grade=gain``; 10.0 ignores grades that are not whole numbers."""
    pairs = [part.split(b"=") for part in _parts(text)]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a pair
        raise _unusable(name, text, "pairs grade=gain")
    gains: dict[float, float] = {}
    for grade, number in pairs:
        if version == "10.0" and not _WHOLE.fullmatch(grade):
            continue
        gain = atof(number)
        # trec_eval takes the first gain of a grade for the ideal ranking and the lowest one for
        # the run's; -1 and -2 are its own marks of documents without a grade. Values of either
        # kind have no meaning.
        is_mark = atol(grade) in (NOT_IN_POOL, UNJUDGED)
        if is_mark or not math.isfinite(gain) or gains.setdefault(atol(grade), gain) > gain:
            raise _unusable(name, text, "finite gains, each grade once and none of -1 and -2")
    return tuple(gains.items())


def read_patience(name: str, text: str) -> float:
    """Read ``p=0.9``."""
    p = atof(text.removeprefix("p=").encode())
    if not text.startswith("p=") or not 0.0 < p < 1.0:
        raise _unusable(name, text, "p= and a number between 0 and 1")
    return p


def _parts(text: str) -> list[bytes]:
    return [part.encode("utf-8", "surrogateescape") for part in text.split(",")]


def _unusable(name: str, text: str, expected: str) -> InputError:
    return InputError(f"measure {name}: expected {expected}, found {text!r}")
