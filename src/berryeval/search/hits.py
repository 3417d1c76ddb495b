"""Hits, and the checks that every system's answers must pass."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from berryeval.core.id_column import as_id, encode_id
from berryeval.errors import AnswerError, ArgumentError, InputTypeError

__all__ = [
    "Duplicates",
    "Excess",
    "Hit",
    "best_hits",
    "check_duplicates",
    "check_excess",
    "check_k",
    "to_hits",
]

Excess: TypeAlias = Literal["error", "cut"]
"""What to do with more hits than were requested."""

Duplicates: TypeAlias = Literal["error", "keep-best"]
"""What to do with a document that occurs several times in one answer."""


class Hit(NamedTuple):
    """A retrieved document with its score; higher scores are better."""

    doc_id: str
    score: float


def check_k(k: object) -> int:
    """Return k, or raise if it is not a valid number of hits."""
    if not isinstance(k, int) or isinstance(k, bool):
        raise InputTypeError("k", "an integer, at least 1", f"{type(k).__name__} {k!r}")
    if k < 1:
        raise ArgumentError("k", "an integer, at least 1", str(k))
    return k


def check_excess(value: object) -> Excess:
    """Return what to do with surplus hits, or raise if it is unknown."""
    return "cut" if _choice(value, "excess", get_args(Excess)) == "cut" else "error"


def check_duplicates(value: object) -> Duplicates:
    """Return what to do with repeated documents, or raise if it is unknown."""
    chosen = _choice(value, "duplicates", get_args(Duplicates))
    return "keep-best" if chosen == "keep-best" else "error"


def _choice(value: object, argument: str, known: tuple[str, ...]) -> object:
    if value not in known:
        raise ArgumentError(argument, " or ".join(map(repr, known)), repr(value))
    return value


def best_hits(scores: Iterable[tuple[str, float]], k: int) -> list[Hit]:
    """Return the k best, by score and then by document id as bytes, both highest first."""
    best = heapq.nlargest(k, scores, key=lambda pair: (pair[1], encode_id(pair[0])))
    return [Hit(doc_id, score) for doc_id, score in best]


def to_hits(
    answer: object,
    k: int,
    system: str,
    *,
    excess: Excess = "error",
    duplicates: Duplicates = "error",
    has_settings: bool = False,
) -> list[Hit]:
    """Convert a system's answer to hits, best first; ties by document id, highest first.

    Parameters
    ----------
    answer : iterable or mapping
        Hits, pairs of document id and score, a mapping from document id to score in any order,
        or document ids alone, best first, whose scores are -1, -2, … by rank.
    k : int
        The requested number of hits.
    system : str
        Name of the system in messages.
    excess : {"error", "cut"}
        What to do with more than k hits: ``"cut"`` keeps the best k.
    duplicates : {"error", "keep-best"}
        What to do with a repeated document: ``"keep-best"`` keeps the first occurrence.
    has_settings : bool
        Whether both are settings of the system, which errors then suggest.

    Raises
    ------
    AnswerError
        For ids that are empty or neither text nor whole numbers, scores that are not numbers, and
        scores that rise from one hit to the next; by default also for more than k hits, and for a
        repeated document.
    """
    if isinstance(answer, Mapping):
        hits = [_hit(pair, rank, system) for rank, pair in enumerate(answer.items(), start=1)]
    else:
        hits = [_hit(one, rank, system) for rank, one in enumerate(_each(answer, system), start=1)]
        _check_order(hits, system)
    if duplicates == "keep-best":
        hits = _first_of_each(hits)
    if len(hits) > k and excess == "error":
        way_out = "to keep the best of them, set excess=cut" * has_settings
        raise _answer_error(system, f"expected at most {k} hits, got {len(hits)}", way_out)
    seen: set[str] = set()
    for hit in hits:
        if hit.doc_id in seen:
            way_out = "if these are chunks of one document, set duplicates=keep-best" * has_settings
            found = f"expected each document once, got {hit.doc_id!r} twice"
            raise _answer_error(system, found, way_out)
        seen.add(hit.doc_id)
    return best_hits(hits, k)


def _answer_error(system: str, message: str, way_out: str) -> AnswerError:
    """Return an error, with the setting that the way out ends in."""
    error = AnswerError(system, f"{message}; {way_out}" if way_out else message)
    return error.suggest(way_out.rpartition(" ")[2] or None)


def _first_of_each(hits: list[Hit]) -> list[Hit]:
    first: dict[str, Hit] = {}
    for hit in hits:
        known = first.setdefault(hit.doc_id, hit)
        if hit.score > known.score:  # in a mapping, 7 and "7" are the same document, in any order
            first[hit.doc_id] = hit
    return list(first.values())


def _each(answer: object, system: str) -> list[object]:
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        is_none = answer is None
        found = "None; does it return its results?" if is_none else type(answer).__name__
        raise AnswerError(system, f"expected a list of hits, got {found}")
    return list(answer)


def _hit(one: object, rank: int, system: str) -> Hit:
    if isinstance(one, str) or (hasattr(one, "__index__") and not isinstance(one, bool)):
        return Hit(_id(one, rank, system), -float(rank))
    if not isinstance(one, (tuple, list)) or len(one) != 2:  # noqa: PLR2004 - a pair
        message = f"hit {rank}: expected a document id and a score, got {_shown(one)}"
        raise AnswerError(system, message)
    return Hit(_id(one[0], rank, system), _score(one[1], rank, system))


def _id(value: object, rank: int, system: str) -> str:
    try:
        found = as_id(value, "doc_id")
    except InputTypeError:
        expected = "text or a whole number as document id"
        message = f"hit {rank}: expected {expected}, got {_shown(value)}"
        raise AnswerError(system, message) from None
    if not found:
        raise AnswerError(system, f"hit {rank}: expected a document id, got an empty one")
    try:
        encode_id(found)
    except ArgumentError:
        message = f"hit {rank}: expected a document id that UTF-8 can encode, got {value!a}"
        raise AnswerError(system, message) from None
    return found


def _score(value: object, rank: int, system: str) -> float:
    if not isinstance(value, (str, bytes, bool)) and hasattr(value, "__float__"):
        try:
            score = float(value)
        except (TypeError, ValueError, OverflowError):
            score = math.nan
        if not math.isnan(score):
            return score
    raise AnswerError(system, f"hit {rank}: expected a number as score, got {_shown(value)}")


def _check_order(hits: list[Hit], system: str) -> None:
    for rank in range(1, len(hits)):
        before, after = hits[rank - 1].score, hits[rank].score
        if after > before:
            message = (
                f"expected the best hit first, got {before} and then {after} at rank {rank + 1}; "
                "negate scores if lower ones are better, or leave them out to keep the order"
            )
            raise AnswerError(system, message)


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 40 else text[:39] + '…'}"  # noqa: PLR2004
