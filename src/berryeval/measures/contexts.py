"""Context precision and recall of RAG tools that need no language model, with Ragas's names.

======================================  ====================================================
`id_based_context_precision`            share of the retrieved ids that are in the reference
`id_based_context_recall`               share of the reference ids that are retrieved
`non_llm_context_precision_with_reference`  average precision of retrieved texts that resemble a
                                        reference text
`non_llm_context_recall`                share of the reference texts that resemble a retrieved one
======================================  ====================================================

Definitions are those of Ragas 0.4, https://docs.ragas.io. For many queries, the first is the
measure SetP and the second SetR; `parse_measure` knows both names. Where Ragas returns NaN, since
it would divide by 0, the result is 0 here, as for every measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from berryeval.core.id_column import as_id
from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "edit_similarity",
    "id_based_context_precision",
    "id_based_context_recall",
    "non_llm_context_precision_with_reference",
    "non_llm_context_recall",
]


def id_based_context_precision(
    retrieved: Iterable[str | int], reference: Iterable[str | int]
) -> float:
    """Return the share of the retrieved ids that are in the reference; order does not count.

    Ids are compared as text, and each counts once. If nothing is retrieved, the result is 0. It
    equals SetP, and P@k if exactly k documents are retrieved.

    Examples
    --------
    >>> id_based_context_precision(["d1", "d2", "d3"], ["d1", "d3", "d4"])
    0.6666666666666666
    """
    found, wanted = _ids(retrieved, "retrieved"), _ids(reference, "reference")
    return len(found & wanted) / len(found) if found else 0.0


def id_based_context_recall(
    retrieved: Iterable[str | int], reference: Iterable[str | int]
) -> float:
    """Return the share of the reference ids that are retrieved; order does not count.

    Ids are compared as text, and each counts once. If the reference is empty, the result is 0. It
    equals SetR.

    Examples
    --------
    >>> id_based_context_recall(["d1", "d2"], ["d1", "d3", "d4", "d5"])
    0.25
    """
    found, wanted = _ids(retrieved, "retrieved"), _ids(reference, "reference")
    return len(found & wanted) / len(wanted) if wanted else 0.0


def non_llm_context_precision_with_reference(
    retrieved: Sequence[str],
    reference: Sequence[str],
    *,
    threshold: float = 0.5,
    similarity: Callable[[str, str], float] | None = None,
) -> float:
    """Return the average precision of retrieved texts, relevant if they resemble a reference text.

    The precision at the rank of each relevant text, averaged over the relevant texts that are
    retrieved. Relevant texts that are missing do not lower it, unlike the measure AP. Ragas adds
    1e-10 to the divisor, so its value is lower by that share. Without a relevant text, it is 0.

    Parameters
    ----------
    retrieved : sequence of str
        The retrieved texts, best first.
    reference : sequence of str
        The texts that answer the question.
    threshold : float
        The lowest similarity that makes a retrieved text relevant, from 0 to 1.
    similarity : callable, optional
        Returns the similarity of two texts, from 0 to 1. Default: `edit_similarity`.

    Examples
    --------
    >>> non_llm_context_precision_with_reference(
    ...     ["Berlin is big.", "Paris is the capital."], ["Paris is the capital of France."]
    ... )
    0.5
    """
    _check_texts(retrieved, reference)
    relevant = _resembling(retrieved, reference, threshold, similarity, is_inclusive=True)
    n_relevant, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            n_relevant += 1
            total += n_relevant / rank
    return total / n_relevant if n_relevant else 0.0


def non_llm_context_recall(
    retrieved: Sequence[str],
    reference: Sequence[str],
    *,
    threshold: float = 0.5,
    similarity: Callable[[str, str], float] | None = None,
) -> float:
    """Return the share of the reference texts that resemble a retrieved text.

    Parameters
    ----------
    retrieved : sequence of str
        The retrieved texts.
    reference : sequence of str
        The texts that answer the question. Without any, the result is 0.
    threshold : float
        The similarity that must be exceeded, from 0 to 1. Precision includes the threshold itself
        and recall does not, as in Ragas.
    similarity : callable, optional
        Returns the similarity of two texts, from 0 to 1. Default: `edit_similarity`.

    Examples
    --------
    >>> non_llm_context_recall(["Paris is the capital."], ["Paris is a capital.", "It is big."])
    0.5
    """
    _check_texts(retrieved, reference)
    found = _resembling(reference, retrieved, threshold, similarity, is_inclusive=False)
    return found.count(True) / len(found) if found else 0.0


def edit_similarity(first: str, second: str) -> float:
    """Return 1 minus the edit distance of two texts divided by the length of the longer one.

    The distance is Levenshtein's: the number of characters to insert, delete or replace. Two
    empty texts have the similarity 1.

    References
    ----------
    Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances,
    Nordic Journal of Computing 10(1), 29-39.

    Examples
    --------
    >>> edit_similarity("kitten", "sitting") == 1 - 3 / 7
    True
    """
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    return 1 - _edit_distance(longer, shorter) / len(longer) if longer else 1.0


def _edit_distance(text: str, pattern: str) -> int:
    """Return Levenshtein's distance; a column of its table is two whole numbers, bit by bit."""
    if not pattern:
        return len(text)
    places: dict[str, int] = {}
    for position, sign in enumerate(pattern):
        places[sign] = places.get(sign, 0) | 1 << position
    last = 1 << (len(pattern) - 1)
    everywhere = (last << 1) - 1
    rising, falling, distance = everywhere, 0, len(pattern)
    for sign in text:
        equal = places.get(sign, 0)
        diagonal = ((((equal & rising) + rising) ^ rising) | equal | falling) & everywhere
        up = falling | (~(diagonal | rising) & everywhere)
        down = rising & diagonal
        distance += bool(up & last) - bool(down & last)
        up = (up << 1 | 1) & everywhere
        down = (down << 1) & everywhere
        rising = down | (~(diagonal | up) & everywhere)
        falling = up & diagonal
    return distance


def _resembling(
    texts: Sequence[str],
    others: Sequence[str],
    threshold: float,
    similarity: Callable[[str, str], float] | None,
    *,
    is_inclusive: bool,
) -> list[bool]:
    """Return whether each text is at least as similar as the threshold to one of the others."""
    if not 0 <= threshold <= 1:
        raise ArgumentError("threshold", "a number from 0 to 1", str(threshold))
    compare = similarity or edit_similarity

    def is_similar(one: str, other: str) -> bool:
        # Lengths alone bound the similarity, which takes long for long texts.
        longest = max(len(one), len(other))
        if similarity is None and longest and min(len(one), len(other)) / longest < threshold:
            return False
        found = compare(one, other)
        return found >= threshold if is_inclusive else found > threshold

    return [any(is_similar(one, other) for other in others) for one in texts]


def _check_texts(retrieved: Sequence[str], reference: Sequence[str]) -> None:
    for name, texts in (("retrieved", retrieved), ("reference", reference)):
        if isinstance(texts, str):
            raise InputTypeError(name, "a list of texts", "str")
        for text in texts:
            if not isinstance(text, str):
                raise InputTypeError(name, "a list of texts", f"{type(text).__name__} in it")


def _ids(ids: Iterable[str | int], name: str) -> set[str]:
    if isinstance(ids, str):
        raise InputTypeError(name, "a list of ids", "str")
    return {as_id(one, name) for one in ids}
